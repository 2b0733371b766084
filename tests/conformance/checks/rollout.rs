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
use crate::parts::flux::Flux;
use crate::parts::process::output;
use crate::parts::repo::Repo;
use crate::parts::repo_server::{LADDER, RepoServer};

const NAME: &str = "rollout";
/// How many reasons of one failure are shown.
const SHOWN: usize = 10;

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
    let rendered = ground.server.objects(&source_of(ground.repo, &plugin(rollout, "manifests"))?)?;
    let (source, objects) = ground.source(rollout, rendered)?;
    let cluster = Cluster::start(ground.built, ground.folder, &objects)?;
    let limit = Duration::from_secs(rollout.seconds);
    let outcome = if rollout.through == Through::Flux {
        let ended = ground.flux(rollout, &cluster, limit);
        ground.judge(&cluster, &[], &objects, ended)?
    } else {
        let Ground { built, server, folder, .. } = *ground;
        let argocd = Argocd::start(built, folder, &cluster, server, &rollout.settings)?;
        let application = argocd.sync(NAME, &source, rollout.retries, limit)?;
        fs::write(folder.join("logs/application.json"), serde_json::to_string_pretty(&application)?)?;
        let several = matches!(rollout.through, Through::Applications | Through::Applicationset);
        let ended = if several { argocd.wait_for_all(limit) } else { Ok(()) };
        ground.judge(&cluster, &[application], &objects, ended)?
    };
    compare(rollout, &outcome)
}

/// The numbers, if the checks that fail are those that must.
fn compare(rollout: &Rollout, outcome: &Outcome) -> Result<String> {
    for (check, reasons) in &outcome.failures {
        let some: Vec<&str> = reasons.iter().take(SHOWN).map(String::as_str).collect();
        match rollout.fails.get(check) {
            None => bail!("{check:?} ({}):\n    {}", outcome.summary, some.join("\n    ")),
            Some(text) if !reasons.iter().any(|reason| reason.contains(text)) => {
                bail!("{check:?} fails as expected, but not with `{text}`:\n    {}", some.join("\n    "))
            }
            Some(_) => {}
        }
    }
    match rollout.fails.keys().find(|check| !outcome.failures.contains_key(check)) {
        Some(check) => bail!("{check:?} holds, and should fail ({})", outcome.summary),
        None => Ok(outcome.summary.clone()),
    }
}

fn plugin(rollout: &Rollout, target: &str) -> Value {
    let mut parameters = vec![json!({"name": "target", "string": target})];
    parameters.extend(rollout.only.iter().map(|phases| json!({"name": "phases", "string": phases})));
    json!({"plugin": {"name": "argocd-ladder", "parameters": parameters}})
}

impl Ground<'_> {
    /// The source Argo CD syncs from, and the objects it will find there.
    fn source(&self, rollout: &Rollout, mut objects: Vec<Value>) -> Result<(Value, Vec<Value>)> {
        let target = match rollout.through {
            Through::Plugin => Some("manifests"),
            Through::Applications => Some("applications"),
            Through::Applicationset => Some("applicationset"),
            Through::Flux => Some("flux"),
            Through::Directory | Through::DirectoryWithoutWaves => None,
        };
        if let Some(target) = target {
            return Ok((source_of(self.repo, &plugin(rollout, target))?, objects));
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

    /// Applies what `render --target flux` prints, and waits.
    fn flux(&self, rollout: &Rollout, cluster: &Cluster, limit: Duration) -> Result<()> {
        let flux = Flux::start(self.built, self.folder, cluster, self.repo)?;
        let mut command = Command::new(LADDER);
        command.args(["render", ".", "--target", "flux"]).current_dir(self.repo.folder());
        command.args(rollout.only.iter().flat_map(|phases| ["--phases", phases]));
        let file = self.folder.join("kustomizations.yaml");
        fs::write(&file, output(&mut command)?)?;
        cluster.kubectl(&["apply", "--server-side", "-f", &file.to_string_lossy()])?;
        flux.wait_for_all(limit)
    }

    /// The plan of the repository, with every resource and edge.
    fn plan(&self) -> Result<Value> {
        let mut command = Command::new(LADDER);
        command.args(["plan", ".", "--format", "json", "--resources"]).current_dir(self.repo.folder());
        Ok(serde_json::from_slice(&output(&mut command)?)?)
    }

    /// Judges by the audit log. `applications` is the one whose operation counts; `ended` is how waiting for many ended.
    fn judge(
        &self,
        cluster: &Cluster,
        applications: &[Value],
        objects: &[Value],
        ended: Result<()>,
    ) -> Result<Outcome> {
        let writes = audit::read(&cluster.audit_log())?;
        let times = Times::of(&writes);
        let rejected = rejected(applications, &writes);
        let (kept, broken) = edges(&self.plan()?, &times)?;
        let mut summary = format!(
            "{} objects, {} rejected applies, {kept} strong edges kept, {} broken",
            objects.len(),
            rejected.len(),
            broken.len()
        );
        let mut failures = BTreeMap::from([(Check::Rejected, rejected), (Check::Edges, broken)]);
        failures.insert(Check::Operation, ended.err().iter().map(|error| format!("{error:#}")).collect());
        if let [application] = applications {
            let tries = tries(application, &writes);
            let failed = tries.iter().filter(|phase| *phase != "Succeeded").count();
            summary = format!("{} operation(s) of which {failed} failed, {summary}", tries.len());
            if tries != ["Succeeded"] {
                let message = &application["status"]["operationState"]["message"];
                let reason = format!("the operations ended as {}: {message}", tries.join(", "));
                failures.entry(Check::Operation).or_default().push(reason);
            }
            failures.insert(Check::Order, order::differences(objects, &times));
        }
        failures.retain(|_, reasons| !reasons.is_empty());
        Ok(Outcome { summary, failures })
    }
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
fn rejected(applications: &[Value], writes: &[Write]) -> Vec<String> {
    let applies = |write: &&Write| {
        matches!(write.user.as_str(), "argocd" | "flux") && !write.resource.starts_with("app")
    };
    let refused = writes.iter().filter(applies).filter(|write| write.refused() && write.verb != "delete");
    let mut all: Vec<String> = refused.map(Write::shown).collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let states = writes.iter().filter(|write| write.resource == "applications").map(|write| &write.object);
    for state in states.chain(applications).map(|object| &object["status"]["operationState"]) {
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
