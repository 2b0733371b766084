//! `skip-dry-run-on-missing-resource`: an object whose CRD only comes into being during the sync cannot be dry-run
//! before it, and Argo CD would refuse the whole sync.

use std::collections::BTreeMap;

use crate::argocd::names::SYNC_OPTIONS;
use crate::infer::Scene;
use crate::load::settings::Settings;
use crate::model::{AppliedFix, Edge, Placement, ResourceIndex};

const RULE: &str = "skip-dry-run-on-missing-resource";
const OPTION: &str = "SkipDryRunOnMissingResource=true";

/// The annotation for each such object; the fix is reported on its component.
pub fn annotations(
    scene: &Scene<'_>,
    edges: &[Edge],
    placements: &mut [Placement],
    settings: &Settings,
) -> BTreeMap<ResourceIndex, (&'static str, String)> {
    let mut annotations = BTreeMap::new();
    if !settings.is_on(RULE) {
        return annotations;
    }
    for edge in edges.iter().filter(|edge| edge.reason.as_str() == "custom-resource-definition") {
        let (Some(from), Some(to)) = (edge.from.resource, edge.to.resource) else { continue };
        let resource = scene.resource(from);
        let existing = resource.manifest.annotation(SYNC_OPTIONS).unwrap_or_default();
        let has = existing.split(',').any(|option| option.trim() == OPTION);
        if scene.resource(to).id.kind == "CustomResourceDefinition" || has {
            continue;
        }
        let value = if existing.is_empty() { OPTION.to_owned() } else { format!("{existing},{OPTION}") };
        annotations.insert(from, (SYNC_OPTIONS, value));
        let maker = scene.resource(to).id.short();
        let because = format!(
            "`{}` ({}) gets its CRD from `{maker}` during the sync",
            resource.id.short(),
            edge.origin
        );
        crate::resolve::record(
            &mut placements[edge.from.component.0].fixes,
            AppliedFix { rule: RULE, because },
        );
    }
    annotations
}
