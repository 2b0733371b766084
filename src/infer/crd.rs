//! A custom resource waits for its CRD; a workload waits for the CRDs of the groups it serves.

use std::collections::{BTreeMap, BTreeSet};

use super::scene::{Scene, Wait};
use super::{Found, Inferred};
use crate::catalogue::is_built_in_group;
use crate::catalogue::probes::Fact;
use crate::model::{Gate, Provision, Reason, ResourceIndex, Strength};

/// Strong edges to CRDs.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = custom_resources(scene);
    inferred.extend(watched(scene));
    inferred
}

fn custom_resources(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    let mut told = BTreeSet::new();
    for (index, resource) in scene.iter().filter(|(_, resource)| !is_built_in_group(&resource.id.group)) {
        let (group, kind) = (resource.id.group.as_str(), resource.id.kind.as_str());
        let found = match scene.crd(group, kind) {
            Some(crd) => Found::Object(crd),
            None => scene.find_declared(&Provision::Crd(group.to_owned(), kind.to_owned())),
        };
        if found == Found::Nobody && told.insert((resource.component, group, kind)) {
            let help = match scene.catalogue.provider_of_group(group) {
                Some(provider) => format!(
                    "`{}` brings it; add it, or list `crd: {group}/{kind}` under `external` in ladder.yaml",
                    provider.name
                ),
                None => format!("add its CRD, or list `crd: {group}/{kind}` under `external` in ladder.yaml"),
            };
            inferred.findings.push(scene.unsatisfied(
                index,
                &format!("the kind `{group}/{kind}`"),
                resource.origin(),
                help,
            ));
        }
        inferred.edges.extend(scene.edges_to(
            index,
            &found,
            &wait("custom-resource-definition", resource.origin()),
        ));
    }
    inferred
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
        inferred.edges.extend(crds.map(|crd| scene.edge(index, *crd, &wait)));
    }
    inferred
}

fn wait(reason: &str, origin: crate::model::Origin) -> Wait {
    Wait { reason: Reason::from(reason), strength: Strength::Strong, gate: Gate::Present, origin }
}
