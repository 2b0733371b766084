//! The ladder for people and for programs; one file per format.

pub mod json;
pub mod markdown;
pub mod text;

use crate::model::{ComponentIndex, Edge, End, Ladder};

/// `Kind/ns/name` of an end, or the component's name.
#[must_use]
pub fn shown(ladder: &Ladder, end: End) -> String {
    match end.resource {
        Some(resource) => ladder.resource(resource).id.short(),
        None => ladder.component(end.component).name.clone(),
    }
}

/// Why a component stands above its base rung: each fix, or the edge that lifted it.
#[must_use]
pub fn causes(ladder: &Ladder, component: ComponentIndex) -> Vec<(String, String)> {
    let placement = ladder.placement(component);
    let mut causes: Vec<(String, String)> =
        placement.fixes.iter().map(|fix| (fix.rule.to_owned(), fix.because.clone())).collect();
    if let Some(edge) = placement.raised_by.map(|position| &ladder.edges[position]) {
        causes.push((edge.reason.to_string(), waits(ladder, edge)));
    }
    causes
}

/// An edge as one line of evidence.
#[must_use]
pub fn waits(ladder: &Ladder, edge: &Edge) -> String {
    format!("`{}` waits for `{}` ({})", shown(ladder, edge.from), shown(ladder, edge.to), edge.origin)
}
