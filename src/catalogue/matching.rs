//! Which rows are about a kind: those that name it, and those that are about every kind of some groups.

use std::collections::HashMap;

use super::rows::Match;
use super::{ByKind, fits, of_kind};

/// Row numbers by the kinds they are about.
#[derive(Debug)]
pub(super) struct RowsByKind {
    named: ByKind<Vec<usize>>,
    /// Rows with a pattern, with what they match.
    patterns: Vec<(Match, usize)>,
}

impl RowsByKind {
    /// Indexes rows, which come in order.
    pub(super) fn new<'a>(matches: impl Iterator<Item = &'a Match>) -> Self {
        let mut rows = Self { named: HashMap::new(), patterns: Vec::new() };
        for (index, row) in matches.enumerate() {
            if row.group.starts_with('*') || row.kinds.iter().any(|kind| kind == "*") {
                rows.patterns.push((row.clone(), index));
                continue;
            }
            for kind in &row.kinds {
                let kinds = rows.named.entry(row.group.clone()).or_default();
                kinds.entry(kind.clone()).or_default().push(index);
            }
        }
        rows
    }

    /// The rows about a kind.
    pub(super) fn of<'a>(&'a self, group: &str, kind: &str) -> impl Iterator<Item = usize> + use<'a> {
        let is_about = |row: &&'a (Match, usize)| {
            fits(&row.0.group, group) && row.0.kinds.iter().any(|known| fits(known, kind))
        };
        let patterns: Vec<usize> = self.patterns.iter().filter(is_about).map(|(_, index)| *index).collect();
        of_kind(&self.named, group, kind).into_iter().flatten().copied().chain(patterns)
    }
}
