//! The values an Application, a `HelmRelease` or a stand-in installs a chart with.
//!
//! What a switch among them turns off is not brought, and names in them are waited for.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::chart_names::{self, ChartName, Release};
use crate::catalogue::Catalogue;
use crate::hosts;
use crate::model::{Origin, Resource};
use crate::render::Manifest;
use crate::yaml::Limits;
use crate::yaml::tree::{self, Node, Value};

/// `ConfigMaps` of the tree by namespace and name: values may come from them.
pub type ConfigMaps<'r> = HashMap<(&'r str, &'r str), &'r Manifest>;

/// The `ConfigMaps` among resources.
#[must_use]
pub fn config_maps(resources: &[Resource]) -> ConfigMaps<'_> {
    let is_one = |resource: &&Resource| resource.id.kind == "ConfigMap" && resource.id.group.is_empty();
    let found = resources.iter().filter(is_one);
    found
        .map(|resource| ((resource.id.namespace.as_str(), resource.id.name.as_str()), &resource.manifest))
        .collect()
}

/// One tree of values.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Written {
    node: Node,
    /// The text it was parsed from, where it is no part of a document itself: lines in it are not those of a file.
    text_at: Option<Origin>,
}

/// Values as they are written in the tree, the strongest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChartValues {
    parameters: Vec<(String, String)>,
    written: Vec<Written>,
    /// Whether there may be more of them in files or other objects.
    pub is_open: bool,
    /// Whether what is in the chart's `crds/` stays out.
    pub skips_crds: bool,
}

impl ChartValues {
    /// The text of the value at a path with dots.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<&str> {
        let parameter =
            self.parameters.iter().find(|(name, _)| name == path).map(|(_, value)| value.as_str());
        let keys: Vec<&str> = path.split('.').collect();
        let written = || self.written.iter().find_map(|values| values.node.at(&keys)?.text());
        parameter.or_else(written).filter(|text| !text.contains("{{"))
    }

    /// The names at a path with dots, each item of a list on the way one of its own. None where the values do not speak
    /// of it; nothing where they switch it off, or `when` does not hold beside it.
    #[must_use]
    pub fn named(&self, path: &str, when: &BTreeMap<String, String>) -> Option<Vec<&str>> {
        let mut parameters = self.parameters.iter().filter(|(name, _)| name == path && when.is_empty());
        let keys: Vec<&str> = path.split('.').collect();
        let written = || self.written.iter().find_map(|values| named(&values.node, &keys, when));
        let names = parameters.next().map(|(_, value)| vec![value.as_str()]).or_else(written)?;
        Some(names.into_iter().filter(|name| hosts::is_dns_name(name)).collect())
    }

    /// What an object says for its chart of this name.
    #[must_use]
    pub fn of(resource: &Resource, chart: &str, config_maps: &ConfigMaps<'_>) -> Self {
        let manifest = &resource.manifest;
        let Ok(document) = tree::parse_chunk(&manifest.chunk, &Limits::default()) else {
            return Self::default();
        };
        let spec: &[&str] =
            if manifest.kind == "ApplicationSet" { &["spec", "template", "spec"] } else { &["spec"] };
        let Some(spec) = document.at(spec) else { return Self::default() };
        match manifest.kind.as_str() {
            "Application" | "ApplicationSet" => in_application(spec, chart, manifest),
            _ => {
                let mut values = in_release(spec);
                if resource.is_stand_in() {
                    // Its text is ours: all of it is said where the source is.
                    values.written.iter_mut().for_each(|written| written.text_at = Some(resource.origin()));
                }
                let own = values.written.len();
                for reference in items(spec.get("valuesFrom")) {
                    match from_config_map(reference, &resource.id.namespace, config_maps) {
                        // What is read later lies over what is read before.
                        Some(written) => values.written.insert(own, written),
                        None => values.is_open = true,
                    }
                }
                values
            }
        }
    }

    /// The names in them; `at` is where the object stands.
    #[must_use]
    pub fn names(&self, release: Release<'_>, catalogue: &Catalogue, at: &Origin) -> Vec<ChartName> {
        let written = self.written.iter().flat_map(|values| {
            let origin = |line| values.text_at.clone().unwrap_or_else(|| Origin::new(&at.file, line));
            chart_names::of(&values.node, release, catalogue, &origin)
        });
        let parameters = self.parameters.iter().filter_map(|(name, value)| {
            chart_names::of_parameter((name, value), release, catalogue, at.clone())
        });
        written.chain(parameters).collect()
    }
}

