//! `split-late`: custom resources that close a loop of components leave for a component of their own.
//!
//! Components that hold objects of each other's operators (a dashboard beside the operator of secrets, a secret beside
//! the operator of dashboards) wait for each other as a whole, though none of their resources does. Only custom
//! resources that nothing in the loop waits for leave, so what runs stays where it was described.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::split_crds::{self, Split};
use crate::catalogue::is_built_in_group;
use crate::classify::{Classified, serves};
use crate::graph;
use crate::infer::Scene;
use crate::load::settings::Settings;
use crate::model::{AppliedFix, ComponentIndex, Edge, End, Resource, ResourceIndex, Role};
use crate::problem::Problems;
use crate::resolve::error::evidence;
use crate::resolve::strong_waits;

/// Reasons of waits that somebody wrote down as such: a loop through one is for its author to solve.
const WRITTEN: &[&str] =
    &["depends-on-annotation", "kapp-change-rule", "helm-resource-group", "flux-depends-on"];

/// The rule's id.
pub const RULE: &str = "split-late";

/// The resources of one component that leave, and why.
#[derive(Debug)]
pub struct Late {
    component: ComponentIndex,
    resources: BTreeSet<ResourceIndex>,
    because: String,
}

/// What leaves so that one loop opens; none when there is no loop, or none that opens this way.
#[must_use]
pub fn find(scene: &Scene<'_>, edges: &[Edge], roles: &[Role], settings: &Settings) -> Option<Late> {
    if !settings.is_on(RULE) {
        return None;
    }
    let waits = strong_waits(edges, scene.components.len());
    let out: Vec<Vec<usize>> = waits.iter().map(|targets| targets.keys().copied().collect()).collect();
    let mut loops = graph::groups(&out).into_iter().filter(|group| group.len() > 1);
    let in_parts: BTreeSet<usize> = scene
        .resources
        .iter()
        .filter(|resource| resource.is_stand_in())
        .map(|resource| resource.component.0)
        .collect();
    // Where the user says where a component stands, what it holds stands there too; what is not all in the repo is
    // rendered by Argo CD's own tools, which cannot take a part of it.
    let is_placed = |member: usize| {
        let component = &scene.components[member];
        let mut selectors = settings.rungs.list.iter().filter_map(|rung| rung.select.as_ref());
        in_parts.contains(&member)
            || component.pin.is_some()
            || selectors.any(|select| select.takes(&component.name, &component.domain, roles[member]))
    };
    loops.find_map(|group| {
        let group: BTreeSet<usize> = group.into_iter().collect();
        let asked =
            |member: usize| group.iter().filter(|waiter| waits[**waiter].contains_key(&member)).count();
        lightest(scene, edges, &group, asked, is_placed)
    })
}

/// Of all members that can be split, the one whose late part fewest wait for; of those the one that most of the loop
/// wait for, as with it most of the loop opens.
fn lightest(
    scene: &Scene<'_>,
    edges: &[Edge],
    group: &BTreeSet<usize>,
    asked: impl Fn(usize) -> usize,
    is_placed: impl Fn(usize) -> bool,
) -> Option<Late> {
    let free = group.iter().filter(|member| !is_placed(**member));
    let members = free.filter_map(|member| late(scene, edges, group, ComponentIndex(*member)));
    let weight = |(wanted, late): &(usize, Late)| {
        (*wanted, Reverse(asked(late.component.0)), late.resources.len(), late.component)
    };
    members.min_by_key(weight).map(|(_, late)| late)
}

/// What of a component waits for others of its loop, with how many wait for that; none where it cannot leave.
fn late(
    scene: &Scene<'_>,
    edges: &[Edge],
    group: &BTreeSet<usize>,
    component: ComponentIndex,
) -> Option<(usize, Late)> {
    let strong = || edges.iter().filter(|edge| edge.is_strong());
    let leaves = |edge: &&Edge| {
        edge.from.component == component && !edge.is_inner() && group.contains(&edge.to.component.0)
    };
    let closing: Vec<&Edge> = strong().filter(leaves).collect();
    if closing.iter().any(|edge| WRITTEN.contains(&edge.reason.as_str())) {
        return None;
    }
    let first: Option<BTreeSet<ResourceIndex>> = closing.iter().map(|edge| edge.from.resource).collect();
    let resources = with_waiting(edges, component, first?);
    let is_late = |end: End| end.resource.is_some_and(|resource| resources.contains(&resource));
    let into = |edge: &&Edge| is_late(edge.to) && !is_late(edge.from);
    let held = strong().filter(into).any(|edge| group.contains(&edge.from.component.0));
    let movable = resources.iter().all(|resource| may_leave(scene.resource(*resource)));
    let stays = scene.resources.iter().filter(|resource| resource.component == component).count();
    if held || !movable || stays == resources.len() {
        return None;
    }
    let wanted = edges.iter().filter(into).count();
    let because = closing.first().map(|edge| evidence(scene, edge)).unwrap_or_default();
    let because = format!("{because}, and that waits for `{}`", scene.component(component).name);
    Some((wanted, Late { component, resources, because }))
}

/// The resources, and all of the component that strongly wait for one of them.
fn with_waiting(
    edges: &[Edge],
    component: ComponentIndex,
    mut late: BTreeSet<ResourceIndex>,
) -> BTreeSet<ResourceIndex> {
    let inner: Vec<(ResourceIndex, ResourceIndex)> = edges
        .iter()
        .filter(|edge| edge.is_strong() && edge.is_inner() && edge.from.component == component)
        .filter_map(|edge| Some((edge.from.resource?, edge.to.resource?)))
        .collect();
    loop {
        let known = late.len();
        late.extend(
            inner.iter().filter(|(_, to)| late.contains(to)).map(|(from, _)| *from).collect::<Vec<_>>(),
        );
        if late.len() == known {
            return late;
        }
    }
}

/// Custom resources; not what runs something, such as a release.
fn may_leave(resource: &Resource) -> bool {
    !is_built_in_group(&resource.id.group) && !serves::runs(resource)
}

/// Moves the resources into a component of their own.
///
/// # Errors
/// When its name is taken.
pub fn apply(classified: &mut Classified, late: Late, splits: Vec<Split>) -> Result<Vec<Split>, Problems> {
    let split = split_crds::split_off(&classified.components, late.component.0, "late", RULE)?;
    classified.components.push(split);
    let index = ComponentIndex(classified.components.len() - 1);
    for resource in &late.resources {
        classified.resources[resource.0].component = index;
    }
    let own = (index, AppliedFix { rule: RULE, because: late.because });
    Ok(split_crds::sorted(classified, splits.into_iter().chain([own]).collect()))
}
