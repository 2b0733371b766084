//! `waitFor` of descriptors: the pods hold back by themselves, so the wait is weak. Still it needs its wave: a sync that
//! waits for a gated pod never gets to what opens the gate.

use std::collections::HashMap;

use super::Inferred;
use super::scene::{Found, Scene, Wait, new_edge};
use crate::hosts;
use crate::load::hooks::{ResourceWait, WaitForSetting};
use crate::model::{ComponentIndex, Edge, End, Gate, Reason, ResourceId, ResourceIndex, Strength};

/// Weak edges from components to the Services and objects their gates ask for.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    if scene.components.iter().all(|component| component.wait_for.is_empty()) {
        return inferred;
    }
    let targets = Targets::of(scene);
    let members = crate::classify::by_component(scene.resources, scene.components.len());
    for (number, component) in scene.components.iter().enumerate() {
        let from = End { component: ComponentIndex(number), resource: None };
        for declared in &component.wait_for {
            let wait = Wait {
                reason: Reason::from("wait-for"),
                strength: Strength::Weak,
                gate: Gate::Ready,
                origin: declared.origin.clone(),
            };
            let ends = targets.ends(&declared.value, from.component);
            let (own, others): (Vec<End>, Vec<End>) =
                ends.into_iter().partition(|to| to.component == from.component);
            inferred.edges.extend(others.into_iter().map(|to| new_edge(from, to, &wait)));
            inferred.edges.extend(inside(scene, &members[number], &declared.value, &own, &wait));
        }
    }
    inferred
}

/// Inside a component each pod waits by itself, except those that are waited for.
fn inside(
    scene: &Scene<'_>,
    members: &[ResourceIndex],
    gate: &WaitForSetting,
    targets: &[End],
    wait: &Wait,
) -> Vec<Edge> {
    if targets.is_empty() {
        return Vec::new();
    }
    let has_pods = |index: &ResourceIndex| {
        let id = &scene.resource(*index).id;
        scene.catalogue.has_pods(&id.group, &id.kind) && gate.is_for(&id.name)
    };
    let is_target = |index: &ResourceIndex| targets.iter().any(|end| end.resource == Some(*index));
    // Behind its pods, a Service needs no wave of its own.
    let is_service = |end: &&End| end.resource.is_some_and(|one| scene.resource(one).id.kind == "Service");
    let behind: Vec<&End> = targets.iter().filter(|end| !is_service(end)).collect();
    let asked: Vec<&End> = if behind.is_empty() { targets.iter().collect() } else { behind };
    let waiting = members.iter().copied().filter(has_pods).filter(|index| !is_target(index));
    waiting.flat_map(|pod| asked.iter().map(move |to| new_edge(at(scene, pod), **to, wait))).collect()
}

fn at(scene: &Scene<'_>, resource: ResourceIndex) -> End {
    End { component: scene.resource(resource).component, resource: Some(resource) }
}

/// Who answers at the address of a gate.
fn behind_address(scene: &Scene<'_>, wait: &WaitForSetting, asking: ComponentIndex) -> Vec<End> {
    let address = wait.http.as_deref().or(wait.tcp.as_deref()).and_then(hosts::service);
    let Some(address) = address else { return Vec::new() };
    let namespace = address.namespace.as_deref().unwrap_or(&scene.component(asking).namespace);
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

/// Looks up what gates ask for.
pub struct Targets<'s, 'a> {
    scene: &'s Scene<'a>,
    objects: Objects<'a>,
}

impl<'s, 'a> Targets<'s, 'a> {
    /// Of all gates of a scene.
    #[must_use]
    pub fn of(scene: &'s Scene<'a>) -> Self {
        Self { scene, objects: Objects::of(scene) }
    }

    /// What the gate of a component asks for, its own objects too.
    #[must_use]
    pub fn ends(&self, wait: &WaitForSetting, asking: ComponentIndex) -> Vec<End> {
        match &wait.resource {
            Some(resource) => self.objects.ends(self.scene, resource, asking),
            None => behind_address(self.scene, wait, asking),
        }
    }
}

/// Objects by kind and name, as `kubectl wait` finds them: the kind in any case, the group only if it is said.
struct Objects<'s>(HashMap<(String, &'s str), Vec<ResourceIndex>>);

impl<'s> Objects<'s> {
    /// Empty unless some gate asks for an object.
    fn of(scene: &Scene<'s>) -> Self {
        let mut waits = scene.components.iter().flat_map(|component| &component.wait_for);
        let mut objects: HashMap<(String, &str), Vec<ResourceIndex>> = HashMap::new();
        if waits.any(|wait| wait.value.resource.is_some()) {
            for (index, resource) in scene.iter() {
                let key = (resource.id.kind.as_str().to_lowercase(), resource.id.name.as_str());
                objects.entry(key).or_default().push(index);
            }
        }
        Self(objects)
    }

    fn ends(&self, scene: &Scene<'_>, wait: &ResourceWait, asking: ComponentIndex) -> Vec<End> {
        let (kind, group) = wait.kind_and_group();
        let namespace = wait.namespace.as_ref().unwrap_or(&scene.component(asking).namespace);
        let is_it = |index: &&ResourceIndex| {
            let id = &scene.resource(**index).id;
            group.is_none_or(|group| group == id.group)
                && (id.namespace.is_empty() || id.namespace == *namespace)
        };
        let named = self.0.get(&(kind.to_lowercase(), wait.name.as_str())).map_or(&[][..], Vec::as_slice);
        named.iter().filter(is_it).map(|index| at(scene, *index)).collect()
    }
}
