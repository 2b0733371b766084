//! The rollback policy of a rung → a Job per component that Argo CD runs when its sync fails.
//!
//! Where rungs take resources one by one, a component has a Job for each rung it stands on, the last rung first.

use std::collections::BTreeSet;

use serde_json::json;

use crate::argocd::{HOOK, HOOK_DELETE_POLICY, Hook, HookUse, WAVE};
use crate::emit::Selection;
use crate::load::settings::Rollback;
use crate::model::{ComponentIndex, Ladder, Resource, Rung};
use crate::target::name::object_name;
use crate::yaml;

/// The rungs of a component that have a rollback policy.
#[must_use]
pub fn rungs(ladder: &Ladder, component: ComponentIndex) -> Vec<&Rung> {
    let list = &ladder.rungs.list;
    let mut used = BTreeSet::new();
    if ladder.settings.is_by_resource() {
        let own = ladder.resources_of(component).filter(|index| is_synced(ladder.resource(*index)));
        used.extend(own.filter_map(|index| list.iter().rposition(|rung| rung.wave <= ladder.waves[index.0])));
    } else {
        used.extend(ladder.rungs.position(&ladder.placement(component).phase));
    }
    let rungs = used.into_iter().map(|position| &list[position]);
    rungs.filter(|rung| rung.rollback.is_some() && ladder.settings.enabled).collect()
}

/// Whether a resource's wave is one of the sync itself, not of a hook around it.
fn is_synced(resource: &Resource) -> bool {
    !matches!(resource.hook, HookUse::Hooks(_))
}

/// The Jobs of the selected components, as YAML documents by component.
#[must_use]
pub fn jobs(ladder: &Ladder, selection: &Selection) -> Vec<(ComponentIndex, String)> {
    let chosen = (0..ladder.components.len()).filter(|number| selection.takes_component(ladder, *number));
    let of_component = |number| {
        let component = ComponentIndex(number);
        of(ladder, component).into_iter().map(move |job| (component, job))
    };
    chosen.flat_map(of_component).collect()
}

/// The Jobs of one component.
#[must_use]
pub fn of(ladder: &Ladder, component: ComponentIndex) -> Vec<String> {
    let rungs = rungs(ladder, component).into_iter();
    rungs.filter_map(|rung| Some(job(ladder, component, rung, rung.rollback.as_ref()?))).collect()
}

fn job(ladder: &Ladder, component: ComponentIndex, rung: &Rung, policy: &Rollback) -> String {
    let own = ladder.component(component);
    let mut container = json!({
        "name": "rollback",
        "image": policy.image,
        "env": [
            {"name": "LADDER_COMPONENT", "value": own.name},
            {"name": "LADDER_PHASE", "value": rung.phase},
        ],
    });
    if !policy.command.is_empty() {
        container["command"] = json!(policy.command);
    }
    if !policy.args.is_empty() {
        container["args"] = json!(policy.args);
    }
    let mut pod = json!({"restartPolicy": "Never", "containers": [container]});
    if let Some(account) = &policy.service_account_name {
        pod["serviceAccountName"] = json!(account);
    }
    let mut job = json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": format!("{}-rollback", object_name(&own.name)),
            "annotations": {HOOK: Hook::SyncFail.name(), HOOK_DELETE_POLICY: "BeforeHookCreation"},
        },
        "spec": {"backoffLimit": 1, "template": {"spec": pod}},
    });
    if !own.namespace.is_empty() {
        job["metadata"]["namespace"] = json!(own.namespace);
    }
    if ladder.settings.is_by_resource() {
        job["metadata"]["name"] =
            json!(format!("{}-{}-rollback", object_name(&own.name), object_name(&rung.phase.0)));
        job["metadata"]["annotations"][WAVE] = json!((-rung.wave).to_string());
    }
    yaml::from_json(&job)
}
