//! Where a source is, what renders it, and what else of the repo goes into it.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::kustomization::{self, Kustomization};
use super::{absent, plain, sources};
use crate::disk;
use crate::load::LoadedComponent;
use crate::load::descriptor::Source;
use crate::model::{Fingerprint, Place, Tool};
use crate::yaml::Limits;
use crate::yaml::tree::{self, Node};

/// Finds the place of every component's source.
pub fn find(root: &Path, components: &mut [LoadedComponent]) {
    components.par_iter_mut().for_each(|loaded| loaded.component.place = place(root, &loaded.source));
}

fn place(root: &Path, source: &Source) -> Place {
    let (path, tool) = match source {
        Source::Directory(path) => (path.clone(), plain::tool_of(root, path)),
        Source::Globs { base, .. } => (base.clone(), None),
        // That a folder is missing is said where its files are read.
        Source::Kustomize(path) => (path.clone(), disk::is_directory(root, path).then_some(Tool::Kustomize)),
        Source::Chart { base, chart } => {
            (chart.path.as_ref().map(|path| disk::joined(base, path)).unwrap_or_default(), Some(Tool::Helm))
        }
    };
    let kustomization =
        if tool == Some(Tool::Kustomize) { read(root, &path) } else { Kustomization::default() };
    let mut also = match (tool, source) {
        (Some(Tool::Kustomize), _) => kustomization.folders.iter().cloned().collect(),
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
    let place = Place { path, tool, also, files: None, is_encrypted: kustomization.is_encrypted };
    let files = fingerprint(root, source, &place, &kustomization);
    Place { files, ..place }
}

/// What a kustomization is made of; what cannot be read is told where it is rendered.
fn read(root: &Path, folder: &str) -> Kustomization {
    kustomization::read(root, folder).unwrap_or_default()
}

/// The files that go into a source which is only partly in the tree: a change in them shows in no rendered document.
fn fingerprint(
    root: &Path,
    source: &Source,
    place: &Place,
    kustomization: &Kustomization,
) -> Option<Fingerprint> {
    let files = match source {
        Source::Chart { base, chart } if chart.repo_url.is_some() => {
            chart.value_files.iter().map(|file| disk::joined(base, file)).collect()
        }
        _ if !kustomization.remote.is_empty() => {
            sources::files(root, kustomization.folders.iter()).unwrap_or_default()
        }
        _ if place.tool == Some(Tool::Helm) && !absent::of(root, &place.path).is_empty() => {
            let (folders, files): (Vec<&String>, Vec<&String>) =
                place.also.iter().partition(|path| disk::is_directory(root, path));
            let folders = folders.into_iter().chain([&place.path]);
            files.into_iter().cloned().chain(sources::files(root, folders).unwrap_or_default()).collect()
        }
        _ => Vec::new(),
    };
    if files.is_empty() {
        return None;
    }
    let mut whole = Fingerprint::default();
    for file in files {
        whole.mix(file.as_bytes());
        whole.mix(b"\0");
        whole.mix(&disk::read_bytes(root, &file).unwrap_or_default());
        whole.mix(b"\0");
    }
    Some(whole)
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
