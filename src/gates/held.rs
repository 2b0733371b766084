//! Which pods hold back for a gate: those its descriptor names, without those that what it asks for needs itself.
//!
//! A database that waits for its own Service never starts, and neither does one whose operator waits for it.

use std::collections::{BTreeSet, HashMap};

use super::PlacedGate;
use crate::infer::Scene;
use crate::infer::wait_for::Targets;
use crate::load::hooks::WaitForSetting;
use crate::load::settings::Settings;
use crate::model::{Component, ComponentIndex, Declared, Edge, End, Finding, Level, ResourceIndex, Strength};

/// The gates of all descriptors, and those that hold nobody back.
#[must_use]
pub fn placed(scene: &Scene<'_>, edges: &[Edge], settings: &Settings) -> (Vec<PlacedGate>, Vec<Finding>) {
    let (mut gates, mut findings) = (Vec::new(), Vec::new());
    if !settings.enabled || scene.components.iter().all(|component| component.wait_for.is_empty()) {
        return (gates, findings);
    }
    let targets = Targets::of(scene);
    let needs = Needs::of(scene, edges);
    let parts = parts(scene);
    for (number, component) in scene.components.iter().enumerate() {
        if component.wait_for.is_empty() {
            continue;
        }
        let parts = parts.get(component.name.as_str()).into_iter().flatten().copied();
        let own: Vec<ResourceIndex> =
            std::iter::once(number).chain(parts).flat_map(|part| pods(scene, &needs.members[part])).collect();
        for wait in &component.wait_for {
            let targets = targets.ends(&wait.value, ComponentIndex(number));
            let needed = needs.below(&targets);
            let named: Vec<ResourceIndex> =
                own.iter().copied().filter(|pod| wait.value.is_for(&scene.resource(*pod).id.name)).collect();
            let pods: Vec<ResourceIndex> =
                named.iter().copied().filter(|pod| !needed.contains(pod)).collect();
            if pods.is_empty() {
                findings.push(holds_nobody(component, wait, !named.is_empty()));
            }
            gates.push(PlacedGate { component: ComponentIndex(number), wait: wait.clone(), pods, targets });
        }
    }
    (gates, findings)
}

/// What was split off from each component.
fn parts<'s>(scene: &'s Scene<'_>) -> HashMap<&'s str, Vec<usize>> {
    let mut parts: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, component) in scene.components.iter().enumerate() {
        if let Some(whole) = &component.split_from {
            parts.entry(whole).or_default().push(number);
        }
    }
    parts
}

/// Resources with pods that a descriptor speaks for. Encrypted documents cannot be changed.
fn pods<'s>(scene: &'s Scene<'_>, members: &'s [ResourceIndex]) -> impl Iterator<Item = ResourceIndex> + 's {
    members.iter().copied().filter(|index| {
        let resource = scene.resource(*index);
        let has_pods = scene.catalogue.pod_paths(&resource.id.group, &resource.id.kind).next().is_some();
        has_pods && !resource.is_stand_in() && !resource.manifest.outline.opaque
    })
}

fn holds_nobody(component: &Component, wait: &Declared<WaitForSetting>, all_needed: bool) -> Finding {
    let name = &component.name;
    let (message, help) = if all_needed {
        let message = format!("what `waitFor` of `{name}` asks for needs every pod that would wait for it");
        (message, "remove it: the pods cannot wait for what needs them")
    } else {
        (format!("`waitFor` of `{name}` finds no pods to wait in"), "correct what it selects, or remove it")
    };
    Finding::new("selects-nothing", Level::Warning, message).about(name).at(wait.origin.clone()).help(help)
}

/// What needs what: the strong edges, and the pods behind Services.
struct Needs<'s, 'a> {
    scene: &'s Scene<'a>,
    of_resources: HashMap<ResourceIndex, Vec<End>>,
    of_components: HashMap<ComponentIndex, Vec<End>>,
    members: Vec<Vec<ResourceIndex>>,
}

impl<'s, 'a> Needs<'s, 'a> {
    fn of(scene: &'s Scene<'a>, edges: &[Edge]) -> Self {
        let members = crate::classify::by_component(scene.resources, scene.components.len());
        let mut needs = Self { scene, of_resources: HashMap::new(), of_components: HashMap::new(), members };
        for edge in edges.iter().filter(|edge| edge.strength == Strength::Strong && edge.dropped.is_none()) {
            let own = match edge.from.resource {
                Some(resource) => needs.of_resources.entry(resource).or_default(),
                None => needs.of_components.entry(edge.from.component).or_default(),
            };
            own.push(edge.to);
        }
        needs
    }

    /// The objects and all they need. A component that only declares what it provides does not say which pods do.
    fn below(&self, targets: &[End]) -> BTreeSet<ResourceIndex> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<ResourceIndex> = targets.iter().filter_map(|end| end.resource).collect();
        while let Some(index) = open.pop() {
            if !seen.insert(index) {
                continue;
            }
            let resource = self.scene.resource(index);
            if resource.id.group.is_empty() && resource.id.kind == "Service" {
                open.extend(self.scene.behind(index));
            }
            let own = self.of_resources.get(&index).into_iter();
            let needed = own.chain(self.of_components.get(&resource.component)).flatten();
            for end in needed {
                match end.resource {
                    Some(resource) => open.push(resource),
                    None => open.extend(&self.members[end.component.0]),
                }
            }
        }
        seen
    }
}
