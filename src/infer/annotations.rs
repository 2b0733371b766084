//! Order that other tools' annotations already declare: cli-utils' `depends-on`, kapp's change groups and rules, and
//! Helm's resource groups. What their authors wrote is strong.

use std::collections::BTreeMap;

use super::Inferred;
use super::scene::{Found, Scene, Wait};
use crate::model::{Gate, Reason, Resource, ResourceId, ResourceIndex, Strength};

const DEPENDS_ON: &str = "config.kubernetes.io/depends-on";
const KAPP_GROUP: &str = "kapp.k14s.io/change-group";
const KAPP_RULE: &str = "kapp.k14s.io/change-rule";
const HELM_GROUP: &str = "helm.sh/resource-group";
const HELM_DEPENDS: &str = "helm.sh/depends-on/resource-groups";

/// Members of named groups.
type Groups<'a> = BTreeMap<&'a str, Vec<ResourceIndex>>;

/// Edges from all three annotations.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = depends_on(scene);
    inferred.extend(kapp_rules(scene));
    inferred.extend(helm_groups(scene));
    inferred
}

fn depends_on(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    for (index, resource) in scene.iter() {
        let Some(list) = resource.manifest.annotation(DEPENDS_ON) else { continue };
        let wait = wait(resource, DEPENDS_ON, "depends-on-annotation");
        for id in list.split(',').filter_map(|entry| object(entry.trim())) {
            let found = scene.find(&id, resource.component);
            if found == Found::Nobody {
                let help = "correct the annotation, or add the object".to_owned();
                inferred.findings.push(scene.unsatisfied(
                    index,
                    &format!("`{}`", id.short()),
                    wait.origin.clone(),
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

/// `upsert after upserting GROUP` and `upsert before upserting GROUP`; rules about deletion order nothing here.
fn kapp_rules(scene: &Scene<'_>) -> Inferred {
    let groups = members(scene, KAPP_GROUP);
    let mut inferred = Inferred::default();
    for (index, resource) in scene.iter() {
        for (key, rule) in annotations(resource, KAPP_RULE) {
            let words: Vec<&str> = rule.split_whitespace().collect();
            let ["upsert", side @ ("after" | "before"), "upserting", group] = words[..] else { continue };
            let wait = wait(resource, key, "kapp-change-rule");
            for member in groups.get(group).into_iter().flatten().filter(|member| **member != index) {
                let (from, to) = if side == "after" { (index, *member) } else { (*member, index) };
                inferred.edges.push(scene.edge(from, to, &wait));
            }
        }
    }
    inferred
}

/// A resource whose group depends on other groups waits for their members, inside its component.
fn helm_groups(scene: &Scene<'_>) -> Inferred {
    let groups = members(scene, HELM_GROUP);
    let mut inferred = Inferred::default();
    for (index, resource) in scene.iter() {
        let Some(list) = resource.manifest.annotation(HELM_DEPENDS) else { continue };
        let names: Vec<String> = serde_json::from_str(list).unwrap_or_default();
        let wait = wait(resource, HELM_DEPENDS, "helm-resource-group");
        let targets = names.iter().filter_map(|name| groups.get(name.as_str())).flatten();
        let own = targets
            .filter(|member| scene.resource(**member).component == resource.component && **member != index);
        inferred.edges.extend(own.map(|member| scene.edge(index, *member, &wait)));
    }
    inferred
}

fn members<'a>(scene: &Scene<'a>, key: &'static str) -> Groups<'a> {
    let mut groups = Groups::new();
    for (index, resource) in scene.iter() {
        for (_, group) in annotations(resource, key) {
            groups.entry(group).or_default().push(index);
        }
    }
    groups
}

/// The annotation and its numbered or named siblings: `key` and `key.anything`.
fn annotations<'a>(resource: &'a Resource, key: &'static str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let is_one =
        move |name: &str| name.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    resource
        .manifest
        .annotations
        .iter()
        .filter(move |(name, _)| is_one(name))
        .map(|(name, value)| (name.as_str(), value.as_str()))
}

fn wait(resource: &Resource, key: &str, reason: &'static str) -> Wait {
    let origin = resource.origin_at(resource.manifest.annotation_line(key));
    Wait { reason: Reason::from(reason), strength: Strength::Strong, gate: Gate::Ready, origin }
}
