//! What only the render knows of a component that a rung's ApplicationSet creates, laid over its template: the hash of
//! its content, its role, the fields of its descriptor that the template has no place for.

use serde_json::{Map, Value, json};

use super::application::Application;
use super::applicationset;
use super::rung_template::{self, Described};
use super::source::in_repository;
use crate::argocd::WAVE;
use crate::load::targets::RungSet;
use crate::model::{Component, Finding, Ladder, Level, Rung};

/// The parameter that holds a member's patch; descriptors that nobody rendered yet have none.
const PATCH: &str = "ladder";
/// Lays it over the template.
pub(super) const TEMPLATE_PATCH: &str = "{{ get . \"ladder\" | default dict | toJson }}";

/// The element of one member.
pub(super) fn element(ladder: &Ladder, rung: &Rung, application: &Application) -> Value {
    let component = ladder.component(application.component);
    let directory = component.origin.file.rsplit_once('/').map_or("", |(directory, _)| directory);
    let described = Described {
        name: &application.name,
        project: component.project.as_deref().unwrap_or_default(),
        namespace: &component.namespace,
        directory: &in_repository(&ladder.settings.targets, directory),
    };
    let mut element = Map::from_iter([("name".to_owned(), json!(application.name))]);
    if ladder.settings.environment.is_some() {
        // The descriptor in the repository does not know the environment's fields, and a patch may not name a project.
        element.insert("project".to_owned(), application.spec["project"].clone());
        element.insert("namespace".to_owned(), json!(component.namespace));
    }
    let patch = difference(&rung_template::filled(ladder, rung, &described), &wanted(application));
    element.insert(PATCH.to_owned(), patch);
    Value::Object(element)
}

/// The Application as the component would have it alone. The set has the wave.
fn wanted(application: &Application) -> Value {
    let mut annotations = application.annotations.clone();
    annotations.remove(WAVE);
    let mut metadata =
        json!({"name": application.name, "labels": application.labels, "annotations": annotations});
    if !application.finalizers.is_empty() {
        metadata["finalizers"] = json!(application.finalizers);
    }
    let mut spec = application.spec.clone();
    applicationset::keep_nulls(&mut spec);
    json!({"metadata": metadata, "spec": spec})
}

/// What makes one value of another: mappings key by key, everything else whole; null takes a key away.
fn difference(from: &Value, to: &Value) -> Value {
    let (Value::Object(from), Value::Object(to)) = (from, to) else { return to.clone() };
    let gone = from.keys().filter(|key| !to.contains_key(*key)).map(|key| (key.clone(), Value::Null));
    let mut patch: Map<String, Value> = gone.collect();
    for (key, value) in to {
        match from.get(key) {
            Some(own) if own == value => {}
            Some(own) => {
                patch.insert(key.clone(), difference(own, value));
            }
            None => {
                patch.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(patch)
}

/// A patch adds finalizers to those of the template, or takes all away.
pub(super) fn loses(ladder: &Ladder, component: &Component, set: &RungSet) -> Option<Finding> {
    let own = component.descriptor.finalizers.as_ref().filter(|own| !own.is_empty())?;
    let more = ladder.settings.targets.finalizers.iter().find(|common| !own.contains(common))?;
    let message = format!(
        "the Application of `{}` comes from ApplicationSet `{}` and gets finalizer `{more}` beside its own",
        component.name, set.name
    );
    Some(
        Finding::new("applicationset-adds-finalizers", Level::Warning, message)
            .about(&component.name)
            .at(component.origin.clone())
            .help(
                "set `finalizers` for all in `targets` of ladder.yaml, or take the component to another rung",
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::targets::merge;

    #[test]
    fn a_difference_makes_one_of_the_other() {
        for (from, to, expected) in [
            (json!({"a": 1, "b": {"c": 1}}), json!({"a": 1, "b": {"c": 1}}), json!({})),
            (json!({"a": {"b": 1, "c": 2}}), json!({"a": {"c": 3}}), json!({"a": {"b": null, "c": 3}})),
            (json!({"a": [1, 2]}), json!({"a": [2]}), json!({"a": [2]})),
            (json!({"a": {"b": 1}}), json!({"a": {}}), json!({"a": {"b": null}})),
            (json!({"a": 1}), json!({"a": {"b": {"c": 1}}}), json!({"a": {"b": {"c": 1}}})),
        ] {
            let patch = difference(&from, &to);
            assert_eq!(patch, expected);
            let mut made = from;
            merge(&mut made, &patch);
            assert_eq!(made, to);
        }
    }
}
