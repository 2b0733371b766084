//! Sources that are not in the repo: a stand-in takes the place of their manifests.
//!
//! The stand-in carries the chart's name and repository, so that the provider catalogue still knows what it brings.
//! It is never written out.

use std::sync::Arc;

use super::{Rendered, manifest};
use crate::catalogue::Catalogue;
use crate::load::LoadedComponent;
use crate::load::descriptor::Source;
use crate::model::{Finding, Level};

/// API group of stand-ins; no cluster has it.
pub const GROUP: &str = "stand-in.argocd-ladder";

/// What is not in the repo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remote {
    /// A chart of a repository.
    Chart {
        /// Its name.
        name: String,
        /// Its repository.
        repository: String,
        /// Its version, if the descriptor says one.
        version: Option<String>,
    },
    /// Something a kustomization takes from elsewhere.
    Base {
        /// The kustomization's directory.
        directory: String,
        /// As it is written there.
        address: String,
    },
}

/// The stand-in of a component's remote source, and the finding that says so.
#[must_use]
pub fn stand_in(remote: &Remote, component: &LoadedComponent, catalogue: &Catalogue) -> Rendered {
    let name = &component.component.name;
    let (kind, spec) = match remote {
        Remote::Chart { name, repository, .. } => {
            let mut spec = serde_json::json!({"chart": name, "repoURL": repository});
            if let Source::Chart { chart, .. } = &component.source {
                spec["releaseName"] = serde_json::json!(chart.release_name);
                spec["values"] = serde_json::json!(chart.values);
                spec["skipCrds"] = serde_json::json!(chart.skip_crds);
                if !chart.value_files.is_empty() {
                    spec["valuesFrom"] = serde_json::json!(chart.value_files);
                }
            }
            ("RemoteChart", spec)
        }
        Remote::Base { address, .. } => ("RemoteBase", serde_json::json!({"address": address})),
    };
    let object = serde_json::json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": kind, "metadata": {"name": name}, "spec": spec,
    });
    let mut rendered =
        manifest::from_text(&component.source_origin.file, &Arc::new(object.to_string()), catalogue);
    for own in &mut rendered.manifests {
        own.line = component.source_origin.line;
    }
    rendered.findings.push(finding(remote, component));
    rendered
}

fn finding(remote: &Remote, component: &LoadedComponent) -> Finding {
    let name = &component.component.name;
    let (message, help) = match remote {
        Remote::Chart { name: chart, repository, version } => (
            format!(
                "the chart `{chart}` of `{name}` is not in the repo and was not fetched from {repository}"
            ),
            format!(
                "vendor it with `{}` and name its folder as `chart.path`, or pass --allow-remote",
                pull(chart, repository, version.as_deref())
            ),
        ),
        Remote::Base { directory, address } => (
            format!(
                "the kustomization `{directory}` of `{name}` takes `{address}` from elsewhere and was not built"
            ),
            "copy it into the repo and name the copy, or pass --allow-remote".to_owned(),
        ),
    };
    Finding::new("remote-source-not-fetched", Level::Warning, message)
        .about(name)
        .at(component.source_origin.clone())
        .help(help)
}

fn pull(chart: &str, repository: &str, version: Option<&str>) -> String {
    let version = version.map(|version| format!(" --version {version}")).unwrap_or_default();
    match repository.strip_prefix("oci://") {
        Some(_) => format!("helm pull {}/{chart}{version} --untar", repository.trim_end_matches('/')),
        None => format!("helm pull {chart} --repo {repository}{version} --untar"),
    }
}

#[cfg(test)]
mod tests {
    use super::pull;

    #[test]
    fn the_command_that_vendors_a_chart_can_be_run_as_it_is() {
        for (repository, version, expected) in [
            ("https://charts.example.com", None, "helm pull vault --repo https://charts.example.com --untar"),
            (
                "https://charts.example.com",
                Some("1.2.3"),
                "helm pull vault --repo https://charts.example.com --version 1.2.3 --untar",
            ),
            (
                "oci://r.example.com/x/",
                Some("1"),
                "helm pull oci://r.example.com/x/vault --version 1 --untar",
            ),
        ] {
            assert_eq!(pull("vault", repository, version), expected);
        }
    }
}
