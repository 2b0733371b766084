//! Edges → rungs.
//!
//! A component starts on the rung of its domain and role (or its pin, or where a fix puts it) and climbs to the
//! first rung of its own domain strictly above everything it strongly waits for. Components are placed targets
//! first, so each climbs once and no higher than it must: the result is the least solution and hangs on nothing
//! but the edges. Only smokes stand on a smoke rung. Where a domain lacks a rung the ladder grows one.
//!
//! Weak edges never move a component. Those that point to a later rung, and all inside one loop of a rung, are
//! dropped together and stay visible.
//!
//! CRDs wait for nothing, so a CRD component that an earlier domain needs is moved down afterwards, below its
//! first user, which cannot disturb anybody else.

pub mod climb;
pub mod error;
pub mod grow;
pub mod settled;

pub use error::{NoRoom, ResolveError};

use std::collections::BTreeMap;

use crate::fixes::Fixed;
use crate::graph;
use crate::infer::Scene;
use crate::load::rungs::start;
use crate::load::settings::Settings;
use crate::model::{AppliedFix, ComponentIndex, Dropped, Edge, Finding, Level, Placement, Role, Rungs};
use climb::Climb;

/// Components with their rungs, and the ladder as it is now.
#[derive(Debug)]
pub struct Resolved {
    /// One per component.
    pub placements: Vec<Placement>,
    /// Rungs, grown ones included.
    pub rungs: Rungs,
    /// The edges, dropped ones marked.
    pub edges: Vec<Edge>,
    /// What the user should know.
    pub findings: Vec<Finding>,
}

/// What resolution reads besides the edges.
pub struct Input<'a> {
    /// Components and resources.
    pub scene: &'a Scene<'a>,
    /// Roles by component; the declared one where there is one.
    pub roles: &'a [Role],
    /// Roles the manifests alone say.
    pub inferred: &'a [Role],
    /// What the fixes decided.
    pub fixed: &'a [Fixed],
    /// Settings.
    pub settings: &'a Settings,
}

/// Places every component.
///
/// # Errors
/// When strong edges close a loop, contradict a pin, lead into a later domain or need a rung that cannot be.
pub fn phases(input: &Input<'_>, mut edges: Vec<Edge>) -> Result<Resolved, ResolveError> {
    let (placements, rungs, positions, mut findings) = {
        let mut settled = Climb::new(input, &edges)?.settle()?;
        settled.lower_shared_crds()?;
        let components = (0..input.roles.len()).map(ComponentIndex);
        let placements: Vec<Placement> = components.map(|component| settled.placement(component)).collect();
        let positions = settled.positions();
        let findings = grow::findings(&settled.rungs, &placements, &edges, input.scene);
        (placements, settled.rungs, positions, findings)
    };
    drop_later(&mut edges, &positions);
    drop_loops(&mut edges, &positions);
    findings.extend(role_findings(input));
    Ok(Resolved { placements, rungs, edges, findings })
}

fn drop_later(edges: &mut [Edge], positions: &[usize]) {
    for edge in edges.iter_mut().filter(|edge| !edge.is_strong() && !edge.is_inner()) {
        if positions[edge.to.component.0] > positions[edge.from.component.0] {
            edge.dropped = Some(Dropped::LaterRung);
        }
    }
}

fn drop_loops(edges: &mut [Edge], positions: &[usize]) {
    let in_rung =
        |edge: &Edge| !edge.is_inner() && positions[edge.to.component.0] == positions[edge.from.component.0];
    let mut out = vec![Vec::new(); positions.len()];
    for edge in edges.iter().filter(|edge| in_rung(edge)) {
        out[edge.from.component.0].push(edge.to.component.0);
    }
    let group_of = graph::group_numbers(&out);
    for edge in edges.iter_mut().filter(|edge| in_rung(edge)) {
        if group_of[edge.from.component.0] == group_of[edge.to.component.0] {
            edge.dropped = Some(Dropped::Loop);
        }
    }
}

/// Roles that have no rung of their own in their domain.
fn role_findings(input: &Input<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let rungs = &input.settings.rungs;
    for (number, component) in input.scene.components.iter().enumerate() {
        let role = input.fixed[number].start.unwrap_or(input.roles[number]);
        if component.pin.is_some() {
            continue;
        }
        let only =
            rungs.domains.iter().find(|domain| domain.name == component.domain).map(|domain| &domain.only);
        if let Some(only) = only.filter(|only| !only.is_empty() && !only.contains(&role)) {
            let allowed: Vec<&str> = only.iter().map(|role| role.as_str()).collect();
            let message = format!(
                "`{}` is {role}, but `{}` holds only {}",
                component.name,
                component.domain,
                allowed.join(", ")
            );
            findings.push(
                Finding::new("role-outside-domain", Level::Error, message)
                    .about(&component.name)
                    .at(component.origin.clone())
                    .help("move it into a later domain"),
            );
        } else if let Some((position, false)) = start(rungs, &component.domain, role) {
            let message = format!(
                "`{}` has no {role} rung; `{}` starts on {}",
                component.domain, component.name, rungs.list[position].phase
            );
            findings.push(
                Finding::new("role-without-rung", Level::Info, message)
                    .about(&component.name)
                    .at(component.origin.clone()),
            );
        }
    }
    findings
}

/// Strong edges between components, one per pair, as adjacency with the edge's position.
pub(crate) fn strong_waits(edges: &[Edge], components: usize) -> Vec<BTreeMap<usize, usize>> {
    let mut out = vec![BTreeMap::new(); components];
    for (position, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.is_strong() && !edge.is_inner())
    {
        out[edge.from.component.0].entry(edge.to.component.0).or_insert(position);
    }
    out
}

/// Records a fix once.
pub(crate) fn record(fixes: &mut Vec<AppliedFix>, fix: AppliedFix) {
    if !fixes.iter().any(|known| known.rule == fix.rule) {
        fixes.push(fix);
    }
}
