//! The template of a rung's ApplicationSet, and what it makes of a descriptor.

use serde_json::{Value, json};

use super::application::{GENERATE_PATHS, IN_CLUSTER, PHASE};
use super::source::{in_repository, repository};
use super::sync;
use crate::load::targets::TargetSettings;
use crate::model::{Ladder, Rung};

/// What the template takes from a descriptor.
pub(super) struct Described<'d> {
    /// Its name.
    pub name: &'d str,
    /// Its project; empty where it names none.
    pub project: &'d str,
    /// Its namespace; empty where it names none.
    pub namespace: &'d str,
    /// Its directory, from the root of the repository.
    pub directory: &'d str,
}

/// The same as the generator's parameters give it; `DEFAULT` stands for what a field has that is not there.
const BY_PARAMETERS: Described<'static> = Described {
    name: "{{ .name }}",
    project: "{{ get . \"project\" | default DEFAULT }}",
    namespace: "{{ get . \"namespace\" | default DEFAULT }}",
    directory: "{{ .path.path }}",
};

/// The template itself. Braces that stand in the settings are no expressions.
pub(super) fn by_parameters(ladder: &Ladder, rung: &Rung) -> Value {
    let mut template = filled(ladder, rung, &BY_PARAMETERS);
    escape(&mut template);
    template
}

fn escape(value: &mut Value) {
    match value {
        Value::String(text) => {
            let is_ours =
                ["{{ .name }}", "{{ .path.path }}", "{{ get . "].iter().any(|own| text.contains(own));
            if !is_ours && text.contains("{{") {
                *text = text.replace("{{", "{{ \"{{\" }}");
            }
        }
        Value::Array(items) => items.iter_mut().for_each(escape),
        Value::Object(fields) => fields.values_mut().for_each(escape),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// One Application, as far as its descriptor's fields say it.
pub(super) fn filled(ladder: &Ladder, rung: &Rung, described: &Described<'_>) -> Value {
    let targets = &ladder.settings.targets;
    let mut spec = json!({
        "project": or_default(described.project, targets.project.as_deref()),
        "source": source(ladder, described),
        "destination": destination(targets, described),
        "syncPolicy": sync::policy_of_rung(ladder, &rung.phase),
    });
    if !targets.ignore_differences.is_empty() {
        spec["ignoreDifferences"] = json!(targets.ignore_differences);
    }
    if let Some(limit) = targets.revision_history_limit {
        spec["revisionHistoryLimit"] = json!(limit);
    }
    json!({"metadata": metadata(ladder, rung, described), "spec": spec})
}

fn metadata(ladder: &Ladder, rung: &Rung, described: &Described<'_>) -> Value {
    let targets = &ladder.settings.targets;
    let mut labels = targets.labels.clone();
    labels.insert(PHASE.to_owned(), rung.phase.0.clone());
    labels.extend(rung.domain.iter().map(|domain| ("domain".to_owned(), domain.clone())));
    let mut annotations = targets.annotations.clone();
    let ladder_file = in_repository(targets, ladder.settings.file_name());
    annotations.insert(GENERATE_PATHS.to_owned(), format!("/{};/{ladder_file}", described.directory));
    let mut metadata = json!({"name": described.name, "labels": labels, "annotations": annotations});
    if !targets.finalizers.is_empty() {
        metadata["finalizers"] = json!(targets.finalizers);
    }
    metadata
}

fn source(ladder: &Ladder, described: &Described<'_>) -> Value {
    let targets = &ladder.settings.targets;
    let mut parameters = vec![json!({"name": "component", "string": described.name})];
    if let Some(environment) = &ladder.settings.environment {
        parameters.push(json!({"name": "environment", "string": environment}));
    }
    json!({
        "repoURL": repository(targets),
        "targetRevision": targets.revision,
        "path": in_repository(targets, ""),
        "plugin": {"name": targets.plugin, "parameters": parameters},
    })
}

fn destination(targets: &TargetSettings, described: &Described<'_>) -> Value {
    let common = &targets.destination;
    let (key, cluster) = match (&common.server, &common.name) {
        (None, Some(name)) => ("name", name.as_str()),
        (server, _) => ("server", server.as_deref().unwrap_or(IN_CLUSTER)),
    };
    json!({key: cluster, "namespace": or_default(described.namespace, common.namespace.as_deref())})
}

/// What a descriptor says, else a default.
fn or_default(said: &str, default: Option<&str>) -> String {
    let default = default.unwrap_or("default");
    if said.is_empty() { default.to_owned() } else { said.replace("DEFAULT", &format!("\"{default}\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_of_the_settings_are_no_expressions() {
        for (text, expected) in [
            ("{{ .name }}", "{{ .name }}"),
            ("/{{ .path.path }};/ladder.yaml", "/{{ .path.path }};/ladder.yaml"),
            ("{{ get . \"project\" | default \"a\" }}", "{{ get . \"project\" | default \"a\" }}"),
            ("plain {text}", "plain {text}"),
            ("{{.app.metadata.name}}", "{{ \"{{\" }}.app.metadata.name}}"),
        ] {
            let mut value = json!({"a": [text]});
            escape(&mut value);
            assert_eq!(value, json!({"a": [expected]}));
        }
    }
}
