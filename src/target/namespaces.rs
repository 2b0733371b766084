//! Destination namespaces that nobody brings: Argo CD creates them by a sync option, Flux needs them written.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::sync;
use crate::emit::Selection;
use crate::model::{Component, ComponentIndex, Ladder, NAMESPACES_OF_EVERY_CLUSTER, Provision, ResourceId};

/// Removing a component must not remove what others have in its namespace.
const KEPT: (&str, &str) = ("kustomize.toolkit.fluxcd.io/prune", "disabled");

/// The namespaces that are there once the ladder is rolled out.
pub struct Namespaces<'l>(BTreeSet<&'l str>);

impl<'l> Namespaces<'l> {
    /// Those the manifests hold, a descriptor provides or the cluster is said to have.
    #[must_use]
    pub fn there(ladder: &'l Ladder) -> Self {
        let written = ladder.resources.iter().map(|resource| &resource.id);
        let provided = ladder.components.iter().flat_map(|component| &component.provides);
        let declared = provided.map(|declared| &declared.value).chain(&ladder.settings.external);
        let declared = declared.filter_map(|provision| match provision {
            Provision::Object(id) => Some(id),
            _ => None,
        });
        let is_namespace = |id: &&ResourceId| id.group.is_empty() && id.kind == "Namespace";
        let brought = written.chain(declared).filter(is_namespace).map(|id| id.name.as_str());
        Self(brought.chain(NAMESPACES_OF_EVERY_CLUSTER.iter().copied()).collect())
    }

    /// The namespace a component goes to, if nobody brings it.
    #[must_use]
    pub fn missing<'c>(&self, component: &'c Component) -> Option<&'c str> {
        Some(component.namespace.as_str()).filter(|name| !name.is_empty() && !self.0.contains(name))
    }
}

/// A Namespace for each that is missing where objects go to it, unless a sync option refuses to create it.
#[must_use]
pub fn for_flux(ladder: &Ladder, selection: &Selection) -> Vec<(String, Value)> {
    let there = Namespaces::there(ladder);
    let chosen = (0..ladder.components.len()).filter(|number| selection.takes_component(ladder, *number));
    let mut missing: BTreeMap<&str, Value> = BTreeMap::new();
    for index in chosen.map(ComponentIndex).filter(|index| may_create(ladder, *index)) {
        let Some(name) = there.missing(ladder.component(index)) else { continue };
        if ladder.resources_of(index).any(|resource| ladder.resource(resource).id.namespace == name) {
            missing.entry(name).or_insert_with(|| object(name));
        }
    }
    missing.into_iter().map(|(name, object)| (format!("namespace-{name}"), object)).collect()
}

fn may_create(ladder: &Ladder, index: ComponentIndex) -> bool {
    let own = &ladder.component(index).descriptor;
    let policy = own.sync_policy.as_ref().map_or_else(|| json!({}), crate::load::checked::Checked::to_value);
    let mut options = sync::written_options(ladder, &policy);
    options.extend(own.sync_options.iter().cloned());
    let decided = options.iter().rfind(|option| sync::key(option) == "CreateNamespace");
    decided.is_none_or(|option| option == sync::CREATE_NAMESPACE)
}

fn object(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "annotations": {KEPT.0: KEPT.1}},
    })
}
