//! What the rules look things up in: objects by identity, makers, servers of groups, pods by label.

use std::collections::{HashMap, HashSet};

use super::labelled::Labelled;
use super::makers::Makers;
pub use super::wait::{Wait, new_edge};
use super::{brought, crd, makers};
use crate::catalogue::probes::Fact;
use crate::catalogue::rows::Scope;
use crate::catalogue::{Catalogue, plurals, whole_domain};
use crate::classify::{made_kinds, serves};
use crate::model::{Component, ComponentIndex, Provision, Resource, ResourceId, ResourceIndex};

/// Who provides a thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The object itself is in the tree.
    Object(ResourceIndex),
    /// Objects whose controller makes it.
    Made(Vec<ResourceIndex>),
    /// A component that declares it.
    Declared(ComponentIndex),
    /// The cluster has it.
    External,
    /// Nobody.
    Nobody,
}

/// All components and resources with their indices.
pub struct Scene<'a> {
    /// Components by name.
    pub components: &'a [Component],
    /// Resources by component.
    pub resources: &'a [Resource],
    /// The catalogues.
    pub catalogue: &'a Catalogue,
    pub(super) by_id: HashMap<&'a ResourceId, Vec<ResourceIndex>>,
    pub(super) made: Makers,
    declared: HashMap<Provision, ComponentIndex>,
    /// The component each one was split from, or itself.
    pub(super) whole: Vec<&'a str>,
    pub(super) external: HashSet<Provision>,
    crds: HashMap<(&'a str, &'a str), ResourceIndex>,
    operators: HashMap<&'a str, Vec<ResourceIndex>>,
    pods: Labelled<'a>,
    labelled: HashMap<(&'a str, &'a str), Labelled<'a>>,
    workloads: Vec<Vec<ResourceIndex>>,
    class_controllers: HashMap<&'a str, Vec<ResourceIndex>>,
    kind_makers: HashMap<(&'a str, &'a str), Vec<ResourceIndex>>,
    there_before: HashSet<&'a str>,
    api_services: HashMap<&'a str, ResourceIndex>,
    gathered: HashMap<(&'a str, &'a str, &'a str), Vec<ResourceIndex>>,
    pub(super) releases: HashMap<ResourceId, Vec<ResourceIndex>>,
    /// Charts by the namespace and name of their release.
    pub(super) release_names: HashMap<(&'a str, &'a str), ResourceIndex>,
}

impl<'a> Scene<'a> {
    /// Indexes components and resources.
    #[must_use]
    pub fn new(
        components: &'a [Component],
        resources: &'a [Resource],
        catalogue: &'a Catalogue,
        external: &[Provision],
    ) -> Self {
        let mut scene = Self {
            components,
            resources,
            catalogue,
            by_id: HashMap::with_capacity(resources.len()),
            made: HashMap::new(),
            declared: HashMap::new(),
            whole: components
                .iter()
                .map(|one| one.split_from.as_ref().unwrap_or(&one.name).as_str())
                .collect(),
            external: external.iter().cloned().collect(),
            crds: HashMap::new(),
            operators: HashMap::new(),
            pods: Labelled::default(),
            labelled: HashMap::new(),
            workloads: vec![Vec::new(); components.len()],
            class_controllers: HashMap::new(),
            kind_makers: HashMap::new(),
            there_before: HashSet::new(),
            api_services: HashMap::new(),
            gathered: HashMap::new(),
            releases: HashMap::new(),
            release_names: HashMap::new(),
        };
        for (number, resource) in resources.iter().enumerate() {
            scene.index(ResourceIndex(number), resource);
        }
        for (number, component) in components.iter().enumerate() {
            for provided in &component.provides {
                scene.declared.entry(provided.value.clone()).or_insert(ComponentIndex(number));
            }
        }
        scene.made = makers::of(&scene);
        scene
    }

