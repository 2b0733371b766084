//! A sync by Argo CD on an empty cluster, judged by the API server's audit log.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::order;
use super::requests::source_of;
use crate::case::{Check, Rollout, Through};
use crate::objects::{Object, TRACKING, WAVE};
use crate::parts::argocd::Argocd;
use crate::parts::audit::{self, Times, Write};
use crate::parts::build::Built;
use crate::parts::cluster::Cluster;
use crate::parts::process::output;
use crate::parts::repo::Repo;
use crate::parts::repo_server::{LADDER, RepoServer};

const NAME: &str = "rollout";

/// What a rollout starts from.
pub(crate) struct Ground<'a> {
    pub(crate) built: &'a Built,
    pub(crate) server: &'a RepoServer,
    pub(crate) repo: &'a Repo,
    pub(crate) folder: &'a Path,
}

/// What a rollout showed: the numbers, and per check why it fails.
struct Outcome {
    summary: String,
    failures: BTreeMap<Check, Vec<String>>,
}

/// Rolls out on an empty cluster and compares with what the case expects.
pub(crate) fn check(ground: &Ground, rollout: &Rollout) -> Result<String> {
    let rendered = ground.server.objects(&source_of(ground.repo, &plugin(rollout))?)?;
    let (source, objects) = ground.source(rollout, rendered)?;
    let cluster = Cluster::start(ground.built, ground.folder, &objects)?;
    let argocd = Argocd::start(ground.built, ground.folder, &cluster, ground.server)?;
    let application = argocd.sync(NAME, &source, rollout.retries, Duration::from_secs(rollout.seconds))?;
    fs::write(ground.folder.join("logs/application.json"), serde_json::to_string_pretty(&application)?)?;
    let writes = audit::read(&cluster.audit_log())?;
    let outcome = judge(&application, &writes, &ground.plan()?, &objects)?;
    for (check, reasons) in &outcome.failures {
        match rollout.fails.get(check) {
            None => bail!("{check:?} ({}):\n    {}", outcome.summary, reasons.join("\n    ")),
            Some(text) if !reasons.iter().any(|reason| reason.contains(text)) => {
                bail!("{check:?} fails as expected, but not with `{text}`:\n    {}", reasons.join("\n    "))
            }
            Some(_) => {}
        }
    }
    if let Some((check, _)) = rollout.fails.iter().find(|(check, _)| !outcome.failures.contains_key(check)) {
        bail!("{check:?} holds, and should fail ({})", outcome.summary);
    }
    Ok(outcome.summary)
}

fn plugin(rollout: &Rollout) -> Value {
    let phases = rollout.only.iter().map(|phases| json!({"name": "phases", "string": phases}));
    json!({"plugin": {"name": "argocd-ladder", "parameters": phases.collect::<Vec<_>>()}})
}

impl Ground<'_> {
    /// The source Argo CD syncs from, and the objects it will find there.
    fn source(&self, rollout: &Rollout, mut objects: Vec<Value>) -> Result<(Value, Vec<Value>)> {
        if rollout.through == Through::Plugin {
            return Ok((source_of(self.repo, &plugin(rollout))?, objects));
        }
        let mut planted = rollout.plant.clone();
        for object in &mut objects {
            object.drop_annotation(TRACKING);
            if rollout.through == Through::DirectoryWithoutWaves {
                object.drop_annotation(WAVE);
            }
            if let Some(wave) = planted.remove(&object.id()) {
                object["metadata"]["annotations"][WAVE] = json!(wave.to_string());
            }
        }
        if let Some(id) = planted.keys().next() {
            bail!("plant: there is no {id}");
        }
        let repo = Repo::of_objects(self.folder.join("directory"), &objects)?;
        Ok((source_of(&repo, &Value::Null)?, objects))
    }

    /// The plan of the repository, with every resource and edge.
    fn plan(&self) -> Result<Value> {
        let mut command = Command::new(LADDER);
        command.args(["plan", ".", "--format", "json", "--resources"]).current_dir(self.repo.folder());
        Ok(serde_json::from_slice(&output(&mut command)?)?)
    }
}

fn judge(application: &Value, writes: &[Write], plan: &Value, objects: &[Value]) -> Result<Outcome> {
    let mut failures = BTreeMap::new();
    let mut note = |check: Check, reasons: Vec<String>| {
        if !reasons.is_empty() {
            failures.insert(check, reasons);
        }
    };
    let tries = tries(application, writes);
    let rejected = rejected(application, writes);
    let times = Times::of(writes);
    let (kept, broken) = edges(plan, &times)?;
    let summary = format!(
        "{} objects, {} operation(s) of which {} failed, {} rejected applies, {kept} strong edges kept, {} broken",
        objects.len(),
        tries.len(),
        tries.iter().filter(|phase| *phase != "Succeeded").count(),
        rejected.len(),
        broken.len(),
    );
    if tries != ["Succeeded"] {
        let message = &application["status"]["operationState"]["message"];
        note(Check::Operation, vec![format!("the operations ended as {}: {message}", tries.join(", "))]);
    }
    note(Check::Rejected, rejected);
    note(Check::Edges, broken);
    note(Check::Order, order::differences(objects, &times));
    Ok(Outcome { summary, failures })
}

/// How every try of the operation ended, from the controller's own writes of its state.
fn tries(application: &Value, writes: &[Write]) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut ends: BTreeMap<(String, u64), String> = BTreeMap::new();
    let states = writes.iter().filter(|write| write.resource == "applications").map(|write| &write.object);
    for object in states.chain([application]) {
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
fn rejected(application: &Value, writes: &[Write]) -> Vec<String> {
    let by_argocd = |write: &&Write| write.user == "argocd" && !write.resource.starts_with("app");
    let refused = writes.iter().filter(by_argocd).filter(|write| write.refused() && write.verb != "delete");
    let mut all: Vec<String> = refused.map(Write::shown).collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let states = writes.iter().filter(|write| write.resource == "applications").map(|write| &write.object);
    for state in states.chain([application]).map(|object| &object["status"]["operationState"]) {
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
fn edges(plan: &Value, times: &Times) -> Result<(usize, Vec<String>)> {
    let lists =
        ["edges", "resourceEdges"].map(|key| plan[key].as_array().map(Vec::as_slice).unwrap_or_default());
    let strong =
        lists.into_iter().flatten().filter(|edge| edge["strength"] == "strong" && edge["dropped"].is_null());
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
