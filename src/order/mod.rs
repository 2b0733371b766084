//! Rungs → waves, and the order Argo CD will really apply.
//!
//! Waves are dear (two seconds and a health gate each), so one is spent only where Argo CD's own kind order or its
//! promotion of Namespaces and CRDs does not already keep an edge.

mod claims;
pub mod dense;
mod encrypted;
pub mod inner;
pub mod placed;
pub mod simulate;
pub mod verify;

use crate::argocd::{Hook, HookUse, WAVE};
use crate::graph;
use crate::infer::Scene;
use crate::infer::annotations;
use crate::load::settings::{ExistingOrder, Scope, Settings, Waves};
use crate::model::{Barrier, Component, ComponentIndex, Edge, Gate, Ladder, Resource, ResourceIndex};
use crate::resolve::{ResolveError, Resolved};

/// Everything the earlier steps made.
pub struct Parts {
    /// Components by name.
    pub components: Vec<Component>,
    /// Resources by component.
    pub resources: Vec<Resource>,
    /// Rungs and edges.
    pub resolved: Resolved,
}

/// How the waves of all resources came out.
#[derive(Debug)]
pub struct Ordered {
    /// One wave per resource.
    pub waves: Vec<i64>,
    /// Depth of each component inside its rung.
    pub depths: Vec<i64>,
    /// The rules between groups of resources.
    pub barriers: Vec<Barrier>,
}

/// Numbers the waves of every resource.
///
/// # Errors
/// When resources of one component wait for each other, or a rung has too few numbers.
pub fn waves(
    scene: &Scene<'_>,
    resolved: &mut Resolved,
    settings: &Settings,
) -> Result<Ordered, ResolveError> {
    let barriers = annotations::barriers(scene, &resolved.edges);
    let asks = inner::asks(scene, resolved, &barriers, settings)?;
    let inner = inner::depths(scene, &resolved.edges, &asks);
    let depths = component_depths(scene, resolved, &inner);
    let mut ordered = match (settings.scope, settings.waves) {
        _ if !settings.enabled => vec![0; inner.len()],
        _ if settings.is_by_resource() => placed::waves(scene, resolved, &barriers, asks)?,
        (Scope::Component, _) => inner,
        (Scope::Ladder, Waves::Banded) => match banded(scene, resolved, &inner, &depths) {
            // Rungs of Applications need no room for the waves inside a component.
            Err(ResolveError::TooDeep { .. }) if settings.is_joined => {
                dense::waves(scene, resolved, &barriers, asks)
            }
            numbered => numbered?,
        },
        (Scope::Ladder, Waves::Dense) => dense::waves(scene, resolved, &barriers, asks),
    };
    keep_waves(scene, settings, &mut ordered);
    resolved.findings.extend(encrypted::keep_waves(scene, settings, &mut ordered));
    Ok(Ordered { waves: ordered, depths, barriers })
}

/// Waves that stay as they are written: those of the descriptor, those of hooks where a component is an Application
/// of its own, and all that resources carry when the setting says so.
fn keep_waves(scene: &Scene<'_>, settings: &Settings, waves: &mut [i64]) {
    let all = !settings.enabled || settings.existing_order == ExistingOrder::Keep;
    for (index, resource) in scene.iter() {
        let declared = resource.manifest.added.as_ref().and_then(|added| added.wave);
        let is_hook = matches!(resource.hook, HookUse::Hooks(_));
        let kept = all || (is_hook && settings.scope == Scope::Component);
        if let Some(wave) = declared.or_else(|| inner::existing_wave(resource).filter(|_| kept)) {
            waves[index.0] = wave;
        }
    }
}

/// How many waves `from` must stand above `to` when both are in the same hook: 0 if Argo CD keeps it anyway.
#[must_use]
pub fn cost(scene: &Scene<'_>, from: ResourceIndex, to: ResourceIndex, gate: Gate) -> i64 {
    let (from, to) = (scene.resource(from), scene.resource(to));
    let kept = gate == Gate::Present
        && (simulate::is_promoted(from, to)
            || crate::argocd::kind_rank(&to.id.kind) < crate::argocd::kind_rank(&from.id.kind));
    i64::from(!kept)
}

