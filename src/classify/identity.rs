//! Identity: scope of a kind, namespace as Argo CD will set it, duplicates.

use std::collections::HashMap;

use super::made_kinds;
use crate::catalogue::Catalogue;
use crate::catalogue::probes::Fact;
use crate::catalogue::rows::Scope;
use crate::model::{Component, Finding, Level, Resource, ResourceId};
use crate::render::Manifest;

/// Which kinds live in the cluster, from the tree's own CRDs and the catalogue.
pub struct Scopes<'c> {
    catalogue: &'c Catalogue,
    shipped: HashMap<(String, String), Scope>,
}

impl<'c> Scopes<'c> {
    /// Reads the CRDs among the manifests.
    pub fn of<'m>(manifests: impl Iterator<Item = &'m Manifest> + Clone, catalogue: &'c Catalogue) -> Self {
        let made = manifests
            .clone()
            .flat_map(made_kinds::of)
            .filter_map(|made| Some(((made.group.to_owned(), made.kind.to_owned()), made.scope?)));
        let crds = manifests.filter(|manifest| manifest.kind == "CustomResourceDefinition");
        let shipped = crds.filter_map(|crd| {
            let key = (crd.fact(Fact::CrdGroup)?.to_owned(), crd.fact(Fact::CrdKind)?.to_owned());
            let cluster = crd.fact(Fact::CrdScope) == Some("Cluster");
            Some((key, if cluster { Scope::Cluster } else { Scope::Namespaced }))
        });
        Self { catalogue, shipped: made.chain(shipped).collect() }
    }

    /// Where objects of a kind live; unknown kinds are taken for namespaced, as most are.
    #[must_use]
    pub fn scope(&self, group: &str, kind: &str) -> Scope {
        let shipped = self.shipped.get(&(group.to_owned(), kind.to_owned())).copied();
        shipped.or_else(|| self.catalogue.kind(group, kind).map(|row| row.scope)).unwrap_or_default()
    }

    /// Whether the scope of a kind is known, from a CRD of the tree or the catalogue.
    #[must_use]
    pub fn is_known(&self, group: &str, kind: &str) -> bool {
        self.shipped.contains_key(&(group.to_owned(), kind.to_owned()))
            || self.catalogue.kind(group, kind).is_some()
    }

    /// The identity of an object: without a namespace of its own it gets the first destination that names one.
    #[must_use]
    pub fn id(&self, manifest: &Manifest, destinations: &[&str]) -> ResourceId {
        let given = destinations.iter().find(|namespace| !namespace.is_empty()).unwrap_or(&"default");
        let namespace = match self.scope(&manifest.group, &manifest.kind) {
            Scope::Cluster => "",
            Scope::Namespaced => manifest.namespace.as_deref().unwrap_or(given),
        };
        ResourceId::new(&manifest.group, &manifest.kind, namespace, &manifest.name)
    }
}

/// Objects that stand more than once: Argo CD keeps the last and warns.
#[must_use]
pub fn duplicates(components: &[Component], resources: &[Resource]) -> Vec<Finding> {
    let mut first: HashMap<&ResourceId, &Resource> = HashMap::with_capacity(resources.len());
    let mut findings = Vec::new();
    for resource in resources.iter().filter(|resource| !resource.id.name.ends_with('*')) {
        if let Some(other) = first.insert(&resource.id, resource) {
            let message = format!(
                "`{}` also stands in {}; Argo CD would keep only one",
                resource.id.short(),
                other.origin()
            );
            findings.push(
                Finding::new("duplicate-resource", Level::Warning, message)
                    .about(&components[resource.component.0].name)
                    .at(resource.origin())
                    .help("delete one of the two"),
            );
        }
    }
    findings
}
