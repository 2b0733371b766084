//! Probes and gates that give up before what they wait for can be ready.
//!
//! Only declared times count (`timeout` of a descriptor), and only waits that neither the order nor a gate covers: a
//! pod that starts behind a healthy target needs no patience.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use super::PlacedGate;
use super::container::budget;
use super::places::Places;
use crate::load::settings::Scope;
use crate::model::{ComponentIndex, Edge, Finding, Gate, Ladder, Level, Resource, ResourceIndex, duration};
use crate::yaml::tree::Node;

/// What gives up too early.
#[must_use]
pub fn findings(ladder: &Ladder) -> Vec<Finding> {
    let mut findings = gates(ladder);
    for ((pod, target), (start, edge)) in unguarded(ladder) {
        let Some(needed) = expected(ladder, target) else { continue };
        let resource = ladder.resource(pod);
        for probe in probes(resource).into_iter().filter(|probe| probe.window < needed) {
            findings.push(early(ladder, &Early { edge, start, resource, probe, needed }));
        }
    }
    findings
}

/// When a pod starts beside what it waits for; who starts earlier first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Start {
    /// Argo CD applies the pod before what it waits for.
    Before,
    /// Both are in one wave.
    Together,
    /// Waves keep them apart, but a rung that RollingSync starts does not.
    OneRung,
}

/// Pods that nothing holds back until a component they wait for is ready.
fn unguarded(ladder: &Ladder) -> BTreeMap<(ResourceIndex, ComponentIndex), (Start, &Edge)> {
    let (places, gated) = (Places::of(ladder), gated(ladder));
    let mut found: BTreeMap<_, (Start, &Edge)> = BTreeMap::new();
    let patient = |edge: &&Edge| edge.gate == Gate::Ready && expected(ladder, edge.to.component).is_some();
    for edge in ladder.outer_edges().filter(patient) {
        let pods: Vec<ResourceIndex> = match edge.from.resource {
            Some(resource) => vec![resource],
            None => ladder.resources_of(edge.from.component).collect(),
        };
        for pod in pods.into_iter().filter(|pod| !gated.contains(&(*pod, edge.to.component))) {
            let Some(start) = start(ladder, &places, pod, edge) else { continue };
            let known = found.entry((pod, edge.to.component)).or_insert((start, edge));
            if start < known.0 {
                *known = (start, edge);
            }
        }
    }
    found
}

/// Each pod with the components it waits for in a gate.
fn gated(ladder: &Ladder) -> HashSet<(ResourceIndex, ComponentIndex)> {
    let of_gate = |gate: &PlacedGate| {
        let targets = gate.targets.iter().map(|end| end.component);
        targets.flat_map(|target| gate.pods.iter().map(move |pod| (*pod, target))).collect::<Vec<_>>()
    };
    ladder.gates.iter().flat_map(of_gate).collect()
}

/// How a pod starts beside what an edge waits for; `None` where the order has it wait until that is healthy.
fn start(ladder: &Ladder, places: &Places, pod: ResourceIndex, edge: &Edge) -> Option<Start> {
    let (from, to) = (ladder.placement(edge.from.component), ladder.placement(edge.to.component));
    let order = if ladder.settings.scope == Scope::Component {
        to.wave.cmp(&from.wave)
    } else {
        let own = places.get(pod)?;
        let target = match edge.to.resource {
            Some(target) => places.get(target),
            None => ladder.resources_of(edge.to.component).filter_map(|target| places.get(target)).max(),
        };
        target?.cmp(&own)
    };
    match order {
        Ordering::Greater => Some(Start::Before),
        Ordering::Equal => Some(Start::Together),
        Ordering::Less if from.phase == to.phase && !ladder.settings.is_by_resource() => Some(Start::OneRung),
        Ordering::Less => None,
    }
}

/// How long a component may take to become healthy, if its descriptor says.
fn expected(ladder: &Ladder, component: ComponentIndex) -> Option<Duration> {
    ladder.component(component).descriptor.timeout.as_deref().and_then(duration::parse)
}

