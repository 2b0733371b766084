//! Who may read what, as far as the bindings and roles of the ladder say. A role that is not here, or an aggregated one,
//! may allow anything.

use std::collections::HashMap;

use serde_json::Value;

use crate::load::hooks::ResourceWait;
use crate::model::{Ladder, Resource};

const GROUP: &str = "rbac.authorization.k8s.io";
/// What `kubectl wait` does with an object.
pub(super) const VERBS: &[&str] = &["get", "list", "watch"];

/// A role by kind, namespace (empty for a `ClusterRole`) and name.
type RoleId = (String, String, String);

/// The bindings of a ladder, by who is bound.
pub(super) struct Grants {
    by_subject: HashMap<String, Vec<Binding>>,
    roles: HashMap<RoleId, Value>,
}

#[derive(Clone)]
struct Binding {
    /// Where it counts; `None` is everywhere.
    namespace: Option<String>,
    role: RoleId,
}

impl Grants {
    pub(super) fn of(ladder: &Ladder) -> Self {
        let mut grants = Self { by_subject: HashMap::new(), roles: HashMap::new() };
        let resources = ladder.written().map(|index| ladder.resource(index));
        for resource in resources.filter(|resource| resource.id.group == GROUP) {
            let Some(object) = resource.manifest.tree().map(|tree| tree.to_json()) else { continue };
            match resource.id.kind.as_str() {
                "RoleBinding" | "ClusterRoleBinding" => grants.add_binding(resource, &object),
                kind @ ("Role" | "ClusterRole") => {
                    let namespace = if kind == "Role" { resource.id.namespace.as_str() } else { "" };
                    grants.roles.insert(role_id(kind, namespace, &resource.id.name), object);
                }
                _ => {}
            }
        }
        grants
    }

    fn add_binding(&mut self, resource: &Resource, object: &Value) {
        let own = resource.id.namespace.as_str();
        let text = |key: &str| object["roleRef"][key].as_str().unwrap_or_default();
        let namespace = if text("kind") == "ClusterRole" { "" } else { own };
        let binding = Binding {
            namespace: (resource.id.kind == "RoleBinding").then(|| own.to_owned()),
            role: role_id(text("kind"), namespace, text("name")),
        };
        for subject in object["subjects"].as_array().into_iter().flatten() {
            let name = subject["name"].as_str().unwrap_or_default();
            let who = match subject["kind"].as_str() {
                Some("ServiceAccount") => account(subject["namespace"].as_str().unwrap_or(own), name),
                Some("Group" | "User") => name.to_owned(),
                _ => continue,
            };
            self.by_subject.entry(who).or_default().push(binding.clone());
        }
    }

    /// Whether an account may read what is waited for in a namespace.
    pub(super) fn allow(&self, place: &str, name: &str, wait: &ResourceWait, namespace: &str) -> bool {
        let group = format!("system:serviceaccounts:{place}");
        let subjects = [&account(place, name), "system:authenticated", "system:serviceaccounts", &group];
        let bindings = subjects.iter().filter_map(|subject| self.by_subject.get(*subject)).flatten();
        let mut there =
            bindings.filter(|binding| binding.namespace.as_deref().is_none_or(|own| own == namespace));
        there.any(|binding| self.roles.get(&binding.role).is_none_or(|role| role_allows(role, wait)))
    }
}

fn account(namespace: &str, name: &str) -> String {
    format!("system:serviceaccount:{namespace}:{name}")
}

fn role_id(kind: &str, namespace: &str, name: &str) -> RoleId {
    (kind.to_owned(), namespace.to_owned(), name.to_owned())
}

fn role_allows(role: &Value, wait: &ResourceWait) -> bool {
    let rules = role["rules"].as_array();
    role.get("aggregationRule").is_some() || rules.into_iter().flatten().any(|rule| rule_allows(rule, wait))
}

fn rule_allows(rule: &Value, wait: &ResourceWait) -> bool {
    let (kind, group) = wait.kind_and_group();
    // Plurals are not known here; all that begin like the kind are taken for it.
    let kind = kind.to_lowercase();
    let stem = kind.trim_end_matches(['s', 'y']);
    let any = |field: &str, takes: &dyn Fn(&str) -> bool| {
        let words = rule[field].as_array().into_iter().flatten().filter_map(Value::as_str);
        words.into_iter().any(|word| word == "*" || takes(word))
    };
    any("resources", &|word| word.starts_with(stem))
        && any("apiGroups", &|word| group.is_none_or(|group| group == word))
        && VERBS.iter().all(|verb| any("verbs", &|word| word == *verb))
        && (rule["resourceNames"].as_array().is_none_or(Vec::is_empty)
            || any("resourceNames", &|word| word == wait.name))
}
