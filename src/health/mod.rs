//! Health checks for Argo CD: the guarded one for child Applications, and one for each custom kind that gates
//! something and has none of Argo CD's own. Without them a wave does not wait.

mod row;
mod silent;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::catalogue::{Catalogue, ReadyRow};
use crate::model::{ComponentIndex, Edge, Gate, Ladder, Resource};

/// Lua for `argoproj.io/Application`.
pub const APPLICATION: &str = include_str!("application.lua");
/// Lua for `argoproj.io/ApplicationSet`, where rungs are rolled out by one.
pub const APPLICATION_SET: &str = include_str!("applicationset.lua");
/// Lua for CRDs, which Argo CD's own check may fail a sync for.
pub const CRD: &str = include_str!("crd.lua");
/// Lua for custom kinds of which no row says when they are ready.
pub const KIND: &str = include_str!("kind.lua");

/// Kinds by group and name.
pub type Kinds = BTreeSet<(String, String)>;

/// Custom kinds that some edge waits for until they are ready, and whose health Argo CD does not check. Where a whole
/// component is waited for, only kinds of which a row says when they are ready: others may never report. Kinds known
/// never to report need no check.
#[must_use]
pub fn unchecked_gates(edges: &[Edge], resources: &[Resource], catalogue: &Catalogue) -> Kinds {
    let waited = || edges.iter().filter(|edge| edge.gate == Gate::Ready && edge.dropped.is_none());
    let wholes: BTreeSet<ComponentIndex> = waited()
        .filter(|edge| edge.to.resource.is_none() && edge.from.component != edge.to.component)
        .map(|edge| edge.to.component)
        .collect();
    let has_row = |one: &&Resource| catalogue.ready(&one.id.group, &one.id.kind).is_some();
    let of_wholes = resources.iter().filter(|one| wholes.contains(&one.component)).filter(has_row);
    let kinds: Kinds = waited()
        .filter_map(|edge| edge.to.resource)
        .map(|index| &resources[index.0])
        .chain(of_wholes)
        .filter(|resource| !resource.is_stand_in() && is_custom(&resource.id.group))
        .filter(|resource| !catalogue.has_health(&resource.id.group, &resource.id.kind))
        .map(|resource| (resource.id.group.to_string(), resource.id.kind.to_string()))
        .collect();
    let reports = |(group, kind): &(String, String)| match catalogue.ready(group, kind) {
        Some(row) => !row.ready.is_empty(),
        None => !silent::is_silent(resources, group, kind),
    };
    kinds.into_iter().filter(reports).collect()
}

/// How the kinds among the resources say that they are ready, where that is known.
#[must_use]
pub fn ready_rows(
    resources: &[Resource],
    catalogue: &Catalogue,
) -> BTreeMap<(String, String), Arc<ReadyRow>> {
    let kinds: BTreeSet<(&str, &str)> =
        resources.iter().map(|one| (one.id.group.as_str(), one.id.kind.as_str())).collect();
    let known = |(group, kind): (&str, &str)| {
        let row = catalogue.ready(group, kind).filter(|row| !row.ready.is_empty())?;
        Some(((group.to_owned(), kind.to_owned()), Arc::clone(row)))
    };
    kinds.into_iter().filter_map(known).collect()
}

/// Groups of Kubernetes itself have no dot or end in `.k8s.io`; whoever serves those has his own check or none.
fn is_custom(group: &str) -> bool {
    group.contains('.') && !group.ends_with(".k8s.io")
}

/// The patch of `argocd-cm`.
#[must_use]
pub fn patch(ladder: Option<&Ladder>, namespace: &str) -> Value {
    let mut data = Map::new();
    let mut add = |group: &str, kind: &str, lua: &str| {
        data.insert(format!("resource.customizations.health.{group}_{kind}"), json!(lua));
    };
    add("apiextensions.k8s.io", "CustomResourceDefinition", CRD);
    add("argoproj.io", "Application", APPLICATION);
    if ladder.is_some_and(|ladder| ladder.rungs.list.iter().any(|rung| rung.application_set.is_some())) {
        add("argoproj.io", "ApplicationSet", APPLICATION_SET);
    }
    if let Some(ladder) = ladder {
        for unchecked @ (group, kind) in &ladder.unchecked_gates {
            let known = ladder.ready_rows.get(unchecked).map(|ready| row::script(kind, ready));
            add(group, kind, known.as_deref().unwrap_or(KIND));
        }
    }
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "argocd-cm",
            "namespace": namespace,
            "labels": {"app.kubernetes.io/name": "argocd-cm", "app.kubernetes.io/part-of": "argocd"},
        },
        "data": data,
    })
}

#[cfg(test)]
mod row_tests;
#[cfg(test)]
mod tests;
