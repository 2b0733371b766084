//! `operator-after-cert-manager`: an operator whose certificate comes from cert-manager stands above it.

use super::{Move, View};
use crate::model::{Edge, End, Role};

const GROUP: &str = "cert-manager.io";

/// Names the climb of operators that bring their own Certificate, or answer webhooks with one from elsewhere.
#[must_use]
pub fn moves(view: &View<'_>) -> Vec<Move> {
    let of_cert_manager =
        |end: End| end.resource.is_some_and(|resource| view.scene.resource(resource).id.group == GROUP);
    let backends = view.backends();
    let answers = |edge: &Edge| edge.from.resource.is_some_and(|resource| backends.contains(&resource));
    let mut moves = Vec::new();
    for component in view.components().filter(|component| view.roles[component.0] == Role::Operator) {
        let needs_it = |edge: &Edge| {
            (edge.reason.as_str() == "operator" && of_cert_manager(edge.from))
                || (answers(edge) && of_cert_manager(edge.to))
        };
        let strong = view.leaving(component).filter(|(_, edge)| edge.is_strong());
        let served: Vec<_> = strong.filter(|(_, edge)| needs_it(edge)).collect();
        let Some((_, first)) = served.first() else { continue };
        let verb = if of_cert_manager(first.from) { "is issued by" } else { "answers a webhook with" };
        moves.push(Move {
            rule: "operator-after-cert-manager",
            component,
            to: None,
            because: view.told(first, verb),
            evidence: served.iter().map(|(position, _)| *position).collect(),
        });
    }
    moves
}
