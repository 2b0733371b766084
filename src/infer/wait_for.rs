//! `waitFor` of descriptors: the pods hold back by themselves, so the wait is weak.

use super::Inferred;
use super::scene::{Found, Scene, Wait, new_edge};
use crate::hosts;
use crate::model::{ComponentIndex, End, Gate, Reason, ResourceId, Strength};

/// Weak edges from components to the Services their gates ask.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    for (number, component) in scene.components.iter().enumerate() {
        let from = End { component: ComponentIndex(number), resource: None };
        for wait in &component.descriptor.wait_for {
            let address = wait.http.as_deref().or(wait.tcp.as_deref()).and_then(hosts::service);
            let Some(address) = address.filter(|_| component.split_from.is_none()) else { continue };
            let namespace = address.namespace.as_deref().unwrap_or(&component.namespace);
            let found = scene.find(&ResourceId::new("", "Service", namespace, &address.name), from.component);
            let at =
                |resource| End { component: scene.resource(resource).component, resource: Some(resource) };
            let ends: Vec<End> = match found {
                Found::Object(service) => {
                    std::iter::once(service).chain(scene.behind(service)).map(at).collect()
                }
                Found::Made(makers) => makers.into_iter().map(at).collect(),
                Found::Declared(component) => vec![End { component, resource: None }],
                Found::External | Found::Nobody => Vec::new(),
            };
            let wait = Wait {
                reason: Reason::from("wait-for"),
                strength: Strength::Weak,
                gate: Gate::Ready,
                origin: component.origin.clone(),
            };
            let others = ends.into_iter().filter(|to| to.component != from.component);
            inferred.edges.extend(others.map(|to| new_edge(from, to, &wait)));
        }
    }
    inferred
}
