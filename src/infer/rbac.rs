//! A pod waits for the bindings that name its service account, and for their roles.

use std::collections::HashMap;

use super::Inferred;
use super::scene::{Found, Scene, Wait};
use crate::catalogue::probes::Fact;
use crate::classify::serves;
use crate::model::{Gate, Reason, Resource, ResourceId, ResourceIndex, Strength};

/// Weak edges: a pod starts without its rights and retries until it has them.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let bindings = by_account(scene);
    let mut inferred = Inferred::default();
    for (index, pod) in scene.iter() {
        if !scene.catalogue.has_pods(&pod.id.group, &pod.id.kind) {
            continue;
        }
        let account = pod.manifest.fact(Fact::ServiceAccount).unwrap_or("default");
        let own = bindings.get(&(pod.id.namespace.as_str(), account));
        for binding in own.into_iter().flatten() {
            inferred.edges.push(scene.edge(index, *binding, &wait("service-account-binding", pod)));
            if let Some(role) = role(scene, *binding) {
                inferred.edges.push(scene.edge(index, role, &wait("service-account-role", pod)));
            }
        }
    }
    inferred
}

fn wait(reason: &'static str, pod: &Resource) -> Wait {
    let line =
        pod.manifest.facts(Fact::ServiceAccount).next().map_or(pod.manifest.line, |capture| capture.line);
    Wait {
        reason: Reason::from(reason),
        strength: Strength::Weak,
        gate: Gate::Present,
        origin: pod.origin_at(line),
    }
}

/// Bindings by namespace and name of the service accounts they name.
fn by_account<'a>(scene: &Scene<'a>) -> HashMap<(&'a str, &'a str), Vec<ResourceIndex>> {
    let mut map: HashMap<(&str, &str), Vec<ResourceIndex>> = HashMap::new();
    for (index, binding) in scene.iter() {
        for subject in binding.manifest.facts(Fact::Subject) {
            if let Some(account) = serves::account(subject, &binding.id.namespace) {
                map.entry(account).or_default().push(index);
            }
        }
    }
    map
}

fn role(scene: &Scene<'_>, binding: ResourceIndex) -> Option<ResourceIndex> {
    let binding = scene.resource(binding);
    let reference = binding.manifest.facts(Fact::RoleRef).next()?;
    let kind = reference.field("kind")?;
    let namespace = if kind == "Role" { binding.id.namespace.as_str() } else { "" };
    let id = ResourceId::new("rbac.authorization.k8s.io", kind, namespace, reference.field("name")?);
    match scene.find(&id, binding.component) {
        Found::Object(role) => Some(role),
        _ => None,
    }
}
