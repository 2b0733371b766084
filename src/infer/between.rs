//! Rules between groups of resources: everybody of one side waits for everybody of the other. Told by as many edges as
//! the sides have members, never by all pairs; a barrier keeps the order of all.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::scene::{Scene, Wait};
use crate::model::{Barrier, ComponentIndex, Edge, ResourceIndex};

/// One rule between two groups.
#[derive(Debug, Default)]
pub(super) struct Between {
    /// Who waits.
    pub(super) from: BTreeSet<ResourceIndex>,
    /// For whom.
    pub(super) to: BTreeSet<ResourceIndex>,
    /// What those say who carry the rule: all of one of the sides.
    pub(super) said: BTreeMap<ResourceIndex, Wait>,
}

type Pair = (ResourceIndex, ResourceIndex);

/// The first of a side in each component.
type Firsts = BTreeMap<ComponentIndex, ResourceIndex>;

impl Between {
    /// The edges that say the rule: one from everyone who waits, one to everyone waited for, and one for any two
    /// components. Who stands on both sides waits for each of the others by itself.
    pub(super) fn edges(&self, scene: &Scene<'_>) -> Vec<Edge> {
        let both: Vec<ResourceIndex> = self.from.intersection(&self.to).copied().collect();
        let firsts = self.firsts(scene);
        let mut pairs: BTreeSet<Pair> =
            self.waiting().filter_map(|from| firsts.pair_of(scene, from)).collect();
        pairs.extend(self.to.iter().filter_map(|to| firsts.pair_to(scene, *to)));
        pairs.extend(firsts.from.values().flat_map(|from| firsts.to.values().map(|to| (*from, *to))));
        match both[..] {
            [] => {}
            [one] => pairs.extend(self.to.iter().filter(|to| **to != one).map(|to| (one, *to))),
            // They wait for each other; any two of them show it.
            [one, other, ..] => pairs.extend([(one, other), (other, one)]),
        }
        let edge = |(from, to): Pair| {
            let wait = self.said.get(&from).or(self.said.get(&to))?;
            Some(scene.edge(from, to, wait))
        };
        pairs.into_iter().filter_map(edge).collect()
    }

    /// The same as a barrier, each member with the position of an edge that says so.
    pub(super) fn barrier(&self, scene: &Scene<'_>, positions: &HashMap<Pair, usize>) -> Barrier {
        let firsts = self.firsts(scene);
        let said = |pair: Option<Pair>| pair.and_then(|pair| positions.get(&pair).copied());
        Barrier {
            from: self
                .waiting()
                .filter_map(|from| Some((from, said(firsts.pair_of(scene, from))?)))
                .collect(),
            to: self.to.iter().filter_map(|to| Some((*to, said(firsts.pair_to(scene, *to))?))).collect(),
        }
    }

    /// Who waits and is not waited for.
    fn waiting(&self) -> impl Iterator<Item = ResourceIndex> + '_ {
        self.from.difference(&self.to).copied()
    }

    fn firsts(&self, scene: &Scene<'_>) -> Ends {
        let first = |mut firsts: Firsts, index: ResourceIndex| {
            firsts.entry(scene.resource(index).component).or_insert(index);
            firsts
        };
        Ends {
            from: self.waiting().fold(Firsts::new(), first),
            to: self.to.iter().copied().fold(Firsts::new(), first),
        }
    }
}

/// The first members of both sides.
struct Ends {
    from: Firsts,
    to: Firsts,
}

impl Ends {
    fn pair_of(&self, scene: &Scene<'_>, from: ResourceIndex) -> Option<Pair> {
        Some((from, near(&self.to, scene.resource(from).component)?))
    }

    fn pair_to(&self, scene: &Scene<'_>, to: ResourceIndex) -> Option<Pair> {
        Some((near(&self.from, scene.resource(to).component)?, to))
    }
}

/// The first in a component, else the first of all.
fn near(firsts: &Firsts, component: ComponentIndex) -> Option<ResourceIndex> {
    firsts.get(&component).or(firsts.values().next()).copied()
}
