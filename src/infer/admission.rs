//! What a fail-closed webhook matches waits for the workload that answers it.
//!
//! Weak: the registration itself already waits for that workload, so nothing is refused; but where both stand on one
//! rung the workload goes first. One edge per component and webhook says enough. Selectors that only exclude
//! namespaces are followed; any other selector may match nothing, so it gives no edge.

use std::collections::{BTreeMap, BTreeSet};

use super::Inferred;
use super::scene::{Found, Scene, Wait};
use crate::catalogue::matcher::Capture;
use crate::catalogue::probes::Fact;
use crate::classify::serves::plurals;
use crate::model::{Gate, Reason, Resource, ResourceId, ResourceIndex, Strength};

/// The label every namespace carries its own name in.
const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

/// Edges from the first object of each component that a webhook matches.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let by_resource = by_resource(scene);
    let mut inferred = Inferred::default();
    for (_, configuration) in scene.iter() {
        for webhook in configuration.manifest.facts(Fact::Webhook).filter(|webhook| is_fail_closed(webhook)) {
            for workload in backends(scene, configuration, webhook) {
                let mut seen = BTreeSet::from([scene.resource(workload).component, configuration.component]);
                for index in matched(scene, webhook, &by_resource) {
                    let resource = scene.resource(index);
                    if seen.insert(resource.component) {
                        let origin = configuration.origin_at(webhook.line);
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

fn is_fail_closed(webhook: &Capture) -> bool {
    let excludes = webhook
        .all("namespaceSelector.matchExpressions[*].operator")
        .all(|operator| matches!(operator, "NotIn" | "DoesNotExist"));
    let selects = [
        "namespaceSelector.matchLabels.*",
        "objectSelector.matchLabels.*",
        "objectSelector.matchExpressions[*].key",
    ];
    webhook.field("failurePolicy") != Some("Ignore")
        && excludes
        && selects.iter().all(|path| webhook.field(path).is_none())
}

fn backends(scene: &Scene<'_>, configuration: &Resource, webhook: &Capture) -> Vec<ResourceIndex> {
    let name =
        webhook.field("clientConfig.service.name").zip(webhook.field("clientConfig.service.namespace"));
    let Some((name, namespace)) = name else { return Vec::new() };
    match scene.find(&ResourceId::new("", "Service", namespace, name), configuration.component) {
        Found::Object(service) => scene.behind(service),
        _ => Vec::new(),
    }
}

/// Objects by group and every name their kind may have in a rule.
fn by_resource<'a>(scene: &Scene<'a>) -> BTreeMap<(&'a str, String), Vec<ResourceIndex>> {
    let mut kinds: BTreeMap<(&str, &str), Vec<ResourceIndex>> = BTreeMap::new();
    for (index, resource) in scene.iter() {
        kinds.entry((&resource.id.group, &resource.id.kind)).or_default().push(index);
    }
    let mut map = BTreeMap::new();
    for ((group, kind), list) in kinds {
        for plural in plurals(kind) {
            map.insert((group, plural), list.clone());
        }
    }
    map
}

/// Objects the webhook's rules name, in namespaces it does not exclude. Rules for everything name no one in particular.
fn matched<'a>(
    scene: &'a Scene<'_>,
    webhook: &'a Capture,
    by_resource: &'a BTreeMap<(&'a str, String), Vec<ResourceIndex>>,
) -> impl Iterator<Item = ResourceIndex> + 'a {
    let excluded: BTreeSet<&str> =
        if webhook.all("namespaceSelector.matchExpressions[*].key").any(|key| key == NAMESPACE_NAME) {
            webhook.all("namespaceSelector.matchExpressions[*].values[*]").collect()
        } else {
            BTreeSet::new()
        };
    let creates = webhook.all("rules[*].operations[*]").any(|operation| matches!(operation, "CREATE" | "*"));
    webhook
        .all("rules[*].apiGroups[*]")
        .flat_map(move |group| {
            webhook.all("rules[*].resources[*]").map(move |resource| (group, resource.to_owned()))
        })
        .filter(move |_| creates)
        .filter_map(|key| by_resource.get(&key))
        .flatten()
        .copied()
        .filter(move |index| !excluded.contains(scene.resource(*index).id.namespace.as_str()))
}
