//! `plan --format json`: the stable contract that other programs read.

use serde::Serialize;

use super::Ladder;
use crate::argocd::{Hook, HookUse};
use crate::model::{
    AppliedFix, ComponentIndex, Dropped, Edge, End, Finding, Gate, MaxUpdate, Origin, Reason, ResourceIndex,
    Role, Strength,
};

/// The whole plan.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan<'a> {
    schema_version: u32,
    phases: Vec<PhaseView<'a>>,
    components: Vec<ComponentView<'a>>,
    edges: Vec<EdgeView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_edges: Option<Vec<EdgeView<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<Vec<ResourceView<'a>>>,
    findings: &'a [Finding],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhaseView<'a> {
    phase: &'a str,
    max_update: &'a MaxUpdate,
    components: Vec<&'a str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ComponentView<'a> {
    name: &'a str,
    domain: &'a str,
    role: Role,
    role_source: &'static str,
    base_phase: &'a str,
    phase: &'a str,
    pinned: bool,
    path: &'a str,
    resources: usize,
    wave: i64,
    fixes: &'a [AppliedFix],
    waits_for: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    split_from: Option<&'a str>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct EdgeView<'a> {
    from: &'a str,
    to: &'a str,
    reason: &'a Reason,
    strength: Strength,
    gate: Gate,
    from_resource: Option<String>,
    to_resource: Option<String>,
    origin: &'a Origin,
    dropped: Option<Dropped>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceView<'a> {
    id: String,
    component: &'a str,
    role: Role,
    wave: i64,
    /// The hooks of a sync that apply it, with commas; none where no sync does.
    hook: Option<String>,
    origin: Origin,
}

/// The view of a ladder; `with_resources` adds what is inside components.
#[must_use]
pub fn plan(ladder: &Ladder, with_resources: bool) -> Plan<'_> {
    let phases = ladder.phases().into_iter().map(|(rung, components)| PhaseView {
        phase: &rung.phase.0,
        max_update: &rung.max_update,
        components: components.into_iter().map(|index| ladder.component(index).name.as_str()).collect(),
    });
    let mut waits: Vec<Vec<&str>> = vec![Vec::new(); ladder.components.len()];
    let mut counts = vec![0; ladder.components.len()];
    for edge in ladder.outer_edges().filter(|edge| edge.dropped.is_none()) {
        waits[edge.from.component.0].push(&ladder.component(edge.to.component).name);
    }
    for index in ladder.written() {
        counts[ladder.resource(index).component.0] += 1;
    }
    let components = waits.into_iter().zip(counts).enumerate().map(|(number, (mut waits, count))| {
        waits.sort_unstable();
        waits.dedup();
        component(ladder, ComponentIndex(number), count, waits)
    });
    let inner = ladder.edges.iter().filter(|edge| edge.is_inner());
    Plan {
        schema_version: 1,
        phases: phases.collect(),
        components: components.collect(),
        edges: ladder.outer_edges().map(|edge| view(ladder, edge)).collect(),
        resource_edges: with_resources.then(|| inner.map(|edge| view(ladder, edge)).collect()),
        resources: with_resources.then(|| ladder.written().map(|index| resource(ladder, index)).collect()),
        findings: &ladder.findings,
    }
}

fn component<'a>(
    ladder: &'a Ladder,
    index: ComponentIndex,
    resources: usize,
    waits_for: Vec<&'a str>,
) -> ComponentView<'a> {
    let (component, placement) = (ladder.component(index), ladder.placement(index));
    ComponentView {
        name: &component.name,
        domain: &component.domain,
        role: placement.role,
        role_source: if placement.role_declared { "declared" } else { "inferred" },
        base_phase: &placement.base.0,
        phase: &placement.phase.0,
        pinned: placement.pinned,
        path: if component.path.is_empty() { "." } else { &component.path },
        resources,
        wave: placement.wave,
        fixes: &placement.fixes,
        waits_for,
        split_from: component.split_from.as_deref(),
    }
}

fn view<'a>(ladder: &'a Ladder, edge: &'a Edge) -> EdgeView<'a> {
    let name = |end: End| ladder.component(end.component).name.as_str();
    let id = |end: End| end.resource.map(|resource| ladder.resource(resource).id.to_string());
    EdgeView {
        from: name(edge.from),
        to: name(edge.to),
        reason: &edge.reason,
        strength: edge.strength,
        gate: edge.gate,
        from_resource: id(edge.from),
        to_resource: id(edge.to),
        origin: &edge.origin,
        dropped: edge.dropped,
    }
}

fn resource(ladder: &Ladder, index: ResourceIndex) -> ResourceView<'_> {
    let resource = ladder.resource(index);
    ResourceView {
        id: resource.id.to_string(),
        component: &ladder.component(resource.component).name,
        role: resource.role,
        wave: ladder.waves[index.0],
        hook: hook_names(&resource.hook),
        origin: resource.origin(),
    }
}

fn hook_names(hook: &HookUse) -> Option<String> {
    match hook {
        HookUse::NotHook => Some(Hook::Sync.name().to_owned()),
        HookUse::Hooks(hooks) => Some(hooks.iter().map(|hook| hook.name()).collect::<Vec<_>>().join(",")),
        HookUse::Skip | HookUse::DeleteOnly | HookUse::Ignored => None,
    }
}
