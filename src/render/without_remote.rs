//! A kustomization that takes charts or bases from elsewhere: the rest of it, built from a copy that leaves them out.
//!
//! Only for reading: whoever renders the component is told that what the stand-ins stand for is not there.

#![expect(clippy::disallowed_methods, reason = "the copy lies outside the root")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value};
use tempfile::TempDir;

use super::kustomization::{self, Kustomization};
use super::remote::{Part, What};
use super::tools::Tools;
use super::{dependencies, kustomize};
use crate::disk;
use crate::problem::Problems;

/// The manifests of the rest; none where it cannot be built without what is remote, as a patch of that finds nothing to
/// change.
///
/// # Errors
/// When a folder of it cannot be read.
pub(super) fn build(
    root: &Path,
    folder: &str,
    kustomization: &Kustomization,
    tools: &Tools<'_>,
) -> Result<Option<String>, Problems> {
    let Some(copy) = copied(root, kustomization, tools.home())? else { return Ok(None) };
    let rest = kustomization::read(copy.path(), folder)?;
    Ok(kustomize::run(copy.path(), folder, &rest, tools).ok())
}

/// The folders of a kustomization at their paths, without what is remote; none where more than lists of charts and bases
/// would have to change.
fn copied(root: &Path, kustomization: &Kustomization, home: &Path) -> Result<Option<TempDir>, Problems> {
    let files: BTreeSet<&str> = kustomization.remote.iter().map(|part| &*part.origin.file).collect();
    let mut rests = Vec::new();
    for file in files {
        let parts: Vec<&Part> =
            kustomization.remote.iter().filter(|part| &*part.origin.file == file).collect();
        let Some(rest) = rest_of(&disk::read(root, file)?, &parts) else { return Ok(None) };
        rests.push((file, rest));
    }
    let Ok(copy) = tempfile::Builder::new().prefix("kustomization-").tempdir_in(home) else {
        return Ok(None);
    };
    for folder in outermost(&kustomization.folders) {
        if dependencies::copy(root, folder, &copy.path().join(folder))?.is_err() {
            return Ok(None);
        }
    }
    let is_written = rests.into_iter().all(|(file, rest)| fs::write(copy.path().join(file), rest).is_ok());
    Ok(is_written.then_some(copy))
}

/// Those that lie in no other.
fn outermost(folders: &BTreeSet<String>) -> impl Iterator<Item = &String> {
    let is_below = |folder: &str, outer: &str| {
        let rest = folder.strip_prefix(outer);
        folder != outer && (outer.is_empty() || rest.is_some_and(|rest| rest.starts_with('/')))
    };
    folders.iter().filter(move |folder| !folders.iter().any(|outer| is_below(folder, outer)))
}

/// A kustomization's text without these parts, as JSON; none where one of them is in no such list.
fn rest_of(text: &str, parts: &[&Part]) -> Option<String> {
    let mut document: Map<String, Value> = serde_yaml::from_str(text).ok()?;
    let mut left_out = 0;
    for (key, list) in &mut document {
        let is_charts = key.eq_ignore_ascii_case("helmCharts");
        if !is_charts && !kustomization::BASES.contains(&key.as_str()) {
            continue;
        }
        let Some(list) = list.as_array_mut() else { continue };
        let before = list.len();
        list.retain(|listed| !parts.iter().any(|part| is_it(&part.what, listed)));
        left_out += before - list.len();
    }
    (left_out == parts.len()).then(|| Value::Object(document).to_string())
}

fn is_it(what: &What, listed: &Value) -> bool {
    let is_said = |key: &str, text: &str| listed.get(key).and_then(Value::as_str) == Some(text);
    match what {
        What::Address(address) => listed.as_str() == Some(address),
        What::Chart(chart, _) => is_said("name", &chart.name) && is_said("repo", &chart.repository),
    }
}
