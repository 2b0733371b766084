//! What a known chart or package brings that nobody rendered: CRDs, classes and Services.
//!
//! Services of a chart are named after its release, as Helm's usual `fullname` template does.

use crate::catalogue::probes::Fact;
use crate::catalogue::{Catalogue, ProviderRow};
use crate::classify::serves;
use crate::model::{Chart, Resource, ResourceId};

/// API groups of the kinds of classes.
const CLASS_GROUPS: &[(&str, &str)] = &[
    ("StorageClass", "storage.k8s.io"),
    ("VolumeSnapshotClass", "snapshot.storage.k8s.io"),
    ("IngressClass", "networking.k8s.io"),
    ("GatewayClass", "gateway.networking.k8s.io"),
    ("RuntimeClass", "node.k8s.io"),
    ("PriorityClass", "scheduling.k8s.io"),
    ("DeviceClass", "resource.k8s.io"),
    ("ClusterIssuer", "cert-manager.io"),
];

/// The objects a chart or package brings with it; workloads of the tree bring theirs visibly.
pub fn by(resource: &Resource, catalogue: &Catalogue) -> Vec<ResourceId> {
    let comes_from_elsewhere = serves::runs(resource) || resource.manifest.fact(Fact::Base).is_some();
    if resource.is_workload || !comes_from_elsewhere || serves::is_self_hosted(resource, catalogue) {
        return Vec::new();
    }
    let mut brought = Vec::new();
    for provider in serves::providers(resource, catalogue) {
        if !leaves_out_crds(resource, provider, catalogue) {
            brought.extend(provider.crds.iter().map(|name| crd(name)));
        }
        brought.extend(classes(resource, provider, catalogue));
    }
    for chart in resource.charts.iter().filter(|chart| !chart.namespace.is_empty()) {
        for provider in catalogue.providers_of_chart(&chart.name, chart.repository.as_deref()) {
            let services = provider.services.iter().map(|name| service_name(name, chart));
            brought.extend(services.map(|name| ResourceId::new("", "Service", &chart.namespace, &name)));
        }
    }
    brought
}

/// The charts of a provider that a release installs.
fn charts_of<'r>(
    resource: &'r Resource,
    provider: &'r ProviderRow,
    catalogue: &'r Catalogue,
) -> impl Iterator<Item = &'r Chart> {
    resource.charts.iter().filter(move |chart| {
        let mut known = catalogue.providers_of_chart(&chart.name, chart.repository.as_deref());
        known.any(|known| std::ptr::eq(known, provider))
    })
}

/// The classes of a provider, called as the values of its chart say.
fn classes(resource: &Resource, provider: &ProviderRow, catalogue: &Catalogue) -> Vec<ResourceId> {
    let charts: Vec<&Chart> = charts_of(resource, provider, catalogue).collect();
    let mut found = Vec::new();
    for row in &provider.classes {
        let usual =
            || -> Vec<&str> { Some(row.name.as_str()).filter(|name| !name.is_empty()).into_iter().collect() };
        let mut names: Vec<&str> = Vec::new();
        for chart in &charts {
            let said = row.value.as_deref().and_then(|path| chart.values.named(path, &row.when));
            names.extend(said.unwrap_or_else(usual));
        }
        // A package has no values.
        let names = if charts.is_empty() { usual() } else { names };
        found.extend(names.into_iter().filter_map(|name| class(&row.kind, name)));
    }
    found
}

/// The Services of a release that are called like itself, by what charts have in common: its full name, or the release
/// alone. Only for names nobody else has.
pub fn called_services(release: &Resource) -> impl Iterator<Item = ResourceId> + '_ {
    release.charts.iter().filter(|chart| !chart.namespace.is_empty()).flat_map(|chart| {
        let own = chart.full_name.as_ref().unwrap_or(&chart.release).clone();
        let full = service_name(&chart.name, chart);
        let names = if full == own { vec![own] } else { vec![own, full] };
        names.into_iter().map(|name| ResourceId::new("", "Service", &chart.namespace, &name))
    })
}

/// Whether a release installs a provider's chart without its CRDs.
#[must_use]
pub fn leaves_out_crds(resource: &Resource, provider: &ProviderRow, catalogue: &Catalogue) -> bool {
    let mut charts = charts_of(resource, provider, catalogue).peekable();
    charts.peek().is_some() && charts.all(|chart| is_off(chart, provider))
}

fn is_off(chart: &Chart, provider: &ProviderRow) -> bool {
    let values = &chart.values;
    let says = |(path, off): (&String, &serde_json::Value)| match path.as_str() {
        "skipCrds" => values.skips_crds.then_some(true),
        path => values.text(path).map(|text| off.as_bool() == text.parse().ok()),
    };
    let mut said = provider.crd_switch.iter().map(says);
    if provider.crds_by_default {
        !provider.crd_switch.is_empty() && said.all(|off| off == Some(true))
    } else {
        !values.is_open && !said.any(|off| off == Some(false))
    }
}

/// The identity of a CRD.
#[must_use]
pub fn crd(name: &str) -> ResourceId {
    ResourceId::new("apiextensions.k8s.io", "CustomResourceDefinition", "", name)
}

fn class(kind: &str, name: &str) -> Option<ResourceId> {
    let (_, group) = CLASS_GROUPS.iter().find(|(known, _)| *known == kind)?;
    Some(ResourceId::new(group, kind, "", name))
}

/// A row's name is that of a release called like the chart; a name that does not start with it is fixed.
fn service_name(row: &str, chart: &Chart) -> String {
    let Some(rest) = row.strip_prefix(chart.name.as_str()) else { return row.to_owned() };
    let full = match &chart.full_name {
        Some(name) => name.clone(),
        None if chart.release.contains(&chart.name) => chart.release.clone(),
        None => format!("{}-{}", chart.release, chart.name),
    };
    full + rest
}

/// The provider whose chart brings a class, for help texts.
#[must_use]
pub fn provider_of_class<'c>(id: &ResourceId, catalogue: &'c Catalogue) -> Option<&'c ProviderRow> {
    let brings = |provider: &&ProviderRow| {
        provider.classes.iter().any(|row| row.kind == id.kind && row.name == id.name)
    };
    let is_class = CLASS_GROUPS.contains(&(id.kind.as_str(), id.group.as_str()));
    catalogue.providers().iter().filter(|_| is_class).find(brings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::chart_values::ChartValues;

    #[test]
    fn services_are_named_after_the_release() {
        for (row, chart, release, full_name, expected) in [
            ("vault-internal", "vault", "vault", None, "vault-internal"),
            ("vault-internal", "vault", "my-vault", None, "my-vault-internal"),
            ("vault-internal", "vault", "secrets", None, "secrets-vault-internal"),
            ("vault-internal", "vault", "secrets", Some("bao"), "bao-internal"),
            ("cnpg-webhook-service", "cloudnative-pg", "db", None, "cnpg-webhook-service"),
        ] {
            let chart = Chart {
                name: chart.to_owned(),
                repository: None,
                release: release.to_owned(),
                namespace: "x".to_owned(),
                full_name: full_name.map(str::to_owned),
                values: ChartValues::default(),
                names: Vec::new(),
            };
            assert_eq!(service_name(row, &chart), expected, "{row} {release}");
        }
    }
}
