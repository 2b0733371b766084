//! The ladder for people and for programs: one file per format, and one each for what is worked out from it.

pub mod json;
pub mod markdown;
pub mod reverse;
pub mod text;
pub mod timeline;

use crate::message::printable;
use crate::model::{ComponentIndex, Edge, End, Ladder};

/// Why a component stands above its base rung: each fix, or the edge that lifted it.
#[must_use]
pub fn causes(ladder: &Ladder, component: ComponentIndex) -> Vec<(String, String)> {
    let placement = ladder.placement(component);
    let mut causes: Vec<(String, String)> = placement
        .fixes
        .iter()
        .map(|fix| (fix.rule.to_owned(), printable::line(&fix.because).into_owned()))
        .collect();
    if let Some(edge) = placement.raised_by.map(|position| &ladder.edges[position]) {
        causes.push((edge.reason.to_string(), waits(ladder, edge)));
    }
    causes
}

/// An edge as one line of evidence.
#[must_use]
pub fn waits(ladder: &Ladder, edge: &Edge) -> String {
    let shown = |end: End| end.shown(&ladder.components, &ladder.resources);
    let text = format!("`{}` waits for `{}` ({})", shown(edge.from), shown(edge.to), edge.origin);
    printable::line(&text).into_owned()
}
