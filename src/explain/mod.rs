//! One component or resource → the evidence that put it there, and who waits for it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::graph;
use crate::message::{printable, report};
use crate::model::{ComponentIndex, Edge, End, Finding, Ladder, Level, ResourceIndex};
use crate::plan::{causes, waits};

mod find;

pub use find::{Subject, find};

/// Writes why the subject stands where it does.
///
/// # Errors
/// When the writer fails.
pub fn write(ladder: &Ladder, subject: Subject, out: &mut impl Write) -> io::Result<()> {
    let component = match subject {
        Subject::Component(component) => {
            explain_component(ladder, component, out)?;
            component
        }
        Subject::Resource(resource) => {
            explain_resource(ladder, resource, out)?;
            ladder.resource(resource).component
        }
    };
    findings(ladder, &[component], out)
}

/// What is to be known of the components in question, and every error: with one nothing is written.
fn findings(ladder: &Ladder, asked: &[ComponentIndex], out: &mut impl Write) -> io::Result<()> {
    let is_asked = |name: &str| asked.iter().any(|index| ladder.component(*index).name == name);
    let concerns = |finding: &&Finding| {
        finding.level == Level::Error || finding.component.as_deref().is_some_and(is_asked)
    };
    let own: Vec<Finding> = ladder.findings.iter().filter(concerns).cloned().collect();
    if own.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}", report::summary(&own))?;
    report::findings(&own, out)
}

fn explain_component(ladder: &Ladder, index: ComponentIndex, out: &mut impl Write) -> io::Result<()> {
    let (component, placement) = (ladder.component(index), ladder.placement(index));
    writeln!(out, "{} stands on {}, wave {}", component.name, placement.phase, placement.wave)?;
    ground(ladder, index, "", out)?;
    chain(ladder, index, out)?;
    let mut own: Vec<&Edge> = ladder.outer_edges().filter(|edge| edge.from.component == index).collect();
    list(ladder, "waits for", &mut own, true, out)?;
    let mut others: Vec<&Edge> = ladder.outer_edges().filter(|edge| edge.to.component == index).collect();
    list(ladder, "waited for by", &mut others, false, out)
}

/// What a component's place comes from: role, pin, fixes, and the edge that lifted it.
fn ground(ladder: &Ladder, index: ComponentIndex, who: &str, out: &mut impl Write) -> io::Result<()> {
    let (component, placement) = (ladder.component(index), ladder.placement(index));
    let source = if placement.role_declared { "declared" } else { "inferred from its manifests" };
    writeln!(
        out,
        "  {who}role {} ({source}) of domain {}: base {}",
        placement.role, component.domain, placement.base
    )?;
    if let Some(pin) = &component.pin {
        writeln!(out, "  pinned to {} ({})", pin.value, pin.origin)?;
    }
    for (rule, because) in causes(ladder, index) {
        writeln!(out, "  {rule}: {because}")?;
    }
    Ok(())
}

/// The highest strong wait, and its highest, down to something that waits for nothing.
fn chain(ladder: &Ladder, start: ComponentIndex, out: &mut impl Write) -> io::Result<()> {
    let place = |component: ComponentIndex| ladder.rungs.position(&ladder.placement(component).phase);
    let mut at = start;
    let mut first = true;
    loop {
        let strong = ladder.outer_edges().filter(|edge| edge.from.component == at && edge.is_strong());
        let Some(edge) = strong.max_by_key(|edge| place(edge.to.component)) else { break };
        if first {
            writeln!(
                out,
                "\nthe chain below it\n  {} {}",
                ladder.placement(at).phase,
                ladder.component(at).name
            )?;
            first = false;
        }
        at = edge.to.component;
        let target = &ladder.component(at).name;
        writeln!(out, "  {} {target}  {}: {}", ladder.placement(at).phase, edge.reason, waits(ladder, edge))?;
    }
    Ok(())
}

fn list(
    ladder: &Ladder,
    title: &str,
    edges: &mut Vec<&Edge>,
    outgoing: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    if edges.is_empty() {
        return Ok(());
    }
    edges.sort_by_key(|edge| (std::cmp::Reverse(edge.strength), edge.dropped, edge.from, edge.to));
    writeln!(out, "\n{title}")?;
    for edge in edges {
        let other = if outgoing { edge.to.component } else { edge.from.component };
        let dropped = match edge.dropped {
            None => "",
            Some(crate::model::Dropped::Loop) => ", dropped: loop",
            Some(crate::model::Dropped::LaterRung) => ", dropped: later rung",
        };
        writeln!(
            out,
            "  {} {}  {} ({}, {}{dropped}): {}",
            ladder.placement(other).phase,
            ladder.component(other).name,
            edge.reason,
            edge.strength.as_str(),
            edge.gate.as_str(),
            waits(ladder, edge)
        )?;
    }
    Ok(())
}

