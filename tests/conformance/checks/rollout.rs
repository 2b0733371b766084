//! A rollout by Argo CD or Flux on an empty cluster.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::deletes;
use super::judgement::{Ended, Outcome, judge};
use super::requests::source_of;
use crate::case::{Check, Rollout, Through};
use crate::objects::{Object, TRACKING, WAVE};
use crate::parts::argocd::Argocd;
use crate::parts::audit;
use crate::parts::build::Built;
use crate::parts::cluster::Cluster;
use crate::parts::flux::Flux;
use crate::parts::process::output;
use crate::parts::repo::Repo;
use crate::parts::repo_server::{LADDER, RepoServer, joined};

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

/// Rolls out on an empty cluster and compares with what the case expects.
pub(crate) fn check(ground: &Ground, rollout: &Rollout) -> Result<String> {
    let rendered = ground.server.objects(&source_of(ground.repo, &plugin(rollout, "manifests"))?)?;
    let (source, objects) = ground.source(rollout, rendered)?;
    let cluster = Cluster::start(ground.built, ground.folder, &objects)?;
    cluster.apply(&rollout.before)?;
    let limit = Duration::from_secs(rollout.seconds);
    if rollout.through == Through::Flux {
        let ended = Ended { application: None, waited: Some(ground.flux(rollout, &cluster, limit)) };
        let outcome = judge(&audit::read(&cluster.audit_log())?, &ended, &ground.plan()?, &objects)?;
        return compare(rollout, &outcome);
    }
    let Ground { built, server, folder, .. } = *ground;
    let argocd = Argocd::start(built, folder, &cluster, server, &ground.settings(rollout)?)?;
    let ended = {
        let application = argocd.sync(NAME, &source, rollout.retries, limit)?;
        fs::write(folder.join("logs/application.json"), serde_json::to_string_pretty(&application)?)?;
        let several = matches!(rollout.through, Through::Applications | Through::Applicationset);
        Ended { application: Some(application), waited: several.then(|| argocd.wait_for_all(limit)) }
    };
    let mut outcome = judge(&audit::read(&cluster.audit_log())?, &ended, &ground.plan()?, &objects)?;
    if rollout.delete {
        argocd.delete(NAME, limit)?;
        let plan = ground.reverse_plan(ended.waited.is_some())?;
        let (count, wrong) = deletes::compare(&audit::read(&cluster.audit_log())?, NAME, &plan, &objects);
        outcome.summary = format!(
            "{}, {count} deleted in {} order",
            outcome.summary,
            if wrong.is_empty() { "reverse" } else { "another" }
        );
        if !wrong.is_empty() {
            outcome.failures.insert(Check::Deletes, wrong);
        }
    }
    compare(rollout, &outcome)
}

/// The numbers, if the checks that fail are those that must.
fn compare(rollout: &Rollout, outcome: &Outcome) -> Result<String> {
    for (check, reasons) in &outcome.failures {
        let is_seen =
            |reason: &&String| !rollout.unseen.iter().any(|kind| reason.contains(&format!("but {kind}/")));
        let reasons: Vec<&String> = reasons.iter().filter(is_seen).collect();
        if reasons.is_empty() {
            continue;
        }
        let some: Vec<&str> = reasons.iter().take(SHOWN).map(|reason| reason.as_str()).collect();
        match rollout.fails.get(check) {
            None if rollout.may_fail.contains(check) => {}
            None => bail!("{check:?} ({}):\n    {}", outcome.summary, some.join("\n    ")),
            Some(text) if !reasons.iter().any(|reason| reason.contains(text)) => {
                bail!("{check:?} fails as expected, but not with `{text}`:\n    {}", some.join("\n    "))
            }
            Some(_) => {}
        }
    }
    if let Some(id) = rollout.held_back.iter().find(|id| outcome.times.created.contains_key(*id)) {
        bail!("{id} was written, and should be held back ({})", outcome.summary);
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
        let mut command = self.ladder()?;
        command.args(["render", ".", "--target", "flux"]);
        command.args(rollout.only.iter().flat_map(|phases| ["--phases", phases]));
        let file = self.folder.join("kustomizations.yaml");
        fs::write(&file, output(&mut command)?)?;
        cluster.kubectl(&["apply", "--server-side", "-f", &file.to_string_lossy()])?;
        flux.wait_for_all(limit)
    }

    /// The case's settings of Argo CD, over the health checks that are printed for the repository.
    fn settings(&self, rollout: &Rollout) -> Result<BTreeMap<String, String>> {
        let mut settings = BTreeMap::new();
        if rollout.health_checks {
            let printed = output(self.ladder()?.args(["health-checks", "."]))?;
            let patch: Value = serde_yaml::from_slice(&printed)?;
            settings = serde_json::from_value(patch["data"].clone())?;
        }
        settings.extend(rollout.settings.clone());
        Ok(settings)
    }

    /// The order of deletion that is printed: of one Application, or of one per component.
    fn reverse_plan(&self, several: bool) -> Result<Value> {
        let order = if several { "--reverse=applications" } else { "--reverse=manifests" };
        let mut command = self.ladder()?;
        Ok(serde_json::from_slice(&output(command.args(["plan", ".", "--format", "json", order]))?)?)
    }

    /// The plan of the repository, with every resource and edge.
    fn plan(&self) -> Result<Value> {
        let mut command = self.ladder()?;
        command.args(["plan", ".", "--format", "json", "--resources"]);
        Ok(serde_json::from_slice(&output(&mut command)?)?)
    }

    /// Our program in the repository, with the real helm and kustomize.
    fn ladder(&self) -> Result<Command> {
        let mut command = Command::new(LADDER);
        command.current_dir(self.repo.folder()).env("PATH", joined([self.built.programs()])?);
        Ok(command)
    }
}
