//! The plugin as people run it: its image, the container that the installation adds to the repo-server, and
//! argocd-cmp-server put there as Argo CD's own init container does.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;

use super::build::{ARGOCD, Built};
use super::container::{self, Container};
use super::image::{self, Image, below};
use super::process::Process;
use crate::case::Sidecar;
use crate::checks::install;

/// The volume with the sockets: the repo-server looks there too.
const SOCKETS: &str = "plugins";
/// Argo CD's init container that hands out argocd-cmp-server.
const HANDS_OUT: &str = "copyutil";
const CONFIG: &str = "/home/argocd/cmp-server/config/plugin.yaml";

/// Starts the container's first process; its sockets are in `sockets`.
pub(crate) fn start(built: &Built, sidecar: &Sidecar, folder: &Path, sockets: &Path) -> Result<Process> {
    let pod = pod(built, sidecar, folder)?;
    let image = image::built(&sidecar.dockerfile)?;
    let mut volumes = container::volumes(&pod, &folder.join("volumes"))?;
    container::open_to_all(sockets)?;
    volumes.insert(SOCKETS.to_owned(), sockets.to_owned());
    container::follow_copies(named(&pod["initContainers"], HANDS_OUT)?, &built.program(&ARGOCD), &volumes)?;
    let spec = named(&pod["containers"], &sidecar.container)?;
    let container = Container { image: &image, spec, volumes: &volumes };
    let mut command = container.command()?;
    paths_exist(&image, spec)?;
    let mut process = Process::start("sidecar", &mut command, &folder.join("logs"))?;
    process.wait_until(super::repo_server::START, || {
        fs::read_dir(sockets).is_ok_and(|mut sockets| sockets.next().is_some())
    })?;
    // It may have ended just after it made its socket: its log says why.
    container.check(process.id()).with_context(|| process.last_words())?;
    Ok(process)
}

/// The pod of the Deployment that the installation changes.
fn pod(built: &Built, sidecar: &Sidecar, folder: &Path) -> Result<Value> {
    let text = fs::read_to_string(install::manifests(built, folder, &sidecar.component)?)?;
    for document in serde_yaml::Deserializer::from_str(&text) {
        let object = Value::deserialize(document)?;
        if object["kind"] == "Deployment" && object["metadata"]["name"] == *sidecar.deployment {
            return Ok(object["spec"]["template"]["spec"].clone());
        }
    }
    bail!("the installation has no Deployment {}", sidecar.deployment)
}

fn named<'v>(list: &'v Value, name: &str) -> Result<&'v Value> {
    let found = list.as_array().and_then(|list| list.iter().find(|one| one["name"] == *name));
    found.with_context(|| format!("the pod has no container {name}"))
}

/// Every path that the image, the container and plugin.yaml name is there, seen from inside.
fn paths_exist(image: &Image, spec: &Value) -> Result<()> {
    let path = image.environment.get("PATH").context("the image sets PATH")?;
    let on_path = |program: &str| path.split(':').map(|folder| format!("{folder}/{program}")).collect();
    let text = fs::read_to_string(below(&image.root, CONFIG)).context(CONFIG)?;
    let plugin: Value = serde_yaml::from_str(&text).context(CONFIG)?;
    let mut wanted: Vec<Vec<String>> = vec![vec![image.folder.clone()], image.entry.clone()];
    let first = |command: &Value| command[0].as_str().map(str::to_owned);
    for command in
        [&plugin["spec"]["generate"]["command"], &plugin["spec"]["parameters"]["dynamic"]["command"]]
    {
        wanted.push(on_path(&first(command).context("a command of plugin.yaml")?));
    }
    wanted.extend(["helm", "kustomize"].map(on_path));
    wanted.extend(first(&spec["command"]).map(|command| vec![command]));
    for variable in spec["env"].as_array().into_iter().flatten() {
        wanted.extend(
            variable["value"].as_str().filter(|value| value.starts_with('/')).map(|at| vec![at.to_owned()]),
        );
    }
    match wanted.iter().find(|places| !places.iter().any(|place| is_there(&image.root, place))) {
        Some(places) => bail!("the container has no {}", places.join(" or ")),
        None => Ok(()),
    }
}

/// Links of an image are read from its root, not from ours.
fn is_there(root: &Path, path: &str) -> bool {
    let at: PathBuf = below(root, path);
    match fs::read_link(&at) {
        Ok(target) => is_there(root, &target.to_string_lossy()),
        Err(_) => at.exists(),
    }
}
