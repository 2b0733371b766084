//! `environments.<name>` of `ladder.yaml`: what is different there.
//!
//! `components.<name>` is laid over that component's descriptor, key by key (null takes a key away); `values` under it
//! goes to every chart. Places in messages stay those of the descriptor, which is where the component is described.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::document::Document;
use super::settings::LadderFile;
use super::targets::TargetSettings;
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
