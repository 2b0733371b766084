//! The values an Application, a `HelmRelease` or a stand-in installs a chart with.
//!
//! Read only for charts the catalogue knows: what a switch among them turns off is not brought.

use std::sync::Arc;

use crate::render::Manifest;
use crate::yaml::Limits;
use crate::yaml::tree::{self, Node, Value};

/// Values as they are written inline, the strongest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChartValues {
    parameters: Vec<(String, String)>,
    written: Vec<Node>,
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
        let written = || self.written.iter().find_map(|values| values.at(&keys)?.text());
        parameter.or_else(written).filter(|text| !text.contains("{{"))
    }

    /// What an object says for its chart of this name.
    #[must_use]
    pub fn of(manifest: &Manifest, chart: &str) -> Self {
        let Ok(document) = tree::parse_chunk(&manifest.chunk, &Limits::default()) else {
            return Self::default();
        };
        match manifest.kind.as_str() {
            "Application" => {
                document.at(&["spec"]).map_or_else(Self::default, |spec| in_application(spec, chart))
            }
            "ApplicationSet" => document
                .at(&["spec", "template", "spec"])
                .map_or_else(Self::default, |spec| in_application(spec, chart)),
            _ => document.get("spec").map_or_else(Self::default, in_release),
        }
    }
}

fn in_application(spec: &Node, chart: &str) -> ChartValues {
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
    let text = helm.get("values").and_then(Node::text);
    let parsed = text.and_then(|text| tree::parse(&Arc::new(text.to_owned()), &Limits::default()).ok());
    ChartValues {
        parameters: parameters.collect(),
        written: helm.get("valuesObject").cloned().into_iter().chain(parsed).collect(),
        is_open: helm.get("valueFiles").is_some() || helm.get("fileParameters").is_some(),
        skips_crds: is_true(helm.get("skipCrds")),
    }
}

/// A release of Flux, or a stand-in for a chart of a descriptor.
fn in_release(spec: &Node) -> ChartValues {
    ChartValues {
        parameters: Vec::new(),
        written: spec.get("values").cloned().into_iter().collect(),
        is_open: items(spec.get("valuesFrom")).next().is_some(),
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
