//! The real Flux: source-controller and kustomize-controller on a running cluster, with a git server for the repository.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::build::{Built, CLUSTER, KUSTOMIZE_CONTROLLER, Program, SOURCE_CONTROLLER};
use super::cluster::Cluster;
use super::process::{Process, free_port, http_ok, port_open, wait_for};
use super::repo::Repo;

const NAMESPACE: &str = "flux-system";

const START: Duration = Duration::from_secs(60);
const SOURCES: &str = "gitrepositories.source.toolkit.fluxcd.io";
const KUSTOMIZATIONS: &str = "kustomizations.kustomize.toolkit.fluxcd.io";

/// Running controllers; dropping them ends them.
pub(crate) struct Flux<'a> {
    cluster: &'a Cluster,
    _programs: Vec<Process>,
}

impl<'a> Flux<'a> {
    /// Installs Flux's kinds, starts both controllers and the git server, and names the repository to Flux.
    pub(crate) fn start(built: &Built, folder: &Path, cluster: &'a Cluster, repo: &Repo) -> Result<Flux<'a>> {
        cluster.apply_crds(&built.file(&SOURCE_CONTROLLER, "bases"), &[SOURCES])?;
        cluster.apply_crds(&built.file(&KUSTOMIZE_CONTROLLER, "bases"), &[KUSTOMIZATIONS])?;
        cluster
            .apply(&[json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})])?;
        let logs = folder.join("logs");
        let git = free_port()?;
        let mut server = Command::new(built.program(&CLUSTER));
        server
            .args(["git-http", &format!("127.0.0.1:{git}")])
            .arg(repo.folder().parent().context("a folder")?);
        let mut server = Process::start("git-http", &mut server, &logs)?;
        server.wait_until(START, || port_open(git))?;

        let storage = format!("127.0.0.1:{}", free_port()?);
        let mut source = controller(built, folder, cluster, &SOURCE_CONTROLLER)?;
        source.arg(format!("--storage-addr={storage}")).arg(format!("--storage-adv-addr={storage}"));
        source.arg(format!("--storage-path={}", made(folder, "flux-storage")?));
        let source = started("source-controller", source, &logs)?;
        let mut kustomize = controller(built, folder, cluster, &KUSTOMIZE_CONTROLLER)?;
        kustomize.args(["--requeue-dependency=500ms", "--http-retry=2"]);
        let kustomize = started("kustomize-controller", kustomize, &logs)?;
        let name = repo.folder().file_name().context("a name")?.to_string_lossy().into_owned();
        cluster.apply(&[json!({"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "GitRepository",
            "metadata": {"name": "flux-system", "namespace": NAMESPACE},
            "spec": {"url": format!("http://127.0.0.1:{git}/{name}"), "interval": "1h", "ref": {"branch": "main"}}})])?;
        Ok(Flux { cluster, _programs: vec![server, source, kustomize] })
    }

    /// Waits until every Kustomization is ready.
    pub(crate) fn wait_for_all(&self, limit: Duration) -> Result<()> {
        wait_for("all Kustomizations to be ready", limit, || {
            let text = self.cluster.kubectl(&["get", KUSTOMIZATIONS, "--all-namespaces", "-o", "json"])?;
            let list: Value = serde_json::from_slice(&text)?;
            let all = list["items"].as_array().map(Vec::as_slice).unwrap_or_default();
            Ok((!all.is_empty() && all.iter().all(ready)).then_some(()))
        })
    }
}

fn ready(object: &Value) -> bool {
    let conditions = object["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    conditions.iter().any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

fn controller(built: &Built, folder: &Path, cluster: &Cluster, program: &Program) -> Result<Command> {
    let mut command = Command::new(built.program(program));
    command.args([
        "--watch-all-namespaces",
        "--enable-leader-election=false",
        "--interval-jitter-percentage=0",
    ]);
    command.args(["--log-level=info", "--log-encoding=console"]);
    command.env("KUBECONFIG", cluster.kubeconfig("flux")).env("RUNTIME_NAMESPACE", NAMESPACE);
    command.env("TMPDIR", made(folder, "flux-tmp")?);
    Ok(command)
}

fn started(name: &str, mut command: Command, logs: &Path) -> Result<Process> {
    let (metrics, health) = (free_port()?, free_port()?);
    command
        .arg(format!("--metrics-addr=127.0.0.1:{metrics}"))
        .arg(format!("--health-addr=127.0.0.1:{health}"));
    let mut process = Process::start(name, &mut command, logs)?;
    process.wait_until(START, || http_ok(health, "/readyz"))?;
    Ok(process)
}

fn made(folder: &Path, name: &str) -> Result<String> {
    let folder = folder.join(name);
    fs::create_dir_all(&folder)?;
    Ok(folder.to_string_lossy().into_owned())
}
