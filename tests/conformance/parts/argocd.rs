//! The real application and `ApplicationSet` controllers, on a running cluster and repo-server.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::build::{ARGOCD, Built};
use super::cluster::Cluster;
use super::process::{Process, free_port, http_ok, wait_for};
use super::repo_server::RepoServer;

const NAMESPACE: &str = "argocd";

const SETTINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/stages/argocd-cm.yaml");
const START: Duration = Duration::from_secs(60);
const KINDS: [&str; 3] =
    ["applications.argoproj.io", "applicationsets.argoproj.io", "appprojects.argoproj.io"];

/// Running controllers; dropping them ends them.
pub(crate) struct Argocd<'a> {
    cluster: &'a Cluster,
    _programs: Vec<Process>,
}

impl<'a> Argocd<'a> {
    /// Installs Argo CD's kinds and settings and starts both controllers.
    pub(crate) fn start(
        built: &Built,
        folder: &Path,
        cluster: &'a Cluster,
        server: &RepoServer,
        more: &BTreeMap<String, String>,
    ) -> Result<Argocd<'a>> {
        cluster.apply_crds(&built.file(&ARGOCD, "crds"), &KINDS)?;
        let mut own: BTreeMap<String, String> = serde_yaml::from_str(&fs::read_to_string(SETTINGS)?)?;
        own.extend(more.clone());
        cluster.apply(&settings(&json!(own)))?;
        let metrics = free_port()?;
        let mut applications = controller(built, folder, cluster, "argocd-application-controller")?;
        applications.args(["--repo-server", &server.address(), "--repo-server-plaintext"]);
        applications.args(["--redis", &format!("127.0.0.1:{}", server.redis_port)]);
        applications.args([
            "--metrics-port",
            &metrics.to_string(),
            "--app-resync",
            "10",
            "--app-resync-jitter",
            "0",
        ]);
        // The pause between waves is what gives a slow status time to be seen; half of Argo CD's default is kept.
        applications.env("ARGOCD_SYNC_WAVE_DELAY", "1");
        let logs = folder.join("logs");
        let mut programs = vec![Process::start("application-controller", &mut applications, &logs)?];
        programs[0].wait_until(START, || http_ok(metrics, "/healthz"))?;

        let metrics = free_port()?;
        let mut sets = controller(built, folder, cluster, "argocd-applicationset-controller")?;
        sets.args([
            "--argocd-repo-server",
            &server.address(),
            "--repo-server-plaintext",
            "--enable-progressive-syncs",
        ]);
        for (flag, port) in
            [("--metrics-addr", metrics), ("--probe-addr", free_port()?), ("--webhook-addr", free_port()?)]
        {
            sets.args([flag, &format!("127.0.0.1:{port}")]);
        }
        let mut sets = Process::start("applicationset-controller", &mut sets, &logs)?;
        sets.wait_until(START, || http_ok(metrics, "/metrics"))?;
        programs.push(sets);
        Ok(Argocd { cluster, _programs: programs })
    }

    /// Creates an Application that syncs by itself; the Application once its operation has ended, or the time has.
    pub(crate) fn sync(&self, name: &str, source: &Value, retries: u32, limit: Duration) -> Result<Value> {
        self.cluster.apply(&[application(name, source, retries)])?;
        let ended = wait_for(&format!("the operation of application {name}"), limit, || {
            let found = self.cluster.get(KINDS[0], NAMESPACE, name)?;
            let found = found.with_context(|| format!("application {name} is gone"))?;
            let phase = found["status"]["operationState"]["phase"].as_str().unwrap_or_default();
            Ok(matches!(phase, "Succeeded" | "Failed" | "Error").then_some(found))
        });
        match ended {
            Ok(found) => Ok(found),
            Err(late) => self.cluster.get(KINDS[0], NAMESPACE, name)?.ok_or(late),
        }
    }

    /// Has an Application look at its repository again.
    pub(crate) fn refresh(&self, name: &str) -> Result<()> {
        let hard = "argocd.argoproj.io/refresh=hard";
        self.cluster.kubectl(&["annotate", KINDS[0], name, "-n", NAMESPACE, "--overwrite", hard])?;
        Ok(())
    }

    /// Deletes an Application and waits until it is gone with all that it holds.
    pub(crate) fn delete(&self, name: &str, limit: Duration) -> Result<()> {
        self.cluster.kubectl(&["delete", KINDS[0], name, "-n", NAMESPACE, "--wait=false"])?;
        wait_for(&format!("application {name} to be gone"), limit, || {
            Ok(self.cluster.get(KINDS[0], NAMESPACE, name)?.is_none().then_some(()))
        })
    }

    /// Waits until there are several Applications and every one is in sync and healthy.
    pub(crate) fn wait_for_all(&self, limit: Duration) -> Result<()> {
        wait_for("all Applications to be in sync and healthy", limit, || {
            let text = self.cluster.kubectl(&["get", KINDS[0], "-n", NAMESPACE, "-o", "json"])?;
            let list: Value = serde_json::from_slice(&text)?;
            let all = list["items"].as_array().map(Vec::as_slice).unwrap_or_default();
            let done = |one: &Value| {
                one["status"]["sync"]["status"] == "Synced" && one["status"]["health"]["status"] == "Healthy"
            };
            Ok((all.len() > 1 && all.iter().all(done)).then_some(()))
        })
    }
}

fn controller(built: &Built, folder: &Path, cluster: &Cluster, name: &str) -> Result<Command> {
    let temporary = folder.join("tmp").join(name);
    fs::create_dir_all(&temporary)?;
    let mut command = Command::new(built.program(&ARGOCD));
    command.args(["--namespace", NAMESPACE, "--logformat", "text", "--loglevel", "info"]);
    command
        .env("ARGOCD_BINARY_NAME", name)
        .env("KUBECONFIG", cluster.kubeconfig("argocd"))
        .env("TMPDIR", temporary);
    // The way to the destination https://kubernetes.default.svc for a process outside of it.
    command.env("ARGOCD_FAKE_IN_CLUSTER", "true").env("ARGOCD_GPG_ENABLED", "false");
    command.env("ARGOCD_TLS_DATA_PATH", folder.join("tls")).env("ARGOCD_SSH_DATA_PATH", folder.join("ssh"));
    Ok(command)
}

fn application(name: &str, source: &Value, retries: u32) -> Value {
    let backoff = json!({"duration": "2s", "factor": 1, "maxDuration": "2s"});
    json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"name": name, "namespace": NAMESPACE, "finalizers": ["resources-finalizer.argocd.argoproj.io"]},
        "spec": {"project": "default", "source": source,
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
            "syncPolicy": {"automated": {}, "retry": {"limit": retries, "backoff": backoff}}}})
}

fn settings(argocd_cm: &Value) -> Vec<Value> {
    // Argo CD finds its own settings by this label.
    let meta = |name: &str| json!({"name": name, "namespace": NAMESPACE, "labels": {"app.kubernetes.io/part-of": "argocd"}});
    let project = json!({"sourceRepos": ["*"], "destinations": [{"namespace": "*", "server": "*", "name": "*"}],
        "clusterResourceWhitelist": [{"group": "*", "kind": "*"}]});
    vec![
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("argocd-cm"), "data": argocd_cm}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("argocd-cmd-params-cm")}),
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta("argocd-rbac-cm")}),
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": meta("argocd-secret"), "type": "Opaque",
            "stringData": {"server.secretkey": "for one case on loopback"}}),
        json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject",
            "metadata": {"name": "default", "namespace": NAMESPACE}, "spec": project}),
    ]
}
