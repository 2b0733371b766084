//! Charts nobody rendered whose values name an object that somebody in the tree makes.
//!
//! A name that nobody makes is no finding: the chart itself may make it, or not read the value at all.

use super::Inferred;
use super::scene::{Found, Scene, Wait};
use crate::catalogue::rows::Scope;
use crate::classify::chart_names::ChartName;
use crate::model::{Chart, ResourceId};

/// Edges from releases to the objects their values name.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    for (index, release) in scene.iter() {
        for (chart, named) in
            release.charts.iter().flat_map(|chart| chart.names.iter().map(move |name| (chart, name)))
        {
            let Some(id) = meant(scene, chart, named) else { continue };
            let found = scene.find(&id, release.component);
            if found == Found::Nobody {
                continue;
            }
            let row = scene.catalogue.value(named.row);
            let wait = Wait {
                reason: row.reason.clone(),
                strength: row.strength,
                gate: row.gate,
                origin: named.origin.clone(),
            };
            inferred.edges.extend(scene.edges_to(index, &found, &wait));
        }
    }
    inferred
}

/// The object a name means: beside the release, unless the values say where.
pub(super) fn meant(scene: &Scene<'_>, chart: &Chart, named: &ChartName) -> Option<ResourceId> {
    let to = &scene.catalogue.value(named.row).to;
    let namespace = match scene.scope(&to.group, &to.kind) {
        Scope::Cluster => "",
        Scope::Namespaced => named.namespace.as_deref().unwrap_or(&chart.namespace),
    };
    let is_known = !namespace.is_empty() || scene.scope(&to.group, &to.kind) == Scope::Cluster;
    is_known.then(|| ResourceId::new(&to.group, &to.kind, namespace, &named.name))
}
