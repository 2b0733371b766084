//! The rollback policy of a rung → a Job per component that Argo CD runs when its sync fails.

use serde_json::json;

use crate::argocd::{HOOK, HOOK_DELETE_POLICY, Hook};
use crate::emit::Selection;
use crate::load::settings::Rollback;
use crate::model::{ComponentIndex, Ladder};
use crate::target::name::object_name;
use crate::yaml;

/// The rollback policy of the rung a component stands on.
#[must_use]
pub fn policy(ladder: &Ladder, component: ComponentIndex) -> Option<&Rollback> {
    let position = ladder.rungs.position(&ladder.placement(component).phase)?;
    ladder.rungs.list[position].rollback.as_ref().filter(|_| ladder.settings.enabled)
}

/// The Jobs of the selected components, as YAML documents by component.
#[must_use]
pub fn jobs(ladder: &Ladder, selection: &Selection) -> Vec<(ComponentIndex, String)> {
    let chosen = (0..ladder.components.len()).filter(|number| selection.takes_component(ladder, *number));
    chosen.filter_map(|number| job(ladder, ComponentIndex(number))).collect()
}

/// The Job of one component.
#[must_use]
pub fn job(ladder: &Ladder, component: ComponentIndex) -> Option<(ComponentIndex, String)> {
    let policy = policy(ladder, component)?;
    let own = ladder.component(component);
    let mut container = json!({
        "name": "rollback",
        "image": policy.image,
        "env": [
            {"name": "LADDER_COMPONENT", "value": own.name},
            {"name": "LADDER_PHASE", "value": ladder.placement(component).phase},
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
    Some((component, yaml::from_json(&job)))
}
