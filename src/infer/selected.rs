//! Objects that speak about others by label: disruption budgets about pods, monitors about Services and pods.
//!
//! Weak, and only between components: inside one, Argo CD's own order does no harm either way. A selector with
//! expressions, or an empty one, names no one in particular.

use std::collections::BTreeSet;

use super::Inferred;
use super::scene::{Scene, Wait};
use crate::catalogue::probes::Fact;
use crate::model::{Gate, Reason, Resource, ResourceIndex, Strength};

/// Edges to what a selector picks.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    for (index, resource) in scene.iter() {
        let Some((reason, wants_services)) = speaks(resource) else { continue };
        let Some(pairs) = pairs(resource) else { continue };
        let wait = Wait {
            reason: Reason::from(reason),
            strength: Strength::Weak,
            gate: Gate::Present,
            origin: resource.origin(),
        };
        for namespace in namespaces(resource) {
            let picked: Vec<ResourceIndex> = if wants_services {
                scene.services_labelled(namespace, &pairs, resource.component)
            } else {
                scene.pods_labelled(namespace, &pairs, resource.component)
            };
            let others = picked.into_iter().filter(|to| scene.resource(*to).component != resource.component);
            inferred.edges.extend(others.map(|to| scene.edge(index, to, &wait)));
        }
    }
    inferred
}

/// The reason of a kind that selects, and whether it selects Services.
fn speaks(resource: &Resource) -> Option<(&'static str, bool)> {
    match (resource.id.group.as_str(), resource.id.kind.as_str()) {
        ("policy", "PodDisruptionBudget") => Some(("disruption-budget-target", false)),
        ("monitoring.coreos.com", "PodMonitor") => Some(("monitor-target", false)),
        ("monitoring.coreos.com", "ServiceMonitor") => Some(("monitor-target", true)),
        _ => None,
    }
}

/// The pairs of the selector, when they are all there is to it.
fn pairs(resource: &Resource) -> Option<Vec<(&str, &str)>> {
    let has_expressions = resource.manifest.facts(Fact::SelectorExpression).next().is_some();
    let pairs: Vec<_> = resource
        .manifest
        .facts(Fact::Selector)
        .map(|pair| (pair.key.as_str(), pair.value.as_deref().unwrap_or_default()))
        .collect();
    (!has_expressions && !pairs.is_empty()).then_some(pairs)
}

/// The namespaces a monitor looks into: those it names, else its own.
fn namespaces(resource: &Resource) -> BTreeSet<&str> {
    let named: BTreeSet<&str> =
        resource.manifest.facts(Fact::SelectorNamespace).filter_map(|name| name.value.as_deref()).collect();
    if named.is_empty() { BTreeSet::from([resource.id.namespace.as_str()]) } else { named }
}
