//! A rollout by Argo CD or Flux on an empty cluster.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::deletes;
use super::judgement::{Ended, Numbers, Outcome, judge};
use super::requests::source_of;
use crate::case::{Change, Check, Rollout, Through};
use crate::objects::{Object, TRACKING, WAVE};
use crate::parts::argocd::Argocd;
use crate::parts::audit::{self, Times};
use crate::parts::build::Built;
use crate::parts::cluster::Cluster;
use crate::parts::flux::Flux;
use crate::parts::process::{output, wait_for};
use crate::parts::repo::Repo;
use crate::parts::repo_server::{LADDER, RepoServer, joined};

const NAME: &str = "rollout";
/// What is on a cluster before a rollout.
const GROUNDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/grounds");
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
pub(crate) fn check(ground: &Ground, rollout: &Rollout) -> Result<Numbers> {
    let rendered = ground.rendered(rollout)?;
    let (source, objects) = ground.source(rollout, rendered)?;
    let cluster = Cluster::start(ground.built, ground.folder, &objects)?;
    if let Some(name) = &rollout.ground {
        cluster.kubectl(&["apply", "--server-side", "-f", &format!("{GROUNDS}/{name}.yaml")])?;
    }
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
        // A parent that still waits for one child has not created the others.
        let is_over = application["status"]["operationState"]["phase"] != "Running";
        let waited = || if is_over { argocd.wait_for_all(limit) } else { Ok(()) };
        Ended { waited: several(rollout).then(waited), application: Some(application) }
    };
    let mut outcome = judge(&audit::read(&cluster.audit_log())?, &ended, &ground.plan()?, &objects)?;
    if let Some(change) = &rollout.change {
        let wrong = ground.passed_on(change, &argocd, &cluster, limit)?;
        outcome.numbers.after.push(format!("a change passed on to {} objects", change.passes.len()));
        if !wrong.is_empty() {
            outcome.failures.insert(Check::Change, wrong);
        }
    }
    if rollout.delete {
        argocd.delete(NAME, limit)?;
        let plan = ground.reverse_plan(ended.waited.is_some())?;
        let (count, wrong) = deletes::compare(&audit::read(&cluster.audit_log())?, NAME, &plan, &objects);
        let order = if wrong.is_empty() { "reverse" } else { "another" };
        outcome.numbers.after.push(format!("{count} deleted in {order} order"));
        if !wrong.is_empty() {
            outcome.failures.insert(Check::Deletes, wrong);
        }
    }
    compare(rollout, &outcome)
}

/// The numbers, if the checks that fail are those that must.
fn compare(rollout: &Rollout, outcome: &Outcome) -> Result<Numbers> {
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
            None => bail!("{check:?} ({}):\n    {}", outcome.numbers, some.join("\n    ")),
            Some(text) if !reasons.iter().any(|reason| reason.contains(text)) => {
                bail!("{check:?} fails as expected, but not with `{text}`:\n    {}", some.join("\n    "))
            }
            Some(_) => {}
        }
    }
    if let Some(id) = rollout.held_back.iter().find(|id| outcome.times.created.contains_key(*id)) {
        bail!("{id} was written, and should be held back ({})", outcome.numbers);
    }
    match rollout.fails.keys().find(|check| !outcome.failures.contains_key(check)) {
        Some(check) => bail!("{check:?} holds, and should fail ({})", outcome.numbers),
        None => Ok(outcome.numbers.clone()),
    }
}

/// Whether each component has an Application of its own.
fn several(rollout: &Rollout) -> bool {
    matches!(rollout.through, Through::Applications | Through::Applicationset)
}

fn plugin(rollout: &Rollout, target: &str) -> Value {
    let mut parameters = vec![json!({"name": "target", "string": target})];
    parameters.extend(rollout.only.iter().map(|phases| json!({"name": "phases", "string": phases})));
    json!({"plugin": {"name": "argocd-ladder", "parameters": parameters}})
}

impl Ground<'_> {
    /// What the plugin renders: everything at once, or each component for its own Application or Kustomization.
    fn rendered(&self, rollout: &Rollout) -> Result<Vec<Value>> {
        let manifests = plugin(rollout, "manifests");
        if rollout.only.is_some() || !(several(rollout) || rollout.through == Through::Flux) {
            return self.server.objects(&source_of(self.repo, &manifests)?);
        }
        let plan = self.plan()?;
        let mut objects = Vec::new();
        for component in plan["components"].as_array().map(Vec::as_slice).unwrap_or_default() {
            let mut source = manifests.clone();
            let parameters = source["plugin"]["parameters"].as_array_mut().context("parameters")?;
            parameters.push(json!({"name": "component", "string": component["name"]}));
            objects.extend(self.server.objects(&source_of(self.repo, &source)?)?);
        }
        Ok(objects)
    }

    /// Commits a change and waits until it has reached all its objects; where it went out of order.
    fn passed_on(
        &self,
        change: &Change,
        argocd: &Argocd,
        cluster: &Cluster,
        limit: Duration,
    ) -> Result<Vec<String>> {
        let since = audit::read(&cluster.audit_log())?.pop().context("nothing was written")?.time;
        self.repo.change(&change.content)?;
        argocd.refresh(NAME)?;
        let times = wait_for("the change to reach its objects", limit, || {
            let mut writes = audit::read(&cluster.audit_log())?;
            writes.retain(|write| write.time > since);
            let times = Times::of(&writes);
            Ok(change.passes.iter().all(|id| times.created.contains_key(id)).then_some(times))
        })?;
        let early = change
            .passes
            .windows(2)
            .filter(|pair| times.ready.get(&pair[0]).is_none_or(|ready| *ready > times.created[&pair[1]]));
        Ok(early.map(|pair| format!("{} changed before {} was ready again", pair[1], pair[0])).collect())
    }

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

    /// Applies what `render --target flux` prints, and waits. Manifests that Flux cannot make itself are committed.
    fn flux(&self, rollout: &Rollout, cluster: &Cluster, limit: Duration) -> Result<()> {
        let settings: Value = serde_yaml::from_slice(&fs::read(self.repo.folder().join("ladder.yaml"))?)?;
        if let Some(folder) = settings["targets"]["flux"]["rendered"].as_str() {
            output(self.ladder()?.args(["render", ".", "--target", "flux", "-o", &format!("{folder}/")]))?;
            self.repo.commit()?;
        }
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
