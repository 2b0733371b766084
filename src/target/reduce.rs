//! Waits between components → the fewest that mean the same.

use crate::model::{ComponentIndex, Dropped, Edge, Ladder, Role};
use crate::resolve::graph;

use super::waves;

/// The order Flux keeps: the edges themselves, weak ones included, whatever rung their ends stand on.
#[derive(Debug)]
pub struct Order<'l> {
    /// What each component must name: waits that follow from others left out, targets in order of their index.
    pub waits: Vec<Vec<usize>>,
    /// Which components something waits for though no edge says what of them: those below a barrier.
    pub wholes: Vec<bool>,
    /// The edges between components that are kept.
    pub edges: Vec<&'l Edge>,
}

impl<'l> Order<'l> {
    /// Works it out.
    ///
    /// Rungs are no barriers here, except below a pin or a smoke, which stand where they do for no edge's sake, or
    /// everywhere with `barriers`. Which components a rung selects is no wait.
    #[must_use]
    pub fn of(ladder: &'l Ladder, barriers: bool) -> Self {
        let positions = waves::positions(ladder);
        let is_barrier = |member: usize| {
            let placement = ladder.placement(ComponentIndex(member));
            barriers || placement.pinned || placement.role == Role::Smoke
        };
        let mut out = waves::waits(ladder);
        let mut highest = 0;
        for member in (0..out.len()).filter(|member| is_barrier(*member)) {
            highest = highest.max(positions[member]);
            out[member].extend((0..positions.len()).filter(|other| positions[*other] < positions[member]));
        }
        let upward = without_loops(&out, upward(ladder));
        for edge in &upward {
            out[edge.from.component.0].push(edge.to.component.0);
        }
        let mut edges: Vec<&Edge> = ladder.outer_edges().filter(|edge| edge.dropped.is_none()).collect();
        edges.extend(upward);
        let wholes = positions.iter().map(|position| *position < highest).collect();
        Self { waits: reduced(&out), wholes, edges }
    }
}

/// Weak edges to a later rung: waves and steps cannot keep them, `dependsOn` can.
fn upward(ladder: &Ladder) -> Vec<&Edge> {
    ladder.outer_edges().filter(|edge| edge.dropped == Some(Dropped::LaterRung)).collect()
}

/// The edges of `more` that stand in no loop of all of them together: which are left out never hangs on names.
fn without_loops<'l>(out: &[Vec<usize>], more: Vec<&'l Edge>) -> Vec<&'l Edge> {
    let mut all = out.to_vec();
    for edge in &more {
        all[edge.from.component.0].push(edge.to.component.0);
    }
    let mut group_of = vec![0; all.len()];
    for (number, group) in graph::groups(&all).into_iter().enumerate() {
        for member in group {
            group_of[member] = number;
        }
    }
    more.into_iter().filter(|edge| group_of[edge.from.component.0] != group_of[edge.to.component.0]).collect()
}

/// The transitive reduction of waits without loops.
fn reduced(out: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let order: Vec<usize> = graph::groups(out).into_iter().flatten().collect();
    let mut place = vec![0; out.len()];
    for (position, node) in order.iter().enumerate() {
        place[*node] = position;
    }
    let words = out.len().div_ceil(64);
    let mut reach = vec![vec![0_u64; words]; out.len()];
    let mut kept = vec![Vec::new(); out.len()];
    for node in order {
        let mut targets = out[node].clone();
        targets.sort_unstable_by_key(|target| std::cmp::Reverse(place[*target]));
        targets.dedup();
        let mut own = vec![0_u64; words];
        for target in targets {
            if own[target / 64] >> (target % 64) & 1 == 1 {
                continue;
            }
            kept[node].push(target);
            for (word, below) in own.iter_mut().zip(&reach[target]) {
                *word |= below;
            }
            own[target / 64] |= 1 << (target % 64);
        }
        kept[node].sort_unstable();
        reach[node] = own;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_that_follow_from_others_are_left_out() {
        for (out, expected) in [
            (vec![vec![], vec![0], vec![0, 1]], vec![vec![], vec![0], vec![1]]),
            (vec![vec![1, 2, 3], vec![3], vec![3], vec![]], vec![vec![1, 2], vec![3], vec![3], vec![]]),
            (vec![vec![], vec![]], vec![vec![], vec![]]),
        ] {
            assert_eq!(reduced(&out), expected);
        }
    }

    #[test]
    fn reach_stays_the_same_on_random_graphs_without_loops() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let size = random.usize(1..90);
            let out: Vec<Vec<usize>> =
                (0..size).map(|node| (0..node).filter(|_| random.f32() < 0.2).collect()).collect();
            let kept = reduced(&out);
            assert_eq!(closure(&out), closure(&kept));
            for (node, targets) in kept.iter().enumerate() {
                for target in targets {
                    let mut less = kept.clone();
                    less[node].retain(|other| other != target);
                    assert!(!closure(&less)[node].contains(target), "{node} need not name {target}");
                }
            }
        }
    }

    /// Everything reachable from each node, naively; targets have lower numbers.
    fn closure(out: &[Vec<usize>]) -> Vec<std::collections::BTreeSet<usize>> {
        let mut all: Vec<std::collections::BTreeSet<usize>> = Vec::new();
        for targets in out {
            let below = targets.iter().flat_map(|target| all[*target].iter().copied());
            all.push(below.chain(targets.iter().copied()).collect());
        }
        all
    }
}
