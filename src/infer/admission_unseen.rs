//! Webhooks of a known chart that nobody rendered: the catalogue says what they match.
//!
//! Weak like every other wait for a webhook. Where the tree shows a configuration for the same Service, that one speaks;
//! a workload of the tree shows its webhooks itself, and a package of OLM may bring others than the chart.

use std::collections::{BTreeMap, BTreeSet};

use super::Inferred;
use super::scene::{Scene, Wait};
use crate::catalogue::ProviderRow;
use crate::catalogue::probes::Fact;
use crate::catalogue::rows::WebhookRow;
use crate::classify::serves;
use crate::model::{Gate, Reason, ResourceIndex, Strength};

/// Objects by group.
type ByGroup<'a> = BTreeMap<&'a str, Vec<ResourceIndex>>;

/// Edges from the first object of each component that such a webhook matches.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut by_group = ByGroup::new();
    for (index, resource) in scene.iter() {
        by_group.entry(&resource.id.group).or_default().push(index);
    }
    let configurations = scene.iter().flat_map(|(_, resource)| resource.manifest.facts(Fact::Webhook));
    let shown: BTreeSet<&str> =
        configurations.filter_map(|webhook| webhook.field("clientConfig.service.name")).collect();
    let mut inferred = Inferred::default();
    for (index, resource) in scene.iter().filter(|(_, resource)| !resource.charts.is_empty()) {
        let mut seen = BTreeSet::from([resource.component]);
        for provider in serves::providers(resource, scene.catalogue) {
            let unseen =
                |row: &&WebhookRow| row.failure_policy == "Fail" && !shown.contains(row.service.as_str());
            for webhook in provider.webhooks.iter().filter(unseen) {
                for object in matched(scene, provider, webhook, &by_group) {
                    let component = scene.resource(object).component;
                    if scene.is_meant(index, component) && seen.insert(component) {
                        inferred.edges.push(scene.edge(object, index, &wait(scene, object)));
                    }
                }
            }
        }
    }
    inferred
}

/// Objects of the groups a provider serves, and of the kinds its row adds.
fn matched(
    scene: &Scene<'_>,
    provider: &ProviderRow,
    webhook: &WebhookRow,
    by_group: &ByGroup<'_>,
) -> Vec<ResourceIndex> {
    let in_group = |group: &str| by_group.get(group).into_iter().flatten().copied();
    let served = provider.serves.iter().flat_map(|group| in_group(group));
    let added = webhook.matches.iter().flat_map(|target| {
        in_group(&target.group).filter(|index| scene.resource(*index).id.kind == target.kind)
    });
    served.chain(added).collect()
}

fn wait(scene: &Scene<'_>, object: ResourceIndex) -> Wait {
    Wait {
        reason: Reason::from("admission-webhook"),
        strength: Strength::Weak,
        gate: Gate::Ready,
        origin: scene.resource(object).origin(),
    }
}
