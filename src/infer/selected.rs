//! Objects that speak about others by label: disruption budgets about pods, monitors about Services and pods, dashboards
//! about the Grafana that shows them.
//!
//! Always weak. Of pods and Services only between components: inside one, Argo CD's own order does no harm either way.
//! A selector with expressions, or an empty one, names no one in particular.

use std::collections::BTreeSet;

use super::Inferred;
use super::scene::{Scene, Wait};
use crate::catalogue::probes::Fact;
use crate::model::{Gate, Reason, Resource, ResourceIndex, Strength};

/// What a selector picks among.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Among {
    Pods,
    Services,
    Grafanas,
}

const GRAFANA: (&str, &str) = ("grafana.integreatly.org", "Grafana");

/// Edges to what a selector picks.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    for (index, resource) in scene.iter() {
        let Some((reason, among)) = speaks(resource) else { continue };
        let Some(pairs) = pairs(resource) else { continue };
        let is_instance = among == Among::Grafanas;
        let gate = if is_instance { Gate::Ready } else { Gate::Present };
        let origin = resource.origin();
        let wait = Wait { reason: Reason::from(reason), strength: Strength::Weak, gate, origin };
        for namespace in namespaces(scene, resource, among) {
            let picked: Vec<ResourceIndex> = match among {
                Among::Pods => scene.pods_labelled(namespace, &pairs, resource.component),
                Among::Services => scene.labelled(("", "Service"), namespace, &pairs, resource.component),
                Among::Grafanas => scene.labelled(GRAFANA, namespace, &pairs, resource.component),
            };
            let is_told =
                |to: &ResourceIndex| is_instance || scene.resource(*to).component != resource.component;
            inferred.edges.extend(picked.into_iter().filter(is_told).map(|to| scene.edge(index, to, &wait)));
        }
    }
    inferred
}

/// The reason of a kind that selects, and what among.
fn speaks(resource: &Resource) -> Option<(&'static str, Among)> {
    match (resource.id.group.as_str(), resource.id.kind.as_str()) {
        ("policy", "PodDisruptionBudget") => Some(("disruption-budget-target", Among::Pods)),
        ("monitoring.coreos.com", "PodMonitor") => Some(("monitor-target", Among::Pods)),
        ("monitoring.coreos.com", "ServiceMonitor") => Some(("monitor-target", Among::Services)),
        ("grafana.integreatly.org", kind) if kind != "Grafana" => Some(("grafana-instance", Among::Grafanas)),
        _ => None,
    }
}

/// The pairs of the selector, when they are all there is to it.
pub(super) fn pairs(resource: &Resource) -> Option<Vec<(&str, &str)>> {
    let has_expressions = resource.manifest.facts(Fact::SelectorExpression).next().is_some();
    let pairs: Vec<_> = resource
        .manifest
        .facts(Fact::Selector)
        .map(|pair| (pair.key.as_str(), pair.value.as_deref().unwrap_or_default()))
        .collect();
    (!has_expressions && !pairs.is_empty()).then_some(pairs)
}

/// Where it looks: in the namespaces it names, else in its own, and for a Grafana anywhere if it says so.
fn namespaces<'a>(scene: &Scene<'a>, resource: &'a Resource, among: Among) -> BTreeSet<&'a str> {
    if among == Among::Grafanas && resource.manifest.fact(Fact::SelectsAnywhere) == Some("true") {
        return scene.namespaces_of(GRAFANA.0, GRAFANA.1).into_iter().collect();
    }
    let named: BTreeSet<&str> =
        resource.manifest.facts(Fact::SelectorNamespace).filter_map(|name| name.value.as_deref()).collect();
    if named.is_empty() { BTreeSet::from([resource.id.namespace.as_str()]) } else { named }
}
