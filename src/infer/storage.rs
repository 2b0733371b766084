//! Claims without a class wait for the default `StorageClass`; pods wait for the workload that provisions their volumes.

use super::Inferred;
use super::scene::{Scene, Wait};
use crate::catalogue::probes::Fact;
use crate::model::{Gate, Reason, Resource, ResourceIndex, Strength};

const DEFAULT_CLASS: &str = "storageclass.kubernetes.io/is-default-class";

/// Strong edges to the default class, where claims leave the class open and the ladder has exactly one default.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    let defaults: Vec<ResourceIndex> = scene
        .iter()
        .filter(|(_, resource)| resource.id.kind == "StorageClass")
        .filter(|(_, class)| class.manifest.annotation(DEFAULT_CLASS) == Some("true"))
        .map(|(index, _)| index)
        .collect();
    let [default] = defaults[..] else { return inferred };
    for (index, resource) in scene.iter() {
        for line in open_claims(resource) {
            let wait = Wait {
                reason: Reason::from("default-storage-class"),
                strength: Strength::Strong,
                gate: Gate::Present,
                origin: resource.origin_at(line),
            };
            inferred.edges.push(scene.edge(index, default, &wait));
        }
    }
    inferred
}

/// Lines of claims that name neither class nor volume.
fn open_claims(resource: &Resource) -> Vec<usize> {
    let claim = |fact, class: &'static str| {
        resource
            .manifest
            .facts(fact)
            .filter(move |claim| claim.field(class).is_none() && claim.field("volumeName").is_none())
            .map(|claim| claim.line)
    };
    match resource.id.kind.as_str() {
        "PersistentVolumeClaim" => claim(Fact::Claim, "storageClassName").collect(),
        "StatefulSet" => claim(Fact::ClaimTemplate, "spec.storageClassName").collect(),
        _ => Vec::new(),
    }
}
