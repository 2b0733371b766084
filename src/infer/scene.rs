//! What the rules look things up in: objects by identity, makers, servers of groups, pods by label.

use std::collections::{HashMap, HashSet};

use super::{brought, crd, reference};
use crate::catalogue::Catalogue;
use crate::catalogue::probes::Fact;
use crate::catalogue::rows::Scope;
use crate::classify::{made_kinds, serves};
use crate::model::{
    Component, ComponentIndex, Edge, End, Finding, Gate, Level, Origin, Provision, Reason, Resource,
    ResourceId, ResourceIndex, Strength,
};

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
    by_id: HashMap<&'a ResourceId, Vec<ResourceIndex>>,
    made: HashMap<ResourceId, Vec<ResourceIndex>>,
    declared: HashMap<Provision, ComponentIndex>,
    external: HashSet<Provision>,
    crds: HashMap<(&'a str, &'a str), ResourceIndex>,
    operators: HashMap<&'a str, Vec<ResourceIndex>>,
    pods: HashMap<(&'a str, &'a str, &'a str), Vec<ResourceIndex>>,
    workloads: Vec<Vec<ResourceIndex>>,
    provisioners: HashMap<&'a str, Vec<ResourceIndex>>,
    kind_makers: HashMap<(&'a str, &'a str), Vec<ResourceIndex>>,
}

