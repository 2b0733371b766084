//! The sync policy of an Application: what ladder.yaml says, the rung's retries, the component's own fields on top.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::namespaces::Namespaces;
use crate::load::targets::merge;
use crate::model::{ComponentIndex, Ladder, Phase};

pub(super) const CREATE_NAMESPACE: &str = "CreateNamespace=true";
const SKIP_DRY_RUN: &str = "SkipDryRunOnMissingResource=true";
const SKIP_DRY_RUN_RULE: &str = "skip-dry-run-on-missing-resource";
/// Attempts after a failed sync, unless somebody says otherwise.
const RETRIES: u32 = 5;

/// What the whole ladder says about sync options, gathered once.
pub struct Facts<'l> {
    namespaces: Namespaces<'l>,
    /// Components that hold objects whose CRD comes from another component.
    foreign: BTreeSet<ComponentIndex>,
}

impl<'l> Facts<'l> {
    /// Gathers them.
    #[must_use]
    pub fn of(ladder: &'l Ladder) -> Self {
        let crd = ladder.outer_edges().filter(|edge| edge.reason.as_str() == "custom-resource-definition");
        Self { namespaces: Namespaces::there(ladder), foreign: crd.map(|edge| edge.from.component).collect() }
    }
}

/// The sync policy of a component's Application.
#[must_use]
pub fn policy(ladder: &Ladder, index: ComponentIndex, facts: &Facts<'_>) -> Value {
    let component = ladder.component(index);
    let mut policy = written(ladder);
    let mut retry = retry(ladder, &ladder.placement(index).phase);
    if let Some(limit) = component.descriptor.retries {
        retry["limit"] = json!(limit);
    }
    merge(&mut policy, &json!({"retry": retry}));
    if let Some(own) = &component.descriptor.sync_policy {
        merge(&mut policy, &own.to_value());
    }
    let options = options(ladder, index, facts, &policy);
    if !options.is_empty() {
        policy["syncOptions"] = json!(options);
    }
    policy
}

/// The sync policy of Applications whose component is not known yet: both options that depend on it are on.
#[must_use]
pub fn policy_of_rung(ladder: &Ladder, phase: &Phase) -> Value {
    let mut policy = written(ladder);
    merge(&mut policy, &json!({"retry": retry(ladder, phase)}));
    let skip = ladder.settings.is_on(SKIP_DRY_RUN_RULE);
    let automatic = [Some(CREATE_NAMESPACE), Some(SKIP_DRY_RUN).filter(|_| skip)];
    policy["syncOptions"] = json!(completed(written_options(ladder, &policy), automatic));
    policy
}

/// The targets' policy; what it sets to null is not there.
fn written(ladder: &Ladder) -> Value {
    let mut policy = json!({});
    merge(&mut policy, &ladder.settings.targets.sync_policy.to_value());
    policy
}

/// Attempts and pauses: the default, then the targets', then the rung's.
fn retry(ladder: &Ladder, phase: &Phase) -> Value {
    let mut retry = json!({
        "limit": RETRIES,
        "backoff": {"duration": "5s", "factor": 2, "maxDuration": "3m"},
    });
    if let Some(common) = ladder.settings.targets.sync_policy.get("retry") {
        merge(&mut retry, common);
    }
    if let Some(own) = ladder.rungs.find(phase).and_then(|rung| rung.retry.as_ref()) {
        merge(&mut retry, &own.to_value());
    }
    retry
}

/// The options of the targets and of a policy.
pub(super) fn written_options(ladder: &Ladder, policy: &Value) -> Vec<String> {
    let mut options: Vec<String> = ladder.settings.targets.sync_options.clone();
    let written = policy.get("syncOptions").and_then(Value::as_array).into_iter().flatten();
    options.extend(written.filter_map(Value::as_str).map(str::to_owned));
    options
}

fn options(ladder: &Ladder, index: ComponentIndex, facts: &Facts<'_>, policy: &Value) -> Vec<String> {
    let component = ladder.component(index);
    let mut options = written_options(ladder, policy);
    options.extend(component.descriptor.sync_options.iter().cloned());
    let skip = ladder.settings.is_on(SKIP_DRY_RUN_RULE) && facts.foreign.contains(&index);
    let create = facts.namespaces.missing(component).is_some();
    completed(options, [Some(CREATE_NAMESPACE).filter(|_| create), Some(SKIP_DRY_RUN).filter(|_| skip)])
}

/// The written options, and the automatic ones that nobody decided otherwise.
fn completed(written: Vec<String>, automatic: [Option<&str>; 2]) -> Vec<String> {
    let mut options = last_of_each(written);
    for option in automatic.into_iter().flatten() {
        if !options.iter().any(|own| key(own) == key(option)) {
            options.push(option.to_owned());
        }
    }
    options
}

/// The name of a sync option.
pub(super) fn key(option: &str) -> &str {
    option.split('=').next().unwrap_or_default().trim()
}

/// The descriptor's value of an option stands instead of the targets'.
fn last_of_each(options: Vec<String>) -> Vec<String> {
    let mut kept: Map<String, Value> = Map::new();
    for option in options {
        kept.insert(key(&option).to_owned(), json!(option));
    }
    kept.into_iter().filter_map(|(_, option)| option.as_str().map(str::to_owned)).collect()
}