/// The longest a container may take to answer before it is restarted.
struct Probe {
    container: String,
    kind: &'static str,
    delay: u64,
    period: u64,
    window: Duration,
}

/// The probe of each container that ends it while it starts.
fn probes(resource: &Resource) -> Vec<Probe> {
    let root = resource.manifest.tree();
    let paths: [&[&str]; 2] =
        [&["spec", "template", "spec"], &["spec", "jobTemplate", "spec", "template", "spec"]];
    let pod = root.as_ref().and_then(|root| paths.iter().find_map(|path| root.at(path)));
    let containers = pod.and_then(|pod| pod.get("containers")).map_or(&[][..], Node::items);
    containers.iter().filter_map(probe).collect()
}

fn probe(container: &Node) -> Option<Probe> {
    let (kind, probe) = ["startupProbe", "livenessProbe"]
        .into_iter()
        .find_map(|kind| container.get(kind).map(|probe| (kind, probe)))?;
    let number = |field: &str, default: u64| {
        probe.get(field).and_then(Node::text).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (delay, period) = (number("initialDelaySeconds", 0), number("periodSeconds", 10));
    let window =
        Duration::from_secs(delay.saturating_add(period.saturating_mul(number("failureThreshold", 3))));
    let container = container.get("name").and_then(Node::text).unwrap_or_default().to_owned();
    Some(Probe { container, kind, delay, period, window })
}

struct Early<'l> {
    edge: &'l Edge,
    start: Start,
    resource: &'l Resource,
    probe: Probe,
    needed: Duration,
}

fn early(ladder: &Ladder, Early { edge, start, resource, probe, needed }: &Early<'_>) -> Finding {
    let target = &ladder.component(edge.to.component).name;
    let (level, beside) = match start {
        Start::Before => (Level::Warning, "which starts after it,"),
        Start::Together => (Level::Warning, "which starts together with it,"),
        Start::OneRung => (Level::Info, "which RollingSync starts together with it,"),
    };
    let message = format!(
        "the {} of `{}` in `{}` gives up after {}, but `{target}`, {beside} may take {}",
        probe.kind,
        probe.container,
        resource.id.short(),
        duration::text(probe.window),
        duration::text(*needed)
    );
    let tries = needed.as_secs().saturating_sub(probe.delay).div_ceil(probe.period.max(1));
    Finding::new("probe-gives-up-early", level, message)
        .about(&ladder.component(edge.from.component).name)
        .at(edge.origin.clone())
        .help(format!("set `startupProbe.failureThreshold: {tries}`, or let it wait with `waitFor`"))
}

/// Gates whose tries end before what they wait for can be ready.
fn gates(ladder: &Ladder) -> Vec<Finding> {
    let held = ladder.gates.iter().filter(|gate| !gate.pods.is_empty());
    held.filter_map(|gate| hasty(ladder, gate)).collect()
}

fn hasty(ladder: &Ladder, gate: &PlacedGate) -> Option<Finding> {
    let others = gate.targets.iter().map(|end| end.component).filter(|target| *target != gate.component);
    let (needed, target) = others.filter_map(|target| Some((expected(ladder, target)?, target))).max()?;
    let (tries, pause) = budget(&gate.wait.value, &ladder.settings.gates);
    let patience = Duration::from_secs(u64::from(tries) * pause);
    let own = &ladder.component(gate.component).name;
    let message = format!(
        "the gate of `{own}` gives up after {}, but `{}` may take {}",
        duration::text(patience),
        ladder.component(target).name,
        duration::text(needed)
    );
    (patience < needed).then(|| {
        Finding::new("gate-gives-up-early", Level::Warning, message)
            .about(own)
            .at(gate.wait.origin.clone())
            .help(format!("set `retries: {}`", needed.as_secs().div_ceil(pause)))
    })
}
