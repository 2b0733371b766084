//! A kustomization → its text, by `kustomize build` or `kubectl kustomize`, whichever is there.

use std::path::Path;

use super::cache::Key;
use super::kustomization::{self, Kustomization};
use super::remote::Remote;
use super::tools::{Call, ToolError, Tools};
use super::{Output, sources};
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
    if let (Some((_, address)), false) = (&kustomization.remote, tools.options.allow_remote) {
        let base = Remote::Base { directory: folder.to_owned(), address: address.clone() };
        return Ok(Output::Remote(base));
    }
    let key = key(root, folder, &kustomization, tools)?;
    if let Some(text) = key.as_ref().and_then(|key| tools.cache.as_ref()?.get(key)) {
        return Ok(Output::Text(text));
    }
    Ok(match run(root, folder, &kustomization, tools) {
        Ok(text) => {
            if let (Some(cache), Some(key)) = (&tools.cache, &key) {
                cache.put(key, &text);
            }
            Output::Text(text)
        }
        Err(error) => Output::Failed(error),
    })
}

fn run(
    root: &Path,
    folder: &str,
    kustomization: &Kustomization,
    tools: &Tools<'_>,
) -> Result<String, ToolError> {
    // kustomize's own words would not say which component needs it, nor how to get it.
    if kustomization.has_charts && disk::program_stamp("helm").is_none() {
        return Err(ToolError::Missing("helm"));
    }
    let folder = if folder.is_empty() { "." } else { folder };
    let mut missing = ToolError::Missing("kustomize");
    for (program, verb) in PROGRAMS {
        let mut arguments = vec![(*verb).to_owned(), folder.to_owned()];
        arguments.extend(chart_arguments(kustomization, tools));
        let call = Call { program, arguments, directory: root, redaction: &kustomization.redaction };
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
    let mut arguments = vec!["--enable-helm".to_owned(), "--helm-command".to_owned(), "helm".to_owned()];
    if let Some(version) = &tools.options.kube_version {
        arguments.extend(["--helm-kube-version".to_owned(), version.clone()]);
    }
    for version in &tools.options.api_versions {
        arguments.extend(["--helm-api-versions".to_owned(), version.clone()]);
    }
    arguments
}

/// The key of a render; remote parts may change without us seeing it, so those are never kept.
fn key(
    root: &Path,
    folder: &str,
    kustomization: &Kustomization,
    tools: &Tools<'_>,
) -> Result<Option<Key>, Problems> {
    // Links are checked whether or not the result is kept.
    let files = sources::files(root, kustomization.folders.iter())?;
    if tools.cache.is_none() || kustomization.remote.is_some() {
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
    for argument in chart_arguments(kustomization, tools) {
        key.add(argument);
    }
    sources::add(&mut key, root, &files)?;
    Ok(Some(key))
}