/// The texts below a node at these keys.
fn named<'n>(node: &'n Node, keys: &[&str], when: &BTreeMap<String, String>) -> Option<Vec<&'n str>> {
    if let Value::Sequence(items) = &node.value {
        return Some(items.iter().filter_map(|item| named(item, keys, when)).flatten().collect());
    }
    let Some((key, rest)) = keys.split_first() else { return node.text().map(|text| vec![text]) };
    let is_off = |switch: &&str| node.get(switch).and_then(Node::text) == Some("false");
    if ["enabled", "create"].iter().any(is_off) {
        return Some(Vec::new());
    }
    if *key == "*" {
        let below = node.entries().iter().filter_map(|(_, below)| named(below, rest, when));
        return Some(below.flatten().collect());
    }
    let below = named(node.get(key)?, rest, when)?;
    Some(if rest.is_empty() && !chart_names::has_all(when, node) { Vec::new() } else { below })
}

/// Values in a `ConfigMap` of the tree; none where a single value or something unseen is meant.
fn from_config_map(reference: &Node, namespace: &str, config_maps: &ConfigMaps<'_>) -> Option<Written> {
    let text = |key| reference.get(key).and_then(Node::text);
    if text("kind") != Some("ConfigMap") || text("targetPath").is_some() {
        return None;
    }
    let manifest = config_maps.get(&(namespace, text("name")?))?;
    let document = tree::parse_chunk(&manifest.chunk, &Limits::default()).ok()?;
    let value = document.at(&["data", text("valuesKey").unwrap_or("values.yaml")])?;
    parsed(value, manifest)
}

/// Values in a text of a manifest.
fn parsed(text: &Node, manifest: &Manifest) -> Option<Written> {
    let node = tree::parse(&Arc::new(text.text()?.to_owned()), &Limits::default()).ok()?;
    Some(Written { node, text_at: Some(Origin::new(&manifest.file, text.mark.line)) })
}

fn inline(node: &Node) -> Written {
    Written { node: node.clone(), text_at: None }
}

fn in_application(spec: &Node, chart: &str, manifest: &Manifest) -> ChartValues {
    let sources = spec.get("source").into_iter().chain(items(spec.get("sources")));
    let is_it = |source: &&Node| {
        let text = |key| source.get(key).and_then(Node::text).unwrap_or_default();
        text("chart") == chart || text("repoURL").rsplit('/').next() == Some(chart)
    };
    let Some(helm) = sources.into_iter().find(is_it).and_then(|source| source.get("helm")) else {
        return ChartValues::default();
    };
    let parameters = items(helm.get("parameters")).filter_map(|parameter| {
        let text = |key| parameter.get(key).and_then(Node::text).map(str::to_owned);
        text("name").zip(text("value"))
    });
    let parsed = helm.get("values").and_then(|text| parsed(text, manifest));
    ChartValues {
        parameters: parameters.collect(),
        written: helm.get("valuesObject").map(inline).into_iter().chain(parsed).collect(),
        is_open: helm.get("valueFiles").is_some() || helm.get("fileParameters").is_some(),
        skips_crds: is_true(helm.get("skipCrds")),
    }
}

/// A release of Flux, or a stand-in for a chart of a descriptor.
fn in_release(spec: &Node) -> ChartValues {
    ChartValues {
        parameters: Vec::new(),
        written: spec.get("values").map(inline).into_iter().collect(),
        is_open: false,
        skips_crds: is_true(spec.get("skipCrds"))
            || spec.at(&["install", "crds"]).and_then(Node::text) == Some("Skip"),
    }
}

fn items(list: Option<&Node>) -> impl Iterator<Item = &Node> {
    let items = match list.map(|node| &node.value) {
        Some(Value::Sequence(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter()
}

fn is_true(node: Option<&Node>) -> bool {
    node.and_then(Node::text) == Some("true")
}
