//! Depth of resources inside their component: the same climb on a smaller ladder.

use std::collections::BTreeMap;

use super::simulate::is_promoted;
use super::{claims, cost};
use crate::argocd::names::HELM_WEIGHT;
use crate::argocd::{Hook, HookUse, WAVE, parse_wave};
use crate::graph;
use crate::infer::Scene;
use crate::load::settings::{ExistingOrder, Settings};
use crate::model::{Barrier, Dropped, Edge, Finding, Level, Resource};
use crate::resolve::{ResolveError, Resolved};

/// A wait: target, waves between, and the edge that asks (none for barriers).
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// The node waited for.
    pub to: usize,
    /// Waves between.
    pub cost: i64,
    /// The edge that asks, or one that stands for all of a barrier.
    pub edge: Option<usize>,
}

/// What resources ask of others in their component: nodes are resources, then barriers.
pub type Asks = Vec<Vec<Ask>>;

/// The waits inside components; marks the weak edges that close loops and takes them out.
///
/// # Errors
/// When strong edges inside a component close a loop.
pub fn asks(
    scene: &Scene<'_>,
    resolved: &mut Resolved,
    barriers: &[Barrier],
    settings: &Settings,
) -> Result<Asks, ResolveError> {
    let mut asks: Asks = vec![Vec::new(); scene.resources.len()];
    for (position, edge) in resolved.edges.iter().enumerate().filter(|(_, edge)| edge.is_inner()) {
        if let Some((from, ask)) = ask(scene, edge, position) {
            asks[from].push(ask);
        }
    }
    add_barriers(scene, barriers, |resource| (resource.component, hook(resource)), &mut asks);
    if settings.existing_order == ExistingOrder::Hint {
        resolved.findings.extend(contradictions(scene, &resolved.edges));
        add_existing_order(scene, &mut asks);
    }
    for position in break_loops(&mut asks, &resolved.edges, scene.resources.len())? {
        resolved.edges[position].dropped = Some(Dropped::Loop);
    }
    Ok(asks)
}

/// What an edge between two resources of the same hook asks; other hooks are in order by themselves or not at all.
#[must_use]
pub fn ask(scene: &Scene<'_>, edge: &Edge, position: usize) -> Option<(usize, Ask)> {
    let (from, to) = (edge.from.resource?, edge.to.resource?);
    let same_hook = hook(scene.resource(from)) == hook(scene.resource(to));
    let cost = cost(scene, from, to, edge.gate);
    same_hook.then_some((from.0, Ask { to: to.0, cost, edge: Some(position) }))
}

/// Depth of every resource: the longest way down its asks.
#[must_use]
pub fn depths(scene: &Scene<'_>, edges: &[Edge], asks: &Asks) -> Vec<i64> {
    let mut depths = longest(asks);
    claims::keep_with_pods(scene, edges, &mut depths, |_| true);
    depths.truncate(scene.resources.len());
    depths
}

/// The first hook a resource runs in.
#[must_use]
pub fn hook(resource: &Resource) -> Hook {
    match &resource.hook {
        HookUse::Hooks(hooks) => hooks.first().copied().unwrap_or(Hook::Sync),
        _ => Hook::Sync,
    }
}

/// The wave a resource carries already, read as Argo CD reads it: the wave, else the Helm weight.
pub(super) fn existing_wave(resource: &Resource) -> Option<i64> {
    let read = |key| resource.manifest.annotation(key).and_then(parse_wave);
    read(WAVE).or_else(|| read(HELM_WEIGHT))
}

/// Waves already on resources order them among each other: one barrier node per level keeps that linear.
fn add_existing_order(scene: &Scene<'_>, asks: &mut Asks) {
    let mut levels: BTreeMap<_, BTreeMap<i64, Vec<usize>>> = BTreeMap::new();
    let mut carried: BTreeMap<_, bool> = BTreeMap::new();
    for (index, resource) in scene.iter() {
        let key = (resource.component, hook(resource));
        let wave = existing_wave(resource);
        // Encrypted documents cannot carry a wave, so its absence says nothing.
        if wave.is_none() && resource.manifest.outline.opaque {
            continue;
        }
        *carried.entry(key).or_default() |= wave.is_some();
        levels.entry(key).or_default().entry(wave.unwrap_or(0)).or_default().push(index.0);
    }
    for (_, levels) in levels.into_iter().filter(|(key, _)| carried[key]) {
        let mut before: Option<usize> = None;
        for members in levels.into_values() {
            let barrier = asks.len();
            asks.push(members.iter().map(|member| Ask { to: *member, cost: 0, edge: None }).collect());
            if let Some(before) = before {
                for member in members {
                    asks[member].push(Ask { to: before, cost: 1, edge: None });
                }
            }
            before = Some(barrier);
        }
    }
}

