//! What a fail-closed webhook matches waits for the workload that answers it.
//!
//! Weak: the registration itself already waits for that workload, so nothing is refused; but where both stand on one
//! rung the workload goes first. One edge per component and webhook says enough.

use std::collections::BTreeSet;

use super::Inferred;
use super::admission_match::{Objects, Webhook};
use super::scene::{Found, Scene, Wait};
use crate::model::{Finding, Gate, Level, Reason, Resource, ResourceId, ResourceIndex, Strength};

/// Edges from the first object of each component that a webhook matches, and webhooks that block their own pods.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let objects = Objects::of(scene);
    let mut inferred = Inferred::default();
    for (_, configuration) in scene.iter() {
        for webhook in Webhook::of(configuration).into_iter().filter(Webhook::is_fail_closed) {
            for workload in backends(scene, configuration, &webhook) {
                inferred.findings.extend(deadlock(scene, configuration, &webhook, workload));
                let mut seen = BTreeSet::from([scene.resource(workload).component, configuration.component]);
                for index in objects.matched(scene, &webhook) {
                    let component = scene.resource(index).component;
                    if scene.is_meant(workload, component) && seen.insert(component) {
                        let origin = configuration.origin_at(webhook.line());
                        let reason = Reason::from("admission-webhook");
                        let wait = Wait { reason, strength: Strength::Weak, gate: Gate::Ready, origin };
                        inferred.edges.push(scene.edge(index, workload, &wait));
                    }
                }
            }
        }
    }
    inferred
}

/// A webhook that must answer for its own pods cannot come back once all of them are gone.
fn deadlock(
    scene: &Scene<'_>,
    configuration: &Resource,
    webhook: &Webhook<'_>,
    workload: ResourceIndex,
) -> Option<Finding> {
    let workload = scene.resource(workload);
    if !webhook.matches_pods_of(scene, workload) {
        return None;
    }
    let workload = &workload.id;
    let message = format!(
        "a fail-closed webhook of `{}` matches the pods of `{}`, which answers it: once they are gone, none can start",
        configuration.id.short(),
        workload.short()
    );
    let help = format!(
        "exclude its namespace: `namespaceSelector: {{matchExpressions: [{{key: kubernetes.io/metadata.name, operator: NotIn, values: [{}]}}]}}`",
        workload.namespace
    );
    let finding = Finding::new("webhook-blocks-itself", Level::Warning, message);
    let component = &scene.component(configuration.component).name;
    Some(finding.about(component).at(configuration.origin_at(webhook.line())).help(help))
}

fn backends(scene: &Scene<'_>, configuration: &Resource, webhook: &Webhook<'_>) -> Vec<ResourceIndex> {
    let Some((name, namespace)) = webhook.service() else { return Vec::new() };
    match scene.find(&ResourceId::new("", "Service", namespace, name), configuration.component) {
        Found::Object(service) => scene.behind(service),
        _ => Vec::new(),
    }
}
