//! `--target applicationset`: one ApplicationSet whose RollingSync steps are the rungs.
//!
//! Each element carries what is its own as data; `templatePatch` lays it over the template, so that objects and
//! booleans need no templates of their own.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::application::{self, Application, PHASE};
use super::{Written, source};
use crate::emit::Selection;
use crate::load::targets::Steps;
use crate::model::{Finding, Ladder, Level, Phase, Rung};
use crate::problem::{Problem, Problems, suggestion};
use crate::yaml;

/// The ApplicationSet.
///
/// # Errors
/// When names clash, or a rung in use has no step.
pub fn write(ladder: &Ladder, selection: &Selection) -> Result<Written, Problems> {
    let (list, mut findings) = application::applications(ladder, selection)?;
    let settings = &ladder.settings.targets.applicationset;
    let used: BTreeSet<&Phase> =
        list.iter().map(|application| &ladder.placement(application.component).phase).collect();
    let steps: Vec<Value> = steps(ladder, &used)?.into_iter().map(step).collect();
    let object = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": settings.name, "namespace": ladder.settings.targets.namespace},
        "spec": {
            "goTemplate": true,
            "goTemplateOptions": ["missingkey=error"],
            "generators": [{"list": {"elements": list.iter().map(|one| element(ladder, one)).collect::<Vec<_>>()}}],
            "strategy": {
                "type": "RollingSync",
                "deletionOrder": settings.deletion_order,
                "rollingSync": {"steps": steps},
            },
            "template": template(),
            "templatePatch": "{{ .patch | toJson }}",
        },
    });
    findings.extend(source::unknown_repository([&object]));
    findings.extend(used.iter().filter_map(|phase| waits_for_people(ladder, phase)));
    findings.push(cost());
    Ok(Written { objects: vec![(settings.name.clone(), object)], findings })
}

fn template() -> Value {
    json!({
        "metadata": {
            "name": "{{ .name }}",
            "labels": {PHASE: "{{ .phase }}", "domain": "{{ .domain }}", "componentType": "{{ .componentType }}"},
        },
        "spec": {
            "project": "{{ .project }}",
            "destination": {},
        },
    })
}

/// What differs from one Application to the next.
fn element(ladder: &Ladder, application: &Application) -> Value {
    let (component, placement) =
        (ladder.component(application.component), ladder.placement(application.component));
    let mut spec = application.spec.clone();
    keep_nulls(&mut spec);
    let project = spec.shift_remove("project");
    let mut labels = application.labels.clone();
    for own in [PHASE, "domain", "componentType"] {
        labels.remove(own);
    }
    let mut metadata = Map::new();
    if !labels.is_empty() {
        metadata.insert("labels".to_owned(), json!(labels));
    }
    metadata.insert("annotations".to_owned(), json!(application.annotations));
    if !application.finalizers.is_empty() {
        metadata.insert("finalizers".to_owned(), json!(application.finalizers));
    }
    json!({
        "name": application.name,
        "phase": placement.phase,
        "domain": component.domain,
        "componentType": placement.role,
        "project": project,
        "patch": {"metadata": metadata, "spec": spec},
    })
}

/// A null among Helm's values takes a default of the chart away, but in a patch it would take away itself: such values
/// become text.
pub(super) fn keep_nulls(spec: &mut Map<String, Value>) {
    for (key, value) in spec.iter_mut() {
        let sources = match (key.as_str(), value) {
            ("source", source) => std::slice::from_mut(source),
            ("sources", Value::Array(sources)) => sources,
            _ => continue,
        };
        for helm in sources.iter_mut().filter_map(|source| source.get_mut("helm")?.as_object_mut()) {
            if let Some(values) = helm.get("valuesObject").filter(|values| holds_null(values)) {
                let text = yaml::from_json(values);
                helm.shift_remove("valuesObject");
                helm.insert("values".to_owned(), json!(text));
            }
        }
    }
}

fn holds_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.values().any(holds_null),
        Value::Array(items) => items.iter().any(holds_null),
        _ => false,
    }
}

/// The rungs that get a step: every rung in use must be among them, or its Applications would never be synced.
fn steps<'l>(ladder: &'l Ladder, used: &BTreeSet<&Phase>) -> Result<Vec<&'l Rung>, Problems> {
    let list = &ladder.rungs.list;
    let wanted: Vec<&Rung> = match &ladder.settings.targets.applicationset.steps {
        Steps::Word(word) if word == "used" => {
            list.iter().filter(|rung| used.contains(&rung.phase)).collect()
        }
        Steps::Word(word) if word == "all" => list.iter().collect(),
        Steps::Word(word) => {
            return Err(Problem::new("invalid-value", format!("`{word}` is no choice of steps"))
                .at(&ladder.settings.steps_at)
                .help(suggestion(word, ["used", "all"]))
                .into());
        }
        Steps::List(ids) => {
            let ids: Vec<&str> = ids.iter().filter_map(Value::as_str).collect();
            let known = |id: &str| list.iter().any(|rung| rung.phase.0 == id);
            if let Some(unknown) = ids.iter().find(|id| !known(id)) {
                let all: Vec<&str> = list.iter().map(|rung| rung.phase.0.as_str()).collect();
                return Err(Problem::new("unknown-rung", format!("there is no rung `{unknown}`"))
                    .at(&ladder.settings.steps_at)
                    .help(suggestion(unknown, all))
                    .into());
            }
            list.iter().filter(|rung| ids.contains(&rung.phase.0.as_str())).collect()
        }
    };
    let without = used.iter().find(|phase| !wanted.iter().any(|rung| rung.phase == ***phase));
    match without {
        None => Ok(wanted),
        Some(phase) => Err(Problem::new(
            "rung-without-step",
            format!("rung `{phase}` is in use and has no step, so its Applications would never be synced"),
        )
        .at(&ladder.settings.steps_at)
        .help(format!("add \"{phase}\" to the list, or write `steps: used`"))
        .into()),
    }
}

fn step(rung: &Rung) -> Value {
    json!({
        "matchExpressions": [{"key": PHASE, "operator": "In", "values": [rung.phase]}],
        "maxUpdate": rung.max_update,
    })
}

/// A step that syncs nothing also holds all steps behind it.
fn waits_for_people(ladder: &Ladder, phase: &Phase) -> Option<Finding> {
    let rung = ladder.rungs.find(phase)?;
    let message = format!(
        "`maxUpdate` of rung `{phase}` is 0: its step, and all behind it, wait until somebody syncs its Applications by hand"
    );
    rung.max_update.is_none().then(|| {
        Finding::new("step-waits-for-manual-sync", Level::Warning, message)
            .help("give the rung a `maxUpdate` above 0 in ladder.yaml, or set `rules: {step-waits-for-manual-sync: off}` if it is meant")
    })
}

fn cost() -> Finding {
    Finding::new(
        "rolling-sync-cost",
        Level::Warning,
        "RollingSync switches automated sync off on every Application: drift is not healed between rollouts, a \
         failed or degraded Application holds all later rungs, and the controller needs \
         --enable-progressive-syncs",
    )
    .help("`--target applications` keeps automated sync; `rules: {rolling-sync-cost: off}` silences this")
}
