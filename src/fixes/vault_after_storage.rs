//! `vault-after-storage`: a secret provider whose volumes come from a class of the ladder is a runtime.

use super::{Move, View};
use crate::model::{Edge, Role};

/// The class of a volume, or what provisions it; an Ingress has a class and a controller too.
fn is_storage(view: &View<'_>, edge: &Edge) -> bool {
    let from_ingress = edge.from.resource.is_some_and(|from| view.scene.resource(from).id.kind == "Ingress");
    // A chart that brings the class stands for it.
    let names_class = edge.reason.as_str().ends_with("-storage-class");
    names_class || (edge.reason.as_str() == "class-controller" && !from_ingress)
}

/// Moves secret providers that keep their data on the ladder's storage.
#[must_use]
pub fn moves(view: &View<'_>) -> Vec<Move> {
    let mut moves = Vec::new();
    for component in view.components().filter(|component| view.roles[component.0] == Role::Secret) {
        let runs = |index: &&crate::model::ResourceIndex| view.scene.resource(**index).is_workload;
        if view.resources[component.0].iter().find(runs).is_none() {
            continue;
        }
        let storage: Vec<_> = view.leaving(component).filter(|(_, edge)| is_storage(view, edge)).collect();
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