/// Depth of components inside their rung, as far as the weak edges between them ask.
fn component_depths(scene: &Scene<'_>, resolved: &Resolved, inner: &[i64]) -> Vec<i64> {
    let count = scene.components.len();
    let mut out = vec![Vec::new(); count];
    let mut asks: Vec<Vec<&Edge>> = vec![Vec::new(); count];
    let phase = |component: ComponentIndex| &resolved.placements[component.0].phase;
    for edge in resolved.edges.iter().filter(|edge| edge.dropped.is_none() && !edge.is_inner()) {
        if phase(edge.from.component) == phase(edge.to.component) {
            out[edge.from.component.0].push(edge.to.component.0);
            asks[edge.from.component.0].push(edge);
        }
    }
    let spans = spans(scene, inner);
    let mut depths = vec![0; count];
    for member in graph::groups(&out).into_iter().flatten() {
        let asked = asks[member].iter().map(|edge| {
            let below = depths[edge.to.component.0];
            match (edge.from.resource, edge.to.resource) {
                (Some(from), Some(to)) => {
                    below + inner[to.0] + cost(scene, from, to, edge.gate) - inner[from.0]
                }
                _ => below + spans[edge.to.component.0],
            }
        });
        depths[member] = asked.max().unwrap_or(0).max(0);
    }
    depths
}

/// How many waves each component occupies.
fn spans(scene: &Scene<'_>, inner: &[i64]) -> Vec<i64> {
    let mut spans = vec![1; scene.components.len()];
    for (index, resource) in scene.iter() {
        let span = &mut spans[resource.component.0];
        *span = (*span).max(inner[index.0] + 1);
    }
    spans
}

fn banded(
    scene: &Scene<'_>,
    resolved: &Resolved,
    inner: &[i64],
    depths: &[i64],
) -> Result<Vec<i64>, ResolveError> {
    let mut waves = Vec::with_capacity(scene.resources.len());
    let list = &resolved.rungs.list;
    let positions = resolved.rungs.positions(&resolved.placements);
    for (index, resource) in scene.iter() {
        let position = positions[resource.component.0];
        let depth = depths[resource.component.0] + inner[index.0];
        let room = list.get(position + 1).map_or(i64::MAX, |next| next.wave - list[position].wave);
        if depth >= room {
            return Err(ResolveError::TooDeep {
                component: resource.component,
                phase: list[position].phase.clone(),
                needed: depth + 1,
                room,
            });
        }
        waves.push(list[position].wave + depth);
    }
    Ok(waves)
}

/// The first wave of each component's resources, where waves are not counted by rungs; hooks and encrypted documents
/// have waves of their own.
fn first_waves(resources: &[Resource], waves: &[i64], components: usize) -> Vec<Option<i64>> {
    let mut first: Vec<Option<i64>> = vec![None; components];
    let is_numbered =
        |resource: &Resource| inner::hook(resource) == Hook::Sync && !resource.manifest.outline.opaque;
    for (resource, wave) in resources.iter().zip(waves).filter(|(resource, _)| is_numbered(resource)) {
        let known = &mut first[resource.component.0];
        *known = Some(known.map_or(*wave, |known| known.min(*wave)));
    }
    first
}

/// Puts the finished ladder together.
#[must_use]
pub fn ladder(parts: Parts, ordered: Ordered, settings: &Settings) -> Ladder {
    let Parts { components, resources, resolved } = parts;
    let mut placements = resolved.placements;
    let mut first = vec![None; placements.len()];
    if settings.waves == Waves::Dense || settings.is_by_resource() {
        first = first_waves(&resources, &ordered.waves, placements.len());
    }
    for (number, placement) in placements.iter_mut().enumerate() {
        let rung = resolved
            .rungs
            .position(&placement.phase)
            .map_or(0, |position| resolved.rungs.list[position].wave);
        placement.depth = ordered.depths[number];
        placement.wave = first[number].unwrap_or(rung + ordered.depths[number]);
    }
    Ladder {
        rungs: resolved.rungs,
        components,
        placements,
        resources,
        waves: ordered.waves,
        extra_annotations: std::collections::BTreeMap::new(),
        edges: resolved.edges,
        barriers: ordered.barriers,
        order: Vec::new(),
        gates: Vec::new(),
        findings: Vec::new(),
        unchecked_gates: crate::health::Kinds::default(),
        ready_rows: std::collections::BTreeMap::new(),
        settings: settings.clone(),
    }
}
