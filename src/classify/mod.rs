//! Manifests → resources with identity and role, and the role of each component.
//!
//! Everything is read off what the manifests are; a component's name says nothing here.

pub mod chart;
pub mod chart_names;
pub mod chart_values;
pub mod identity;
pub mod made_kinds;
pub mod serves;

use crate::argocd;
use crate::catalogue::Catalogue;
use crate::model::{Chart, Component, ComponentIndex, Finding, Level, Resource, ResourceIndex, Role};
use crate::render::{Manifest, Rendered};

/// Resources by component, and what was odd about them.
#[derive(Debug)]
pub struct Classified {
    /// The components, unchanged.
    pub components: Vec<Component>,
    /// Their resources.
    pub resources: Vec<Resource>,
    /// What the user should know.
    pub findings: Vec<Finding>,
}

/// Gives every manifest its identity and role; `destination` is the namespace of who has none of its own.
#[must_use]
pub fn resources(
    components: Vec<Component>,
    rendered: Vec<Rendered>,
    catalogue: &Catalogue,
    destination: &str,
) -> Classified {
    let mut findings = Vec::new();
    let mut manifests: Vec<(ComponentIndex, Manifest)> = Vec::new();
    for (index, own) in rendered.into_iter().enumerate() {
        findings.extend(own.findings);
        manifests.extend(own.manifests.into_iter().map(|manifest| (ComponentIndex(index), manifest)));
    }
    let scopes = identity::Scopes::of(manifests.iter().map(|(_, manifest)| manifest), catalogue);
    let mut resources: Vec<Resource> = manifests
        .into_iter()
        .map(|(component, manifest)| Resource {
            id: scopes.id(&manifest, &[&components[component.0].namespace, destination]),
            component,
            role: own_role(&manifest, catalogue),
            is_scope_known: manifest.namespace.is_some() || scopes.is_known(&manifest.group, &manifest.kind),
            hook: argocd::hooks(&manifest.annotations),
            is_workload: is_workload(&manifest, catalogue),
            charts: Vec::new(),
            serves: Vec::new(),
            manifest,
        })
        .collect();
    findings.extend(identity::duplicates(&components, &resources));
    chart::mark(&mut resources, catalogue);
    serves::mark(&mut resources, catalogue);
    workload_roles(&mut resources, catalogue);
    Classified { components, resources, findings }
}

/// What the kind alone says; unknown kinds are config.
fn own_role(manifest: &Manifest, catalogue: &Catalogue) -> Role {
    catalogue.kind(&manifest.group, &manifest.kind).map_or(Role::Config, |row| row.role)
}

/// Pods that stay: jobs end and only prepare.
fn is_workload(manifest: &Manifest, catalogue: &Catalogue) -> bool {
    catalogue.has_pods(&manifest.group, &manifest.kind)
        && !matches!(manifest.kind.as_str(), "Job" | "PodTemplate" | "BroadcastJob")
}

/// A workload is what its component is about: an operator's, a secret provider's, a storage provider's, or itself.
fn workload_roles(resources: &mut [Resource], catalogue: &Catalogue) {
    let components = resources.iter().map(|resource| resource.component.0 + 1).max().unwrap_or(0);
    let mut kinds = vec![Nature::default(); components];
    for resource in resources.iter() {
        let nature = &mut kinds[resource.component.0];
        nature.operator |= !resource.serves.is_empty() && serves::known_role(resource, catalogue).is_none();
        nature.secrets |= serves::runs(resource) && serves::is_secret_provider(resource, catalogue);
        nature.storage |= resource.id.kind == "StorageClass";
    }
    for resource in
        resources.iter_mut().filter(|resource| resource.is_workload || is_provider(resource, catalogue))
    {
        let nature = &kinds[resource.component.0];
        resource.role = match nature {
            _ if serves::brings_only_crds(resource, catalogue) => Role::Crd,
            Nature { secrets: true, .. } => Role::Secret,
            Nature { storage: true, .. } => Role::Config,
            Nature { operator: true, .. } => Role::Operator,
            _ => serves::known_role(resource, catalogue).unwrap_or_else(|| named_role(resource)),
        };
    }
}

/// What only a chart's name tells of its workload.
fn named_role(resource: &Resource) -> Role {
    let is_operator = |chart: &Chart| chart.name.ends_with("-operator");
    if resource.charts.iter().any(is_operator) { Role::Operator } else { Role::Runtime }
}

/// A chart, or a package the catalogue knows: it brings the workload.
fn is_provider(resource: &Resource, catalogue: &Catalogue) -> bool {
    let is_known = || serves::providers(resource, catalogue).next().is_some();
    !resource.charts.is_empty() || serves::runs(resource) && is_known()
}

/// What a component's workloads are about.
#[derive(Debug, Clone, Default)]
struct Nature {
    operator: bool,
    secrets: bool,
    storage: bool,
}

/// The role of a component: its heaviest workload's, or its heaviest resource's when it has none.
///
/// A chart counts as the workload it brings. Services, config maps and sources beside one belong to it and do not weigh.
#[must_use]
pub fn component_role<'r>(resources: impl Iterator<Item = &'r Resource> + Clone) -> Option<Role> {
    let runs = |resource: &&Resource| {
        resource.is_workload || resource.role == Role::Runtime || !resource.charts.is_empty()
    };
    let heaviest = |roles: &mut dyn Iterator<Item = Role>| roles.max_by_key(|role| role.weight());
    let running = heaviest(&mut resources.clone().filter(runs).map(|resource| resource.role));
    running.or_else(|| heaviest(&mut resources.map(|resource| resource.role)))
}

/// The role that the manifests of each component say.
#[must_use]
pub fn component_roles(resources: &[Resource], members: &[Vec<ResourceIndex>]) -> Vec<Role> {
    let role = |own: &Vec<ResourceIndex>| component_role(own.iter().map(|index| &resources[index.0]));
    members.iter().map(|own| role(own).unwrap_or(Role::Config)).collect()
}

/// Resources of each component, in order.
#[must_use]
pub fn by_component(resources: &[Resource], components: usize) -> Vec<Vec<ResourceIndex>> {
    let mut lists = vec![Vec::new(); components];
    for (index, resource) in resources.iter().enumerate() {
        lists[resource.component.0].push(ResourceIndex(index));
    }
    lists
}

/// A finding for each component without manifests, unless another one already says why.
#[must_use]
pub fn empty_components(
    components: &[Component],
    lists: &[Vec<ResourceIndex>],
    told: &[Finding],
) -> Vec<Finding> {
    let about = |name: &str| told.iter().any(|finding| finding.component.as_deref() == Some(name));
    let silent =
        |(component, list): &(&Component, &Vec<ResourceIndex>)| list.is_empty() && !about(&component.name);
    let empty = components.iter().zip(lists).filter(silent);
    empty
        .map(|(component, _)| {
            Finding::new(
                "empty-component",
                Level::Warning,
                format!("component `{}` has no manifests", component.name),
            )
            .about(&component.name)
            .at(component.origin.clone())
            .help("check `path` or `manifests` of its descriptor")
        })
        .collect()
}
