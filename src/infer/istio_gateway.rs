//! Istio's Gateway configures the pods its selector picks, in whatever namespace they run, and these read the Secrets of
//! its listeners from their own.
//!
//! While nobody shows the pods (their chart is remote), the Gateway's own namespace is read, and nothing is missed there.

use std::collections::BTreeSet;

use super::Inferred;
use super::reference::{help, is_name};
use super::scene::{Found, Scene, Wait};
use super::selected::pairs;
use crate::catalogue::probes::Fact;
use crate::model::{Gate, Reason, Resource, ResourceId, ResourceIndex, Strength};

/// Edges to the pods and to the Secrets.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    let is_gateway =
        |resource: &Resource| resource.id.group == "networking.istio.io" && resource.id.kind == "Gateway";
    for (index, resource) in scene.iter().filter(|(_, resource)| is_gateway(resource)) {
        let picked = picked(scene, resource);
        let pods = picked.iter().map(|pod| scene.edge(index, *pod, &wait("gateway-workload", resource)));
        inferred.edges.extend(pods);
        credentials(scene, index, &picked, &mut inferred);
    }
    inferred
}

fn picked(scene: &Scene<'_>, resource: &Resource) -> Vec<ResourceIndex> {
    let Some(pairs) = pairs(resource) else { return Vec::new() };
    let namespaces = scene.namespaces_of_pods();
    namespaces
        .into_iter()
        .flat_map(|namespace| scene.pods_labelled(namespace, &pairs, resource.component))
        .collect()
}

fn credentials(scene: &Scene<'_>, from: ResourceIndex, picked: &[ResourceIndex], inferred: &mut Inferred) {
    let resource = scene.resource(from);
    let mut namespaces: BTreeSet<&str> =
        picked.iter().map(|pod| scene.resource(*pod).id.namespace.as_str()).collect();
    if namespaces.is_empty() {
        namespaces.insert(&resource.id.namespace);
    }
    for seen in resource.manifest.facts(Fact::Credential) {
        let Some(name) = seen.value.as_deref().filter(|name| is_name(name)) else { continue };
        let wait = Wait { origin: resource.origin_at(seen.line), ..wait("gateway-tls-secret", resource) };
        for namespace in &namespaces {
            let target = ResourceId::new("", "Secret", namespace, name);
            let found = scene.find(&target, resource.component);
            if found == Found::Nobody && !picked.is_empty() {
                let (what, help) = (format!("`{}`", target.short()), help(scene, &target));
                inferred.findings.push(scene.unsatisfied(from, &what, wait.origin.clone(), help));
            }
            inferred.edges.extend(scene.edges_to(from, &found, &wait));
        }
    }
}

fn wait(reason: &'static str, resource: &Resource) -> Wait {
    let origin = resource.origin();
    Wait { reason: Reason::from(reason), strength: Strength::Weak, gate: Gate::Present, origin }
}