    fn index(&mut self, index: ResourceIndex, resource: &'a Resource) {
        self.by_id.entry(&resource.id).or_default().push(index);
        let manifest = &resource.manifest;
        let id = &resource.id;
        if self.catalogue.is_gathered(&id.group, &id.kind) {
            self.gathered.entry((&id.group, &id.kind, &id.namespace)).or_default().push(index);
        }
        if resource.id.kind == "CustomResourceDefinition"
            && let (Some(group), Some(kind)) = (manifest.fact(Fact::CrdGroup), manifest.fact(Fact::CrdKind))
        {
            self.crds.entry((group, kind)).or_insert(index);
        }
        if manifest.facts(Fact::ApiService).next().is_some() {
            self.api_services.extend(manifest.fact(Fact::ApiGroup).map(|group| (group, index)));
        }
        for made in made_kinds::of(manifest) {
            self.kind_makers.entry((made.group, made.kind)).or_default().push(index);
        }
        if resource.is_workload {
            self.workloads[resource.component.0].push(index);
        }
        let is_self_hosted = serves::is_self_hosted(resource, self.catalogue);
        for provider in serves::providers(resource, self.catalogue).filter(|_| serves::runs(resource)) {
            if is_self_hosted {
                self.there_before.extend(provider.crds.iter().map(String::as_str));
            }
            for name in provider.runs_classes_of() {
                self.class_controllers.entry(name).or_default().push(index);
            }
        }
        for group in &resource.serves {
            self.operators.entry(group).or_default().push(index);
        }
        for service in brought::called_services(resource) {
            self.releases.entry(service).or_default().push(index);
        }
        for chart in resource.charts.iter().filter(|chart| !chart.namespace.is_empty()) {
            for name in [Some(&chart.release), chart.full_name.as_ref()].into_iter().flatten() {
                self.release_names.entry((&chart.namespace, name)).or_insert(index);
            }
        }
        for label in manifest.facts(Fact::PodLabel) {
            self.pods.add(&resource.id.namespace, label, index);
        }
        for label in manifest.facts(Fact::Label) {
            self.labelled.entry((&id.group, &id.kind)).or_default().add(&id.namespace, label, index);
        }
    }

    /// Resources with their indices.
    pub fn iter(&self) -> impl Iterator<Item = (ResourceIndex, &'a Resource)> {
        self.resources.iter().enumerate().map(|(number, resource)| (ResourceIndex(number), resource))
    }