/// What an edge says besides its ends.
#[derive(Debug, Clone)]
pub struct Wait {
    /// The rule.
    pub reason: Reason,
    /// Whether it decides the rung.
    pub strength: Strength,
    /// What is waited for.
    pub gate: Gate,
    /// The field that says so.
    pub origin: Origin,
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
            external: external.iter().cloned().collect(),
            crds: HashMap::new(),
            operators: HashMap::new(),
            pods: HashMap::new(),
            workloads: vec![Vec::new(); components.len()],
            provisioners: HashMap::new(),
            kind_makers: HashMap::new(),
        };
        for (number, resource) in resources.iter().enumerate() {
            scene.index(ResourceIndex(number), resource);
        }
        for (number, component) in components.iter().enumerate() {
            for provided in &component.provides {
                scene.declared.entry(provided.value.clone()).or_insert(ComponentIndex(number));
            }
        }
        for (number, resource) in resources.iter().enumerate() {
            let brought = brought::by(resource, catalogue);
            for id in reference::made_by(resource, catalogue).into_iter().chain(brought) {
                scene.made.entry(id).or_default().push(ResourceIndex(number));
            }
        }
        scene
    }

    fn index(&mut self, index: ResourceIndex, resource: &'a Resource) {
        self.by_id.entry(&resource.id).or_default().push(index);
        let manifest = &resource.manifest;
        if resource.id.kind == "CustomResourceDefinition"
            && let (Some(group), Some(kind)) = (manifest.fact(Fact::CrdGroup), manifest.fact(Fact::CrdKind))
        {
            self.crds.entry((group, kind)).or_insert(index);
        }
        for made in made_kinds::of(manifest) {
            self.kind_makers.entry((made.group, made.kind)).or_default().push(index);
        }
        if resource.is_workload {
            self.workloads[resource.component.0].push(index);
        }
        for provider in serves::providers(resource, self.catalogue).filter(|_| serves::runs(resource)) {
            for name in &provider.storage_provisioner {
                self.provisioners.entry(name).or_default().push(index);
            }
        }
        for group in &resource.serves {
            self.operators.entry(group).or_default().push(index);
        }
        for label in manifest.facts(Fact::PodLabel) {
            let value = label.value.as_deref().unwrap_or_default();
            let list = self.pods.entry((&resource.id.namespace, &label.key, value)).or_default();
            if list.last() != Some(&index) {
                list.push(index);
            }
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

    /// Who provides an object; the asking component's own copy first.
    #[must_use]
    pub fn find(&self, id: &ResourceId, asking: ComponentIndex) -> Found {
        if let Some(copies) = self.by_id.get(id) {
            let own = copies.iter().find(|copy| self.resource(**copy).component == asking);
            return Found::Object(*own.unwrap_or(&copies[0]));
        }
        if let Some(makers) = self.made.get(id) {
            return Found::Made(makers.clone());
        }
        self.find_declared(&Provision::Object(id.clone()))
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

    /// Workloads that serve a group.
    #[must_use]
    pub fn operators(&self, group: &str) -> &[ResourceIndex] {
        self.operators.get(group).map_or(&[], Vec::as_slice)
    }

    /// Workloads that serve a kind: where several projects share a group, the one that brings the kind's CRD.
    #[must_use]
    pub fn operators_of(&self, group: &str, kind: &str) -> Vec<ResourceIndex> {
        let all = self.operators(group);
        if all.len() < 2 || !self.catalogue.is_shared_group(group) {
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
            Some(index) => vec![self.resource(index).id.name.clone()],
            None => crd::plurals(kind).into_iter().map(|plural| format!("{plural}.{group}")).collect(),
        }
    }

    /// Workloads, charts and packages that run a storage provisioner.
    #[must_use]
    pub fn provisioners(&self, name: &str) -> &[ResourceIndex] {
        self.provisioners.get(name).map_or(&[], Vec::as_slice)
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
        let lists: Vec<&Vec<ResourceIndex>> = pairs
            .iter()
            .filter_map(|(key, value)| self.pods.get(&(service.id.namespace.as_str(), *key, *value)))
            .collect();
        if pairs.is_empty() || lists.len() < pairs.len() {
            return Vec::new();
        }
        let Some(rarest) = lists.iter().min_by_key(|list| list.len()) else { return Vec::new() };
        let in_all = |index: &&ResourceIndex| lists.iter().all(|list| list.binary_search(index).is_ok());
        rarest.iter().filter(in_all).filter(|index| self.resource(**index).is_workload).copied().collect()
    }

    /// The edges from a resource to whoever provides the target; none when nobody does.
    #[must_use]
    pub fn edges_to(&self, from: ResourceIndex, found: &Found, wait: &Wait) -> Vec<Edge> {
        match found {
            Found::Object(to) => {
                let mut edges = vec![self.edge(from, *to, wait)];
                if wait.gate == Gate::Ready && self.resource(*to).id.kind == "Service" {
                    edges.extend(self.behind(*to).into_iter().map(|pod| self.edge(from, pod, wait)));
                }
                edges.retain(|edge| edge.from != edge.to);
                edges
            }
            // Who makes a thing itself waits for no other maker of it.
            Found::Made(makers) if makers.contains(&from) => Vec::new(),
            Found::Made(makers) => makers
                .iter()
                .map(|maker| self.edge(from, *maker, &Wait { gate: Gate::Ready, ..wait.clone() }))
                .collect(),
            Found::Declared(component) if *component == self.resource(from).component => Vec::new(),
            Found::Declared(component) => {
                let to = End { component: *component, resource: None };
                vec![new_edge(self.end(from), to, &Wait { gate: Gate::Ready, ..wait.clone() })]
            }
            Found::External | Found::Nobody => Vec::new(),
        }
    }

    /// An edge between two resources.
    #[must_use]
    pub fn edge(&self, from: ResourceIndex, to: ResourceIndex, wait: &Wait) -> Edge {
        new_edge(self.end(from), self.end(to), wait)
    }

    fn end(&self, resource: ResourceIndex) -> End {
        End { component: self.resource(resource).component, resource: Some(resource) }
    }

    /// The finding for a reference nobody provides.
    #[must_use]
    pub fn unsatisfied(&self, from: ResourceIndex, what: &str, origin: Origin, help: String) -> Finding {
        let resource = self.resource(from);
        let message = format!("`{}` needs {what}, which nothing here provides", resource.id.short());
        Finding::new("unsatisfied-reference", Level::Warning, message)
            .about(&self.component(resource.component).name)
            .at(origin)
            .help(help)
    }
}

/// An edge that is not dropped.
#[must_use]
pub fn new_edge(from: End, to: End, wait: &Wait) -> Edge {
    Edge {
        from,
        to,
        reason: wait.reason.clone(),
        strength: wait.strength,
        gate: wait.gate,
        origin: wait.origin.clone(),
        dropped: None,
    }
}
