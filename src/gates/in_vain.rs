//! Gates that never open: what they wait for comes later in the same sync, is gone when a pod starts again, or never
//! says what they want to hear.

use crate::argocd::{DeletePolicy, HookUse, delete_policies};
use crate::load::settings::Scope;
use crate::model::{End, Finding, Ladder, Level, Resource, ResourceIndex};
use crate::problem::suggestion;
use crate::yaml::tree::Node;

use super::PlacedGate;
use super::places::{Place, Places};

/// Kinds Argo CD waits for before it goes on.
const AWAITED: &[&str] = &["DaemonSet", "Deployment", "Job", "Pod", "ReplicaSet", "StatefulSet"];

/// The conditions that Kubernetes sets on kinds of its own (`pkg/controller`).
const CONDITIONS: &[(&str, &str, &[&str])] = &[
    ("apps", "DaemonSet", &[]),
    ("apps", "Deployment", &["Available", "Progressing", "ReplicaFailure"]),
    ("apps", "ReplicaSet", &["ReplicaFailure"]),
    ("apps", "StatefulSet", &[]),
    ("batch", "Job", &["Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"]),
];

/// Gates that never open.
#[must_use]
pub fn findings(ladder: &Ladder) -> Vec<Finding> {
    if ladder.gates.is_empty() {
        return Vec::new();
    }
    let places = Places::of(ladder);
    let mut findings = Vec::new();
    for gate in &ladder.gates {
        findings.extend(gate.pods.iter().filter_map(|pod| too_early(ladder, &places, gate, *pod)));
        findings.extend(gate.targets.iter().filter_map(|target| deleted(ladder, gate, target)));
        findings.extend(never_set(ladder, gate));
    }
    findings
}

/// When what a gate asks for is there: an address needs its Service and one of the workloads behind it.
fn opens(
    ladder: &Ladder,
    places: &Places,
    gate: &PlacedGate,
    pod: ResourceIndex,
) -> Option<(Place, ResourceIndex)> {
    let component = ladder.resource(pod).component;
    let in_sync = |end: &&End| ladder.settings.scope == Scope::Ladder || end.component == component;
    let objects = gate.targets.iter().filter(in_sync).filter_map(|end| end.resource);
    let found = objects.filter_map(|index| Some((places.get(index)?, index)));
    let (services, others): (Vec<_>, Vec<_>) =
        found.partition(|(_, index)| ladder.resource(*index).id.kind == "Service");
    services.into_iter().min().into_iter().chain(others.into_iter().min()).max()
}

/// A pod the sync waits for, which waits for something that comes behind it.
fn too_early(ladder: &Ladder, places: &Places, gate: &PlacedGate, pod: ResourceIndex) -> Option<Finding> {
    let resource = ladder.resource(pod);
    let own = places.get(pod)?;
    let (then, target) = opens(ladder, places, gate, pod).filter(|(then, _)| *then > own)?;
    if !AWAITED.contains(&resource.id.kind.as_str()) {
        return None;
    }
    let target = ladder.resource(target);
    // As an Application of its own, another component does not wait for this one.
    let same = target.component == gate.component;
    let level = if same { Level::Error } else { Level::Warning };
    let message = format!(
        "`{}` of {} waits for `{}` of {}: where that is not there yet, the sync never gets to it",
        resource.id.short(),
        shown(own),
        target.id.short(),
        shown(then)
    );
    let help = "leave it out with `workloads`, or let it come after what it waits for";
    Some(told("gate-never-opens", level, message, ladder, gate).help(help))
}

fn shown((hook, wave): Place) -> String {
    format!("{hook} wave {wave}")
}

/// A Job that is gone once it has succeeded.
fn deleted(ladder: &Ladder, gate: &PlacedGate, target: &End) -> Option<Finding> {
    let job = ladder.resource(target.resource?);
    if job.id.kind != "Job" || job.id.group != "batch" {
        return None;
    }
    let is_lasting = |pod: &&ResourceIndex| ladder.resource(**pod).hook == HookUse::NotHook;
    let pod = ladder.resource(*gate.pods.iter().find(is_lasting)?);
    let (how, help) = if goes_with_the_sync(job) {
        ("its delete policy HookSucceeded", "give it `deletePolicy: BeforeHookCreation`")
    } else if has_time_to_live(job) {
        ("its `ttlSecondsAfterFinished`", "remove `ttlSecondsAfterFinished`")
    } else {
        return None;
    };
    let message = format!(
        "`{}` waits for `{}`, which {how} deletes once it has succeeded: a pod that starts later waits in vain",
        pod.id.short(),
        job.id.short()
    );
    let help = format!("{help}, or wait for what the Job makes");
    Some(told("gate-target-is-deleted", Level::Warning, message, ladder, gate).help(help))
}

/// A condition that no object of its kind ever has.
fn never_set(ladder: &Ladder, gate: &PlacedGate) -> Option<Finding> {
    let wait = gate.wait.value.resource.as_ref()?;
    let (kind, group) = wait.kind_and_group();
    let is_kind = |known: &&(&str, &str, &[&str])| {
        known.1.eq_ignore_ascii_case(kind) && group.is_none_or(|group| group == known.0)
    };
    let (_, kind, conditions) = CONDITIONS.iter().find(is_kind)?;
    if conditions.iter().any(|known| known.eq_ignore_ascii_case(&wait.condition)) {
        return None;
    }
    let message = format!("no {kind} ever has a condition `{}`, so this gate never opens", wait.condition);
    let help = if conditions.is_empty() {
        "wait for an address of its pods with `tcp` or `http`".to_owned()
    } else {
        suggestion(&wait.condition, conditions.iter().copied())
    };
    Some(told("gate-never-opens", Level::Warning, message, ladder, gate).help(help))
}

fn goes_with_the_sync(job: &Resource) -> bool {
    matches!(job.hook, HookUse::Hooks(_))
        && delete_policies(&job.manifest.annotations).contains(&DeletePolicy::HookSucceeded)
}

fn has_time_to_live(job: &Resource) -> bool {
    let root = job.manifest.tree();
    let time = root.as_ref().and_then(|root| root.at(&["spec", "ttlSecondsAfterFinished"]));
    time.is_some_and(|time: &Node| !time.is_null())
}

fn told(rule: &'static str, level: Level, message: String, ladder: &Ladder, gate: &PlacedGate) -> Finding {
    Finding::new(rule, level, message)
        .about(&ladder.component(gate.component).name)
        .at(gate.wait.origin.clone())
}
