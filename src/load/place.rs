//! Where a source is, what renders it, and what else of the repo goes into it.

use std::path::Path;
use std::sync::Arc;

use super::descriptor::Source;
use crate::disk;
use crate::model::{Place, Tool};
use crate::render::{kustomization, plain};
use crate::yaml::Limits;
use crate::yaml::tree::{self, Node};

/// The place of a source.
#[must_use]
pub fn of(root: &Path, source: &Source) -> Place {
    let (path, tool) = match source {
        Source::Directory(path) => (path.clone(), plain::tool_of(root, path)),
        Source::Globs { base, .. } => (base.clone(), None),
        Source::Kustomize(path) => (path.clone(), Some(Tool::Kustomize)),
        Source::Chart { base, chart } => {
            (chart.path.as_ref().map(|path| disk::joined(base, path)).unwrap_or_default(), Some(Tool::Helm))
        }
    };
    let mut also = match (tool, source) {
        (Some(Tool::Kustomize), _) => below(root, &path),
        (Some(Tool::Helm), Source::Chart { base, chart }) => {
            let files = chart.value_files.iter().map(|file| disk::joined(base, file));
            files.chain(chart.path.iter().flat_map(|_| dependencies(root, &path))).collect()
        }
        (Some(Tool::Helm), _) => dependencies(root, &path),
        (None, _) => Vec::new(),
    };
    let own = format!("{path}/");
    also.retain(|folder| *folder != path && !path.is_empty() && !folder.starts_with(&own));
    also.sort();
    also.dedup();
    Place { path, tool, also }
}

/// Folders a kustomization is built on; what cannot be read is told where it is rendered.
fn below(root: &Path, folder: &str) -> Vec<String> {
    kustomization::read(root, folder).map(|whole| whole.folders.into_iter().collect()).unwrap_or_default()
}

/// Charts of the repo that a chart depends on: by `file://`, or by a link in `charts/`.
fn dependencies(root: &Path, folder: &str) -> Vec<String> {
    let text = disk::read(root, &disk::joined(folder, "Chart.yaml")).unwrap_or_default();
    let chart = tree::parse(&Arc::new(text), &Limits::default());
    let named = chart.iter().filter_map(|chart| chart.get("dependencies")).flat_map(Node::items);
    let addresses = named.filter_map(|one| one.get("repository").and_then(Node::text));
    let files = addresses.filter_map(|address| address.strip_prefix("file://"));
    let charts = disk::joined(folder, "charts");
    let links = disk::link_targets(root, &charts);
    files.map(|path| disk::joined(folder, path)).chain(links).collect()
}
