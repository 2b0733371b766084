//! Catalogue rows → edges: what a field names, found by identity.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::namespaced::{self, Said};
use super::scene::{Found, Scene, Wait};
use super::{Inferred, brought};
use crate::catalogue::matcher::Capture;
use crate::catalogue::rows::{Format, KindChoice, NamespaceRule, Scope};
use crate::catalogue::{EdgeRow, ProbeKind, networks};
use crate::hosts;
use crate::model::{NAMESPACES_OF_EVERY_CLUSTER, Resource, ResourceId, ResourceIndex, Role};

/// Edges of every row for every reference seen.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    for (index, resource) in scene.iter() {
        for capture in &resource.manifest.captures {
            if let ProbeKind::Edge(row) = capture.kind {
                let row = scene.catalogue.edge(row);
                add(scene, &Reference { from: index, row, capture }, &mut inferred);
            }
        }
        for number in scene.catalogue.edges_of(&resource.id.group, &resource.id.kind) {
            let row = scene.catalogue.edge(number);
            if let Some(capture) = assumed(row, number, resource) {
                add(scene, &Reference { from: index, row, capture: &capture }, &mut inferred);
            }
        }
    }
    inferred
}

/// The reference the API assumes when the field is absent.
fn assumed(row: &EdgeRow, number: usize, resource: &Resource) -> Option<Capture> {
    let name = row.absent.as_ref()?;
    let kind = ProbeKind::Edge(number);
    let seen = resource.manifest.captures.iter().any(|capture| capture.kind == kind);
    let value = Some(name.into());
    let line = resource.manifest.line;
    (!seen).then(|| Capture { kind, line, value, key: "".into(), fields: Vec::new() })
}

/// One reference as seen: who refers, by which row, with which text.
struct Reference<'a> {
    from: ResourceIndex,
    row: &'a EdgeRow,
    capture: &'a Capture,
}

fn add(scene: &Scene<'_>, reference: &Reference<'_>, inferred: &mut Inferred) {
    let Reference { from, row, capture } = reference;
    if !holds(capture, &row.when, &row.unless) {
        return;
    }
    let resource = scene.resource(*from);
    for target in targets(scene, resource, row, capture) {
        let found = scene.find(&target, resource.component);
        let origin = resource.origin_at(capture.line);
        if found == Found::Nobody && row.format != Format::Address && !every_cluster_has(&target) {
            inferred.findings.push(scene.missing(*from, &target, origin.clone(), help(scene, &target)));
        }
        if row.existence {
            continue;
        }
        let wait = Wait { reason: row.reason.clone(), strength: row.strength, gate: row.gate, origin };
        match found {
            Found::Object(whole) if row.reverse => inferred.edges.push(scene.edge(whole, *from, &wait)),
            _ if row.reverse => {}
            found => inferred.edges.extend(scene.edges_to(*from, &found, &wait)),
        }
    }
}

/// Whether a resource refers to an object by any row.
#[must_use]
pub fn names(scene: &Scene<'_>, resource: &Resource, id: &ResourceId) -> bool {
    resource.manifest.captures.iter().any(|capture| {
        let ProbeKind::Edge(row) = capture.kind else { return false };
        let row = scene.catalogue.edge(row);
        holds(capture, &row.when, &row.unless) && targets(scene, resource, row, capture).contains(id)
    })
}

/// What a reference names: one object, or every one of a list of addresses or networks.
fn targets(scene: &Scene<'_>, resource: &Resource, row: &EdgeRow, capture: &Capture) -> Vec<ResourceId> {
    if row.format == Format::Address {
        let name = row.fields.get("name").and_then(|path| capture.field(path));
        let text = capture.value.as_deref().or(name).unwrap_or_default();
        return text.split(',').filter_map(|one| address(scene, resource, one.trim())).collect();
    }
    if row.format == Format::Networks {
        let networks = capture.value.as_deref().map(networks::in_text).unwrap_or_default();
        let id = |(namespace, name): (Option<String>, String)| {
            let namespace = namespace.as_deref().unwrap_or(&resource.id.namespace);
            is_name(&name).then(|| ResourceId::new(&row.to.group, &row.to.kind, namespace, &name))
        };
        return networks.into_iter().filter_map(id).collect();
    }
    if row.format == Format::Any {
        let field = row.fields.get("namespace").and_then(|path| capture.field(path));
        let said = Said { rule: &row.namespace, field, in_text: None, to: &row.to };
        return scene.all_in(&row.to.group, &row.to.kind, namespaced::of(scene, resource, said));
    }
    target(scene, resource, row, capture).into_iter().collect()
}

/// Whether the conditions on sub-fields hold, or on the text itself, under the empty name; `*` stands for any value,
/// `a|b` for either.
pub(super) fn holds(
    capture: &Capture,
    when: &BTreeMap<String, String>,
    unless: &BTreeMap<String, String>,
) -> bool {
    when.iter().all(|condition| has(capture, condition))
        && !unless.iter().any(|condition| has(capture, condition))
}

pub(super) fn has(capture: &Capture, (field, values): (&String, &String)) -> bool {
    let is_one = |seen: &str| values == "*" || values.split('|').any(|value| value == seen);
    match field.as_str() {
        "" => capture.value.as_deref().is_some_and(is_one),
        _ => capture.all(field).any(is_one),
    }
}

