//! Waits between components → the fewest that mean the same.

use std::collections::BTreeMap;

use crate::graph;
use crate::model::{ComponentIndex, Dropped, Edge, Ladder, Role};

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
        let positions = ladder.rungs.positions(&ladder.placements);
        let is_barrier = |member: usize| {
            let placement = ladder.placement(ComponentIndex(member));
            barriers || placement.pinned || placement.role == Role::Smoke
        };
        let behind_all: Vec<bool> = (0..positions.len()).map(is_barrier).collect();
        let highest =
            (0..positions.len()).filter(|member| behind_all[*member]).map(|member| positions[member]);
        let highest = highest.max().unwrap_or(0);
        let mut out = with_barriers(waves::waits(ladder), &positions, &behind_all);
        let upward = without_loops(&out, upward(ladder));
        for edge in &upward {
            out[edge.from.component.0].push(edge.to.component.0);
        }
        let mut edges: Vec<&Edge> = ladder.outer_edges().filter(|edge| edge.dropped.is_none()).collect();
        edges.extend(upward);
        let wholes = positions.iter().map(|position| *position < highest).collect();
        Self { waits: without_barriers(&out, positions.len()), wholes, edges }
    }
}

/// The waits with those for everything on lower rungs added, through one node per rung: all pairs would be the square
/// of the components.
fn with_barriers(mut out: Vec<Vec<usize>>, positions: &[usize], behind_all: &[bool]) -> Vec<Vec<usize>> {
    let mut rungs: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (member, position) in positions.iter().enumerate() {
        rungs.entry(*position).or_default().push(member);
    }
    let mut below: Option<usize> = None;
    for mut members in rungs.into_values() {
        for member in members.iter().filter(|member| behind_all[**member]) {
            out[*member].extend(below);
        }
        members.extend(below);
        below = Some(out.len());
        out.push(members);
    }
    out
}

/// The transitive reduction of the first `count` nodes, each wait for a barrier written out as what it stands for.
fn without_barriers(out: &[Vec<usize>], count: usize) -> Vec<Vec<usize>> {
    let Reduced { mut kept, reach } = reduced(out);
    // Barriers come lowest first, behind the members.
    for node in (count..out.len()).chain(0..count) {
        let Some(barrier) = kept[node].iter().position(|target| *target >= count) else { continue };
        let barrier = kept[node].swap_remove(barrier);
        let mut reached = vec![0_u64; reach[node].len()];
        for target in &kept[node] {
            join(&mut reached, &reach[*target]);
        }
        let behind: Vec<usize> =
            kept[barrier].iter().copied().filter(|target| !contains(&reached, *target)).collect();
        kept[node].extend(behind);
        kept[node].sort_unstable();
    }
    kept.truncate(count);
    kept
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
    let group_of = graph::group_numbers(&all);
    more.into_iter().filter(|edge| group_of[edge.from.component.0] != group_of[edge.to.component.0]).collect()
}

/// Waits without those that follow from others, and all that each node reaches.
struct Reduced {
    kept: Vec<Vec<usize>>,
    reach: Vec<Vec<u64>>,
}

/// The transitive reduction of waits without loops.
fn reduced(out: &[Vec<usize>]) -> Reduced {
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
            if contains(&own, target) {
                continue;
            }
            kept[node].push(target);
            join(&mut own, &reach[target]);
            own[target / 64] |= 1 << (target % 64);
        }
        kept[node].sort_unstable();
        reach[node] = own;
    }
    Reduced { kept, reach }
}

fn contains(set: &[u64], node: usize) -> bool {
    set[node / 64] >> (node % 64) & 1 == 1
}

fn join(set: &mut [u64], other: &[u64]) {
    for (word, more) in set.iter_mut().zip(other) {
        *word |= more;
    }
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
            assert_eq!(reduced(&out).kept, expected);
        }
    }

    #[test]
    fn reach_stays_the_same_on_random_graphs_without_loops() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let size = random.usize(1..90);
            let out: Vec<Vec<usize>> =
                (0..size).map(|node| (0..node).filter(|_| random.f32() < 0.2).collect()).collect();
            let kept = reduced(&out).kept;
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

    #[test]
    fn barriers_mean_everything_on_lower_rungs() {
        let mut random = fastrand::Rng::with_seed(11);
        for _ in 0..200 {
            let size = random.usize(1..60);
            let mut positions: Vec<usize> = (0..size).map(|_| random.usize(0..6)).collect();
            positions.sort_unstable();
            let behind_all: Vec<bool> = (0..size).map(|_| random.f32() < 0.4).collect();
            let out: Vec<Vec<usize>> =
                (0..size).map(|node| (0..node).filter(|_| random.f32() < 0.1).collect()).collect();
            let mut all = out.clone();
            for node in (0..size).filter(|node| behind_all[*node]) {
                all[node].extend((0..size).filter(|other| positions[*other] < positions[node]));
                all[node].sort_unstable();
                all[node].dedup();
            }
            let barriers = with_barriers(out, &positions, &behind_all);
            assert_eq!(without_barriers(&barriers, size), reduced(&all).kept);
        }
    }

    #[test]
    fn waits_for_whole_rungs_grow_with_the_components_not_their_square() {
        let waits = |size: usize| {
            let positions: Vec<usize> = (0..size).map(|node| node * 5 / size).collect();
            let out = with_barriers(vec![Vec::new(); size], &positions, &vec![true; size]);
            out.iter().map(Vec::len).sum::<usize>()
        };
        assert!(waits(4000) < 5 * waits(1000));
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