    /// The resource at an index.
    #[must_use]
    pub fn resource(&self, index: ResourceIndex) -> &'a Resource {
        &self.resources[index.0]
    }

    /// The component a resource belongs to.
    #[must_use]
    pub fn component(&self, index: ComponentIndex) -> &'a Component {
        &self.components[index.0]
    }

    /// Whether the user says that the cluster has a thing.
    #[must_use]
    pub fn is_external(&self, provision: &Provision) -> bool {
        self.external.contains(provision)
    }

    /// Who makes an object at run time.
    #[must_use]
    pub fn maker(&self, id: &ResourceId) -> Option<Found> {
        self.made.get(id).map(|makers| Found::Made(makers.clone()))
    }

    /// Who declares a thing no object shows.
    #[must_use]
    pub fn find_declared(&self, provision: &Provision) -> Found {
        match self.declared.get(provision) {
            Some(component) => Found::Declared(*component),
            None if self.external.contains(provision) => Found::External,
            None => Found::Nobody,
        }
    }

    /// The CRD of a kind.
    #[must_use]
    pub fn crd(&self, group: &str, kind: &str) -> Option<ResourceIndex> {
        self.crds.get(&(group, kind)).copied()
    }

    /// Objects that make a kind without being its CRD.
    #[must_use]
    pub fn kind_makers(&self, group: &str, kind: &str) -> Vec<ResourceIndex> {
        self.kind_makers.get(&(group, kind)).cloned().unwrap_or_default()
    }

    /// Whether a CRD of this name is in the cluster before anything of the tree, as only its own kinds install it.
    #[must_use]
    pub fn is_there_before(&self, crd: &str) -> bool {
        self.there_before.contains(crd)
    }

    /// All objects of a kind in a namespace, of those kinds that rows gather.
    #[must_use]
    pub fn all_in(&self, group: &str, kind: &str, namespace: &str) -> Vec<ResourceId> {
        let found = self.gathered.get(&(group, kind, namespace)).into_iter().flatten();
        found.map(|index| self.resource(*index).id.clone()).collect()
    }

    /// The `APIService` of a group that another server than the API server itself answers.
    #[must_use]
    pub fn api_service(&self, group: &str) -> Option<ResourceIndex> {
        self.api_services.get(group).copied()
    }

    /// Workloads that serve a group.
    #[must_use]
    pub fn operators(&self, group: &str) -> &[ResourceIndex] {
        self.operators.get(group).map_or(&[], Vec::as_slice)
    }

    /// Workloads that serve a kind: where several projects share a group, the one that brings the kind's CRD.
    #[must_use]
    pub fn operators_of(&self, group: &str, kind: &str) -> Vec<ResourceIndex> {
        let all = self.operators(group);
        if !self.catalogue.is_shared_group(group) {
            return all.to_vec();
        }
        let names = self.crd_names(group, kind);
        all.iter()
            .copied()
            .filter(|index| crd::may_serve(self.resource(*index), &names, self.catalogue))
            .collect()
    }

    /// The names a kind's CRD may have: the one in the tree, else every regular plural.
    #[must_use]
    pub fn crd_names(&self, group: &str, kind: &str) -> Vec<String> {
        match self.crd(group, kind) {
            Some(index) => vec![self.resource(index).id.name.to_string()],
            None => plurals(kind).into_iter().map(|plural| format!("{plural}.{group}")).collect(),
        }
    }

    /// Workloads, charts and packages that run the classes of a provisioner or controller.
    #[must_use]
    pub fn class_controllers(&self, name: &str) -> &[ResourceIndex] {
        let exact = self.class_controllers.get(name);
        let of_domain = || self.class_controllers.get(whole_domain(name)?.as_str());
        exact.or_else(of_domain).map_or(&[], Vec::as_slice)
    }

    /// Workloads of a component.
    #[must_use]
    pub fn workloads_of(&self, component: ComponentIndex) -> &[ResourceIndex] {
        &self.workloads[component.0]
    }

    /// Where objects of a kind live.
    #[must_use]
    pub fn scope(&self, group: &str, kind: &str) -> Scope {
        let crd = self.crd(group, kind).map(|index| self.resource(index).manifest.fact(Fact::CrdScope));
        match crd {
            Some(Some("Cluster")) => Scope::Cluster,
            Some(_) => Scope::Namespaced,
            None => self.catalogue.kind(group, kind).map_or(Scope::Namespaced, |row| row.scope),
        }
    }

    /// Workloads behind a Service: all its selector's pairs must be on their pods.
    #[must_use]
    pub fn behind(&self, service: ResourceIndex) -> Vec<ResourceIndex> {
        let service = self.resource(service);
        let pairs: Vec<(&str, &str)> = service
            .manifest
            .facts(Fact::Selector)
            .map(|pair| (pair.key.as_str(), pair.value.as_deref().unwrap_or_default()))
            .collect();
        self.pods_labelled(&service.id.namespace, &pairs, service.component)
    }

    /// Workloads of a namespace whose pods carry all these labels.
    #[must_use]
    pub fn pods_labelled(
        &self,
        namespace: &str,
        pairs: &[(&str, &str)],
        asking: ComponentIndex,
    ) -> Vec<ResourceIndex> {
        let mut found = self.pods.with_all(namespace, pairs);
        found.retain(|index| self.resource(*index).is_workload);
        self.one_copy_of_each(&found, asking)
    }

    /// Objects of a kind in a namespace that carry all these labels, of those kinds whose labels code asks for.
    #[must_use]
    pub fn labelled(
        &self,
        (group, kind): (&str, &str),
        namespace: &str,
        pairs: &[(&str, &str)],
        asking: ComponentIndex,
    ) -> Vec<ResourceIndex> {
        let found = self.labelled.get(&(group, kind)).map(|all| all.with_all(namespace, pairs));
        self.one_copy_of_each(&found.unwrap_or_default(), asking)
    }

    /// The namespaces in which objects of a kind carry labels.
    #[must_use]
    pub fn namespaces_of(&self, group: &str, kind: &str) -> Vec<&'a str> {
        self.labelled.get(&(group, kind)).map(|all| all.namespaces().collect()).unwrap_or_default()
    }

    /// The namespaces in which there are labelled pods.
    #[must_use]
    pub fn namespaces_of_pods(&self) -> Vec<&'a str> {
        self.pods.namespaces().collect()
    }
}
