//! A kustomization → its text, by `kustomize build` or `kubectl kustomize`, whichever is there.

use std::path::Path;

use super::cache::Key;
use super::kustomization::{self, Kustomization};
use super::remote::{Part, Remote, What};
use super::tools::{Call, ToolError, Tools};
use super::{Output, sources, without_remote};
use crate::disk;
use crate::problem::Problems;

/// Programs that build a kustomization, in the order they are tried, with the words that make them do it.
const PROGRAMS: &[(&str, &str)] = &[("kustomize", "build"), ("kubectl", "kustomize")];

/// Builds the kustomization of a folder.
///
/// # Errors
/// When the folder cannot be read; what a tool says comes back as [`Output::Failed`].
pub fn build(root: &Path, folder: &str, tools: &Tools<'_>) -> Result<Output, Problems> {
    let kustomization = kustomization::read(root, folder)?;
    if !kustomization.remote.is_empty() && !tools.options.allow_remote {
        let rest = without_remote::build(root, folder, &kustomization, tools)?;
        let parts = in_namespace(kustomization, folder);
        return Ok(Output::Remote(Remote::Parts { folder: folder.to_owned(), parts, rest }));
    }
    let run = || run(root, folder, &kustomization, tools).map_or_else(Output::Failed, Output::Text);
    sources::kept(tools, || key(root, folder, tools), || Ok(run()))
}

/// What is remote, in the namespace that the kustomization puts everything into.
fn in_namespace(kustomization: Kustomization, folder: &str) -> Vec<Part> {
    let own = kustomization.nodes.iter().find(|(known, _)| known == folder);
    let namespace = own.and_then(|(_, node)| node.get("namespace")?.text().map(str::to_owned));
    let mut parts = kustomization.remote;
    for part in &mut parts {
        if let (What::Chart(chart, _), Some(namespace)) = (&mut part.what, &namespace) {
            chart.namespace = Some(namespace.clone());
        }
    }
    parts
}

pub(super) fn run(
    root: &Path,
    folder: &str,
    kustomization: &Kustomization,
    tools: &Tools<'_>,
) -> Result<String, ToolError> {
    // kustomize's own words would not say which component needs it, nor how to get it.
    if kustomization.has_charts && tools.program("helm").is_none() {
        return Err(ToolError::Missing("helm"));
    }
    let mut missing = ToolError::Missing("kustomize");
    for (program, verb) in PROGRAMS {
        let mut arguments = vec![(*verb).to_owned(), disk::argument(folder)];
        arguments.extend(chart_arguments(kustomization, tools));
        let secrets = || kustomization.secrets(root, tools);
        let call = Call { program, arguments, directory: root, redaction: &secrets, input: None };
        match tools.run(&call) {
            Err(error @ ToolError::Missing(_)) if *program == "kustomize" => missing = error,
            Err(ToolError::Missing(_)) => {}
            result => return result,
        }
    }
    Err(missing)
}

/// What Argo CD passes on too where `--enable-helm` is among its build options.
fn chart_arguments(kustomization: &Kustomization, tools: &Tools<'_>) -> Vec<String> {
    if !kustomization.has_charts {
        return Vec::new();
    }
    let mut arguments = vec!["--enable-helm".to_owned(), "--helm-command=helm".to_owned()];
    let options = tools.options;
    arguments.extend(options.kube_version.iter().map(|version| format!("--helm-kube-version={version}")));
    arguments.extend(options.api_versions.iter().map(|version| format!("--helm-api-versions={version}")));
    arguments
}

/// The key of a render; remote parts may change without us seeing it, so those are never kept.
fn key(root: &Path, folder: &str, tools: &Tools<'_>) -> Result<Option<Key>, Problems> {
    let kustomization = kustomization::read(root, folder)?;
    // Links are checked whether or not the result is kept.
    let files = sources::files(root, kustomization.folders.iter())?;
    if tools.cache.is_none() || !kustomization.remote.is_empty() {
        return Ok(None);
    }
    let Some(version) = sources::version(tools, PROGRAMS.iter().map(|(program, _)| *program)) else {
        return Ok(None);
    };
    let mut key = Key::new(&version);
    if kustomization.has_charts {
        let Some(version) = sources::version(tools, ["helm"].into_iter()) else { return Ok(None) };
        key.add(version);
    }
    key.add(folder);
    for argument in chart_arguments(&kustomization, tools) {
        key.add(argument);
    }
    Ok(sources::added(key, root, &files))
}
