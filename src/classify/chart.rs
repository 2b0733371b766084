//! Which charts an Application or `HelmRelease` installs, where and under which names.
//!
//! Flux splits that over two objects: the release names a source, and the source's URL may end in the chart. Where the
//! source is not in the tree its name stands for the chart's, as people call sources after what they hold.

use std::collections::HashMap;

use super::chart_names::Release;
use super::chart_values::{self, ChartValues, ConfigMaps};
use crate::catalogue::Catalogue;
use crate::catalogue::matcher::Capture;
use crate::catalogue::probes::Fact;
use crate::model::{Chart, Resource};

/// Kind, namespace and name of a Flux source.
type SourceKey = (String, String, String);

/// Writes the charts onto the objects that install them.
pub fn mark(resources: &mut [Resource], catalogue: &Catalogue) {
    let sources = sources(resources);
    let config_maps = chart_values::config_maps(resources);
    let charts: Vec<(usize, Vec<Chart>)> = resources
        .iter()
        .enumerate()
        .map(|(index, resource)| {
            let seen =
                resource.manifest.facts(Fact::Chart).filter_map(|seen| chart(resource, seen, &sources));
            (index, seen.map(|chart| with_values(chart, resource, &config_maps, catalogue)).collect())
        })
        .filter(|(_, charts): &(usize, Vec<Chart>)| !charts.is_empty())
        .collect();
    for (index, charts) in charts {
        resources[index].charts = charts;
    }
}

/// Values are kept where the catalogue may ask for more of them.
fn with_values(
    mut chart: Chart,
    resource: &Resource,
    config_maps: &ConfigMaps<'_>,
    catalogue: &Catalogue,
) -> Chart {
    let values = ChartValues::of(resource, &chart.name, config_maps);
    let release = Release { name: &chart.release, namespace: &chart.namespace };
    chart.names = values.names(release, catalogue, &resource.origin());
    if catalogue.providers_of_chart(&chart.name, chart.repository.as_deref()).next().is_some() {
        chart.values = values;
    }
    chart
}

/// What a source says: the chart's name, where it knows it, and the repository.
#[derive(Debug, Clone)]
struct ChartSource {
    name: Option<String>,
    repository: Option<String>,
}

fn sources(resources: &[Resource]) -> HashMap<SourceKey, ChartSource> {
    let mut sources = HashMap::new();
    let of_flux = |resource: &&Resource| resource.id.group == "source.toolkit.fluxcd.io";
    for source in resources.iter().filter(of_flux) {
        let Some(seen) = source.manifest.facts(Fact::ChartSource).next() else { continue };
        let url = seen.field("url");
        let said = match source.id.kind.as_str() {
            "OCIRepository" => url.and_then(in_registry),
            _ => Some(ChartSource {
                name: seen.field("chart").map(str::to_owned),
                repository: url.map(str::to_owned),
            }),
        };
        if let Some(said) = said {
            let id = &source.id;
            sources.insert((id.kind.to_string(), id.namespace.to_string(), id.name.to_string()), said);
        }
    }
    sources
}

/// A registry's URL ends in the chart.
fn in_registry(url: &str) -> Option<ChartSource> {
    let (repository, name) = url.strip_prefix("oci://")?.trim_end_matches('/').rsplit_once('/')?;
    Some(ChartSource { name: Some(name.to_owned()), repository: Some(format!("oci://{repository}")) })
}

fn chart(resource: &Resource, seen: &Capture, sources: &HashMap<SourceKey, ChartSource>) -> Option<Chart> {
    let source = |kind: &str, name: &str, namespace: &str| {
        let namespace = seen.field(namespace).unwrap_or(&resource.id.namespace);
        let key = (seen.field(kind)?.to_owned(), namespace.to_owned(), seen.field(name)?.to_owned());
        sources.get(&key).cloned()
    };
    let named = source("sourceRef.kind", "sourceRef.name", "sourceRef.namespace")
        .or_else(|| source("kind", "name", "namespace"))
        .or_else(|| seen.field("repoURL").filter(|_| seen.field("chart").is_none()).and_then(in_registry));
    let repository = seen.field("repoURL").map(str::to_owned);
    let (said, repository) =
        named.map_or((None, repository.clone()), |source| (source.name, source.repository.or(repository)));
    let absent = || seen.field("kind").and(seen.field("name")).map(str::to_owned);
    let name = seen.field("chart").map(str::to_owned).or(said).or_else(absent)?;
    let install = resource.manifest.facts(Fact::Install).next();
    let told = |path: &str| install.and_then(|install| install.field(path)).map(str::to_owned);
    // A release of Flux and a stand-in land where they lie; an Application does not.
    let stays = resource.id.kind != "Application" && resource.id.kind != "ApplicationSet";
    let namespace = match told("targetNamespace").or_else(|| told("destination.namespace")) {
        Some(namespace) => namespace,
        None if stays => resource.id.namespace.to_string(),
        None => String::new(),
    };
    let prefix = told("targetNamespace").map(|namespace| namespace + "-").unwrap_or_default();
    let release = seen.field("helm.releaseName").map(str::to_owned).or_else(|| told("releaseName"));
    let full_name = seen.field("helm.valuesObject.fullnameOverride").map(str::to_owned);
    Some(Chart {
        name,
        repository,
        release: release.unwrap_or_else(|| format!("{prefix}{}", resource.id.name)),
        namespace,
        full_name: full_name.or_else(|| told("values.fullnameOverride")),
        values: ChartValues::default(),
        names: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_url_ends_in_the_chart() {
        let said = |url| in_registry(url).map(|source| (source.name.unwrap(), source.repository.unwrap()));
        let expected = ("cert-manager".to_owned(), "oci://quay.io/jetstack/charts".to_owned());
        assert_eq!(said("oci://quay.io/jetstack/charts/cert-manager"), Some(expected));
        assert_eq!(said("https://quay.io/jetstack/charts/cert-manager"), None);
        assert_eq!(said("oci://only-a-host"), None);
    }
}
