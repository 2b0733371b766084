//! Hosts in env, args, commands and in the `ConfigMaps` and Secrets a pod reads name Services: weak waits.
//!
//! A release stands for the pods of its chart: hosts in its values count as theirs. A Secret that comes from a
//! template (an `ExternalSecret`'s, a `SealedSecret`'s) holds the hosts of that template.

use std::collections::BTreeSet;

use super::scene::{Found, Scene, Wait};
use super::{Inferred, chart_names};
use crate::catalogue::probes::Fact;
use crate::catalogue::{EdgeRow, ProbeKind};
use crate::hosts;
use crate::model::{Gate, Reason, Resource, ResourceId, ResourceIndex, Strength};

/// Weak edges from pods and releases to the Services they are told about.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    for (index, resource) in scene.iter() {
        let namespace = match resource.charts.first() {
            Some(chart) => chart.namespace.as_str(),
            None if scene.catalogue.has_pods(&resource.id.group, &resource.id.kind) => &resource.id.namespace,
            None => continue,
        };
        let mut reader = Reader { scene, from: index, namespace, seen: BTreeSet::new() };
        reader.told_by(resource, &mut inferred);
        for source in read_objects(scene, resource) {
            reader.told_by(scene.resource(source), &mut inferred);
        }
    }
    inferred
}

/// Who will talk, and where it runs.
struct Reader<'a, 's> {
    scene: &'a Scene<'s>,
    from: ResourceIndex,
    namespace: &'a str,
    seen: BTreeSet<ResourceId>,
}

impl Reader<'_, '_> {
    /// Adds an edge for each host that `source` names.
    fn told_by(&mut self, source: &Resource, inferred: &mut Inferred) {
        let component = self.scene.resource(self.from).component;
        for capture in source.manifest.facts(Fact::Hosts) {
            let host = capture.value.as_deref().unwrap_or_default();
            let named = [hosts::service(host), hosts::service_of_pod(host)];
            let meant = named.into_iter().flatten().map(|address| {
                let namespace = address.namespace.as_deref().unwrap_or(self.namespace);
                let id = ResourceId::new("", "Service", namespace, &address.name);
                (self.scene.find(&id, component), id, address.port)
            });
            let mut meant = meant.filter(|(found, ..)| *found != Found::Nobody);
            let Some((found, id, port)) = meant.next() else { continue };
            let talks = answers(self.scene, &found, port) && !is_own(self.scene, self.from, &found);
            if !talks || !self.seen.insert(id) {
                continue;
            }
            let wait = Wait {
                reason: Reason::from("service-address"),
                strength: Strength::Weak,
                gate: Gate::Ready,
                origin: source.origin_at(capture.line),
            };
            inferred.edges.extend(self.scene.edges_to(self.from, &found, &wait));
        }
    }
}

/// A port in the text must be one the Service has: `postgres:15` is an image, not an address.
fn answers(scene: &Scene<'_>, found: &Found, port: Option<u16>) -> bool {
    let Found::Object(service) = found else { return true };
    let ports: Vec<u16> = scene
        .resource(*service)
        .manifest
        .facts(Fact::ServicePort)
        .filter_map(|capture| capture.value.as_deref().and_then(|text| text.parse().ok()))
        .collect();
    port.is_none_or(|port| ports.is_empty() || ports.contains(&port))
}

/// A pod behind the Service itself does not wait for it.
fn is_own(scene: &Scene<'_>, from: ResourceIndex, found: &Found) -> bool {
    matches!(found, Found::Object(service) if scene.behind(*service).contains(&from))
}

/// The `ConfigMaps` and Secrets a pod reads, as the rows of the pod spec or a release's values name them, or the
/// objects they are made from.
fn read_objects(scene: &Scene<'_>, pod: &Resource) -> BTreeSet<ResourceIndex> {
    let charts = pod.charts.iter().flat_map(|chart| chart.names.iter().map(move |name| (chart, name)));
    let in_values = charts.filter_map(|(chart, name)| chart_names::meant(scene, chart, name));
    let is_data = |id: &ResourceId| matches!(id.kind.as_str(), "ConfigMap" | "Secret");
    let named = in_values.filter(is_data).map(|id| scene.find(&id, pod.component));
    let read: BTreeSet<ResourceIndex> = named.chain(mounted(scene, pod)).flat_map(objects).collect();
    let templates = read.iter().flat_map(|index| templates(scene, scene.resource(*index)));
    templates.chain(read.iter().copied()).collect()
}

/// `ConfigMaps` that an `ExternalSecret` takes its template from: their text is in the Secret the pod reads.
fn templates<'a>(scene: &'a Scene<'_>, maker: &'a Resource) -> impl Iterator<Item = ResourceIndex> + 'a {
    let is_template = |row: &EdgeRow| row.to.kind == "ConfigMap" && row.path.contains(".templateFrom");
    maker.manifest.captures.iter().flat_map(move |capture| {
        let ProbeKind::Edge(number) = capture.kind else { return Vec::new() };
        let row = scene.catalogue.edge(number);
        let field = || row.fields.get("name").and_then(|path| capture.field(path));
        let Some(name) = capture.value.as_deref().or_else(field).filter(|_| is_template(row)) else {
            return Vec::new();
        };
        objects(scene.find(&ResourceId::new("", "ConfigMap", &maker.id.namespace, name), maker.component))
    })
}

fn objects(found: Found) -> Vec<ResourceIndex> {
    match found {
        Found::Object(index) => vec![index],
        Found::Made(makers) => makers,
        Found::Declared(_) | Found::External | Found::Nobody => Vec::new(),
    }
}

/// What the pod spec names.
fn mounted<'a>(scene: &'a Scene<'_>, pod: &'a Resource) -> impl Iterator<Item = Found> + 'a {
    pod.manifest.captures.iter().filter_map(|capture| {
        let ProbeKind::Edge(number) = capture.kind else { return None };
        let row = scene.catalogue.edge(number);
        let is_data = row.matches.pod_spec && matches!(row.to.kind.as_str(), "ConfigMap" | "Secret");
        let name = row.fields.get("name").and_then(|path| capture.field(path)).filter(|_| is_data)?;
        Some(scene.find(&ResourceId::new("", &row.to.kind, &pod.id.namespace, name), pod.component))
    })
}
