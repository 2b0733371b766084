//! Which directory a Flux Kustomization reads, and what it must leave out of it.
//!
//! Flux renders directories itself. What only this tool can render (charts, hooks, gates, single files of a
//! directory) has to be committed rendered: `targets.flux.rendered`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::name::object_name;
use super::source::{crds_of, has_late_part};
use crate::emit::Selection;
use crate::model::Tool;
use crate::model::{Component, ComponentIndex, Finding, Ladder, Level};
use crate::problem::{Problem, Problems};

/// The path of a component's Kustomization, from the root of the source.
#[must_use]
pub fn path(ladder: &Ladder, component: &Component) -> String {
    let targets = &ladder.settings.targets;
    match &targets.flux.rendered {
        Some(directory) => format!("./{}", crate::disk::joined(directory, &object_name(&component.name))),
        None => format!("./{}", crate::disk::joined(&targets.path, &component.place.path)),
    }
}

/// Refuses components that Flux would read differently than this tool does.
///
/// # Errors
/// With every such component.
pub fn check(ladder: &Ladder, selection: &Selection) -> Result<(), Problems> {
    if ladder.settings.targets.flux.rendered.is_some() {
        return Ok(());
    }
    let chosen = (0..ladder.components.len()).filter(|number| selection.takes_component(ladder, *number));
    let problems: Vec<Problem> =
        chosen.filter_map(|number| unreadable(ladder, ComponentIndex(number))).collect();
    if problems.is_empty() { Ok(()) } else { Err(Problems(problems)) }
}

fn unreadable(ladder: &Ladder, index: ComponentIndex) -> Option<Problem> {
    let component = ladder.component(index);
    let descriptor = &component.descriptor;
    let what = if component.place.tool == Some(Tool::Helm) {
        "a chart"
    } else if has_late_part(ladder, component) {
        "a component of which a part comes later"
    } else if descriptor.has_globs() {
        "single files of a directory"
    } else if !descriptor.hooks.is_empty() {
        "a component with hooks of its descriptor"
    } else if !descriptor.wait_for.is_empty() {
        "a component with gates"
    } else if component.place.tool.is_none() && holds_others(ladder, index) {
        "a directory with other components below it"
    } else if moves_namespaces(ladder, index) {
        "a component with some namespaces written and some not"
    } else {
        return None;
    };
    Some(
        Problem::new("flux-cannot-read", format!("Flux cannot read `{}` from its sources: it is {what}", component.name))
            .at(&component.origin)
            .help("set `targets: {flux: {rendered: DIR}}` in ladder.yaml and commit what `render --target flux -o DIR/` writes"),
    )
}

/// Whether another component's files lie below this one's.
fn holds_others(ladder: &Ladder, index: ComponentIndex) -> bool {
    let own = &ladder.component(index).place.path;
    let below = |other: &Component| {
        let path = &other.place.path;
        path != own && (own.is_empty() || path.starts_with(&format!("{own}/")))
    };
    ladder.components.iter().any(|other| other.split_from.is_none() && below(other))
}

/// Flux takes every YAML file of a plain directory for manifests, so also a descriptor beside them.
#[must_use]
pub fn descriptors_in_the_way(ladder: &Ladder, selection: &Selection) -> Option<Finding> {
    if ladder.settings.targets.flux.rendered.is_some() {
        return None;
    }
    let in_the_way = |component: &Component| {
        let (own, path) = (&component.path, &component.place.path);
        component.place.tool.is_none()
            && (own == path || path.is_empty() || own.starts_with(&format!("{path}/")))
    };
    let chosen = ladder.components.iter().enumerate();
    let (_, component) = chosen
        .filter(|(number, _)| selection.takes_component(ladder, *number))
        .find(|(_, component)| in_the_way(component))?;
    let message = format!(
        "`{}` lies beside the manifests of `{}`, and Flux refuses a directory with files that are no manifests",
        component.origin.file, component.name
    );
    Some(
        Finding::new("descriptor-in-the-way-of-flux", Level::Warning, message)
            .at(component.origin.clone())
            .help("list `component.yaml` and `ladder.yaml` in a .sourceignore at the root of the source, then switch this rule off"),
    )
}

/// The namespace Flux must give to objects that have none written.
#[must_use]
pub fn target_namespace(ladder: &Ladder, index: ComponentIndex) -> Option<&str> {
    let component = ladder.component(index);
    let rendered = ladder.settings.targets.flux.rendered.is_some();
    let given = Some(component.namespace.as_str()).filter(|name| !name.is_empty() && !rendered)?;
    let lacks = ladder.resources_of(index).any(|resource| {
        let resource = ladder.resource(resource);
        resource.manifest.namespace.is_none() && !resource.id.namespace.is_empty()
    });
    lacks.then_some(given)
}

/// Flux's target namespace moves every object, also those that name another one.
fn moves_namespaces(ladder: &Ladder, index: ComponentIndex) -> bool {
    let Some(target) = target_namespace(ladder, index) else { return false };
    ladder.resources_of(index).any(|resource| {
        let written = ladder.resource(resource).manifest.namespace.as_deref();
        written.is_some_and(|written| written != target)
    })
}

/// Takes the other half out of a directory that was split: CRDs from the operator, the rest from the CRDs.
#[must_use]
pub fn patches(ladder: &Ladder, index: ComponentIndex) -> Vec<Value> {
    let component = ladder.component(index);
    if ladder.settings.targets.flux.rendered.is_some() {
        return Vec::new();
    }
    let other = match &component.split_from {
        Some(origin) => ladder.component_named(origin),
        None => crds_of(ladder, &component.name),
    };
    let Some(other) = other else { return Vec::new() };
    let kinds: BTreeSet<(&str, &str)> = ladder
        .resources_of(other)
        .map(|resource| &ladder.resource(resource).id)
        .map(|id| (id.group.as_str(), id.kind.as_str()))
        .collect();
    kinds.into_iter().map(|(group, kind)| deletion(group, kind)).collect()
}

fn deletion(group: &str, kind: &str) -> Value {
    let version = if group.is_empty() { "v1".to_owned() } else { format!("{group}/v1") };
    let patch = format!("$patch: delete\napiVersion: {version}\nkind: {kind}\nmetadata:\n  name: any\n");
    let mut target = json!({"kind": kind});
    if !group.is_empty() {
        target["group"] = json!(group);
    }
    json!({"patch": patch, "target": target})
}
