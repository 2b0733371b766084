//! Gates that may not ask: the pods' account must be allowed to read the object whose condition they wait for.
//!
//! Only what is surely missing is told: a role of somewhere else, or an aggregated one, may allow anything.

use serde_json::Value;

use crate::load::hooks::ResourceWait;
use crate::model::{Finding, Ladder, Level, Resource, ResourceIndex};
use crate::yaml::tree::Node;

use super::{PlacedGate, root};

const GROUP: &str = "rbac.authorization.k8s.io";
/// What `kubectl wait` does with an object.
const VERBS: &[&str] = &["get", "list", "watch"];

/// Gates that may not ask.
#[must_use]
pub fn findings(ladder: &Ladder) -> Vec<Finding> {
    let asking = ladder.gates.iter().filter_map(|gate| Some((gate, gate.wait.value.resource.as_ref()?)));
    asking
        .filter_map(|(gate, wait)| gate.pods.iter().find_map(|pod| forbidden(ladder, gate, wait, *pod)))
        .collect()
}

fn forbidden(ladder: &Ladder, gate: &PlacedGate, wait: &ResourceWait, pod: ResourceIndex) -> Option<Finding> {
    let resource = ladder.resource(pod);
    let account = Account::of(resource)?;
    let namespace = wait.namespace.as_deref().unwrap_or(&account.namespace);
    let (what, help) = if !account.has_token {
        ("its pods get no token (`automountServiceAccountToken`)".to_owned(), "mount it".to_owned())
    } else if ladder.written().any(|index| allows(ladder, ladder.resource(index), &account, wait, namespace))
    {
        return None;
    } else {
        let help = format!(
            "bind ServiceAccount `{}/{}` to a Role with {} on it in namespace `{namespace}`",
            account.namespace,
            account.name,
            VERBS.join(", ")
        );
        (format!("nothing here lets ServiceAccount `{}` read it", account.name), help)
    };
    let message = format!("`{}` waits for {} `{}`, but {what}", resource.id.short(), wait.kind, wait.name);
    Some(
        Finding::new("gate-may-not-read", Level::Warning, message)
            .about(&ladder.component(gate.component).name)
            .at(gate.wait.origin.clone())
            .help(help),
    )
}

/// Who a pod is to the API server.
struct Account {
    namespace: String,
    name: String,
    has_token: bool,
}

impl Account {
    /// `None` for kinds whose pods stand elsewhere.
    fn of(resource: &Resource) -> Option<Self> {
        let root = root(&resource.manifest)?;
        let paths: [&[&str]; 3] =
            [&["spec", "template", "spec"], &["spec", "jobTemplate", "spec", "template", "spec"], &["spec"]];
        let pod =
            paths.iter().filter_map(|path| root.at(path)).find(|pod| pod.get("containers").is_some())?;
        let text = |field: &str| pod.get(field).and_then(Node::text);
        Some(Self {
            namespace: resource.id.namespace.to_string(),
            name: text("serviceAccountName").unwrap_or("default").to_owned(),
            has_token: text("automountServiceAccountToken") != Some("false"),
        })
    }

    fn is_subject(&self, subject: &Value, binding: &str) -> bool {
        let name = subject["name"].as_str().unwrap_or_default();
        match subject["kind"].as_str() {
            Some("ServiceAccount") => {
                name == self.name && subject["namespace"].as_str().unwrap_or(binding) == self.namespace
            }
            Some("Group") => {
                let own = format!("system:serviceaccounts:{}", self.namespace);
                ["system:authenticated", "system:serviceaccounts", &own].contains(&name)
            }
            _ => false,
        }
    }
}

/// Whether a binding lets an account read an object of a namespace.
fn allows(
    ladder: &Ladder,
    binding: &Resource,
    account: &Account,
    wait: &ResourceWait,
    namespace: &str,
) -> bool {
    let there = match binding.id.kind.as_str() {
        "ClusterRoleBinding" => true,
        "RoleBinding" => binding.id.namespace == namespace,
        _ => false,
    };
    if !there || binding.id.group != GROUP {
        return false;
    }
    let Some(object) = root(&binding.manifest).map(|root| root.to_json()) else { return true };
    let subjects = object["subjects"].as_array().into_iter().flatten();
    let mut subjects = subjects.filter(|subject| account.is_subject(subject, &binding.id.namespace));
    subjects.next().is_some() && role_allows(ladder, &object["roleRef"], &binding.id.namespace, wait)
}

fn role_allows(ladder: &Ladder, reference: &Value, namespace: &str, wait: &ResourceWait) -> bool {
    let is_meant = |role: &&Resource| {
        role.id.group == GROUP
            && Some(role.id.kind.as_str()) == reference["kind"].as_str()
            && Some(role.id.name.as_str()) == reference["name"].as_str()
            && (role.id.kind == "ClusterRole" || role.id.namespace == namespace)
    };
    let role = ladder.written().map(|index| ladder.resource(index)).find(is_meant);
    let Some(role) = role.and_then(|role| root(&role.manifest)) else { return true };
    let role = role.to_json();
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
