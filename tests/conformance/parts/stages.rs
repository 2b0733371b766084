//! Stages for custom kinds: what makes each of them ready, from a table.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};

/// Groups that the control plane itself serves: their objects become ready by its own controllers.
const BUILT_IN: [&str; 12] = [
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "autoscaling",
    "batch",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "argoproj.io",
];

#[derive(Deserialize)]
struct Table {
    ready: Value,
    kinds: BTreeMap<String, Value>,
    makes: BTreeMap<String, String>,
}

/// One Stage for every custom kind among the objects.
pub(crate) fn of_custom_kinds(folder: &Path, objects: &[Value]) -> Result<Vec<Value>> {
    let table: Table = serde_yaml::from_str(&fs::read_to_string(folder.join("custom-kinds.yaml"))?)?;
    let mut stages = BTreeMap::new();
    for object in objects {
        let version = object["apiVersion"].as_str().context("apiVersion")?;
        let kind = object["kind"].as_str().context("kind")?;
        let Some((group, _)) = version.split_once('/') else { continue };
        if !BUILT_IN.contains(&group) {
            let name = format!("{group}/{kind}");
            let status = table.kinds.get(&name).unwrap_or(&table.ready);
            let made = table.makes.get(&name).map(|template| json!({"apply": {"template": template}}));
            stages.insert(format!("{}.{group}", kind.to_lowercase()), stage(version, kind, status, made)?);
        }
    }
    Ok(stages
        .into_iter()
        .map(|(name, mut stage)| {
            stage["metadata"] = json!({"name": name});
            stage
        })
        .collect())
}

fn stage(version: &str, kind: &str, status: &Value, made: Option<Value>) -> Result<Value> {
    let ready = json!({"patch": {"subresource": "status", "root": "status", "type": "merge",
        "template": serde_yaml::to_string(status)?}});
    let steps: Vec<Value> = made.into_iter().chain([ready]).collect();
    Ok(json!({"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "Stage", "spec": {
        "resourceRef": {"apiGroup": version, "kind": kind},
        "selector": {"matchExpressions": [
            {"key": ".metadata.deletionTimestamp", "operator": "DoesNotExist"},
            {"key": ".metadata.annotations[\"conformance.test/never-ready\"]", "operator": "DoesNotExist"},
            not_yet(status)?]},
        "delay": {"durationMilliseconds": 500, "durationFrom":
            {"expressionFrom": ".metadata.annotations[\"conformance.test/ready-delay\"]"}},
        "steps": steps}}))
}

/// The expression that holds until the status is written: on its first field.
fn not_yet(status: &Value) -> Result<Value> {
    let (field, value) =
        status.as_object().and_then(|fields| fields.iter().next()).context("a status has a field")?;
    let (key, value) = match value {
        Value::Array(conditions) if field == "conditions" => {
            let kind = conditions[0]["type"].as_str().context("a condition has a type")?;
            (
                format!(".status.conditions.[] | select( .type == \"{kind}\" ) | .status"),
                &conditions[0]["status"],
            )
        }
        Value::Array(parents) => {
            (format!(".status.{field}.[].controllerName"), &parents[0]["controllerName"])
        }
        value => (format!(".status.{field}"), value),
    };
    Ok(json!({"key": key, "operator": "NotIn", "values": [value]}))
}
