//! The fewest waves the edges allow: rungs are no barriers, except below what is placed for no edge's sake.
//!
//! A smoke, a pin or a rung's selector places a component by decision; it keeps its place above all lower rungs.

use std::collections::BTreeSet;

use super::inner::{self, Ask, Asks};
use crate::infer::Scene;
use crate::model::{ComponentIndex, Edge, Role};
use crate::resolve::Resolved;

/// One wave per resource, lowest 0.
#[must_use]
pub fn waves(scene: &Scene<'_>, resolved: &Resolved, mut asks: Asks) -> Vec<i64> {
    let outer =
        resolved.edges.iter().enumerate().filter(|(_, edge)| !edge.is_inner() && edge.dropped.is_none());
    for (position, edge) in outer {
        match inner::ask(scene, edge, position) {
            Some((from, ask)) => asks[from].push(ask),
            None => whole_components(scene, edge, &mut asks),
        }
    }
    add_decided_places(scene, resolved, &mut asks);
    inner::depths(scene, &resolved.edges, &asks)
}

/// An edge of descriptors: everything of one component waits for everything of the other, through one barrier.
fn whole_components(scene: &Scene<'_>, edge: &Edge, asks: &mut Asks) {
    let of = |component: ComponentIndex| {
        scene.iter().filter(move |(_, resource)| resource.component == component).map(|(index, _)| index.0)
    };
    if edge.from.resource.is_some() && edge.to.resource.is_some() {
        return;
    }
    let barrier = asks.len();
    let targets: Vec<usize> =
        edge.to.resource.map_or_else(|| of(edge.to.component).collect(), |to| vec![to.0]);
    asks.push(targets.into_iter().map(|to| Ask { to, cost: 0, edge: None }).collect());
    let waiting: Vec<usize> =
        edge.from.resource.map_or_else(|| of(edge.from.component).collect(), |from| vec![from.0]);
    for from in waiting {
        asks[from].push(Ask { to: barrier, cost: 1, edge: None });
    }
}

/// One barrier per rung below a decided place, each behind the one below it.
fn add_decided_places(scene: &Scene<'_>, resolved: &Resolved, asks: &mut Asks) {
    let positions: Vec<usize> = resolved
        .placements
        .iter()
        .map(|placement| resolved.rungs.position(&placement.phase).unwrap_or(0))
        .collect();
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
    let mut below: Option<(usize, usize)> = None;
    for rung in rungs {
        let barrier = asks.len();
        let from = below.map_or(0, |(position, _)| position);
        let lower =
            scene.iter().filter(|(_, resource)| (from..rung).contains(&positions[resource.component.0]));
        let mut own: Vec<Ask> = lower.map(|(index, _)| Ask { to: index.0, cost: 0, edge: None }).collect();
        own.extend(below.map(|(_, to)| Ask { to, cost: 0, edge: None }));
        asks.push(own);
        for (index, resource) in scene.iter() {
            if positions[resource.component.0] == rung && decided(resource.component.0) {
                asks[index.0].push(Ask { to: barrier, cost: 1, edge: None });
            }
        }
        below = Some((rung, barrier));
    }
}
