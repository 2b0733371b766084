//! A pod waits for the bindings that name its service account, and for their roles.

use std::collections::{BTreeMap, HashMap};

use super::Inferred;
use super::scene::{Found, Scene, Wait};
use crate::catalogue::probes::Fact;
use crate::classify::serves;
use crate::model::{Gate, Reason, Resource, ResourceId, ResourceIndex, Strength};

/// As many pairs of pods and bindings of one account are all told; of more, each pod waits for one of the bindings and
/// each binding is waited for by one of the pods: the same evidence, and no square of them.
const ALL_PAIRS: usize = 10_000;

/// Weak edges: a pod starts without its rights and retries until it has them.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let bindings = by_account(scene);
    let mut pods: BTreeMap<(&str, &str), Vec<ResourceIndex>> = BTreeMap::new();
    for (index, pod) in scene.iter().filter(|(_, pod)| scene.catalogue.has_pods(&pod.id.group, &pod.id.kind))
    {
        let account = pod.manifest.fact(Fact::ServiceAccount).unwrap_or("default");
        pods.entry((pod.id.namespace.as_str(), account)).or_default().push(index);
    }
    let mut inferred = Inferred::default();
    for (account, pods) in pods {
        let bindings = bindings.get(&account).map_or(&[][..], Vec::as_slice);
        for (pod, binding) in pairs(&pods, bindings) {
            let resource = scene.resource(pod);
            if !scene.is_meant(binding, resource.component) {
                continue;
            }
            inferred.edges.push(scene.edge(pod, binding, &wait("service-account-binding", resource)));
            if let Some(role) = role(scene, binding) {
                inferred.edges.push(scene.edge(pod, role, &wait("service-account-role", resource)));
            }
        }
    }
    inferred
}

fn pairs(pods: &[ResourceIndex], bindings: &[ResourceIndex]) -> Vec<(ResourceIndex, ResourceIndex)> {
    let (Some(first_pod), Some(first_binding)) = (pods.first(), bindings.first()) else { return Vec::new() };
    if pods.len().saturating_mul(bindings.len()) <= ALL_PAIRS {
        return pods.iter().flat_map(|pod| bindings.iter().map(|binding| (*pod, *binding))).collect();
    }
    let every_pod = pods.iter().map(|pod| (*pod, *first_binding));
    every_pod.chain(bindings[1..].iter().map(|binding| (*first_pod, *binding))).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pod_and_every_binding_is_told_and_never_the_square_of_many() {
        for (pods, bindings, expected) in [(3, 2, 6), (100, 100, 10_000), (4000, 3000, 6999), (5, 0, 0)] {
            let numbered = |count: usize| (0..count).map(ResourceIndex).collect::<Vec<_>>();
            let found = pairs(&numbered(pods), &numbered(bindings));
            assert_eq!(found.len(), expected);
            let seen: std::collections::BTreeSet<_> = found.iter().map(|(pod, _)| pod.0).collect();
            assert_eq!(seen.len(), if bindings == 0 { 0 } else { pods });
            let seen: std::collections::BTreeSet<_> = found.iter().map(|(_, binding)| binding.0).collect();
            assert_eq!(seen.len(), bindings);
        }
    }
}
