//! The sidecar laid over an Argo CD that is installed, and installed with it as a kustomize component, on an empty cluster.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::case::{Install, RepoContent};
use crate::parts::build::{ARGOCD, Built, KUSTOMIZE};
use crate::parts::cluster::Cluster;
use crate::parts::process::output;
use crate::parts::repo::Repo;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const NAMESPACE: &str = "argocd";

/// Argo CD's own installation with a kustomize component of this repository laid over it, as a file.
pub(crate) fn manifests(built: &Built, folder: &Path, component: &str) -> Result<PathBuf> {
    let place = folder.join("install");
    let component = Path::new(ROOT).join(component);
    let kustomization =
        json!({"namespace": NAMESPACE, "resources": ["install.yaml"], "components": ["component"]});
    let files = [
        ("kustomization.yaml".into(), kustomization.to_string()),
        ("install.yaml".into(), fs::read_to_string(built.file(&ARGOCD, "install.yaml"))?),
    ];
    Repo::create(place.clone(), &RepoContent { files: files.into(), ..RepoContent::default() })?;
    let copied = place.join("component");
    fs::create_dir_all(&copied)?;
    for entry in fs::read_dir(component)? {
        let entry = entry?;
        fs::copy(entry.path(), copied.join(entry.file_name()))?;
    }
    let manifests = folder.join("installed.yaml");
    fs::write(&manifests, output(Command::new(built.program(&KUSTOMIZE)).arg("build").arg(&place))?)?;
    Ok(manifests)
}

/// Installs in both ways, each time until the changed Deployment is up with the container.
pub(crate) fn check(built: &Built, folder: &Path, install: &Install) -> Result<String> {
    let manifests = manifests(built, folder, &install.component)?;
    let cluster = Cluster::start(built, folder, &[])?;
    cluster.apply(&[json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})])?;
    let apply = |file: &Path| {
        let file = file.to_string_lossy();
        cluster.kubectl(&["apply", "--server-side", "--force-conflicts", "-n", NAMESPACE, "-f", &file])
    };
    let plain = built.file(&ARGOCD, "install.yaml");
    let overlay = Path::new(ROOT).join(&install.overlay);
    apply(&plain)?;
    // Without force: it must take no field from Argo CD's own manifests.
    let overlay = overlay.to_string_lossy();
    let own = "--field-manager=argocd-ladder";
    cluster.kubectl(&["apply", "--server-side", own, "-n", NAMESPACE, "-k", &overlay])?;
    // As the next upgrade of Argo CD does.
    apply(&plain)?;
    runs_container(&cluster, install).context("laid over what is installed")?;
    cluster.kubectl(&["delete", "deployment", &install.deployment, "-n", NAMESPACE])?;
    apply(&manifests)?;
    runs_container(&cluster, install).context("installed by kustomize")
}

fn runs_container(cluster: &Cluster, install: &Install) -> Result<String> {
    let deployment = format!("deployment/{}", install.deployment);
    cluster.kubectl(&["rollout", "status", &deployment, "-n", NAMESPACE, "--timeout=90s"])?;
    let names = "jsonpath={.spec.template.spec.containers[*].name}";
    let names = String::from_utf8(cluster.kubectl(&["get", &deployment, "-n", NAMESPACE, "-o", names])?)?;
    if !names.split_whitespace().any(|name| name == install.container) {
        bail!(
            "{} has the containers {names}, and `{}` is not among them",
            install.deployment,
            install.container
        );
    }
    Ok(format!("{} runs {names}", install.deployment))
}