fn explain_resource(ladder: &Ladder, index: ResourceIndex, out: &mut impl Write) -> io::Result<()> {
    let resource = ladder.resource(index);
    let component = ladder.component(resource.component);
    let phase = &ladder.placement(resource.component).phase;
    writeln!(
        out,
        "{} ({}) of {} stands on {phase}, wave {}",
        printable::line(&resource.id.to_string()),
        printable::line(&resource.origin().to_string()),
        component.name,
        ladder.waves[index.0]
    )?;
    match ladder.order.iter().position(|step| step.resource == index) {
        Some(position) => {
            let step = &ladder.order[position];
            writeln!(
                out,
                "  Argo CD applies it as number {} of {}, hook {}, wave {}",
                position + 1,
                ladder.order.len(),
                step.hook,
                step.wave
            )?;
        }
        None => writeln!(out, "  Argo CD does not apply it: its hook annotation says so")?,
    }
    ground(ladder, resource.component, &format!("{}: ", component.name), out)?;
    chain(ladder, resource.component, out)?;
    let touches = |end: crate::model::End| end.resource == Some(index);
    let mut own: Vec<&Edge> = ladder.edges.iter().filter(|edge| touches(edge.from)).collect();
    list(ladder, "waits for", &mut own, true, out)?;
    let mut others: Vec<&Edge> = ladder.edges.iter().filter(|edge| touches(edge.to)).collect();
    list(ladder, "waited for by", &mut others, false, out)
}

/// Writes why `from` waits for `to`: every edge, or the shortest chain, or that it does not.
///
/// # Errors
/// When the writer fails.
pub fn write_between(ladder: &Ladder, from: Subject, to: Subject, out: &mut impl Write) -> io::Result<()> {
    between(ladder, from, to, out)?;
    findings(ladder, &[], out)
}

fn between(ladder: &Ladder, from: Subject, to: Subject, out: &mut impl Write) -> io::Result<()> {
    let name = |subject| match subject {
        Subject::Component(index) => ladder.component(index).name.clone(),
        Subject::Resource(index) => printable::line(&ladder.resource(index).id.short()).into_owned(),
    };
    let is = |end: crate::model::End, subject| match subject {
        Subject::Component(index) => end.component == index,
        Subject::Resource(index) => end.resource == Some(index),
    };
    let mut direct: Vec<&Edge> =
        ladder.edges.iter().filter(|edge| is(edge.from, from) && is(edge.to, to)).collect();
    if !direct.is_empty() {
        writeln!(out, "{} waits for {}", name(from), name(to))?;
        return list(ladder, "because", &mut direct, true, out);
    }
    let way = way(ladder, from, to);
    if way.is_empty() {
        writeln!(out, "{} does not wait for {}", name(from), name(to))?;
        let back = self::way(ladder, to, from);
        return if back.is_empty() {
            Ok(())
        } else {
            writeln!(out, "\nthe other way round: {} waits for {}", name(to), name(from))?;
            steps(ladder, &back, out)
        };
    }
    let through = match way.len() - 1 {
        0 => "as their components do".to_owned(),
        1 => "through one other".to_owned(),
        others => format!("through {others} others"),
    };
    writeln!(out, "{} waits for {} {through}", name(from), name(to))?;
    steps(ladder, &way, out)
}

fn steps(ladder: &Ladder, way: &[&Edge], out: &mut impl Write) -> io::Result<()> {
    for edge in way {
        let (strength, gate) = (edge.strength.as_str(), edge.gate.as_str());
        writeln!(out, "  {} ({strength}, {gate}): {}", edge.reason, waits(ladder, edge))?;
    }
    Ok(())
}

/// The shortest chain of edges between two subjects, of resources where both are, else of components; empty when there
/// is none.
fn way(ladder: &Ladder, from: Subject, to: Subject) -> Vec<&Edge> {
    if let (Subject::Resource(from), Subject::Resource(to)) = (from, to) {
        let edges: Vec<&Edge> = ladder.edges.iter().filter(|edge| edge.dropped.is_none()).collect();
        let node = |end: End| end.resource.map(|resource| resource.0);
        let found = chain_between(&edges, ladder.resources.len(), node, (from.0, to.0));
        if !found.is_empty() {
            return found;
        }
    }
    let component = |subject| match subject {
        Subject::Component(index) => index.0,
        Subject::Resource(index) => ladder.resource(index).component.0,
    };
    let edges: Vec<&Edge> = ladder.outer_edges().filter(|edge| edge.dropped.is_none()).collect();
    let ends = (component(from), component(to));
    chain_between(&edges, ladder.components.len(), |end| Some(end.component.0), ends)
}

/// The shortest chain over nodes that `node` gives an edge's ends; the strongest edge of each step.
fn chain_between<'e>(
    edges: &[&'e Edge],
    count: usize,
    node: impl Fn(End) -> Option<usize>,
    (from, to): (usize, usize),
) -> Vec<&'e Edge> {
    let mut between: BTreeMap<(usize, usize), &Edge> = BTreeMap::new();
    let mut out = vec![Vec::new(); count];
    for edge in edges {
        let (Some(a), Some(b)) = (node(edge.from), node(edge.to)) else { continue };
        let best = between.entry((a, b)).or_insert_with(|| {
            out[a].push(b);
            edge
        });
        if edge.strength > best.strength {
            *best = edge;
        }
    }
    let all: Vec<usize> = (0..count).collect();
    if from == to {
        return Vec::new();
    }
    let Some(mut nodes) = graph::path(&out, from, to, &all) else { return Vec::new() };
    nodes.push(to);
    nodes.windows(2).filter_map(|pair| between.get(&(pair[0], pair[1])).copied()).collect()
}
