//! Waves resource by resource, for ladders inside one chart: a rung selects resources, not only components.
//!
//! A selected resource has its rung's wave, and an edge that says otherwise is an error. The others start with the
//! rung of their role; what somebody needs earlier comes down with its first user, what waits for more goes up.

use super::claims;
use super::inner::{self, Ask, Asks};
use crate::argocd::{Hook, HookUse};
use crate::graph;
use crate::infer::Scene;
use crate::load::rungs::start;
use crate::model::{Barrier, Edge, Resource};
use crate::resolve::{ResolveError, Resolved};

/// Where a resource stands before the edges speak.
struct Place {
    wave: i64,
    /// Waves from this one on belong to the next rung.
    end: i64,
    selected: bool,
}

/// One wave per resource.
///
/// # Errors
/// When a strong edge contradicts the wave of a rung that selects its resource.
pub fn waves(
    scene: &Scene<'_>,
    resolved: &Resolved,
    barriers: &[Barrier],
    mut asks: Asks,
) -> Result<Vec<i64>, ResolveError> {
    for (position, edge) in resolved.edges.iter().enumerate() {
        if !edge.is_inner() && edge.dropped.is_none() {
            asks_of(scene, edge, position, &mut asks);
        }
    }
    inner::add_barriers(scene, barriers, inner::hook, &mut asks);
    let places: Vec<Place> =
        scene.resources.iter().map(|resource| place(scene, resolved, resource)).collect();
    let out: Vec<Vec<usize>> = asks.iter().map(|own| own.iter().map(|ask| ask.to).collect()).collect();
    let order: Vec<usize> = graph::groups(&out).into_iter().flatten().collect();
    let is_strong = |ask: &Ask| ask.edge.is_some_and(|position| resolved.edges[position].is_strong());
    let mut waves: Vec<i64> = places.iter().map(|place| place.wave).collect();
    waves.resize(asks.len(), i64::MIN);
    // Users come after their targets in the order, so the other way round each user is final first.
    let mut highest = vec![i64::MAX; asks.len()];
    for user in order.iter().rev() {
        let own = places.get(*user).map_or(highest[*user], |_| waves[*user]);
        for ask in asks[*user].iter().filter(|ask| is_strong(ask)) {
            highest[ask.to] = highest[ask.to].min(own.saturating_sub(ask.cost));
            if places.get(ask.to).is_some_and(|place| !place.selected) {
                waves[ask.to] = waves[ask.to].min(highest[ask.to]);
            }
        }
    }
    for node in order {
        for ask in &asks[node] {
            if waves[ask.to] == i64::MIN {
                continue;
            }
            let asked = waves[ask.to].saturating_add(ask.cost);
            let Some(place) = places.get(node) else {
                waves[node] = waves[node].max(asked);
                continue;
            };
            if let Some(position) =
                ask.edge.filter(|_| asked > waves[node] && place.selected && is_strong(ask))
            {
                let edge = Box::new(resolved.edges[position].clone());
                return Err(ResolveError::WaveTooLow { edge, wave: waves[node], target: waves[ask.to] });
            }
            let limit = if is_strong(ask) { i64::MAX } else { place.end - 1 };
            if !place.selected {
                waves[node] = waves[node].max(asked.min(limit));
            }
        }
    }
    waves.truncate(places.len());
    claims::keep_with_pods(scene, &resolved.edges, &mut waves, |index| !places[index].selected);
    Ok(waves)
}

fn asks_of(scene: &Scene<'_>, edge: &Edge, position: usize, asks: &mut Asks) {
    if let Some((from, ask)) = inner::ask(scene, edge, position) {
        asks[from].push(ask);
    }
}

/// The rung that selects a resource, else that of its role; hooks keep the wave they carry, and one of the sync
/// itself that carries none stands among the others.
fn place(scene: &Scene<'_>, resolved: &Resolved, resource: &Resource) -> Place {
    let list = &resolved.rungs.list;
    let end = |position: usize| list.get(position + 1).map_or(i64::MAX, |next| next.wave);
    if let HookUse::Hooks(hooks) = &resource.hook {
        let carried = inner::existing_wave(resource);
        if carried.is_some() || hooks[..] != [Hook::Sync] {
            return Place { wave: carried.unwrap_or(0), end: i64::MAX, selected: false };
        }
    }
    let taken = |select: &crate::model::Selector| select.takes_resource(resource);
    if let Some(position) = list.iter().position(|rung| rung.select.as_ref().is_some_and(taken)) {
        return Place { wave: list[position].wave, end: end(position), selected: true };
    }
    let domain = &scene.component(resource.component).domain;
    let own = || resolved.rungs.position(&resolved.placements[resource.component.0].phase);
    let by_role = start(&resolved.rungs, domain, resource.role).map(|(position, _)| position);
    // A domain without rungs of its own: a selector or a pin says where its components stand.
    let position = by_role.or_else(own).unwrap_or(0);
    Place { wave: list.get(position).map_or(0, |rung| rung.wave), end: end(position), selected: false }
}
