//! A custom resource waits for the workload that serves its group.
//!
//! Strong where Argo CD would wait for a health only that workload can give, or where somebody waits for what
//! the custom resource makes; otherwise it is merely reconciled later.

use std::collections::BTreeSet;

use super::scene::{Scene, Wait};
use super::{Inferred, class};
use crate::catalogue::is_built_in_group;
use crate::model::{Edge, Gate, Provision, Reason, ResourceIndex, Strength};

/// Edges from custom resources to operators.
#[must_use]
pub fn edges(scene: &Scene<'_>, others: &[Edge]) -> Inferred {
    let awaited: BTreeSet<ResourceIndex> = others
        .iter()
        .filter(|edge| edge.is_strong() && edge.gate == Gate::Ready)
        .filter_map(|edge| edge.to.resource)
        .collect();
    let mut inferred = Inferred::default();
    let is_served = |group: &str| !is_built_in_group(group) && !class::says_who_serves(group);
    for (index, resource) in scene.iter().filter(|(_, resource)| is_served(&resource.id.group)) {
        let group = resource.id.group.as_str();
        let checked = scene.catalogue.has_health(group, &resource.id.kind);
        let strength = if checked || awaited.contains(&index) { Strength::Strong } else { Strength::Weak };
        let wait =
            Wait { reason: Reason::from("operator"), strength, gate: Gate::Ready, origin: resource.origin() };
        let declared = Provision::Operator(group.to_owned());
        if scene.is_external(&declared) {
            continue;
        }
        let operators = scene.operators_of(group, &resource.id.kind);
        if operators.is_empty() {
            inferred.edges.extend(scene.edges_to(index, &scene.find_declared(&declared), &wait));
        } else if !operators.contains(&index) {
            let nearest = scene.own_first(&operators, resource.component);
            inferred.edges.extend(nearest.into_iter().map(|operator| scene.edge(index, operator, &wait)));
        }
    }
    inferred
}
