//! The finished ladder through Argo CD's own order, and the check that it keeps every strong edge.

use std::collections::{BTreeMap, HashMap};

use crate::argocd::{self, Object};
use crate::catalogue::probes::Fact;
use crate::load::settings::Scope;
use crate::model::{
    Barrier, Edge, End, Finding, Gate, Ladder, Level, Resource, ResourceId, ResourceIndex, Step,
};

/// Whether Argo CD moves `to` before `from` by itself: a Namespace before its members, a CRD before its objects.
#[must_use]
pub fn is_promoted(from: &Resource, to: &Resource) -> bool {
    match to.id.kind.as_str() {
        "Namespace" => to.id.group.is_empty() && from.id.namespace == to.id.name,
        "CustomResourceDefinition" => {
            let defines = (to.manifest.fact(Fact::CrdGroup), to.manifest.fact(Fact::CrdKind));
            defines == (Some(from.id.group.as_str()), Some(from.id.kind.as_str()))
        }
        _ => false,
    }
}

/// The steps Argo CD will take, in order: for one application, or component by component where each is an application
/// of its own. `destination` is the namespace of who names none.
#[must_use]
pub fn steps(ladder: &Ladder, destination: &str) -> Vec<Step> {
    let kept = last_copies(ladder);
    if ladder.settings.scope == Scope::Ladder {
        return steps_of(ladder, &kept, destination);
    }
    let mut lists: Vec<Vec<ResourceIndex>> = vec![Vec::new(); ladder.components.len()];
    for index in kept {
        lists[ladder.resource(index).component.0].push(index);
    }
    let in_order = ladder.phases().into_iter().flat_map(|(_, components)| components);
    in_order
        .flat_map(|component| {
            let own = ladder.component(component).namespace.as_str();
            steps_of(ladder, &lists[component.0], if own.is_empty() { destination } else { own })
        })
        .collect()
}

fn steps_of(ladder: &Ladder, kept: &[ResourceIndex], destination: &str) -> Vec<Step> {
    let object = |index: &ResourceIndex| {
        let resource = ladder.resource(*index);
        Object {
            group: &resource.id.group,
            kind: &resource.id.kind,
            namespace: &resource.id.namespace,
            name: resource.id.name.trim_end_matches('*'),
            annotations: &resource.manifest.annotations,
            // Encrypted documents keep the wave they have.
            wave: (!resource.manifest.outline.opaque).then_some(ladder.waves[index.0]),
            defines: resource.manifest.fact(Fact::CrdGroup).zip(resource.manifest.fact(Fact::CrdKind)),
        }
    };
    let objects: Vec<Object<'_>> = kept.iter().map(object).collect();
    let sync = argocd::Sync { namespace: destination, target: &objects, live: &[], prune_last: false };
    argocd::tasks(&sync)
        .into_iter()
        .map(|task| Step { resource: kept[task.object], hook: task.hook, wave: task.wave })
        .collect()
}

/// Argo CD keeps the last of several objects with one identity.
fn last_copies(ladder: &Ladder) -> Vec<ResourceIndex> {
    let mut last: HashMap<&ResourceId, usize> = HashMap::with_capacity(ladder.resources.len());
    for (number, resource) in ladder.resources.iter().enumerate() {
        last.insert(&resource.id, number);
    }
    let is_last = |(number, resource): &(usize, &Resource)| last.get(&resource.id) == Some(number);
    ladder.resources.iter().enumerate().filter(is_last).map(|(number, _)| ResourceIndex(number)).collect()
}

/// A finding for every strong edge that Argo CD's order would break.
#[must_use]
pub fn broken_edges(ladder: &Ladder) -> Vec<Finding> {
    let mut places: Vec<Option<(usize, Step)>> = vec![None; ladder.resources.len()];
    for (position, step) in ladder.order.iter().enumerate() {
        places[step.resource.0].get_or_insert((position, *step));
    }
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
fn tightest(ladder: &Ladder, barrier: &Barrier, places: &[Option<(usize, Step)>], whole: bool) -> Vec<Edge> {
    let end = |resource: ResourceIndex| End {
        component: ladder.resource(resource).component,
        resource: Some(resource),
    };
    let application = |resource| (!whole).then(|| end(resource).component);
    let at = |resource: ResourceIndex| places[resource.0].map(|(position, _)| position);
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

fn broken(ladder: &Ladder, edge: &Edge, places: &[Option<(usize, Step)>]) -> Option<Finding> {
    let (from, to) = (edge.from.resource?, edge.to.resource?);
    let (from_at, to_at) = (places[from.0]?, places[to.0]?);
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
    let help = if from_at.1.hook < to_at.1.hook {
        format!(
            "make `{}` a {} hook too, or take the hook off `{}`",
            to.id.short(),
            from_at.1.hook,
            from.id.short()
        )
    } else if to.manifest.outline.opaque || from.manifest.outline.opaque {
        "an encrypted document cannot carry a wave: put it into an earlier component".to_owned()
    } else {
        format!(
            "give `{}` a wave above {}, or let its wave be computed (no `wave` of a hook, `existingOrder: hint`)",
            from.id.short(),
            to_at.1.wave
        )
    };
    let apart = ladder.settings.is_joined && !edge.is_inner();
    let help = if apart { format!("{help}; {APART}") } else { help };
    Some(
        Finding::new("order-broken", Level::Error, message)
            .about(&ladder.component(edge.from.component).name)
            .at(edge.origin.clone())
            .help(help),
    )
}
