//! Where the sync applies each object first.

use std::collections::HashMap;

use crate::argocd::Hook;
use crate::model::{Ladder, ResourceIndex};

/// A hook and a wave; what comes first is less.
pub(super) type Place = (Hook, i64);

/// The first place of each object.
pub(super) struct Places(HashMap<ResourceIndex, Place>);

impl Places {
    pub(super) fn of(ladder: &Ladder) -> Self {
        let mut places = HashMap::with_capacity(ladder.order.len());
        for step in &ladder.order {
            let place = places.entry(step.resource).or_insert((step.hook, step.wave));
            *place = (*place).min((step.hook, step.wave));
        }
        Self(places)
    }

    /// `None` for what the sync does not apply.
    pub(super) fn get(&self, index: ResourceIndex) -> Option<Place> {
        self.0.get(&index).copied()
    }
}
