//! What descriptors add to manifests before anybody reads them: hooks, and init containers that wait.

pub mod container;
pub mod windows;

use globset::Glob;

use crate::argocd::{HOOK, HOOK_DELETE_POLICY};
use crate::catalogue::Catalogue;
use crate::load::LoadedComponent;
use crate::load::hooks::{HookSetting, ResourceSelect, WaitForSetting};
use crate::load::settings::Settings;
use crate::model::{Component, Finding, Level};
use crate::render::manifest::WAVE;
use crate::render::{Manifest, Rendered};
use crate::yaml::tree::{self, Node};
use crate::yaml::{Limits, Prepend};

/// Adds hooks and gates to the manifests of every component.
pub fn declare(
    components: &[LoadedComponent],
    rendered: &mut [Rendered],
    catalogue: &Catalogue,
    settings: &Settings,
) {
    if !settings.enabled {
        return;
    }
    for (LoadedComponent { component, .. }, own) in components.iter().zip(rendered) {
        for hook in &component.descriptor.hooks {
            own.findings.extend(add_hook(component, hook, &mut own.manifests));
        }
        for wait in &component.descriptor.wait_for {
            own.findings.extend(add_gate(component, wait, own.manifests.as_mut_slice(), catalogue, settings));
        }
    }
}

fn add_hook(component: &Component, hook: &HookSetting, manifests: &mut [Manifest]) -> Option<Finding> {
    let mut found = false;
    for manifest in manifests.iter_mut().filter(|manifest| is_selected(&hook.select, manifest)) {
        found = true;
        manifest.add_annotation(HOOK, hook.hook.list().join(","));
        if let Some(policy) = &hook.delete_policy {
            manifest.add_annotation(HOOK_DELETE_POLICY, policy.list().join(","));
        }
        if let Some(wave) = hook.wave {
            manifest.annotations.retain(|(key, _)| key != WAVE);
            manifest.added.get_or_insert_default().wave = Some(wave);
        }
    }
    let message = format!("a hook of `{}` selects no resource that can be changed", component.name);
    (!found).then(|| selects_nothing(component, message))
}

/// Encrypted documents cannot be changed, so nothing selects them.
fn is_selected(select: &ResourceSelect, manifest: &Manifest) -> bool {
    let glob = |pattern: &String| {
        Glob::new(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(&manifest.name))
    };
    let labels: Vec<(String, String)> = select.labels.clone().into_iter().collect();
    !manifest.outline.opaque
        && select.kind.as_ref().is_none_or(|kind| *kind == manifest.kind)
        && select.name.as_ref().is_none_or(glob)
        && (select.labels.is_empty() || has_labels(&labels, manifest))
}

/// Whether an object carries all these labels.
pub(crate) fn has_labels(labels: &[(String, String)], manifest: &Manifest) -> bool {
    let Some(root) = root(manifest) else { return false };
    let label = |key: &str| root.at(&["metadata", "labels", key]).and_then(Node::text);
    labels.iter().all(|(key, value)| label(key) == Some(value))
}

pub(crate) fn root(manifest: &Manifest) -> Option<Node> {
    tree::parse_chunk(&manifest.chunk, &Limits::default()).ok()
}

fn add_gate(
    component: &Component,
    wait: &WaitForSetting,
    manifests: &mut [Manifest],
    catalogue: &Catalogue,
    settings: &Settings,
) -> Option<Finding> {
    let named = |name: &str| {
        let mut globs = wait.workloads.iter().filter_map(|pattern| Glob::new(pattern).ok());
        wait.workloads.is_empty() || globs.any(|glob| glob.compile_matcher().is_match(name))
    };
    let container = container::container(wait, &settings.gates);
    let mut found = false;
    for manifest in manifests.iter_mut().filter(|one| !one.outline.opaque && named(&one.name)) {
        for path in catalogue.pod_paths(&manifest.group, &manifest.kind) {
            found = true;
            if !has_container(manifest, &path, container["name"].as_str().unwrap_or_default()) {
                add_container(manifest, path, container.clone());
            }
        }
    }
    let message = format!("`waitFor` of `{}` finds no pods to wait in", component.name);
    (!found).then(|| selects_nothing(component, message))
}

/// Gates of one pod come in the order the descriptor lists them.
fn add_container(manifest: &mut Manifest, path: Vec<String>, container: serde_json::Value) {
    let lists = &mut manifest.added.get_or_insert_default().lists;
    match lists.iter_mut().find(|list| list.path == path) {
        Some(list) => list.items.push(container),
        None => lists.push(Prepend { path, key: "initContainers", items: vec![container] }),
    }
}

/// A container of that name is already there and stays.
fn has_container(manifest: &Manifest, path: &[String], name: &str) -> bool {
    let mut steps: Vec<&str> = path.iter().map(String::as_str).collect();
    steps.push("initContainers");
    let root = root(manifest);
    let list = root.as_ref().and_then(|root| root.at(&steps)).map_or(&[][..], Node::items);
    list.iter().any(|item| item.get("name").and_then(Node::text) == Some(name))
}

fn selects_nothing(component: &Component, message: String) -> Finding {
    Finding::new("selects-nothing", Level::Warning, message)
        .about(&component.name)
        .at(component.origin.clone())
        .help("correct what it selects, or remove it")
}
