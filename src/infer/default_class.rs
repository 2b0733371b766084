//! Claims and Ingresses that leave their class open wait for the default class, where the ladder has exactly one.

use super::Inferred;
use super::scene::{Scene, Wait};
use crate::catalogue::ProbeKind;
use crate::catalogue::matcher::Capture;
use crate::catalogue::probes::Fact;
use crate::model::{Gate, Reason, Resource, ResourceIndex, Strength};

const INGRESS_CLASS: &str = "kubernetes.io/ingress.class";
const INGRESS_DEFAULT: &[&str] = &["ingressclass.kubernetes.io/is-default-class"];
const STORAGE_DEFAULT: &[&str] =
    &["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

/// Strong edges: a claim stays pending without its class, and only at its creation an Ingress is given the default one.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    let storage = default(scene, "StorageClass", STORAGE_DEFAULT);
    let ingress = default(scene, "IngressClass", INGRESS_DEFAULT);
    for (index, resource) in scene.iter() {
        let claims = storage
            .map(|class| (class, open_claims(scene, resource), "default-storage-class", Strength::Strong));
        let ingresses =
            ingress.map(|class| (class, open_ingress(resource), "default-ingress-class", Strength::Strong));
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

/// The only class of a kind that is annotated as default, in the way of today or the one before.
fn default(scene: &Scene<'_>, kind: &str, annotations: &[&str]) -> Option<ResourceIndex> {
    let is_default = |resource: &Resource| {
        annotations.iter().any(|annotation| resource.manifest.annotation(annotation) == Some("true"))
    };
    let mut defaults = scene.iter().filter(|(_, resource)| resource.id.kind == kind && is_default(resource));
    match (defaults.next(), defaults.next()) {
        (Some((only, _)), None) => Some(only),
        _ => None,
    }
}

/// Lines of claims that name neither class nor volume; an annotation may name the class too.
fn open_claims(scene: &Scene<'_>, resource: &Resource) -> Vec<usize> {
    let names_class = |capture: &Capture| match capture.kind {
        ProbeKind::Edge(row) => {
            capture.value.is_some() && scene.catalogue.edge(row).to.kind == "StorageClass"
        }
        _ => false,
    };
    if resource.id.kind == "PersistentVolumeClaim" && resource.manifest.captures.iter().any(names_class) {
        return Vec::new();
    }
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
