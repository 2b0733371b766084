//! Order that other tools' annotations already declare: cli-utils' `depends-on`, kapp's change groups and rules, and
//! Helm's resource groups. What their authors wrote is strong.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Inferred;
use super::between::Between;
use super::scene::{Found, Scene, Wait};
use crate::model::{
    Barrier, ComponentIndex, Edge, Gate, Reason, Resource, ResourceId, ResourceIndex, Strength,
};

const DEPENDS_ON: &str = "config.kubernetes.io/depends-on";
const KAPP_GROUP: &str = "kapp.k14s.io/change-group";
const KAPP_RULE: &str = "kapp.k14s.io/change-rule";
const HELM_GROUP: &str = "helm.sh/resource-group";
const HELM_DEPENDS: &str = "helm.sh/depends-on/resource-groups";

const KAPP_REASON: &str = "kapp-change-rule";
const HELM_REASON: &str = "helm-resource-group";

/// Members of named groups.
type Groups<'a> = BTreeMap<&'a str, Vec<ResourceIndex>>;

/// Edges from all three annotations.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = depends_on(scene);
    inferred.edges.extend(rules(scene).iter().flat_map(|rule| rule.edges(scene)));
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

/// The rules between groups as barriers, which keep the order of all pairs that the edges leave out.
#[must_use]
pub fn barriers(scene: &Scene<'_>, edges: &[Edge]) -> Vec<Barrier> {
    let is_rule = |edge: &Edge| [KAPP_REASON, HELM_REASON].contains(&edge.reason.as_str());
    let mut positions = HashMap::new();
    for (position, edge) in edges.iter().enumerate().filter(|(_, edge)| is_rule(edge)) {
        positions.extend(edge.from.resource.zip(edge.to.resource).map(|pair| (pair, position)));
    }
    rules(scene).iter().map(|rule| rule.barrier(scene, &positions)).collect()
}

fn rules(scene: &Scene<'_>) -> Vec<Between> {
    let mut rules = kapp_rules(scene);
    rules.extend(helm_groups(scene));
    rules
}

/// `upsert after upserting GROUP` and `upsert before upserting GROUP`; rules about deletion order nothing here.
fn kapp_rules(scene: &Scene<'_>) -> Vec<Between> {
    let groups = members(scene, KAPP_GROUP);
    let mut rules: BTreeMap<(&str, &str), Between> = BTreeMap::new();
    for (index, resource) in scene.iter() {
        for (key, rule) in annotations(resource, KAPP_RULE) {
            let words: Vec<&str> = rule.split_whitespace().collect();
            let ["upsert", side @ ("after" | "before"), "upserting", group] = words[..] else { continue };
            let Some(members) = groups.get(group) else { continue };
            let rule = rules.entry((side, group)).or_insert_with(|| {
                let members = members.iter().copied().collect();
                match side {
                    "after" => Between { to: members, ..Between::default() },
                    _ => Between { from: members, ..Between::default() },
                }
            });
            let carriers = if side == "after" { &mut rule.from } else { &mut rule.to };
            carriers.insert(index);
            rule.said.entry(index).or_insert_with(|| wait(resource, key, KAPP_REASON));
        }
    }
    rules.into_values().collect()
}

/// A resource whose group depends on other groups waits for their members, inside its component.
fn helm_groups(scene: &Scene<'_>) -> Vec<Between> {
    let mut groups: BTreeMap<ComponentIndex, BTreeMap<&str, BTreeSet<ResourceIndex>>> = BTreeMap::new();
    for (index, resource) in scene.iter() {
        for (_, group) in annotations(resource, HELM_GROUP) {
            groups.entry(resource.component).or_default().entry(group).or_default().insert(index);
        }
    }
    let mut rules: BTreeMap<(ComponentIndex, &str), Between> = BTreeMap::new();
    for (index, resource) in scene.iter() {
        let Some(list) = resource.manifest.annotation(HELM_DEPENDS) else { continue };
        let names: Vec<String> = serde_json::from_str(list).unwrap_or_default();
        for name in names {
            let own = groups.get(&resource.component);
            let Some((group, members)) = own.and_then(|own| own.get_key_value(name.as_str())) else {
                continue;
            };
            let rule = rules.entry((resource.component, *group));
            let rule = rule.or_insert_with(|| Between { to: members.clone(), ..Between::default() });
            rule.from.insert(index);
            rule.said.entry(index).or_insert_with(|| wait(resource, HELM_DEPENDS, HELM_REASON));
        }
    }
    rules.into_values().collect()
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
