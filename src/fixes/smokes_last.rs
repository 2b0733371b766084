//! `smokes-last`: what is declared a smoke leaves the rung of its Jobs for the last rung of its domain.

use super::{Move, View};
use crate::model::Role;

/// Moves declared smokes.
#[must_use]
pub fn moves(view: &View<'_>) -> Vec<Move> {
    let smokes = view.components().filter_map(|component| {
        let role = view.scene.component(component).role.as_ref()?;
        (role.value == Role::Smoke).then(|| Move {
            rule: "smokes-last",
            component,
            to: Some(Role::Smoke),
            because: format!("declared a smoke ({}): it checks everything before", role.origin),
            evidence: Vec::new(),
        })
    });
    smokes.collect()
}
