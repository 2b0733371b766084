//! `environments.<name>` of `ladder.yaml`: what is different there.
//!
//! `components.<name>` is laid over that component's descriptor, key by key (null takes a key away); `values` under it
//! goes to every chart. Places in messages stay those of the descriptor, which is where the component is described.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::LoadedComponent;
use super::document::Document;
use super::settings::{LadderFile, Settings};
use super::targets::TargetSettings;
use crate::model::{Component, DependsOn};
use crate::problem::{Problem, Problems, suggestion};
use crate::yaml::tree::Node;

/// An environment as written.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EnvironmentSetting {
    /// Laid over `targets`.
    #[schemars(with = "Option<TargetSettings>")]
    pub targets: Option<Map<String, Value>>,
    /// Laid over the values of every component with a `chart`.
    pub values: Map<String, Value>,
    /// Laid over the descriptors of these components.
    pub components: BTreeMap<String, Map<String, Value>>,
}

/// What an environment means.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// Laid over the settings of the targets.
    pub targets: Option<Value>,
    values: Option<Node>,
    components: Vec<Override>,
}

#[derive(Debug, Clone)]
struct Override {
    component: String,
    place: String,
    fields: Node,
}

impl Environment {
    /// Reads an environment of `ladder.yaml`.
    ///
    /// # Errors
    /// When it would rename a component.
    pub fn read(document: &Document<LadderFile>, name: &str) -> Result<Self, Problems> {
        let at = |field: &str| document.tree.at(&["environments", name, field]);
        let mut components = Vec::new();
        for (key, fields) in at("components").map_or(&[][..], Node::entries) {
            let component = key.text().unwrap_or_default().to_owned();
            let place = document.place(&["environments", name, "components", &component]);
            if fields.get("name").is_some() {
                return Err(Problem::new(
                    "invalid-value",
                    format!("component `{component}` would get another name here"),
                )
                .at(place)
                .help("remove `name`: a component has one name in all environments")
                .into());
            }
            components.push(Override { component, place, fields: fields.clone() });
        }
        Ok(Self { targets: at("targets").map(Node::to_json), values: at("values").cloned(), components })
    }

    /// Lays what is different here over a descriptor; says whether anything is.
    pub fn adjust(&self, name: &str, descriptor: &mut Node) -> bool {
        let own = self.components.iter().find(|one| one.component == name).map(|one| &one.fields);
        let values = self.values.as_ref().filter(|_| descriptor.get("chart").is_some());
        if let Some(values) = values {
            descriptor.overlay_at(&["chart", "values"], values);
        }
        if let Some(fields) = own {
            descriptor.overlay(fields);
        }
        own.is_some() || values.is_some()
    }

    /// Where an override of a component is written.
    #[must_use]
    pub fn place_of(&self, name: &str) -> Option<&str> {
        self.components.iter().find(|one| one.component == name).map(|one| one.place.as_str())
    }

    /// Problems with overrides of components that are not there.
    #[must_use]
    pub fn strangers(&self, known: &[&str]) -> Vec<Problem> {
        let strange = self.components.iter().filter(|one| !known.contains(&one.component.as_str()));
        strange
            .map(|one| {
                Problem::new("unknown-component", format!("there is no component `{}`", one.component))
                    .at(&one.place)
                    .help(suggestion(&one.component, known.iter().copied()))
            })
            .collect()
    }
}

/// The components that belong to the environment that was asked for, and those that do not.
///
/// # Errors
/// When nobody names that environment, or a component waits for one that does not belong to it.
pub fn parted(
    components: Vec<LoadedComponent>,
    settings: &Settings,
) -> Result<(Vec<LoadedComponent>, Vec<LoadedComponent>), Problems> {
    let Some(wanted) = &settings.environment else { return Ok((components, Vec::new())) };
    let mut known: Vec<&str> = settings.environments.keys().map(String::as_str).collect();
    known.extend(components.iter().flat_map(|component| component.environments.iter().map(String::as_str)));
    if !known.contains(&wanted.as_str()) {
        known.sort_unstable();
        known.dedup();
        return Err(Problem::new("unknown-environment", format!("there is no environment `{wanted}`"))
            .help(suggestion(wanted, known))
            .into());
    }
    let belongs = |component: &LoadedComponent| {
        component.environments.is_empty() || component.environments.contains(wanted)
    };
    let (here, elsewhere): (Vec<_>, Vec<_>) = components.into_iter().partition(belongs);
    let problems: Vec<Problem> =
        here.iter().flat_map(|component| waits_elsewhere(component, &elsewhere, wanted)).collect();
    if problems.is_empty() { Ok((here, elsewhere)) } else { Err(Problems(problems)) }
}

/// Declared waits for components that do not belong to the environment.
fn waits_elsewhere(component: &LoadedComponent, elsewhere: &[LoadedComponent], wanted: &str) -> Vec<Problem> {
    let own = &component.component;
    let absent = own.depends_on.iter().filter_map(|depends| {
        let target = elsewhere.iter().find(|other| other.component.name == depends.name)?;
        Some((depends, &target.component))
    });
    let problem = |(depends, target): (&DependsOn, &Component)| {
        let message =
            format!("`{}` depends on `{}`, which is not in environment `{wanted}`", own.name, target.name);
        Problem::new("not-in-environment", message).at(&depends.origin).help(format!(
            "add `{wanted}` to `environments` of {}, or lay another `dependsOn` over `{}` in `environments` of ladder.yaml",
            target.origin.file, own.name
        ))
    };
    absent.map(problem).collect()
}
