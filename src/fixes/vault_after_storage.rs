//! `vault-after-storage`: a secret provider whose volumes come from a class of the ladder is a runtime.

use super::{Move, View};
use crate::classify::serves;
use crate::model::{Edge, ResourceIndex, Role};

/// Kinds whose class is not one of storage.
const TRAFFIC: &[&str] = &["Ingress", "Gateway", "GatewayClass"];

/// The class of a volume, or what provisions it.
fn is_storage(view: &View<'_>, edge: &Edge) -> bool {
    // A release names classes of both sorts; those of storage by themselves.
    let is_traffic = edge
        .from
        .resource
        .map(|from| view.scene.resource(from))
        .is_some_and(|from| TRAFFIC.contains(&from.id.kind.as_str()) || !from.charts.is_empty());
    // A chart that brings the class stands for it.
    let names_class = edge.reason.as_str().ends_with("-storage-class");
    names_class || (edge.reason.as_str() == "class-controller" && !is_traffic)
}

/// Whether an edge names a claim of another component that waits for its class.
fn is_stored_claim(view: &View<'_>, edge: &Edge) -> bool {
    matches!(edge.reason.as_str(), "pod-volume-claim" | "chart-claim")
        && view.leaving(edge.to.component).any(|(_, other)| other.from == edge.to && is_storage(view, other))
}

/// Moves secret providers that keep their data on the ladder's storage.
#[must_use]
pub fn moves(view: &View<'_>) -> Vec<Move> {
    let mut moves = Vec::new();
    for component in view.components().filter(|component| view.roles[component.0] == Role::Secret) {
        let runs = |index: &&ResourceIndex| serves::runs(view.scene.resource(**index));
        if view.resources[component.0].iter().find(runs).is_none() {
            continue;
        }
        let is_kept = |edge: &Edge| is_storage(view, edge) || is_stored_claim(view, edge);
        let storage: Vec<_> = view.leaving(component).filter(|(_, edge)| is_kept(edge)).collect();
        let Some((_, first)) = storage.first() else { continue };
        moves.push(Move {
            rule: "vault-after-storage",
            component,
            to: Some(Role::Runtime),
            because: view.told(first, "keeps its data on"),
            evidence: storage.iter().map(|(position, _)| *position).collect(),
        });
    }
    moves
}
