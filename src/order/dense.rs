//! The fewest waves the edges allow: rungs are no barriers, except below what is placed for no edge's sake.
//!
//! A smoke, a pin or a rung's selector places a component by decision; it keeps its place above all lower rungs.

use std::collections::{BTreeSet, HashMap};

use super::inner::{self, Ask, Asks, hook};
use crate::infer::Scene;
use crate::model::{Barrier, Edge, Role};
use crate::resolve::Resolved;

/// One wave per resource, lowest 0.
#[must_use]
pub fn waves(scene: &Scene<'_>, resolved: &Resolved, barriers: &[Barrier], mut asks: Asks) -> Vec<i64> {
    let outer =
        resolved.edges.iter().enumerate().filter(|(_, edge)| !edge.is_inner() && edge.dropped.is_none());
    let mut wholes = Wholes::new(scene);
    for (position, edge) in outer {
        match inner::ask(scene, edge, position) {
            Some((from, ask)) => asks[from].push(ask),
            None => wholes.add(edge, &mut asks),
        }
    }
    inner::add_barriers(scene, barriers, hook, &mut asks);
    add_decided_places(scene, resolved, &mut asks);
    inner::depths(scene, &resolved.edges, &asks)
}

/// Edges of descriptors: everything of one component waits for everything of the other, each through one barrier of
/// the component, so that large components with many edges stay as many asks as resources and edges.
struct Wholes {
    members: Vec<Vec<usize>>,
    /// What all of a component asks, by component.
    asking: HashMap<usize, usize>,
    /// What asks for all of a component, by component.
    asked: HashMap<usize, usize>,
}

impl Wholes {
    fn new(scene: &Scene<'_>) -> Self {
        let mut members = vec![Vec::new(); scene.components.len()];
        for (index, resource) in scene.iter() {
            members[resource.component.0].push(index.0);
        }
        Self { members, asking: HashMap::new(), asked: HashMap::new() }
    }

    fn add(&mut self, edge: &Edge, asks: &mut Asks) {
        if edge.from.resource.is_some() && edge.to.resource.is_some() {
            return;
        }
        let to = match edge.to.resource {
            Some(to) => to.0,
            None => self.asked(edge.to.component.0, asks),
        };
        let from = match edge.from.resource {
            Some(from) => from.0,
            None => self.asking(edge.from.component.0, asks),
        };
        asks[from].push(Ask { to, cost: 1, edge: None });
    }

    fn asked(&mut self, component: usize, asks: &mut Asks) -> usize {
        *self.asked.entry(component).or_insert_with(|| {
            let members = self.members[component].iter();
            asks.push(members.map(|member| Ask { to: *member, cost: 0, edge: None }).collect());
            asks.len() - 1
        })
    }

    fn asking(&mut self, component: usize, asks: &mut Asks) -> usize {
        *self.asking.entry(component).or_insert_with(|| {
            let barrier = asks.len();
            asks.push(Vec::new());
            for member in &self.members[component] {
                asks[*member].push(Ask { to: barrier, cost: 0, edge: None });
            }
            barrier
        })
    }
}

/// One barrier per rung below a decided place, each behind the one below it.
fn add_decided_places(scene: &Scene<'_>, resolved: &Resolved, asks: &mut Asks) {
    let positions = resolved.rungs.positions(&resolved.placements);
    let decided = |component: usize| {
        let placement = &resolved.placements[component];
        placement.pinned
            || placement.role == Role::Smoke
            || resolved.rungs.list[positions[component]].select.is_some()
    };
    let rungs: BTreeSet<usize> = (0..positions.len())
        .filter(|component| decided(*component))
        .map(|component| positions[component])
        .collect();
    let mut by_rung = vec![Vec::new(); resolved.rungs.list.len()];
    for (index, resource) in scene.iter() {
        by_rung[positions[resource.component.0]].push(index.0);
    }
    let mut below: Option<(usize, usize)> = None;
    for rung in rungs {
        let barrier = asks.len();
        let from = below.map_or(0, |(position, _)| position);
        let lower = by_rung[from..rung].iter().flatten();
        let mut own: Vec<Ask> = lower.map(|to| Ask { to: *to, cost: 0, edge: None }).collect();
        own.extend(below.map(|(_, to)| Ask { to, cost: 0, edge: None }));
        if own.is_empty() {
            continue;
        }
        asks.push(own);
        for resource in &by_rung[rung] {
            if decided(scene.resources[*resource].component.0) {
                asks[*resource].push(Ask { to: barrier, cost: 1, edge: None });
            }
        }
        below = Some((rung, barrier));
    }
}
