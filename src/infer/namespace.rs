//! An object waits for its Namespace.

use super::scene::{Scene, Wait};
use super::{Found, Inferred};
use crate::model::{Gate, NAMESPACES_OF_EVERY_CLUSTER, Reason, Resource, ResourceId, Strength};

/// Strong edges to the Namespace; a destination namespace nobody shows is Argo CD's to create, and nobody waits for one
/// that every cluster has, whoever labels it here, nor for another component's where the own sync creates it.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    let mut told = std::collections::BTreeSet::new();
    let is_made = |resource: &Resource| {
        let namespace = resource.id.namespace.as_str();
        resource.is_scope_known && !namespace.is_empty() && !NAMESPACES_OF_EVERY_CLUSTER.contains(&namespace)
    };
    for (index, resource) in scene.iter().filter(|(_, resource)| is_made(resource)) {
        let namespace = resource.id.namespace.as_str();
        let id = ResourceId::new("", "Namespace", "", namespace);
        let found = scene.find(&id, resource.component);
        let component = scene.component(resource.component);
        let own = component.namespace == namespace;
        let created = own && component.descriptor.creates_namespace();
        let wait = Wait {
            reason: Reason::from("namespace"),
            strength: Strength::Strong,
            gate: Gate::Present,
            origin: resource.origin_at(resource.manifest.namespace_line()),
        };
        if found == Found::Nobody && !own && told.insert((resource.component, namespace)) {
            let help = format!("add a Namespace `{namespace}`, or list it under `external` in ladder.yaml");
            inferred.findings.push(scene.unsatisfied(
                index,
                &format!("Namespace `{namespace}`"),
                wait.origin.clone(),
                help,
            ));
        }
        let edges = scene.edges_to(index, &found, &wait).into_iter();
        inferred.edges.extend(edges.filter(|edge| edge.is_inner() || !created));
    }
    inferred
}
