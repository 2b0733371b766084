//! Webhook configurations and `APIServices` wait until what they register answers: Service, workload, certificate.
//!
//! Strong also inside a component: once registered, a fail-closed webhook refuses everything until it answers.
//! A workload that may write webhook configurations injects its own certificate into them and is not ready before
//! they are there: then the registration only needs the objects to be present.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::Inferred;
use super::scene::{Found, Scene, Wait};
use crate::catalogue::matcher::Capture;
use crate::catalogue::probes::Fact;
use crate::model::{ComponentIndex, Edge, Gate, Reason, Resource, ResourceId, ResourceIndex, Strength};

/// Edges from registrations to what answers for them.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    let injecting = injecting_components(scene);
    for (index, resource) in scene.iter() {
        for webhook in resource.manifest.facts(Fact::Webhook) {
            let strength = match webhook.field("failurePolicy") {
                Some("Ignore") => Strength::Weak,
                _ => Strength::Strong,
            };
            let service = service_of(webhook, "clientConfig.service.name", "clientConfig.service.namespace");
            let wait = wait(resource, webhook, "webhook-backend", strength);
            let own_gate = if injecting.contains(&resource.component) { Gate::Present } else { Gate::Ready };
            inferred.edges.extend(answering(scene, index, service, &wait).into_iter().map(|edge| {
                let gate = if edge.is_inner() { own_gate } else { edge.gate };
                Edge { gate, ..edge }
            }));
        }
        for api in resource.manifest.facts(Fact::ApiService) {
            let service = service_of(api, "name", "namespace");
            let wait = wait(resource, api, "api-service-backend", Strength::Strong);
            inferred.edges.extend(answering(scene, index, service, &wait));
        }
        for conversion in resource.manifest.facts(Fact::CrdConversion) {
            let service = service_of(conversion, "name", "namespace");
            let wait = wait(resource, conversion, "crd-conversion-webhook", Strength::Weak);
            inferred.edges.extend(answering(scene, index, service, &wait));
        }
    }
    // One configuration registers many webhooks: the most demanding one speaks for all.
    let demand = |edge: &Edge| Reverse((edge.strength, edge.gate));
    inferred.edges.sort();
    inferred
        .edges
        .sort_by(|a, b| (a.from, a.to, &a.reason, demand(a)).cmp(&(b.from, b.to, &b.reason, demand(b))));
    inferred.edges.dedup_by(|a, b| (a.from, a.to, &a.reason) == (b.from, b.to, &b.reason));
    inferred
}

/// Components whose roles may write webhook configurations.
fn injecting_components(scene: &Scene<'_>) -> BTreeSet<ComponentIndex> {
    let writes = |rule: &Capture| {
        rule.all("resources[*]").any(|kind| kind.ends_with("webhookconfigurations"))
            && rule.all("verbs[*]").any(|verb| matches!(verb, "update" | "patch" | "*"))
    };
    let roles = scene.iter().filter(|(_, resource)| resource.manifest.facts(Fact::RbacRule).any(writes));
    roles.map(|(_, resource)| resource.component).collect()
}

fn wait(resource: &Resource, capture: &Capture, reason: &'static str, strength: Strength) -> Wait {
    Wait {
        reason: Reason::from(reason),
        strength,
        gate: Gate::Ready,
        origin: resource.origin_at(capture.line),
    }
}

fn service_of(capture: &Capture, name: &str, namespace: &str) -> Option<ResourceId> {
    Some(ResourceId::new("", "Service", capture.field(namespace)?, capture.field(name)?))
}

fn answering(scene: &Scene<'_>, from: ResourceIndex, service: Option<ResourceId>, wait: &Wait) -> Vec<Edge> {
    let Some(id) = service else { return Vec::new() };
    let found = scene.find(&id, scene.resource(from).component);
    if let Found::Nobody | Found::External = found {
        return Vec::new();
    }
    scene.edges_to(from, &found, wait)
}
