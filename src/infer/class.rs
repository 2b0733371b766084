//! Who uses a class also waits for the workload that runs it: a volume's provisioner, an Ingress's or Gateway's controller.
//!
//! As strong as the wait for the class itself: a claim stays unbound without its provisioner. A class whose controller
//! runs elsewhere gives no edge.

use std::collections::BTreeSet;

use super::Inferred;
use super::scene::{Scene, Wait};
use crate::catalogue::probes::Fact;
use crate::model::{Edge, Gate, Origin, Reason, ResourceIndex, Strength};

/// Kinds of classes that a workload runs.
const CLASSES: &[&str] = &["StorageClass", "IngressClass", "GatewayClass"];

/// Groups that many projects serve side by side: only the class of an object says whose it is.
const SERVED_BY_CLASS: &[&str] = &["gateway.networking.k8s.io"];

/// Whether a group's objects are run by whoever their class names, not by who serves the group.
#[must_use]
pub fn says_who_serves(group: &str) -> bool {
    SERVED_BY_CLASS.contains(&group)
}

/// An edge to the class's controller for every edge to a class, and for every class that is healthy only with it.
#[must_use]
pub fn edges(scene: &Scene<'_>, others: &[Edge]) -> Inferred {
    let mut inferred = Inferred::default();
    let mut seen = BTreeSet::new();
    let mut add = |from, class, is_inner, wait: &Wait| {
        let controllers =
            controllers(scene, class, is_inner).into_iter().filter(|controller| *controller != from);
        inferred.edges.extend(controllers.map(|controller| scene.edge(from, controller, wait)));
    };
    for edge in others {
        let (Some(from), Some(class)) = (edge.from.resource, edge.to.resource) else { continue };
        if CLASSES.contains(&scene.resource(class).id.kind.as_str()) && seen.insert((from, class)) {
            add(from, class, edge.is_inner(), &wait(edge.strength, edge.origin.clone()));
        }
    }
    let checked = |id: &crate::model::ResourceId| {
        CLASSES.contains(&id.kind.as_str()) && scene.catalogue.has_health(&id.group, &id.kind)
    };
    for (class, resource) in scene.iter().filter(|(_, resource)| checked(&resource.id)) {
        add(class, class, true, &wait(Strength::Strong, resource.origin()));
    }
    inferred
}

fn wait(strength: Strength, origin: Origin) -> Wait {
    Wait { reason: Reason::from("class-controller"), strength, gate: Gate::Ready, origin }
}

/// The workloads that run a class: known by what they run, the nearest first, else the only workload beside the class.
///
/// Nobody guesses inside a component: an app that ships its own class is not that class's controller.
fn controllers(scene: &Scene<'_>, class: ResourceIndex, is_inner: bool) -> Vec<ResourceIndex> {
    let resource = scene.resource(class);
    let controller = resource.manifest.fact(Fact::Provisioner).unwrap_or_default();
    let known = scene.class_controllers(controller);
    if !known.is_empty() || is_inner || scene.catalogue.knows_controller(controller) {
        return scene.own_first(known, resource.component);
    }
    match scene.workloads_of(resource.component)[..] {
        [only] if scene.resource(only).id.group == "apps" => vec![only],
        _ => Vec::new(),
    }
}
