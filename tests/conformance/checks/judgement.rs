//! What a rollout showed, by the API server's audit log.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::{Context, Result};
use serde_json::Value;

use super::order;
use crate::case::Check;
use crate::parts::audit::{Times, Write};

/// How a rollout ended.
pub(crate) struct Ended {
    /// The Application that was synced; none with Flux.
    pub(crate) application: Option<Value>,
    /// Of several Applications or Kustomizations: whether all became ready.
    pub(crate) waited: Option<Result<()>>,
}

/// What a rollout counts.
#[derive(Clone, Default)]
pub(crate) struct Numbers {
    /// Operations of Argo CD, and how many of them failed; none with Flux.
    pub(crate) operations: Option<(usize, usize)>,
    pub(crate) objects: usize,
    pub(crate) rejected: usize,
    /// Strong edges.
    pub(crate) kept: usize,
    pub(crate) broken: usize,
    /// What came after the rollout: a change, a delete.
    pub(crate) after: Vec<String>,
}

impl fmt::Display for Numbers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((all, failed)) = self.operations {
            write!(formatter, "{all} operation(s) of which {failed} failed, ")?;
        }
        write!(
            formatter,
            "{} objects, {} rejected applies, {} strong edges kept, {} broken",
            self.objects, self.rejected, self.kept, self.broken
        )?;
        self.after.iter().try_for_each(|after| write!(formatter, ", {after}"))
    }
}

/// The numbers, and per check why it fails.
pub(crate) struct Outcome {
    pub(crate) numbers: Numbers,
    pub(crate) failures: BTreeMap<Check, Vec<String>>,
    pub(crate) times: Times,
}

/// Judges a rollout of `objects`, which are in the simulated order.
pub(crate) fn judge(writes: &[Write], ended: &Ended, plan: &Value, objects: &[Value]) -> Result<Outcome> {
    let times = Times::of(writes);
    let rejected = rejected(ended.application.as_ref(), writes);
    // Flux applies a component at once: inside it there is no order to keep.
    let lists: &[&str] = if ended.application.is_some() { &["edges", "resourceEdges"] } else { &["edges"] };
    let (kept, broken) = edges(plan, lists, &times)?;
    let mut numbers = Numbers {
        objects: objects.len(),
        rejected: rejected.len(),
        kept,
        broken: broken.len(),
        ..Numbers::default()
    };
    let mut failures = BTreeMap::from([(Check::Rejected, rejected), (Check::Edges, broken)]);
    if let Some(application) = &ended.application {
        let tries = tries(application, writes);
        let failed = tries.iter().filter(|phase| *phase != "Succeeded").count();
        numbers.operations = Some((tries.len(), failed));
        if tries != ["Succeeded"] {
            let message = &application["status"]["operationState"]["message"];
            let reason = format!("the operations ended as {}: {message}", tries.join(", "));
            failures.insert(Check::Operation, vec![reason]);
        }
    }
    match &ended.waited {
        Some(waited) => {
            let reasons = failures.entry(Check::Operation).or_default();
            reasons.extend(waited.as_ref().err().map(|error| format!("{error:#}")));
        }
        // Several Applications sync side by side; the simulation is of one.
        None => {
            failures.insert(Check::Order, order::differences(objects, &times));
        }
    }
    failures.retain(|_, reasons| !reasons.is_empty());
    Ok(Outcome { numbers, failures, times })
}

/// How every try of the operation ended, from the controller's own writes of its state.
fn tries(application: &Value, writes: &[Write]) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut ends: BTreeMap<(String, u64), String> = BTreeMap::new();
    let own = |object: &&Value| object["metadata"]["name"] == application["metadata"]["name"];
    let states = writes.iter().filter(|write| write.resource == "applications").map(|write| &write.object);
    for object in states.filter(own).chain([application]) {
        let state = &object["status"]["operationState"];
        let number = state["retryCount"].as_u64().unwrap_or_default();
        if state["phase"].is_string() {
            // A try that failed and will be repeated is written as running again, with the next count.
            ends.insert((text(&state["startedAt"]), number), text(&state["phase"]));
        }
    }
    let last = ends.len().saturating_sub(1);
    let ended = |(index, phase): (usize, String)| {
        if index < last && phase == "Running" { "Failed".to_owned() } else { phase }
    };
    ends.into_values().enumerate().map(ended).collect()
}

/// Every refusal: by the API server, and by Argo CD itself, which never sends an object of a kind that is not served.
fn rejected(application: Option<&Value>, writes: &[Write]) -> Vec<String> {
    let applies = |write: &&Write| {
        matches!(write.user.as_str(), "argocd" | "flux") && !write.resource.starts_with("app")
    };
    let refused = writes.iter().filter(applies).filter(|write| write.refused() && write.verb != "delete");
    let mut all: Vec<String> = refused.map(Write::shown).collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let states = writes.iter().filter(|write| write.resource == "applications").map(|write| &write.object);
    for state in states.chain(application).map(|object| &object["status"]["operationState"]) {
        let results = state["syncResult"]["resources"].as_array().map(Vec::as_slice).unwrap_or_default();
        for result in results.iter().filter(|result| result["status"] == "SyncFailed") {
            let message = result["message"].as_str().unwrap_or_default();
            let known =
                all.iter().any(|refusal| refusal.contains(result["name"].as_str().unwrap_or_default()));
            let key = format!("{}/{}/{}", result["kind"], result["namespace"], result["name"]);
            if !known && seen.insert(format!("{key} {}", state["retryCount"])) {
                all.push(format!("{key}: {message}").replace('"', ""));
            }
        }
    }
    all
}

/// How many strong edges the times keep, and those they break.
fn edges(plan: &Value, lists: &[&str], times: &Times) -> Result<(usize, Vec<String>)> {
    let lists = lists.iter().map(|key| plan[*key].as_array().map(Vec::as_slice).unwrap_or_default());
    let strong = lists.flatten().filter(|edge| edge["strength"] == "strong" && edge["dropped"].is_null());
    let (mut kept, mut broken) = (0, Vec::new());
    for edge in strong {
        let (Some(from), Some(to)) = (edge["fromResource"].as_str(), edge["toResource"].as_str()) else {
            continue;
        };
        let ready = edge["gate"] == "ready";
        let needed = if ready { &times.ready } else { &times.created };
        // What never came holds nobody back; that the operation failed is said elsewhere.
        let Some(begun) = times.created.get(from) else { continue };
        match needed.get(to) {
            Some(time) if time < begun => kept += 1,
            other => {
                let state = if ready { "ready" } else { "there" };
                let reason = edge["reason"].as_str().context("an edge has a reason")?;
                let when = other.map_or("never", String::as_str);
                broken.push(format!(
                    "{from} was written at {begun}, but {to} was {state} at {when} ({reason})"
                ));
            }
        }
    }
    Ok((kept, broken))
}
