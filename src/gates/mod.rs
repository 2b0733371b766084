//! What descriptors add to manifests: hooks, before anybody reads them, and init containers that wait, once it is
//! known who waits for whom.

pub mod add;
pub mod allowed;
pub mod container;
mod grants;
pub mod held;
pub mod in_vain;
mod name;
mod places;
pub mod windows;

use globset::Glob;

use crate::argocd::{HOOK, HOOK_DELETE_POLICY, WAVE};
use crate::load::LoadedComponent;
use crate::load::hooks::{HookSetting, ResourceSelect, WaitForSetting};
use crate::load::settings::Settings;
use crate::model::{Component, ComponentIndex, Declared, End, Finding, Level, ResourceIndex};
use crate::render::{Manifest, Rendered};

/// A wait of a descriptor, the pods that hold back for it, and what it asks for.
#[derive(Debug)]
pub struct PlacedGate {
    /// Whose descriptor asks.
    pub component: ComponentIndex,
    /// What it says.
    pub wait: Declared<WaitForSetting>,
    /// Resources whose pods wait.
    pub pods: Vec<ResourceIndex>,
    /// What is waited for, as far as it is in the ladder.
    pub targets: Vec<End>,
}

/// Adds the hooks of descriptors to the manifests of every component.
pub fn declare_hooks(components: &[LoadedComponent], rendered: &mut [Rendered], settings: &Settings) {
    if !settings.enabled {
        return;
    }
    for (LoadedComponent { component, .. }, own) in components.iter().zip(rendered) {
        for hook in &component.descriptor.hooks {
            own.findings.extend(add_hook(component, hook, &mut own.manifests));
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
    !manifest.outline.opaque
        && select.kind.as_ref().is_none_or(|kind| *kind == manifest.kind)
        && select.name.as_ref().is_none_or(glob)
        && manifest.has_labels(&select.labels)
}

fn selects_nothing(component: &Component, message: String) -> Finding {
    Finding::new("selects-nothing", Level::Warning, message)
        .about(&component.name)
        .at(component.origin.clone())
        .help("correct what it selects, or remove it")
}