/// Who is likely to provide what nobody here does.
pub(super) fn help(scene: &Scene<'_>, target: &ResourceId) -> String {
    if let Some(provider) = brought::provider_of_class(target, scene.catalogue) {
        return format!(
            "`{}` brings it; add that, or list it under `external` in ladder.yaml",
            provider.name
        );
    }
    match scene.catalogue.provider_of(&target.group, Some(&target.kind)).filter(|_| !target.group.is_empty()) {
        Some(provider) => format!("`{}` serves that kind; add the object, or declare who provides it", provider.name),
        None => "add it, declare it under `provides` of the component that makes it, or list it under `external` in ladder.yaml"
            .to_owned(),
    }
}

/// The identity a reference names; none when it names nothing we can know.
fn target(scene: &Scene<'_>, resource: &Resource, row: &EdgeRow, capture: &Capture) -> Option<ResourceId> {
    let field =
        |key: &str| row.fields.get(key).and_then(|path| capture.field(path)).filter(|text| !text.is_empty());
    let text = named(resource, row, capture.value.as_deref().or_else(|| field("name")))?;
    let text = Some(text.as_ref()).filter(|text| is_name(text))?;
    let (group, kind, scope) = kind_named(scene, row, &field)?;
    let (stated, name) = match (row.format, text.split_once('/')) {
        (Format::NamespacedName, Some((namespace, name))) => (Some(namespace), name),
        (Format::NamespacedName, None) | (Format::Name, Some(_)) => return None,
        _ => (None, text),
    };
    let namespace = match scope {
        Scope::Cluster => "",
        Scope::Namespaced => {
            let (rule, field) = (&row.namespace, field("namespace"));
            namespaced::of(scene, resource, Said { rule, field, in_text: stated, to: &row.to })
        }
    };
    let known = scope == Scope::Cluster || row.namespace == NamespaceRule::Cluster || !namespace.is_empty();
    known.then(|| ResourceId::new(&group, &kind, namespace, name))
}

/// The name a reference says, by itself or by the row's template.
fn named<'t>(resource: &Resource, row: &EdgeRow, text: Option<&'t str>) -> Option<Cow<'t, str>> {
    let Some(template) = &row.name else { return text.map(Cow::Borrowed) };
    if template.contains("{value}") && text.is_none() {
        return None;
    }
    let filled = template
        .replace("{name}", &resource.id.name)
        .replace("{namespace}", &resource.id.namespace)
        .replace("{value}", text.unwrap_or_default());
    Some(Cow::Owned(filled))
}

/// Group, kind and scope a reference names, by its own fields or the row.
fn kind_named<'f>(
    scene: &Scene<'_>,
    row: &EdgeRow,
    field: &impl Fn(&str) -> Option<&'f str>,
) -> Option<(String, String, Scope)> {
    let stated_group = field("group").map(str::to_owned).or_else(|| {
        field("apiVersion").map(|text| text.split_once('/').map_or("", |(group, _)| group).to_owned())
    });
    let kind = field("kind").unwrap_or(&row.to.kind).to_owned();
    if kind.is_empty() {
        return None;
    }
    let group_of = |choice: &KindChoice| choice.group.clone().unwrap_or_else(|| row.to.group.clone());
    let mut choices = row.kinds.iter().filter(|choice| choice.kind == kind);
    let choice = match &stated_group {
        Some(group) => choices.find(|choice| group_of(choice) == *group),
        None => choices.next(),
    };
    if choice.is_none() && !row.kinds.is_empty() {
        return None;
    }
    let usual = choice.map_or_else(|| row.to.group.clone(), group_of);
    let group = stated_group.unwrap_or(usual);
    let scope = match choice.map(|choice| choice.scope) {
        Some(Scope::Cluster) => Scope::Cluster,
        _ => scene.scope(&group, &kind),
    };
    Some((group, kind, scope))
}

/// The Service an address names. A short host is read where its reader runs: stores and issuers, and everything of
/// cluster scope, are read by their controller; all others by pods of their own namespace.
fn address(scene: &Scene<'_>, resource: &Resource, text: &str) -> Option<ResourceId> {
    let service = hosts::service(text)?;
    let by_controller = resource.role == Role::Secret || resource.id.namespace.is_empty();
    let reader = scene.operators(&resource.id.group).first().filter(|_| by_controller);
    let near = reader.map_or(&resource.id, |operator| &scene.resource(*operator).id);
    let namespace = service.namespace.as_deref().unwrap_or(&near.namespace);
    Some(ResourceId::new("", "Service", namespace, &service.name))
}

/// Templates and empty strings name no object.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains("${") && !text.contains("{{") && !text.contains("$(")
}

/// What the API server, kubelet and controllers make in every cluster.
fn every_cluster_has(id: &ResourceId) -> bool {
    match id.kind.as_str() {
        "Namespace" => NAMESPACES_OF_EVERY_CLUSTER.contains(&id.name.as_str()),
        "ServiceAccount" => id.name == "default",
        "ConfigMap" => matches!(id.name.as_str(), "kube-root-ca.crt" | "extension-apiserver-authentication"),
        "Service" => id.name == "kubernetes" && id.namespace == "default",
        "PriorityClass" | "PriorityLevelConfiguration" => {
            id.name.starts_with("system-") || id.kind == "PriorityLevelConfiguration"
        }
        "ClusterRole" => {
            matches!(id.name.as_str(), "cluster-admin" | "admin" | "edit" | "view")
                || id.name.starts_with("system:")
        }
        "Role" => id.name.starts_with("system:") || id.name == "extension-apiserver-authentication-reader",
        _ => false,
    }
}
