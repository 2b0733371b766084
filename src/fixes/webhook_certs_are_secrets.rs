//! `webhook-certs-are-secrets`: a component without workloads that issues a webhook's certificate is about secrets,
//! whatever configuration lies beside it.

use std::collections::BTreeSet;

use super::{Move, View};
use crate::model::Role;

/// Moves such components to the secrets of their domain.
#[must_use]
pub fn moves(view: &View<'_>) -> Vec<Move> {
    let backends = view.backends();
    let mut moves = Vec::new();
    let mut seen = BTreeSet::new();
    for edge in view.edges {
        let component = edge.to.component;
        let serves_webhook = edge.from.resource.is_some_and(|resource| backends.contains(&resource));
        let is_secret = edge.to.resource.is_some_and(|to| view.scene.resource(to).role == Role::Secret);
        let misplaced = matches!(view.roles[component.0], Role::Config | Role::Operator);
        // Whether anything of the component runs is asked last and once: it may be large.
        let runs =
            || view.resources[component.0].iter().any(|resource| view.scene.resource(*resource).is_workload);
        if serves_webhook && is_secret && misplaced && seen.insert(component) && !runs() {
            moves.push(Move {
                rule: "webhook-certs-are-secrets",
                component,
                to: Some(Role::Secret),
                because: view.told(edge, "answers a webhook with the certificate of"),
                evidence: Vec::new(),
            });
        }
    }
    moves
}
