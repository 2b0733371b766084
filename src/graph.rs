//! Graph algorithms over plain indices: components that wait for each other, the shortest loop, an order.
//!
//! Nothing here recurses: a chain of a hundred thousand resources must not end a thread's stack.

use std::collections::VecDeque;

/// Who waits for whom: `out[a]` lists what `a` waits for.
pub type Waits = [Vec<usize>];

/// Strongly connected groups, targets before those who wait for them.
#[must_use]
pub fn groups(out: &Waits) -> Vec<Vec<usize>> {
    let mut search = Search {
        out,
        number: vec![usize::MAX; out.len()],
        low: vec![0; out.len()],
        on_stack: vec![false; out.len()],
        stack: Vec::new(),
        next: 0,
        groups: Vec::new(),
    };
    for node in 0..out.len() {
        if search.number[node] == usize::MAX {
            search.from(node);
        }
    }
    search.groups
}

/// Tarjan's algorithm with its own stack.
struct Search<'a> {
    out: &'a Waits,
    number: Vec<usize>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    groups: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn from(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.open(root);
        while let Some((node, position)) = path.last_mut() {
            let node = *node;
            if let Some(&target) = self.out[node].get(*position) {
                *position += 1;
                if self.number[target] == usize::MAX {
                    self.open(target);
                    path.push((target, 0));
                } else if self.on_stack[target] {
                    self.low[node] = self.low[node].min(self.number[target]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                self.low[*parent] = self.low[*parent].min(self.low[node]);
            }
            self.close(node);
        }
    }

    fn open(&mut self, node: usize) {
        self.number[node] = self.next;
        self.low[node] = self.next;
        self.next += 1;
        self.stack.push(node);
        self.on_stack[node] = true;
    }

    fn close(&mut self, node: usize) {
        if self.low[node] != self.number[node] {
            return;
        }
        let mut group = Vec::new();
        while let Some(member) = self.stack.pop() {
            self.on_stack[member] = false;
            group.push(member);
            if member == node {
                break;
            }
        }
        group.sort_unstable();
        self.groups.push(group);
    }
}

/// The number of each node's strongly connected group: two nodes with the same one wait for each other.
#[must_use]
pub fn group_numbers(out: &Waits) -> Vec<usize> {
    let mut numbers = vec![0; out.len()];
    for (number, group) in groups(out).into_iter().enumerate() {
        for member in group {
            numbers[member] = number;
        }
    }
    numbers
}

/// The shortest loop inside a strongly connected group, starting at its lowest member.
#[must_use]
pub fn shortest_loop(out: &Waits, group: &[usize]) -> Vec<usize> {
    // More starts than this would make a hostile graph quadratic; any start still gives a true loop.
    const STARTS: usize = 200;
    let candidates = group.iter().take(STARTS).filter_map(|start| path(out, *start, *start, group));
    let best = candidates.min_by_key(Vec::len).unwrap_or_else(|| group.to_vec());
    let lowest = best.iter().enumerate().min_by_key(|(_, node)| **node).map_or(0, |(position, _)| position);
    best[lowest..].iter().chain(&best[..lowest]).copied().collect()
}

/// The shortest way from `start` to `goal` (back to itself when equal) through `within`, without the goal.
#[must_use]
pub fn path(out: &Waits, start: usize, goal: usize, within: &[usize]) -> Option<Vec<usize>> {
    // By position in `within`: a small group in a large graph costs what is small.
    let place = |node: usize| within.binary_search(&node).ok();
    let mut came_from: Vec<Option<usize>> = vec![None; within.len()];
    let mut open = VecDeque::from([start]);
    while let Some(node) = open.pop_front() {
        for &target in &out[node] {
            let Some(position) = place(target) else { continue };
            if target == goal {
                let mut way = vec![node];
                let mut at = node;
                while at != start {
                    at = came_from[place(at)?]?;
                    way.push(at);
                }
                way.reverse();
                return Some(way);
            }
            if came_from[position].is_none() && target != start {
                came_from[position] = Some(node);
                open.push_back(target);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(text: &str, nodes: usize) -> Vec<Vec<usize>> {
        let mut out = vec![Vec::new(); nodes];
        for pair in text.split(' ').filter(|pair| !pair.is_empty()) {
            let (from, to) = pair.split_once('>').unwrap();
            out[from.parse::<usize>().unwrap()].push(to.parse().unwrap());
        }
        out
    }

    #[test]
    fn targets_come_before_those_who_wait() {
        assert_eq!(groups(&waits("2>1 1>0", 3)), [[0], [1], [2]]);
        assert_eq!(groups(&waits("0>1 1>0 2>0", 3)), [vec![0, 1], vec![2]]);
    }

    #[test]
    fn the_shortest_loop_is_named_and_nothing_else() {
        let out = waits("0>1 1>2 2>3 3>0 2>1", 5);
        assert_eq!(shortest_loop(&out, &[0, 1, 2, 3]), [1, 2]);
    }

    #[test]
    fn a_group_anywhere_in_a_large_graph_is_searched_alone() {
        let out: Vec<Vec<usize>> = (0..10_000).map(|node: usize| vec![node ^ 1]).collect();
        for group in groups(&out) {
            assert_eq!(shortest_loop(&out, &group), group);
        }
        assert_eq!(path(&out, 8, 9, &[8]), None);
        assert_eq!(group_numbers(&waits("0>1 1>0 2>0", 3)), [0, 0, 1]);
    }

    #[test]
    fn a_long_chain_does_not_overflow_the_stack() {
        let out: Vec<Vec<usize>> = (0..200_000).map(|n| if n == 0 { vec![] } else { vec![n - 1] }).collect();
        assert_eq!(groups(&out).len(), 200_000);
    }
}