/// One node per barrier and place, between those who wait there and those they wait for there.
pub(super) fn add_barriers<P: Ord>(
    scene: &Scene<'_>,
    barriers: &[Barrier],
    place: impl Fn(&Resource) -> P,
    asks: &mut Asks,
) {
    for barrier in barriers {
        let mut nodes: BTreeMap<P, usize> = BTreeMap::new();
        for (to, edge) in &barrier.to {
            let node = *nodes.entry(place(scene.resource(*to))).or_insert_with(|| {
                asks.push(Vec::new());
                asks.len() - 1
            });
            asks[node].push(Ask { to: to.0, cost: 0, edge: Some(*edge) });
        }
        for (from, edge) in &barrier.from {
            if let Some(node) = nodes.get(&place(scene.resource(*from))) {
                asks[from.0].push(Ask { to: *node, cost: 1, edge: Some(*edge) });
            }
        }
    }
}

/// Strong edges that existing waves turn round.
fn contradictions(scene: &Scene<'_>, edges: &[Edge]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for edge in edges.iter().filter(|edge| edge.is_strong() && edge.is_inner()) {
        let (Some(from), Some(to)) = (edge.from.resource, edge.to.resource) else { continue };
        let (from, to) = (scene.resource(from), scene.resource(to));
        let waves = (existing_wave(from), existing_wave(to));
        let carried = waves.0.is_some() || waves.1.is_some();
        let (own, target) = (waves.0.unwrap_or(0), waves.1.unwrap_or(0));
        // Argo CD moves a Namespace or CRD before its first user whatever the waves say.
        if carried && hook(from) == hook(to) && target > own && !is_promoted(from, to) {
            let message = format!(
                "`{}` carries wave {own}, but waits for `{}` of wave {target}: {} ({})",
                from.id.short(),
                to.id.short(),
                edge.reason,
                edge.origin
            );
            findings.push(
                Finding::new("existing-order-contradicts-evidence", Level::Warning, message)
                    .about(&scene.component(from.component).name)
                    .at(from.origin_at(from.manifest.annotation_line(WAVE)))
                    .help("remove the wave annotation: the edge wins"),
            );
        }
    }
    findings
}

/// Takes the weak waits that close loops out; a loop of strong ones is an error. Returns the dropped edges.
///
/// Written waves go first where a strong edge turns them round; what remains of them outranks weak evidence, so a
/// ladder's own waves are found again as they are.
fn break_loops(asks: &mut [Vec<Ask>], edges: &[Edge], resources: usize) -> Result<Vec<usize>, ResolveError> {
    let is_strong = |ask: &Ask| ask.edge.is_some_and(|position| edges[position].is_strong());
    let is_written = |ask: &Ask| ask.edge.is_none();
    let strong = targets(asks, is_strong);
    let loops = graph::groups(&strong).into_iter().filter(|group| group.len() > 1);
    if let Some(shortest) = loops.map(|group| graph::shortest_loop(&strong, &group)).min_by_key(Vec::len) {
        return Err(ResolveError::Loop(walked(&shortest, asks, edges, resources)));
    }
    let out = targets(asks, |ask| is_strong(ask) || is_written(ask));
    drop_in_loops(asks, &out, is_written);
    let out = targets(asks, |_| true);
    Ok(drop_in_loops(asks, &out, |ask| !is_strong(ask) && !is_written(ask)))
}

/// What each node waits for by the asks of some kind.
fn targets(asks: &[Vec<Ask>], counts: impl Fn(&Ask) -> bool) -> Vec<Vec<usize>> {
    asks.iter().map(|own| own.iter().filter(|ask| counts(ask)).map(|ask| ask.to).collect()).collect()
}

/// Takes out every ask of some kind that lies in a loop of `out`; the edges among them.
fn drop_in_loops(asks: &mut [Vec<Ask>], out: &[Vec<usize>], may_go: impl Fn(&Ask) -> bool) -> Vec<usize> {
    let group_of = graph::group_numbers(out);
    let mut dropped = Vec::new();
    for (from, own) in asks.iter_mut().enumerate() {
        own.retain(|ask| {
            let goes = group_of[from] == group_of[ask.to] && may_go(ask);
            dropped.extend(ask.edge.filter(|_| goes));
            !goes
        });
    }
    dropped
}

/// The edges of a loop. Through a barrier leads the edge of who waits, to whom the way goes on.
fn walked(nodes: &[usize], asks: &[Vec<Ask>], edges: &[Edge], resources: usize) -> Vec<Edge> {
    let edge = |from: usize, to: usize| {
        let own = asks[from].iter().filter(|ask| ask.to == to).filter_map(|ask| ask.edge);
        own.map(|position| &edges[position]).find(|edge| edge.is_strong())
    };
    let node = |at: usize| nodes[at % nodes.len()];
    let step = |at: usize| {
        let mut walked = edge(node(at), node(at + 1))?.clone();
        if node(at + 1) >= resources {
            walked.to = edge(node(at + 1), node(at + 2))?.to;
        }
        Some(walked)
    };
    (0..nodes.len()).filter(|at| nodes[*at] < resources).filter_map(step).collect()
}

fn longest(asks: &[Vec<Ask>]) -> Vec<i64> {
    let out = targets(asks, |_| true);
    let mut depths = vec![0; asks.len()];
    for node in graph::groups(&out).into_iter().flatten() {
        depths[node] = asks[node].iter().map(|ask| depths[ask.to] + ask.cost).max().unwrap_or(0);
    }
    depths
}
