//! Many that wait for many: each side is listed once, so that a rule between two groups stays as large as the groups.

use super::ResourceIndex;

/// Everyone of `from` waits for everyone of `to`.
///
/// Edges say so for one pair of each: enough to explain it and to place components. The barrier keeps the rest.
#[derive(Debug, Clone, Default)]
pub struct Barrier {
    /// Who waits, each with the position of an edge that says so.
    pub from: Vec<(ResourceIndex, usize)>,
    /// For whom, in the same way.
    pub to: Vec<(ResourceIndex, usize)>,
}
