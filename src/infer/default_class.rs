//! Claims and Ingresses that leave their class open wait for the default class, where the ladder has exactly one.

use super::Inferred;
use super::scene::{Scene, Wait};
use crate::catalogue::probes::Fact;
use crate::model::{Gate, Reason, Resource, ResourceIndex, Strength};

const INGRESS_CLASS: &str = "kubernetes.io/ingress.class";

/// Strong edges to the default `StorageClass`, weak ones to the default `IngressClass`.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    let storage = default(scene, "StorageClass", "storageclass.kubernetes.io/is-default-class");
    let ingress = default(scene, "IngressClass", "ingressclass.kubernetes.io/is-default-class");
    for (index, resource) in scene.iter() {
        let claims =
            storage.map(|class| (class, open_claims(resource), "default-storage-class", Strength::Strong));
        let ingresses =
            ingress.map(|class| (class, open_ingress(resource), "default-ingress-class", Strength::Weak));
        for (class, lines, reason, strength) in claims.into_iter().chain(ingresses) {
            for line in lines {
                let origin = resource.origin_at(line);
                let wait = Wait { reason: Reason::from(reason), strength, gate: Gate::Present, origin };
                inferred.edges.push(scene.edge(index, class, &wait));
            }
        }
    }
    inferred
}

/// The only class of a kind that is annotated as default.
fn default(scene: &Scene<'_>, kind: &str, annotation: &str) -> Option<ResourceIndex> {
    let mut defaults = scene.iter().filter(|(_, resource)| {
        resource.id.kind == kind && resource.manifest.annotation(annotation) == Some("true")
    });
    match (defaults.next(), defaults.next()) {
        (Some((only, _)), None) => Some(only),
        _ => None,
    }
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

/// The line of an Ingress that names no class in either way.
fn open_ingress(resource: &Resource) -> Vec<usize> {
    let manifest = &resource.manifest;
    let named = manifest.facts(Fact::IngressClassName).next().is_some()
        || manifest.annotation(INGRESS_CLASS).is_some();
    if resource.id.kind == "Ingress" && resource.id.group == "networking.k8s.io" && !named {
        vec![manifest.line]
    } else {
        Vec::new()
    }
}
