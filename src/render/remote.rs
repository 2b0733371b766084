//! Sources that are not in the repo: stand-ins take the place of their manifests.
//!
//! A stand-in carries a chart's name and repository, so that the provider catalogue still knows what it brings. It is
//! never written out.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::vendor;
use super::{Rendered, manifest};
use crate::catalogue::Catalogue;
use crate::load::LoadedComponent;
use crate::model::{Finding, Level, Origin};

/// API group of stand-ins; no cluster has it.
pub const GROUP: &str = "stand-in.argocd-ladder";

/// What is not in the repo.
#[derive(Debug, Clone, PartialEq)]
pub enum Remote {
    /// The chart of a descriptor.
    Chart(RemoteChart),
    /// Charts that a chart of the repo depends on.
    Dependencies {
        /// Folder of the chart in the repo.
        chart: String,
        /// Where the first of them is named.
        origin: Origin,
        /// All that are not in its `charts/`.
        names: Vec<String>,
        /// Those of them that its values switch on.
        charts: Vec<RemoteChart>,
    },
    /// What a kustomization takes from elsewhere.
    Parts {
        /// Folder of the kustomization.
        folder: String,
        /// Each of them.
        parts: Vec<Part>,
        /// The manifests of the rest, where it can be built without them.
        rest: Option<String>,
    },
}

/// A chart of a repository.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RemoteChart {
    /// Its name.
    pub name: String,
    /// Its repository.
    pub repository: String,
    /// Its version, if one is said.
    pub version: Option<String>,
    /// Its release; default: the component's.
    pub release: Option<String>,
    /// Where it goes, if not where the component goes.
    pub namespace: Option<String>,
    /// The values it gets, as far as they are read here.
    pub values: Map<String, Value>,
    /// Files with more values.
    pub value_files: Vec<String>,
    /// Whether what is in its `crds/` stays out.
    pub skip_crds: bool,
}

impl RemoteChart {
    /// What helm is told to find it.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let Self { name, repository, version, .. } = self;
        let mut words = match repository.strip_prefix("oci://") {
            Some(_) => vec![format!("{}/{name}", repository.trim_end_matches('/'))],
            None => vec![name.clone(), format!("--repo={repository}")],
        };
        words.extend(version.iter().map(|version| format!("--version={version}")));
        words
    }
}

/// One thing a kustomization takes from elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Where that is said.
    pub origin: Origin,
    /// What it is.
    pub what: What,
}

/// What a kustomization may take from elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A file or a folder, as it is written there.
    Address(String),
    /// A chart, and the folder kustomize looks for it in.
    Chart(Box<RemoteChart>, String),
}

/// The stand-ins of a component's remote source, and the findings that say so.
#[must_use]
pub fn stand_ins(remote: &Remote, component: &LoadedComponent, catalogue: &Catalogue) -> Rendered {
    let mut rendered = Rendered::default();
    let own = &component.component.name;
    let name = |part: &str| format!("{own}-{part}");
    let at = &component.source_origin;
    let objects: Vec<(Value, &Origin)> = match remote {
        Remote::Chart(chart) => vec![(of_chart(chart, own), at)],
        Remote::Dependencies { charts, .. } => {
            charts.iter().map(|chart| (of_chart(chart, &name(&chart.name)), at)).collect()
        }
        Remote::Parts { parts, .. } => {
            parts.iter().map(|part| (of_part(part, &name), &part.origin)).collect()
        }
    };
    // Without one nobody would know that manifests are missing.
    let objects =
        if objects.is_empty() { vec![(object("RemoteBase", own, &json!({})), at)] } else { objects };
    for (object, at) in objects {
        let mut read = manifest::from_text(&at.file, &Arc::new(object.to_string()), catalogue);
        for own in &mut read.manifests {
            own.line = at.line;
            own.captures.iter_mut().for_each(|capture| capture.line = at.line);
        }
        rendered.manifests.extend(read.manifests);
    }
    rendered.findings = findings(remote, component);
    rendered
}

fn object(kind: &str, name: &str, spec: &Value) -> Value {
    json!({"apiVersion": format!("{GROUP}/v1"), "kind": kind, "metadata": {"name": name}, "spec": spec})
}

fn of_chart(chart: &RemoteChart, name: &str) -> Value {
    let mut spec = json!({
        "chart": chart.name,
        "repoURL": chart.repository,
        "releaseName": chart.release,
        "values": chart.values,
        "skipCrds": chart.skip_crds,
    });
    if !chart.value_files.is_empty() {
        spec["valuesFrom"] = json!(chart.value_files);
    }
    let mut object = object("RemoteChart", name, &spec);
    if let Some(namespace) = &chart.namespace {
        object["metadata"]["namespace"] = json!(namespace);
    }
    object
}

fn of_part(part: &Part, name: &dyn Fn(&str) -> String) -> Value {
    match &part.what {
        What::Chart(chart, _) => of_chart(chart, &name(&chart.name)),
        What::Address(address) => object("RemoteBase", &name("base"), &json!({"address": address})),
    }
}

fn findings(remote: &Remote, component: &LoadedComponent) -> Vec<Finding> {
    let own = &component.component.name;
    let finding = |message: String, origin: &Origin, command: String, then: &str| {
        Finding::new("remote-source-not-fetched", Level::Warning, message)
            .about(own)
            .at(origin.clone())
            .help(format!("vendor it with `{command}`{then}, or pass --allow-remote"))
    };
    match remote {
        Remote::Chart(chart) => {
            let RemoteChart { name, repository, .. } = chart;
            let message = format!(
                "the chart `{name}` of `{own}` is not in the repo and was not fetched from {repository}"
            );
            let then = " and name its folder as `chart.path`";
            vec![finding(message, &component.source_origin, vendor::pull(chart, None), then)]
        }
        Remote::Dependencies { chart, origin, names, .. } => {
            let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let message = format!(
                "the chart of `{own}` depends on charts that are neither in its `charts/` nor were fetched: {names}"
            );
            vec![finding(message, origin, vendor::dependencies(chart), " and commit `charts/`")]
        }
        Remote::Parts { folder, parts, rest } => parts
            .iter()
            .map(|Part { origin, what }| {
                let (what, command, then) = match what {
                    What::Address(address) => {
                        (address.clone(), vendor::address(address), " and name the file instead")
                    }
                    What::Chart(chart, home) => {
                        let what = format!("chart {} of {}", chart.name, chart.repository);
                        (what, vendor::pull(chart, Some(home)), "")
                    }
                };
                let built = if rest.is_some() { "was built without it" } else { "was not built" };
                let message = format!(
                    "the kustomization `{folder}` of `{own}` takes `{what}` from elsewhere and {built}"
                );
                finding(message, origin, command, then)
            })
            .collect(),
    }
}
