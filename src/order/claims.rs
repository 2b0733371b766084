//! A claim of a `WaitForFirstConsumer` class is bound only once its pod is there: in an earlier, gated wave it would
//! wait for ever. So a claim moves up to its first pod, unless something else waits for it.

use std::collections::BTreeMap;

use super::cost;
use super::inner::hook;
use crate::argocd::Hook;
use crate::catalogue::is_built_in_group;
use crate::infer::Scene;
use crate::model::{ComponentIndex, Edge, Gate, Resource, ResourceIndex, Role};

const CLAIM: &str = "PersistentVolumeClaim";

/// Where a claim may stand at the latest.
#[derive(Clone, Copy)]
enum Latest {
    /// In this wave its first pod comes.
    Wave(i64),
    /// Something waits for it that brings no pod of this sync.
    Stays,
}

/// Moves claims up to the wave of what brings their pods: what refers to them, else the last resource of their
/// component whose pods no manifest shows (a release, a runtime that an operator makes).
pub(super) fn keep_with_pods(
    scene: &Scene<'_>,
    edges: &[Edge],
    waves: &mut [i64],
    may_move: impl Fn(usize) -> bool,
) {
    let users = users(scene, edges, waves);
    let unseen = unseen_pods(scene, waves);
    let is_claim =
        |(index, resource): &(ResourceIndex, &Resource)| resource.id.kind == CLAIM && may_move(index.0);
    for (claim, resource) in scene.iter().filter(is_claim) {
        let group = (resource.component, hook(resource));
        let latest = users.get(&claim).copied().or_else(|| unseen.get(&group).copied().map(Latest::Wave));
        if let Some(Latest::Wave(latest)) = latest {
            waves[claim.0] = waves[claim.0].max(latest);
        }
    }
}

/// What refers to claims.
fn users(scene: &Scene<'_>, edges: &[Edge], waves: &[i64]) -> BTreeMap<ResourceIndex, Latest> {
    let mut users = BTreeMap::new();
    for edge in edges.iter().filter(|edge| edge.dropped.is_none()) {
        let (Some(from), Some(to)) = (edge.from.resource, edge.to.resource) else { continue };
        if scene.resource(to).id.kind != CLAIM {
            continue;
        }
        let joins = edge.is_inner()
            && edge.gate == Gate::Present
            && hook(scene.resource(from)) == hook(scene.resource(to));
        let own = if joins {
            Latest::Wave(waves[from.0] - cost(scene, from, to, edge.gate))
        } else {
            Latest::Stays
        };
        users.entry(to).and_modify(|known| *known = earlier(*known, own)).or_insert(own);
    }
    users
}

fn earlier(one: Latest, other: Latest) -> Latest {
    match (one, other) {
        (Latest::Wave(one), Latest::Wave(other)) => Latest::Wave(one.min(other)),
        _ => Latest::Stays,
    }
}

/// The last wave of each component in which pods come that no manifest shows.
fn unseen_pods(scene: &Scene<'_>, waves: &[i64]) -> BTreeMap<(ComponentIndex, Hook), i64> {
    let mut last = BTreeMap::new();
    for (index, resource) in scene.iter().filter(|(_, resource)| brings_unseen_pods(resource)) {
        let wave = last.entry((resource.component, hook(resource))).or_insert(i64::MIN);
        *wave = (*wave).max(waves[index.0]);
    }
    last
}

fn brings_unseen_pods(resource: &Resource) -> bool {
    let is_served =
        matches!(resource.role, Role::Runtime | Role::Operator) && !is_built_in_group(&resource.id.group);
    !resource.charts.is_empty() || is_served
}
