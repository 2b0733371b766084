//! `vault-after-storage`: a secret provider whose volumes come from a class of the ladder is a runtime.

use super::{Move, View};
use crate::model::Role;

/// Moves secret providers that keep their data on the ladder's storage.
#[must_use]
pub fn moves(view: &View<'_>) -> Vec<Move> {
    let mut moves = Vec::new();
    for component in view.components().filter(|component| view.roles[component.0] == Role::Secret) {
        let runs = |index: &&crate::model::ResourceIndex| view.scene.resource(**index).is_workload;
        if view.resources[component.0].iter().find(runs).is_none() {
            continue;
        }
        let storage: Vec<_> =
            view.leaving(component).filter(|(_, edge)| view.target_kind(edge) == "StorageClass").collect();
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
