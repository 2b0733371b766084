//! A managed resource of Crossplane waits for the configuration of its provider.
//!
//! A family of providers shares one: `s3.aws.upbound.io` is configured in `aws.upbound.io`.

use super::Inferred;
use super::reference::is_name;
use super::scene::{Found, Scene, Wait};
use crate::catalogue::probes::Fact;
use crate::catalogue::rows::Scope;
use crate::model::{Gate, Reason, Resource, ResourceId, Strength};

const REASON: &str = "crossplane-provider-config";

/// Edges to the configuration a resource names, or to the one called `default`.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    for (index, resource) in scene.iter() {
        let facts = || resource.manifest.facts(Fact::ProviderConfig);
        let named = facts().find(|seen| seen.field("name").is_some());
        let Some(seen) = named.or_else(|| facts().next()) else { continue };
        let name = seen.field("name").unwrap_or("default");
        if !is_name(name) || is_in_rows(scene, resource) {
            continue;
        }
        let wait = Wait {
            reason: Reason::from(REASON),
            strength: Strength::Strong,
            gate: Gate::Present,
            origin: resource.origin_at(seen.line),
        };
        let found = candidates(scene, resource, seen.field("kind"), name)
            .map(|id| scene.find(&id, resource.component))
            .find(|found| *found != Found::Nobody);
        inferred.edges.extend(found.into_iter().flat_map(|found| scene.edges_to(index, &found, &wait)));
    }
    inferred
}

/// Whether rows say more precisely what the kind refers to.
fn is_in_rows(scene: &Scene<'_>, resource: &Resource) -> bool {
    let mut rows = scene.catalogue.edges_of(&resource.id.group, &resource.id.kind);
    rows.any(|row| scene.catalogue.edge(row).reason.as_str() == REASON)
}

/// The configurations a name may mean: of the kind's own group, or of its family's.
fn candidates<'s>(
    scene: &'s Scene<'_>,
    resource: &'s Resource,
    kind: Option<&'s str>,
    name: &'s str,
) -> impl Iterator<Item = ResourceId> + 's {
    let own = resource.id.group.as_str();
    let family = own.split_once('.').map(|(_, family)| family);
    let kinds = move || match kind {
        Some(kind) => vec![kind],
        None => vec!["ClusterProviderConfig", "ProviderConfig"],
    };
    let groups = [Some(own), family].into_iter().flatten();
    groups.flat_map(move |group| kinds().into_iter().map(move |kind| (group, kind))).map(
        move |(group, kind)| {
            let namespace = match scene.scope(group, kind) {
                Scope::Cluster => "",
                Scope::Namespaced => resource.id.namespace.as_str(),
            };
            ResourceId::new(group, kind, namespace, name)
        },
    )
}
