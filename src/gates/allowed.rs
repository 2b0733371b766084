//! Gates that may not ask: the pods' account must be allowed to read the object whose condition they wait for.
//!
//! Only what is surely missing is told: a role of somewhere else, or an aggregated one, may allow anything.

use crate::load::hooks::ResourceWait;
use crate::model::{Finding, Ladder, Level, Resource, ResourceIndex};
use crate::yaml::tree::Node;

use super::PlacedGate;
use super::grants::{Grants, VERBS};

/// Gates that may not ask.
#[must_use]
pub fn findings(ladder: &Ladder) -> Vec<Finding> {
    let asking = ladder.gates.iter().filter_map(|gate| Some((gate, gate.wait.value.resource.as_ref()?)));
    let mut asking = asking.peekable();
    if asking.peek().is_none() {
        return Vec::new();
    }
    let grants = Grants::of(ladder);
    let first = |(gate, wait): (&PlacedGate, &ResourceWait)| {
        gate.pods.iter().find_map(|pod| forbidden(ladder, &grants, gate, wait, *pod))
    };
    asking.filter_map(first).collect()
}

fn forbidden(
    ladder: &Ladder,
    grants: &Grants,
    gate: &PlacedGate,
    wait: &ResourceWait,
    pod: ResourceIndex,
) -> Option<Finding> {
    let resource = ladder.resource(pod);
    let account = Account::of(resource)?;
    let namespace = wait.namespace.as_deref().unwrap_or(&account.namespace);
    let (what, help) = if !account.has_token {
        ("its pods get no token (`automountServiceAccountToken`)".to_owned(), "mount it".to_owned())
    } else if grants.allow(&account.namespace, &account.name, wait, namespace) {
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
        let root = resource.manifest.tree()?;
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
}
