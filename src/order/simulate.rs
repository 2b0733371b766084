//! The finished ladder through Argo CD's own order.

use std::collections::HashMap;

use crate::argocd::{self, Object};
use crate::catalogue::probes::Fact;
use crate::load::settings::Scope;
use crate::model::{Ladder, Resource, ResourceId, ResourceIndex, Step};

/// Whether Argo CD moves `to` before `from` by itself: a Namespace before its members, a CRD before its objects.
#[must_use]
pub fn is_promoted(from: &Resource, to: &Resource) -> bool {
    match to.id.kind.as_str() {
        "Namespace" => to.id.group.is_empty() && from.id.namespace == to.id.name,
        "CustomResourceDefinition" => {
            let defines = (to.manifest.fact(Fact::CrdGroup), to.manifest.fact(Fact::CrdKind));
            defines == (Some(from.id.group.as_str()), Some(from.id.kind.as_str()))
        }
        _ => false,
    }
}

/// The steps Argo CD will take, in order: for one application, or component by component where each is an application
/// of its own. `destination` is the namespace of who names none.
#[must_use]
pub fn steps(ladder: &Ladder, destination: &str) -> Vec<Step> {
    let kept = last_copies(ladder);
    if ladder.settings.scope == Scope::Ladder {
        return steps_of(ladder, &kept, destination);
    }
    let mut lists: Vec<Vec<ResourceIndex>> = vec![Vec::new(); ladder.components.len()];
    for index in kept {
        lists[ladder.resource(index).component.0].push(index);
    }
    let in_order = ladder.phases().into_iter().flat_map(|(_, components)| components);
    in_order
        .flat_map(|component| {
            let own = ladder.component(component).namespace.as_str();
            steps_of(ladder, &lists[component.0], if own.is_empty() { destination } else { own })
        })
        .collect()
}

fn steps_of(ladder: &Ladder, kept: &[ResourceIndex], destination: &str) -> Vec<Step> {
    let object = |index: &ResourceIndex| {
        let resource = ladder.resource(*index);
        Object {
            group: &resource.id.group,
            kind: &resource.id.kind,
            namespace: &resource.id.namespace,
            name: resource.id.name.trim_end_matches('*'),
            annotations: &resource.manifest.annotations,
            wave: Some(ladder.waves[index.0]),
            defines: resource.manifest.fact(Fact::CrdGroup).zip(resource.manifest.fact(Fact::CrdKind)),
        }
    };
    let objects: Vec<Object<'_>> = kept.iter().map(object).collect();
    let sync = argocd::Sync { namespace: destination, target: &objects, live: &[], prune_last: false };
    argocd::tasks(&sync)
        .into_iter()
        .map(|task| Step { resource: kept[task.object], hook: task.hook, wave: task.wave })
        .collect()
}

/// Argo CD keeps the last of several objects with one identity.
fn last_copies(ladder: &Ladder) -> Vec<ResourceIndex> {
    let mut last: HashMap<&ResourceId, usize> = HashMap::with_capacity(ladder.resources.len());
    for (number, resource) in ladder.resources.iter().enumerate() {
        last.insert(&resource.id, number);
    }
    let is_last = |(number, resource): &(usize, &Resource)| last.get(&resource.id) == Some(number);
    ladder.resources.iter().enumerate().filter(is_last).map(|(number, _)| ResourceIndex(number)).collect()
}
