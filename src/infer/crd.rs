//! A custom resource waits for its CRD; a workload waits for the CRDs of the groups it serves.

use std::collections::{BTreeMap, BTreeSet};

use super::scene::{Scene, Wait};
use super::{Found, Inferred, brought};
use crate::catalogue::probes::Fact;
use crate::catalogue::{Catalogue, is_built_in_group};
use crate::classify::serves;
use crate::model::{
    ComponentIndex, Edge, Finding, Gate, Provision, Reason, Resource, ResourceIndex, Strength,
};

/// Strong edges to CRDs.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = custom_resources(scene);
    inferred.extend(watched(scene));
    inferred
}

fn custom_resources(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    let mut missing: BTreeMap<(&str, &str), (ResourceIndex, BTreeSet<ComponentIndex>)> = BTreeMap::new();
    for (index, resource) in scene.iter().filter(|(_, resource)| !is_built_in_group(&resource.id.group)) {
        let (group, kind) = (resource.id.group.as_str(), resource.id.kind.as_str());
        let found = match scene.crd_for(group, kind, resource.component) {
            Some(crd) => Found::Object(crd),
            None if scene.api_service(group).is_some() => {
                inferred.edges.extend(aggregated(scene, index, group));
                continue;
            }
            None => at_run_time(scene, resource.component, group, kind),
        };
        if found == Found::Nobody {
            missing.entry((group, kind)).or_insert((index, BTreeSet::new())).1.insert(resource.component);
        }
        inferred.edges.extend(scene.edges_to(
            index,
            &found,
            &wait("custom-resource-definition", resource.origin()),
        ));
    }
    let told =
        missing.into_iter().map(|(kind, (first, users))| missing_kind(scene, kind, first, users.len()));
    inferred.findings.extend(told);
    inferred
}

/// A kind of an aggregated API is there once the server behind it answers.
fn aggregated(scene: &Scene<'_>, from: ResourceIndex, group: &str) -> Option<Edge> {
    let wait = Wait { gate: Gate::Ready, ..wait("aggregated-api", scene.resource(from).origin()) };
    scene.api_service(group).map(|to| scene.edge(from, to, &wait))
}

/// One finding per kind, however many components use it.
fn missing_kind(
    scene: &Scene<'_>,
    (group, kind): (&str, &str),
    first: ResourceIndex,
    users: usize,
) -> Finding {
    let external = format!("list `crd: {group}/{kind}` under `external` in ladder.yaml");
    let help = match scene.catalogue.provider_of(group, Some(kind)) {
        Some(provider) => format!("`{}` brings it; add it, or {external}", provider.name),
        None => format!("add its CRD, or {external}"),
    };
    let others = match users {
        0 | 1 => String::new(),
        2 => " (as does one more component)".to_owned(),
        _ => format!(" (as do {} more components)", users - 1),
    };
    let what = format!("the kind `{group}/{kind}`{others}");
    scene.unsatisfied(first, &what, scene.resource(first).origin(), help)
}

fn watched(scene: &Scene<'_>) -> Inferred {
    let mut by_group: BTreeMap<&str, Vec<ResourceIndex>> = BTreeMap::new();
    for (index, crd) in scene.iter().filter(|(_, resource)| resource.id.kind == "CustomResourceDefinition") {
        by_group.entry(crd.manifest.fact(Fact::CrdGroup).unwrap_or_default()).or_default().push(index);
    }
    let mut inferred = Inferred::default();
    for (index, workload) in scene.iter().filter(|(_, resource)| !resource.serves.is_empty()) {
        let wait = wait("operator-watches-crd", workload.origin());
        let crds = workload.serves.iter().filter_map(|group| by_group.get(group.as_str())).flatten();
        let crds = crds.filter(|crd| scene.is_meant(**crd, workload.component));
        let crds = crds.filter(|crd| is_served(scene, workload, scene.resource(**crd)));
        inferred.edges.extend(crds.map(|crd| scene.edge(index, *crd, &wait)));
    }
    inferred
}

/// Where several projects share a group, a workload watches only the CRDs its project brings.
fn is_served(scene: &Scene<'_>, workload: &Resource, crd: &Resource) -> bool {
    let group = crd.manifest.fact(Fact::CrdGroup).unwrap_or_default();
    !scene.catalogue.is_shared_group(group)
        || may_serve(workload, &[crd.id.name.to_string()], scene.catalogue)
}

/// Whether one of these CRDs is among those the workload's project brings; unknown projects may serve any.
pub fn may_serve(workload: &Resource, crds: &[String], catalogue: &Catalogue) -> bool {
    let mut known =
        serves::providers(workload, catalogue).filter(|provider| !provider.crds.is_empty()).peekable();
    known.peek().is_none() || known.any(|provider| provider.crds.iter().any(|name| crds.contains(name)))
}

/// Who makes the CRD at run time, or declares it.
fn at_run_time(scene: &Scene<'_>, asking: ComponentIndex, group: &str, kind: &str) -> Found {
    let declared = Provision::Crd(group.to_owned(), kind.to_owned());
    if scene.is_external(&declared) {
        return Found::External;
    }
    let makers = scene.kind_makers(group, kind);
    if !makers.is_empty() {
        return Found::Made(scene.own_first(&makers, asking));
    }
    let names = scene.crd_names(group, kind);
    if names.iter().any(|name| scene.is_there_before(name)) {
        return Found::External;
    }
    let made = names.iter().find_map(|name| scene.maker(&brought::crd(name)));
    let found = made.unwrap_or_else(|| match scene.find_declared(&declared) {
        Found::Nobody => bringing_charts(scene, group, kind),
        found => found,
    });
    match found {
        Found::Made(makers) => Found::Made(scene.own_first(&makers, asking)),
        found => found,
    }
}

/// Charts and packages that serve a group bring its kinds, also those the catalogue does not list.
fn bringing_charts(scene: &Scene<'_>, group: &str, kind: &str) -> Found {
    let operators = scene.operators_of(group, kind);
    let brought: Vec<ResourceIndex> =
        operators.into_iter().filter(|index| brings_all(scene, *index)).collect();
    if brought.is_empty() { Found::Nobody } else { Found::Made(brought) }
}

/// Whether it is a chart or package that nobody told to leave its CRDs out.
fn brings_all(scene: &Scene<'_>, index: ResourceIndex) -> bool {
    let resource = scene.resource(index);
    let mut providers = serves::providers(resource, scene.catalogue);
    !resource.is_workload
        && !providers.any(|provider| brought::leaves_out_crds(resource, provider, scene.catalogue))
}

fn wait(reason: &'static str, origin: crate::model::Origin) -> Wait {
    Wait { reason: Reason::from(reason), strength: Strength::Strong, gate: Gate::Present, origin }
}
