//! Plain manifests: which files of a directory are a component's own.

use std::path::Path;

use globset::{GlobBuilder, GlobSetBuilder};

use super::kustomization;
use crate::discover::{DESCRIPTOR_NAMES, SETTINGS_NAMES};
use crate::disk::{self, Links, Walk};
use crate::model::{Origin, Tool};
use crate::problem::{Problem, Problems};

/// What a directory needs, when it is not plain manifests; decided as Argo CD decides, so a kustomization beside a
/// chart wins (util/app/discovery/discovery.go: the last file of the walk counts).
#[must_use]
pub fn tool_of(root: &Path, directory: &str) -> Option<Tool> {
    if kustomization::file_in(root, directory).is_some() {
        Some(Tool::Kustomize)
    } else {
        disk::exists(root, &disk::joined(directory, "Chart.yaml")).then_some(Tool::Helm)
    }
}

/// The manifest files below a directory, and the charts and kustomizations that were left out.
#[derive(Debug, Default)]
pub struct Found {
    /// Manifest files.
    pub files: Vec<String>,
    /// Folders that need a tool and no descriptor claims.
    pub skipped: Vec<(String, Tool)>,
    /// Links to nothing that would be manifests.
    pub dangling: Vec<String>,
}

/// All manifest files below a directory, without those of other components, charts or kustomizations.
///
/// Links to folders are followed, which Argo CD's own directory source does not; a folder that two paths lead to is read
/// once, where it really is.
///
/// # Errors
/// When a directory cannot be listed.
pub fn in_directory(root: &Path, directory: &str) -> Result<Found, Problems> {
    let mut found = Found::default();
    let walk = Walk { root, with_hidden: false, links: Links::EachFolderOnce };
    walk.visit(directory, |path, entry| {
        if entry.is_directory {
            if is_described(root, &path) {
                return false;
            }
            let Some(tool) = tool_of(root, &path) else { return true };
            found.skipped.push((path, tool));
        } else if is_manifest(&entry.name) {
            let list = if entry.is_dangling { &mut found.dangling } else { &mut found.files };
            list.push(path);
        }
        false
    })?;
    found.files.sort();
    found.skipped.sort();
    found.dangling.sort();
    Ok(found)
}

/// The files that globs name, relative to `base`; a glob without a file is a problem.
///
/// # Errors
/// When a glob does not parse or matches nothing.
pub fn by_globs(root: &Path, base: &str, patterns: &[String], origin: &Origin) -> Result<Found, Problems> {
    let mut globs = GlobSetBuilder::new();
    for pattern in patterns {
        let whole = disk::joined(base, pattern);
        let glob = GlobBuilder::new(&whole).literal_separator(true).build();
        globs.add(glob.map_err(|error| {
            Problem::new("invalid-value", format!("`{pattern}` is not a glob: {}", error.kind())).at(origin)
        })?);
    }
    let globs = globs.build().map_err(|error| Problem::new("invalid-value", error.to_string()).at(origin))?;
    let mut hit = vec![false; patterns.len()];
    let mut found = Found::default();
    for (file, is_dangling) in everything(root, &common_base(base, patterns))? {
        let matches = globs.matches(&file);
        for index in &matches {
            hit[*index] = true;
        }
        let name = file.rsplit('/').next().unwrap_or(&file);
        if !matches.is_empty() && !DESCRIPTOR_NAMES.contains(&name) {
            let list = if is_dangling { &mut found.dangling } else { &mut found.files };
            list.push(file);
        }
    }
    if let Some(missed) = hit.iter().position(|found| !found) {
        return Err(Problem::new("missing-source", format!("`{}` matches no file", patterns[missed]))
            .at(origin)
            .help("globs are relative to the descriptor; `**` goes into folders")
            .into());
    }
    found.files.sort();
    found.dangling.sort();
    Ok(found)
}

/// The folder all patterns lie under: patterns may start with `../`.
fn common_base(base: &str, patterns: &[String]) -> String {
    let ups = patterns.iter().map(|pattern| pattern.split('/').take_while(|part| *part == "..").count());
    disk::joined(base, &vec![".."; ups.max().unwrap_or(0)].join("/"))
}

/// All files below a directory, each with whether it is a link to nothing.
fn everything(root: &Path, directory: &str) -> Result<Vec<(String, bool)>, Problems> {
    let mut files = Vec::new();
    let walk = Walk { root, with_hidden: false, links: Links::EachPath };
    walk.visit(directory, |path, entry| {
        if !entry.is_directory {
            files.push((path, entry.is_dangling));
        }
        true
    })?;
    Ok(files)
}

fn is_described(root: &Path, directory: &str) -> bool {
    DESCRIPTOR_NAMES.iter().any(|name| disk::exists(root, &disk::joined(directory, name)))
}

fn is_manifest(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(ending, "yaml" | "yml" | "json")
        && !DESCRIPTOR_NAMES.contains(&name)
        && !SETTINGS_NAMES.contains(&name)
}
