//! The check that Argo CD's order keeps every strong edge.
//!
//! Where only a component is named, its first resource waits, and its last is waited for: hooks behind the sync are
//! no part of being ready, and Namespaces and CRDs wait for nothing.

use std::collections::BTreeMap;

use crate::argocd::Hook;
use crate::load::settings::Scope;
use crate::model::{Barrier, Edge, End, Finding, Gate, Ladder, Level, Resource, ResourceIndex, Step};

/// A step and its number in the order.
type Place = (usize, Step);

/// Where Argo CD applies what.
struct Places {
    of: Vec<Option<Place>>,
    /// By component.
    first: Vec<Option<Place>>,
    /// By component.
    last: Vec<Option<Place>>,
}

impl Places {
    fn new(ladder: &Ladder) -> Self {
        let none = || vec![None; ladder.components.len()];
        let mut places = Self { of: vec![None; ladder.resources.len()], first: none(), last: none() };
        for (position, step) in ladder.order.iter().enumerate() {
            let place = (position, *step);
            places.of[step.resource.0].get_or_insert(place);
            let resource = ladder.resource(step.resource);
            if !waits_for_nothing(resource) {
                places.first[resource.component.0].get_or_insert(place);
            }
            if step.hook <= Hook::Sync {
                places.last[resource.component.0] = Some(place);
            }
        }
        places
    }

    /// The first that `end` stands for.
    fn first(&self, end: End) -> Option<Place> {
        end.resource.map_or(self.first[end.component.0], |resource| self.of[resource.0])
    }

    /// The last that `end` stands for.
    fn last(&self, end: End) -> Option<Place> {
        end.resource.map_or(self.last[end.component.0], |resource| self.of[resource.0])
    }
}

fn waits_for_nothing(resource: &Resource) -> bool {
    matches!(resource.id.kind.as_str(), "Namespace" | "CustomResourceDefinition")
}

/// A finding for every strong edge that Argo CD's order would break.
#[must_use]
pub fn broken_edges(ladder: &Ladder) -> Vec<Finding> {
    let places = Places::new(ladder);
    let whole = ladder.settings.scope == Scope::Ladder;
    let strong = ladder.edges.iter().filter(|edge| edge.is_strong() && (whole || edge.is_inner()));
    let mut findings: Vec<Finding> = strong.filter_map(|edge| broken(ladder, edge, &places)).collect();
    let pairs = ladder.barriers.iter().flat_map(|barrier| tightest(ladder, barrier, &places, whole));
    findings.extend(pairs.filter_map(|edge| broken(ladder, &edge, &places)));
    findings.sort();
    findings.dedup();
    findings
}

/// Of a barrier the first who waits and the last who is waited for: when these are in order, all are. One pair for
/// each component where each is an application of its own.
fn tightest(ladder: &Ladder, barrier: &Barrier, places: &Places, whole: bool) -> Vec<Edge> {
    let end = |resource: ResourceIndex| End {
        component: ladder.resource(resource).component,
        resource: Some(resource),
    };
    let application = |resource| (!whole).then(|| end(resource).component);
    let at = |resource: ResourceIndex| places.of[resource.0].map(|(position, _)| position);
    let mut last: BTreeMap<_, (usize, ResourceIndex)> = BTreeMap::new();
    for (to, position) in barrier.to.iter().filter_map(|(to, _)| Some((*to, at(*to)?))) {
        let known = last.entry(application(to)).or_insert((position, to));
        *known = (*known).max((position, to));
    }
    let mut first: BTreeMap<_, (usize, ResourceIndex, usize)> = BTreeMap::new();
    for (from, edge, position) in
        barrier.from.iter().filter_map(|(from, edge)| Some((*from, *edge, at(*from)?)))
    {
        let known = first.entry(application(from)).or_insert((position, from, edge));
        *known = (*known).min((position, from, edge));
    }
    let pair = |(application, (_, from, edge)): (_, (usize, ResourceIndex, usize))| {
        let (_, to) = last.get(&application)?;
        let edge = &ladder.edges[edge];
        edge.is_strong().then(|| Edge { from: end(from), to: end(*to), ..edge.clone() })
    };
    first.into_iter().filter_map(pair).collect()
}

/// What helps where components are meant as Applications of their own.
const APART: &str = "or roll out each component as its own Application (`--target applications`)";

fn broken(ladder: &Ladder, edge: &Edge, places: &Places) -> Option<Finding> {
    let (from_at, to_at) = (places.first(edge.from)?, places.last(edge.to)?);
    let (from, to) = (from_at.1.resource, to_at.1.resource);
    let key = |step: &Step| (step.hook, step.wave);
    let kind = |index: ResourceIndex| &ladder.resource(index).id.kind;
    let kept = match edge.gate {
        Gate::Ready => key(&to_at.1) < key(&from_at.1),
        // Equal kinds of one wave are applied at the same time.
        Gate::Present => to_at.0 < from_at.0 && (key(&to_at.1) < key(&from_at.1) || kind(from) != kind(to)),
    };
    if kept {
        return None;
    }
    let (from, to) = (ladder.resource(from), ladder.resource(to));
    let message = format!(
        "Argo CD would apply `{}` ({} wave {}) without waiting for `{}` ({} wave {}): {}",
        from.id.short(),
        from_at.1.hook,
        from_at.1.wave,
        to.id.short(),
        to_at.1.hook,
        to_at.1.wave,
        edge.reason
    );
    let help = what_helps((from, from_at.1), (to, to_at.1));
    let is_hook = from_at.1.hook < to_at.1.hook;
    let apart = (ladder.settings.is_joined || is_hook) && !edge.is_inner();
    let help = if apart { format!("{help}; {APART}") } else { help };
    Some(
        Finding::new("order-broken", Level::Error, message)
            .about(&ladder.component(edge.from.component).name)
            .at(edge.origin.clone())
            .help(help),
    )
}

/// The edit that puts two steps in order.
fn what_helps((from, first): (&Resource, Step), (to, last): (&Resource, Step)) -> String {
    let (waiting, waited) = (from.id.short(), to.id.short());
    if first.hook < last.hook {
        format!("make `{waited}` a {} hook too, or take the hook off `{waiting}`", first.hook)
    } else if from.manifest.outline.opaque {
        format!("encrypt `{waiting}` with a wave above {} in it", last.wave)
    } else if to.manifest.outline.opaque {
        format!("encrypt `{waited}` with a wave below {} in it", first.wave)
    } else {
        format!(
            "give `{waiting}` a wave above {}, or let its wave be computed (no `wave` of a hook, \
             `existingOrder: hint`)",
            last.wave
        )
    }
}
