//! Probes and gates that give up before what they wait for can be ready.
//!
//! Only declared times count (`timeout` of a descriptor), and only waits that no wave already covers: a pod that
//! starts behind a healthy target needs no patience.

use std::collections::BTreeSet;
use std::time::Duration;

use super::container::budget;
use crate::hosts;
use crate::load::hooks::WaitForSetting;
use crate::model::{Component, ComponentIndex, Edge, Finding, Ladder, Level, Resource, duration};
use crate::yaml::tree::Node;

/// What gives up too early.
#[must_use]
pub fn findings(ladder: &Ladder) -> Vec<Finding> {
    let mut findings = gates(ladder);
    let mut seen = BTreeSet::new();
    for edge in ladder.outer_edges().filter(|edge| starts_together(ladder, edge)) {
        let Some(needed) = expected(ladder, edge.to.component) else { continue };
        let Some(index) = edge.from.resource.filter(|index| seen.insert((*index, edge.to.component))) else {
            continue;
        };
        let resource = ladder.resource(index);
        let gated = resource.manifest.added.as_ref().is_some_and(|added| !added.lists.is_empty());
        if gated {
            continue;
        }
        for probe in probes(resource).into_iter().filter(|probe| probe.window < needed) {
            findings.push(early(ladder, edge, resource, &probe, needed));
        }
    }
    findings
}

/// How long a component may take to become healthy, if its descriptor says.
fn expected(ladder: &Ladder, component: ComponentIndex) -> Option<Duration> {
    ladder.component(component).descriptor.timeout.as_deref().and_then(duration::parse)
}

fn starts_together(ladder: &Ladder, edge: &Edge) -> bool {
    let place = |component| {
        let placement = ladder.placement(component);
        (&placement.phase, placement.depth)
    };
    edge.dropped.is_some() || place(edge.from.component) == place(edge.to.component)
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
    let root = super::root(&resource.manifest);
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

fn early(ladder: &Ladder, edge: &Edge, resource: &Resource, probe: &Probe, needed: Duration) -> Finding {
    let target = &ladder.component(edge.to.component).name;
    let message = format!(
        "the {} of `{}` in `{}` gives up after {}, but `{target}`, which starts together with it, may take {}",
        probe.kind,
        probe.container,
        resource.id.short(),
        duration::text(probe.window),
        duration::text(needed)
    );
    let tries = needed.as_secs().saturating_sub(probe.delay).div_ceil(probe.period.max(1));
    Finding::new("probe-gives-up-early", Level::Warning, message)
        .about(&ladder.component(edge.from.component).name)
        .at(edge.origin.clone())
        .help(format!("set `startupProbe.failureThreshold: {tries}`, or let it wait with `waitFor`"))
}

/// Gates whose tries end before what they wait for can be ready.
fn gates(ladder: &Ladder) -> Vec<Finding> {
    let mut findings = Vec::new();
    for component in &ladder.components {
        for wait in &component.descriptor.wait_for {
            let Some(target) = asked_for(ladder, component, wait) else { continue };
            let Some(needed) = expected(ladder, target) else { continue };
            let (tries, pause) = budget(wait, &ladder.settings.gates);
            let patience = Duration::from_secs(u64::from(tries) * pause);
            if patience < needed {
                let message = format!(
                    "the gate of `{}` gives up after {}, but `{}` may take {}",
                    component.name,
                    duration::text(patience),
                    ladder.component(target).name,
                    duration::text(needed)
                );
                findings.push(
                    Finding::new("gate-gives-up-early", Level::Warning, message)
                        .about(&component.name)
                        .at(component.origin.clone())
                        .help(format!("set `retries: {}`", needed.as_secs().div_ceil(pause))),
                );
            }
        }
    }
    findings
}

/// The component that holds what a gate asks for.
fn asked_for(ladder: &Ladder, component: &Component, wait: &WaitForSetting) -> Option<ComponentIndex> {
    let address = wait.http.as_deref().or(wait.tcp.as_deref()).and_then(hosts::service);
    let (kind, group, name, namespace) = match (&wait.resource, &address) {
        (Some(resource), _) => {
            let (kind, group) = resource.kind_and_group();
            (kind, group, &resource.name, resource.namespace.as_deref())
        }
        (None, Some(address)) => ("Service", Some(""), &address.name, address.namespace.as_deref()),
        (None, None) => return None,
    };
    let namespace = namespace.unwrap_or(&component.namespace);
    let is_it = |one: &&Resource| {
        one.id.kind.eq_ignore_ascii_case(kind)
            && group.is_none_or(|group| one.id.group == group)
            && one.id.name == *name
            && (one.id.namespace.is_empty() || one.id.namespace == namespace)
    };
    ladder.resources.iter().find(is_it).map(|resource| resource.component)
}
