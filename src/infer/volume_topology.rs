//! A claim whose class waits for the first consumer is bound only once its pod is there.
//!
//! In a component before its pod's it stays pending, and Argo CD waits for a health that cannot come: a finding, as no
//! order solves it.

use std::collections::{BTreeMap, BTreeSet};

use super::scene::Scene;
use crate::catalogue::probes::Fact;
use crate::model::{Edge, Finding, Level, ResourceIndex};

/// Claims that only pods of other components use.
#[must_use]
pub fn findings(scene: &Scene<'_>, edges: &[Edge]) -> Vec<Finding> {
    let mut late = BTreeSet::new();
    let mut outer: BTreeMap<ResourceIndex, &Edge> = BTreeMap::new();
    let mut own = BTreeSet::new();
    for edge in edges {
        let (Some(from), Some(to)) = (edge.from.resource, edge.to.resource) else { continue };
        let mode = scene.resource(to).manifest.fact(Fact::VolumeBindingMode);
        match scene.resource(to).id.kind.as_str() {
            "StorageClass" if mode == Some("WaitForFirstConsumer") => drop(late.insert(from)),
            "PersistentVolumeClaim" if edge.reason.as_str() != "pod-volume-claim" => {}
            "PersistentVolumeClaim" if edge.is_inner() => drop(own.insert(to)),
            "PersistentVolumeClaim" => drop(outer.entry(to).or_insert(edge)),
            _ => {}
        }
    }
    let apart = outer.into_iter().filter(|(claim, _)| late.contains(claim) && !own.contains(claim));
    apart.map(|(claim, edge)| finding(scene, claim, edge)).collect()
}

fn finding(scene: &Scene<'_>, claim: ResourceIndex, edge: &Edge) -> Finding {
    let (resource, pod) = (scene.resource(claim), scene.component(edge.from.component));
    let (name, shown) = (&scene.component(resource.component).name, resource.id.short());
    let message = format!(
        "`{shown}` is bound only once a pod of `{}` uses it, but that waits until `{name}` is healthy",
        pod.name
    );
    Finding::new("claim-before-its-pod", Level::Warning, message).about(name).at(resource.origin()).help(
        format!("move the claim into `{}`, or use a class with `volumeBindingMode: Immediate`", pod.name),
    )
}
