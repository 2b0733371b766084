//! Order that other tools' annotations already declare: `config.kubernetes.io/depends-on`.

use super::Inferred;
use super::scene::{Found, Scene, Wait};
use crate::model::{Gate, Reason, ResourceId, Strength};

const DEPENDS_ON: &str = "config.kubernetes.io/depends-on";

/// Strong edges the author wrote for kpt or cli-utils.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    for (index, resource) in scene.iter() {
        let Some(list) = resource.manifest.annotation(DEPENDS_ON) else { continue };
        for id in list.split(',').filter_map(|entry| object(entry.trim())) {
            let wait = Wait {
                reason: Reason::from("depends-on-annotation"),
                strength: Strength::Strong,
                gate: Gate::Ready,
                origin: resource.origin_at(resource.manifest.annotation_line(DEPENDS_ON)),
            };
            let found = scene.find(&id, resource.component);
            if found == Found::Nobody {
                let help = "correct the annotation, or add the object".to_owned();
                inferred.findings.push(scene.unsatisfied(
                    index,
                    &format!("`{}`", id.short()),
                    resource.origin(),
                    help,
                ));
            }
            inferred.edges.extend(scene.edges_to(index, &found, &wait));
        }
    }
    inferred
}

/// `group/kind/name` or `group/namespaces/namespace/kind/name`.
fn object(entry: &str) -> Option<ResourceId> {
    match entry.split('/').collect::<Vec<_>>()[..] {
        [group, kind, name] => Some(ResourceId::new(group, kind, "", name)),
        [group, "namespaces", namespace, kind, name] => Some(ResourceId::new(group, kind, namespace, name)),
        _ => None,
    }
}
