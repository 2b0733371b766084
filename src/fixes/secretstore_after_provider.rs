//! `secretstore-after-provider`: a store whose provider runs in its own domain comes after it.

use super::{Move, View};
use crate::model::Role;

/// Reasons of edges from a store to the server behind it.
const PROVIDER: &[&str] = &["secret-store-provider", "issuer-vault"];

/// Moves stores behind the provider of their own domain.
#[must_use]
pub fn moves(view: &View<'_>) -> Vec<Move> {
    let mut moves = Vec::new();
    for component in view.components().filter(|component| view.roles[component.0] == Role::Secret) {
        let provider: Vec<_> = view
            .leaving(component)
            .filter(|(_, edge)| PROVIDER.contains(&edge.reason.as_str()))
            .filter(|(_, edge)| view.same_domain(component, edge.to.component))
            .collect();
        let Some((_, first)) = provider.first() else { continue };
        moves.push(Move {
            rule: "secretstore-after-provider",
            component,
            to: Some(Role::PostRuntime),
            because: view.told(first, "is only ready once it reaches"),
            evidence: provider.iter().map(|(position, _)| *position).collect(),
        });
    }
    moves
}
