//! Waves of Applications: the order of components among each other, by edges (weak ones included).
//!
//! A rung's wave is where its Applications start; a weak wait inside the rung costs one wave more, except where one
//! ApplicationSet creates them all.

use crate::graph;
use crate::load::settings::Waves;
use crate::model::{ComponentIndex, Finding, Ladder, Level, Role};

/// One wave per component, and the waits that found no number.
#[must_use]
pub fn waves(ladder: &Ladder) -> (Vec<i64>, Vec<Finding>) {
    let positions = ladder.rungs.positions(&ladder.placements);
    match ladder.settings.waves {
        Waves::Banded => banded(ladder, &positions),
        Waves::Dense => (dense(ladder, &positions), Vec::new()),
    }
}

/// Gives each component the wave of its Application, where that is what a wave counts.
pub fn place(ladder: &mut Ladder) {
    let positions = ladder.rungs.positions(&ladder.placements);
    let (waves, _) = waves(ladder);
    for (number, placement) in ladder.placements.iter_mut().enumerate() {
        placement.wave = waves[number];
        if ladder.settings.waves == Waves::Banded {
            placement.depth = waves[number] - ladder.rungs.list[positions[number]].wave;
        }
    }
}

/// What each component waits for, dropped edges left out.
pub(super) fn waits(ladder: &Ladder) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); ladder.components.len()];
    for edge in ladder.outer_edges().filter(|edge| edge.dropped.is_none()) {
        out[edge.from.component.0].push(edge.to.component.0);
    }
    for own in &mut out {
        own.sort_unstable();
        own.dedup();
    }
    out
}

fn banded(ladder: &Ladder, positions: &[usize]) -> (Vec<i64>, Vec<Finding>) {
    let out = waits(ladder);
    let list = &ladder.rungs.list;
    let mut depths = vec![0_i64; out.len()];
    let mut findings = Vec::new();
    for member in graph::groups(&out).into_iter().flatten() {
        let position = positions[member];
        let inside = out[member].iter().filter(|target| positions[**target] == position);
        let depth = inside.map(|target| depths[*target] + 1).max().unwrap_or(0);
        if list[position].application_set.is_some() {
            continue;
        }
        let room = list.get(position + 1).map_or(i64::MAX, |next| next.wave - list[position].wave);
        depths[member] = depth.min(room - 1);
        if depth >= room {
            findings.push(without_room(ladder, ComponentIndex(member), position));
        }
    }
    (depths.iter().zip(positions).map(|(depth, position)| list[*position].wave + depth).collect(), findings)
}

/// Only weak waits stand inside one rung, so sharing a wave costs retries and breaks nothing.
fn without_room(ladder: &Ladder, component: ComponentIndex, position: usize) -> Finding {
    let (component, rung) = (ladder.component(component), &ladder.rungs.list[position]);
    let message = format!(
        "rung `{}` has no wave left for `{}`, so it starts together with what it weakly waits for",
        rung.phase, component.name
    );
    Finding::new("no-wave-left", Level::Warning, message)
        .about(&component.name)
        .at(component.origin.clone())
        .help("give the rungs `wave` numbers further apart in ladder.yaml, or set `waves: dense`")
}

/// The fewest waves the edges allow; what is placed for no edge's sake stays above all lower rungs.
fn dense(ladder: &Ladder, positions: &[usize]) -> Vec<i64> {
    let out = waits(ladder);
    let mut order: Vec<usize> = graph::groups(&out).into_iter().flatten().collect();
    order.sort_by_key(|member| positions[*member]);
    let mut depths = vec![0_i64; out.len()];
    let (mut rung, mut below, mut highest) = (0, -1, -1);
    for member in order {
        if positions[member] > rung {
            (rung, below) = (positions[member], highest);
        }
        let asked = out[member].iter().map(|target| depths[*target] + 1).max().unwrap_or(0);
        let floor = if is_decided(ladder, member, positions[member]) { below + 1 } else { 0 };
        depths[member] = asked.max(floor);
        highest = highest.max(depths[member]);
    }
    depths
}

/// Whether a component stands where it does by decision: a smoke, a pin, a rung that selects it.
fn is_decided(ladder: &Ladder, member: usize, position: usize) -> bool {
    let placement = ladder.placement(ComponentIndex(member));
    let selected = ladder.rungs.list[position].select.as_ref().is_some_and(|select| {
        let component = ladder.component(ComponentIndex(member));
        select.takes(&component.name, &component.domain, placement.role)
    });
    placement.pinned || placement.role == Role::Smoke || selected
}
