//! Descriptors and `ladder.yaml`: text → checked settings and components, every message with its place.

pub mod checked;
pub mod descriptor;
pub mod document;
pub mod environment;
pub mod faults;
pub mod flux_spec;
pub mod hooks;
pub mod label;
pub mod policy;
pub mod provision;
pub mod rollout;
pub mod rung_settings;
pub mod rungs;
pub mod settings;
pub mod shape;
pub mod targets;
pub mod timeline;
pub mod values;
pub mod words;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::discover::SETTINGS_NAMES;
use crate::disk;
use crate::model::{Component, Finding, Origin};
use crate::problem::{Problem, Problems};
use descriptor::{Context, Source};
use settings::Settings;

/// A component with where its manifests come from.
#[derive(Debug, Clone)]
pub struct LoadedComponent {
    /// The component.
    pub component: Component,
    /// Its manifests' source.
    pub source: Source,
    /// The field that says where they are.
    pub source_origin: Origin,
    /// Environments it belongs to; empty means all.
    pub environments: Vec<String>,
}

/// What the descriptors say.
#[derive(Debug, Default)]
pub struct Loaded {
    /// By name.
    pub components: Vec<LoadedComponent>,
    /// What the user should know.
    pub findings: Vec<Finding>,
}

/// Reads `ladder.yaml` or `ladder.yml` at the root; defaults when there is none.
///
/// # Errors
/// When the file cannot be read or says something impossible.
pub fn settings(root: &Path, findings: &mut Vec<Finding>) -> Result<Settings, Problems> {
    let found: Vec<&str> = SETTINGS_NAMES.iter().copied().filter(|name| disk::exists(root, name)).collect();
    match found.as_slice() {
        [] => Ok(Settings::default()),
        [file] => settings::parse(&Arc::from(*file), &disk::read(root, file)?, findings),
        [first, second, ..] => Err(Problem::new("two-settings-files", format!("`{first}` is there too"))
            .at(second)
            .help("delete one of the two")
            .into()),
    }
}

/// Reads settings from a file anywhere.
///
/// # Errors
/// When the file cannot be read or says something impossible.
pub fn settings_file(path: &Path, findings: &mut Vec<Finding>) -> Result<Settings, Problems> {
    let text = disk::read_anywhere(path)?;
    settings::parse(&Arc::from(path.display().to_string()), &text, findings)
}

/// Reads every descriptor; all problems are reported together.
///
/// # Errors
/// When a descriptor is invalid or two components share a name.
pub fn components(root: &Path, paths: &[String], settings: &Settings) -> Result<Loaded, Problems> {
    let environment = settings.environment.as_ref().and_then(|name| settings.environments.get(name));
    let context = Context { rungs: &settings.rungs, environment, environments: &settings.environments };
    let mut loaded = Loaded::default();
    let mut problems = Vec::new();
    for path in paths {
        let parsed = disk::read(root, path).and_then(|text| {
            descriptor::parse(&Arc::from(path.as_str()), &text, context, &mut loaded.findings)
        });
        match parsed {
            Ok(component) => loaded.components.push(component),
            Err(Problems(found)) => problems.extend(found),
        }
    }
    problems.extend(duplicates(&loaded.components));
    let names: Vec<&str> = loaded.components.iter().map(|one| one.component.name.as_str()).collect();
    // A descriptor that could not be read has no name here, and is told already.
    if problems.is_empty() {
        problems.extend(environment.map(|environment| environment.strangers(&names)).unwrap_or_default());
    }
    if !problems.is_empty() {
        return Err(Problems(problems));
    }
    loaded.components.sort_by(|a, b| a.component.name.cmp(&b.component.name));
    Ok(loaded)
}

fn duplicates(components: &[LoadedComponent]) -> Vec<Problem> {
    let mut first: BTreeMap<&str, &Component> = BTreeMap::new();
    let mut problems = Vec::new();
    for LoadedComponent { component, .. } in components {
        if let Some(other) = first.insert(&component.name, component) {
            let message = format!("component `{}` is also described in {}", component.name, other.origin);
            problems.push(
                Problem::new("duplicate-component", message)
                    .at(&component.origin)
                    .help("rename one of the two"),
            );
        }
    }
    problems
}
