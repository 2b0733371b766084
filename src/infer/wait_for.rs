//! `waitFor` of descriptors: the pods hold back by themselves, so the wait is weak.

use std::collections::HashMap;

use super::Inferred;
use super::scene::{Found, Scene, Wait, new_edge};
use crate::hosts;
use crate::load::hooks::{ResourceWait, WaitForSetting};
use crate::model::{Component, ComponentIndex, End, Gate, Reason, ResourceId, ResourceIndex, Strength};

/// Weak edges from components to the Services and objects their gates ask for.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    let objects = Objects::of(scene);
    for (number, component) in scene.components.iter().enumerate() {
        let from = End { component: ComponentIndex(number), resource: None };
        for wait in component.descriptor.wait_for.iter().filter(|_| component.split_from.is_none()) {
            let ends = match &wait.resource {
                Some(resource) => objects.ends(scene, resource, component),
                None => behind_address(scene, wait, component, from.component),
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

fn at(scene: &Scene<'_>, resource: ResourceIndex) -> End {
    End { component: scene.resource(resource).component, resource: Some(resource) }
}

/// Who answers at the address of a gate.
fn behind_address(
    scene: &Scene<'_>,
    wait: &WaitForSetting,
    component: &Component,
    asking: ComponentIndex,
) -> Vec<End> {
    let address = wait.http.as_deref().or(wait.tcp.as_deref()).and_then(hosts::service);
    let Some(address) = address else { return Vec::new() };
    let namespace = address.namespace.as_deref().unwrap_or(&component.namespace);
    match scene.find(&ResourceId::new("", "Service", namespace, &address.name), asking) {
        Found::Object(service) => std::iter::once(service)
            .chain(scene.behind(service))
            .map(|resource| at(scene, resource))
            .collect(),
        Found::Made(makers) => makers.into_iter().map(|maker| at(scene, maker)).collect(),
        Found::Declared(component) => vec![End { component, resource: None }],
        Found::External | Found::Nobody => Vec::new(),
    }
}

/// Objects by kind and name, as `kubectl wait` finds them: the kind in any case, the group only if it is said.
struct Objects<'s>(HashMap<(String, &'s str), Vec<ResourceIndex>>);

impl<'s> Objects<'s> {
    /// Empty unless some gate asks for an object.
    fn of(scene: &Scene<'s>) -> Self {
        let mut waits = scene.components.iter().flat_map(|component| &component.descriptor.wait_for);
        let mut objects: HashMap<(String, &str), Vec<ResourceIndex>> = HashMap::new();
        if waits.any(|wait| wait.resource.is_some()) {
            for (index, resource) in scene.iter() {
                let key = (resource.id.kind.as_str().to_lowercase(), resource.id.name.as_str());
                objects.entry(key).or_default().push(index);
            }
        }
        Self(objects)
    }

    fn ends(&self, scene: &Scene<'_>, wait: &ResourceWait, component: &Component) -> Vec<End> {
        let (kind, group) = wait.kind_and_group();
        let namespace = wait.namespace.as_ref().unwrap_or(&component.namespace);
        let is_it = |index: &&ResourceIndex| {
            let id = &scene.resource(**index).id;
            group.is_none_or(|group| group == id.group)
                && (id.namespace.is_empty() || id.namespace == *namespace)
        };
        let named = self.0.get(&(kind.to_lowercase(), wait.name.as_str())).map_or(&[][..], Vec::as_slice);
        named.iter().filter(is_it).map(|index| at(scene, *index)).collect()
    }
}
