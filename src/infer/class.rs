//! Who uses a class also waits for the workload that runs it: a volume's provisioner, an Ingress's controller.
//!
//! As strong as the wait for the class itself: a claim stays unbound without its provisioner. A class whose controller
//! runs elsewhere gives no edge.

use std::collections::BTreeSet;

use super::Inferred;
use super::scene::{Scene, Wait};
use crate::catalogue::probes::Fact;
use crate::model::{Edge, Gate, Reason, ResourceIndex};

/// Kinds of classes that a workload runs.
const CLASSES: &[&str] = &["StorageClass", "IngressClass"];

/// An edge to the class's controller for every edge to a class.
#[must_use]
pub fn edges(scene: &Scene<'_>, others: &[Edge]) -> Inferred {
    let mut inferred = Inferred::default();
    let mut seen = BTreeSet::new();
    for edge in others {
        let (Some(from), Some(class)) = (edge.from.resource, edge.to.resource) else { continue };
        if !CLASSES.contains(&scene.resource(class).id.kind.as_str()) || !seen.insert((from, class)) {
            continue;
        }
        let wait = Wait {
            reason: Reason::from("class-controller"),
            strength: edge.strength,
            gate: Gate::Ready,
            origin: edge.origin.clone(),
        };
        let controllers =
            controllers(scene, class, edge.is_inner()).into_iter().filter(|controller| *controller != from);
        inferred.edges.extend(controllers.map(|controller| scene.edge(from, controller, &wait)));
    }
    inferred
}

/// The workloads that run a class: known by what they provision, else the only workload beside the class.
///
/// Nobody guesses inside a component: an app that ships its own class is not that class's controller.
fn controllers(scene: &Scene<'_>, class: ResourceIndex, is_inner: bool) -> Vec<ResourceIndex> {
    let resource = scene.resource(class);
    let provisioner = resource.manifest.fact(Fact::Provisioner).unwrap_or_default();
    let known = scene.provisioners(provisioner);
    if !known.is_empty() || is_inner || scene.catalogue.knows_provisioner(provisioner) {
        return known.to_vec();
    }
    match scene.workloads_of(resource.component)[..] {
        [only] if scene.resource(only).id.group == "apps" => vec![only],
        _ => Vec::new(),
    }
}
