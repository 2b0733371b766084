//! Waits for a Namespace or CRD inside a loop of components: Argo CD promotes those by itself, so they must not
//! refuse a repo whose Namespace happens to lie in a component that waits for one of the namespace's members.
//! Nor must a CRD that only the catalogue says a chart brings: a repo with such a loop has it from elsewhere.

use std::collections::BTreeSet;

use crate::classify::serves;
use crate::graph;
use crate::infer::Scene;
use crate::model::{Edge, End, Finding, Level, Resource, Strength};
use crate::order::simulate::is_promoted;
use crate::resolve::strong_waits;

/// Demotes all such edges inside strong loops to weak, and says so once per Namespace or CRD.
pub fn demote(scene: &Scene<'_>, edges: &mut [Edge]) -> Vec<Finding> {
    let waits = strong_waits(edges, scene.components.len());
    let out: Vec<Vec<usize>> = waits.iter().map(|targets| targets.keys().copied().collect()).collect();
    let group_of = graph::group_numbers(&out);
    let mut findings = Vec::new();
    let mut told = BTreeSet::new();
    for edge in edges.iter_mut().filter(|edge| edge.is_strong() && !edge.is_inner()) {
        let (from, to) = (edge.from.component, edge.to.component);
        let in_loop = group_of[from.0] == group_of[to.0];
        let (Some(user), Some(promoted)) = (edge.from.resource, edge.to.resource) else { continue };
        let brought = is_brought(edge, scene.resource(promoted));
        if !in_loop || !(brought || is_promoted(scene.resource(user), scene.resource(promoted))) {
            continue;
        }
        edge.strength = Strength::Weak;
        if told.insert(promoted) {
            findings.push(if brought { brought_finding(scene, edge) } else { finding(scene, edge) });
        }
    }
    findings
}

/// Whether the edge is a wait for a CRD that a chart or package brings unseen.
fn is_brought(edge: &Edge, target: &Resource) -> bool {
    edge.reason.as_str() == "custom-resource-definition" && !target.is_workload && serves::runs(target)
}

fn brought_finding(scene: &Scene<'_>, edge: &Edge) -> Finding {
    let (owner, user) = (scene.component(edge.to.component), scene.component(edge.from.component));
    let shown = |end: End| end.shown(scene.components, scene.resources);
    let message = format!(
        "`{}` brings the kind of `{}`, but `{}` waits for `{}`: this works only where the CRD is there before both",
        shown(edge.to),
        shown(edge.from),
        owner.name,
        user.name
    );
    let kind = edge.from.resource.map(|index| &scene.resource(index).id);
    let named = kind.map(|id| format!("{}/{}", id.group, id.kind)).unwrap_or_default();
    Finding::new("brought-in-loop", Level::Warning, message).about(&owner.name).at(edge.origin.clone()).help(
        format!(
            "give the CRDs a component of their own, or list `crd: {named}` under `external` in ladder.yaml"
        ),
    )
}

fn finding(scene: &Scene<'_>, edge: &Edge) -> Finding {
    let (owner, user) = (scene.component(edge.to.component), scene.component(edge.from.component));
    let promoted = edge.to.resource.map(|index| scene.resource(index));
    let shown = promoted.map(|resource| resource.id.short()).unwrap_or_default();
    let message = format!(
        "`{shown}` lies in `{}`, which waits for `{}`, which needs it: only Argo CD's promotion inside one sync solves that",
        owner.name, user.name
    );
    let finding = Finding::new("promoted-in-loop", Level::Warning, message).about(&owner.name).help(format!(
        "move `{shown}` into a component of its own, or set CreateNamespace=true where it is the destination"
    ));
    match promoted {
        Some(resource) => finding.at(resource.origin()),
        None => finding,
    }
}
