//! How Flux knows that a component is ready: everything in it, or the objects that can say so.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::flux_cel;
use super::reduce::Order;
use crate::load::targets::FluxHealth;
use crate::model::{ComponentIndex, Edge, Gate, Ladder, Resource, ResourceIndex};
use crate::problem::{Problem, Problems};
use crate::yaml::{Limits, tree};

/// Kinds that say whether they are ready, by group.
const READY: &[(&str, &str)] = &[
    ("apps", "Deployment"),
    ("apps", "StatefulSet"),
    ("apps", "DaemonSet"),
    ("batch", "Job"),
    ("helm.toolkit.fluxcd.io", "HelmRelease"),
];

/// `wait`, or `healthChecks` where the descriptor or the setting asks for them and there is something to check.
///
/// # Errors
/// When a manifest to be checked cannot be read.
pub fn fields(
    ladder: &Ladder,
    index: ComponentIndex,
    order: &Order<'_>,
) -> Result<Map<String, Value>, Problems> {
    let mut fields = waited(ladder, index, order)?;
    let expressions = expressions(ladder, index, order)?;
    if !expressions.is_empty() {
        fields.insert("healthCheckExprs".to_owned(), json!(expressions));
    }
    Ok(fields)
}

/// Flux takes an object that reports nothing for ready, also one its controller has not looked at yet: the kinds that
/// something waits for say what they report.
fn expressions(ladder: &Ladder, index: ComponentIndex, order: &Order<'_>) -> Result<Vec<Value>, Problems> {
    let gates = gates(index, order);
    let whole = order.wholes[index.0] || is_gate(index, order);
    let mut kinds = BTreeMap::new();
    for resource in ladder.resources_of(index).filter(|resource| whole || gates.contains(resource)) {
        let own = ladder.resource(resource);
        let kind = (own.id.group.to_string(), own.id.kind.to_string());
        // Flux refuses a kind that is named twice, in whatever version.
        if let Some(row) = ladder.ready_rows.get(&kind).filter(|_| !kinds.contains_key(&kind)) {
            let mut check = json!({"apiVersion": version(own)?, "kind": own.id.kind});
            for (key, expression) in flux_cel::expressions(row) {
                check[key] = json!(expression);
            }
            kinds.insert(kind, check);
        }
    }
    Ok(kinds.into_values().collect())
}

fn waited(ladder: &Ladder, index: ComponentIndex, order: &Order<'_>) -> Result<Map<String, Value>, Problems> {
    let declared = &ladder.component(index).descriptor.health_checks;
    if !declared.is_empty() {
        return Ok(Map::from_iter([("healthChecks".to_owned(), json!(declared))]));
    }
    if ladder.settings.targets.flux.health == FluxHealth::HealthChecks {
        let checks = checks(ladder, index, order)?;
        if !checks.is_empty() {
            return Ok(Map::from_iter([("healthChecks".to_owned(), json!(checks))]));
        }
    }
    Ok(Map::from_iter([("wait".to_owned(), json!(true))]))
}

fn checks(ladder: &Ladder, index: ComponentIndex, order: &Order<'_>) -> Result<Vec<Value>, Problems> {
    let gates = gates(index, order);
    let mut checks = Vec::new();
    for resource in ladder.resources_of(index) {
        let own = ladder.resource(resource);
        let known = READY.contains(&(own.id.group.as_str(), own.id.kind.as_str()));
        let custom = own.id.group.contains('.') && !own.id.group.ends_with(".k8s.io");
        if known || (custom && gates.contains(&resource)) {
            checks.push(check(own)?);
        }
    }
    Ok(checks)
}

/// Resources of a component that another one waits for until they are ready; what its own resources wait for shows
/// in their health.
fn gates(index: ComponentIndex, order: &Order<'_>) -> BTreeSet<ResourceIndex> {
    waits_for(index, order).filter_map(|edge| edge.to.resource).collect()
}

/// Whether another component waits until all of this one is ready.
fn is_gate(index: ComponentIndex, order: &Order<'_>) -> bool {
    waits_for(index, order).any(|edge| edge.to.resource.is_none())
}

/// Edges of other components that wait until something of this one is ready.
fn waits_for<'l>(index: ComponentIndex, order: &'l Order<'l>) -> impl Iterator<Item = &'l Edge> {
    let edges = order.edges.iter().copied();
    edges.filter(move |edge| edge.to.component == index && edge.gate == Gate::Ready)
}

/// The `apiVersion` as the manifest writes it.
fn version(resource: &Resource) -> Result<String, Problems> {
    let manifest = &resource.manifest;
    let document = tree::parse_chunk(&manifest.chunk, &Limits::default()).map_err(|error| {
        Problem::new("invalid-yaml", error.message.clone())
            .at(format!("{}:{}:{}", manifest.file, error.line, error.column))
    })?;
    Ok(document.get("apiVersion").and_then(tree::Node::text).unwrap_or_default().to_string())
}

fn check(resource: &Resource) -> Result<Value, Problems> {
    let mut check =
        json!({"apiVersion": version(resource)?, "kind": resource.id.kind, "name": resource.id.name});
    if !resource.id.namespace.is_empty() {
        check["namespace"] = json!(resource.id.namespace);
    }
    Ok(check)
}
