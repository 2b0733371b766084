//! Secrets of a kustomization: what its generators make Secrets of, what patches write, and values of inflated charts.

use std::path::Path;

use super::Secrets;
use crate::disk;
use crate::render::kustomization::Kustomization;
use crate::render::redact::Redaction;
use crate::render::tools::Tools;
use crate::yaml::tree::Node;

/// Fields whose entries patch, in place or by a file.
const PATCHES: &[&str] = &["patches", "patchesJson6902", "patchesStrategicMerge"];
/// Fields of a chart with files of values; `values` is one where it is no mapping.
const VALUE_FILES: &[&str] = &["valuesFile", "additionalValuesFiles", "values"];

/// What messages about a kustomization must not show.
#[must_use]
pub fn of(root: &Path, kustomization: &Kustomization, tools: &Tools<'_>) -> Redaction {
    let mut secrets = Secrets::default();
    for (folder, node) in &kustomization.nodes {
        let from = From { root, folder };
        secrets.generators(from, node);
        for patch in PATCHES.iter().filter_map(|field| node.get(field)).flat_map(Node::items) {
            secrets.patch_entry(from, patch);
        }
    }
    for (folder, chart) in &kustomization.charts {
        secrets.chart(From { root, folder }, chart);
    }
    for home in &kustomization.homes {
        secrets.charts(root, home, tools);
    }
    secrets.finish()
}

/// What paths of a kustomization are relative to.
#[derive(Clone, Copy)]
struct From<'f> {
    root: &'f Path,
    folder: &'f str,
}

impl Secrets {
    /// Literals of generators and lines of the files they read.
    fn generators(&mut self, from: From<'_>, node: &Node) {
        let lists = ["secretGenerator", "configMapGenerator"].iter().filter_map(|field| node.get(field));
        for generator in lists.flat_map(Node::items) {
            let literals = generator.get("literals").map_or(&[][..], Node::items);
            literals.iter().filter_map(Node::text).for_each(|literal| self.lines(literal));
            let lists = ["envs", "files"].iter().filter_map(|field| generator.get(field));
            let files = lists.flat_map(Node::items).chain(generator.get("env")).filter_map(Node::text);
            for file in files {
                let path = file.split_once('=').map_or(file, |(_, path)| path);
                self.file(from.root, &disk::joined(from.folder, path), Self::lines);
            }
        }
    }

    fn patch_entry(&mut self, from: From<'_>, patch: &Node) {
        let file = patch.get("path").or(Some(patch)).and_then(Node::text).filter(|path| !path.contains('\n'));
        if let Some(file) = file {
            self.file(from.root, &disk::joined(from.folder, file), Self::patch);
        }
        // An entry that is a text alone may be the path of a file, which is no secret.
        let alone = patch.text().filter(|text| text.contains(['\n', '{', '[']));
        if let Some(text) = patch.get("patch").and_then(Node::text).or(alone) {
            self.patch(text);
        }
    }

    fn chart(&mut self, from: From<'_>, chart: &Node) {
        for inline in ["valuesInline", "values"].iter().filter_map(|field| chart.get(field)) {
            if inline.text().is_none() {
                self.redaction.hide(inline);
                self.values.push(inline.clone());
            }
        }
        let named = VALUE_FILES.iter().filter_map(|field| chart.get(field));
        for file in named.flat_map(|one| one.items().iter().chain([one])).filter_map(Node::text) {
            self.file(from.root, &disk::joined(from.folder, file), Self::values);
        }
    }
}
