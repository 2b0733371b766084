//! `operator-after-cert-manager`: an operator whose certificate comes from cert-manager stands above it.

use super::{Move, View};
use crate::model::Role;

const GROUP: &str = "cert-manager.io";

/// Names the climb of operators that bring their own Certificate.
#[must_use]
pub fn moves(view: &View<'_>) -> Vec<Move> {
    let mut moves = Vec::new();
    for component in view.components().filter(|component| view.roles[component.0] == Role::Operator) {
        let served: Vec<_> = view
            .leaving(component)
            .filter(|(_, edge)| edge.reason.as_str() == "operator" && edge.is_strong())
            .filter(|(_, edge)| {
                edge.from.resource.is_some_and(|from| view.scene.resource(from).id.group == GROUP)
            })
            .collect();
        let Some((_, first)) = served.first() else { continue };
        moves.push(Move {
            rule: "operator-after-cert-manager",
            component,
            to: None,
            because: view.told(first, "is issued by"),
            evidence: served.iter().map(|(position, _)| *position).collect(),
        });
    }
    moves
}
