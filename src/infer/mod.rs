//! Resources → edges: who waits for whom, each with its reason and the line that says so.
//!
//! Every rule is one function over the same scene; indices find targets by identity, never by comparing pairs.

pub mod scene;
pub mod admission;
pub mod admission_match;
pub mod admission_unseen;
pub mod annotations;
pub mod applied;
pub mod between;
pub mod brought;
pub mod chart_names;
pub mod class;
pub mod composition;
pub mod copies;
pub mod crd;
pub mod declared;
pub mod default_class;
pub mod istio_gateway;
pub mod label_selector;
pub mod labelled;
pub mod made;
pub mod makers;
pub mod namespace;
pub mod namespaced;
pub mod operator;
pub mod operator_of_chart;
pub mod provider_config;
pub mod rbac;
pub mod reference;
pub mod selected;
pub mod service_address;
pub mod volume_topology;
pub mod wait;
pub mod wait_for;
pub mod webhook;

pub use scene::{Found, Scene};

use rayon::prelude::*;

use crate::model::{Edge, Finding};
use crate::problem::Problems;

/// Edges and what was not found.
#[derive(Debug, Default)]
pub struct Inferred {
    /// All edges, inside and between components.
    pub edges: Vec<Edge>,
    /// References nobody provides.
    pub findings: Vec<Finding>,
}

impl Inferred {
    /// Adds what another rule found.
    pub fn extend(&mut self, other: Inferred) {
        self.edges.extend(other.edges);
        self.findings.extend(other.findings);
    }
}

/// Rules that look at the scene alone, and so run side by side.
const RULES: &[fn(&Scene<'_>) -> Inferred] = &[
    namespace::edges,
    crd::edges,
    reference::edges,
    default_class::edges,
    rbac::edges,
    webhook::edges,
    admission::edges,
    admission_unseen::edges,
    service_address::edges,
    selected::edges,
    istio_gateway::edges,
    composition::edges,
    provider_config::edges,
    wait_for::edges,
    operator_of_chart::edges,
    chart_names::edges,
    annotations::edges,
];

/// Runs every rule.
///
/// # Errors
/// When a descriptor waits for a component that is not there.
pub fn edges(scene: &Scene<'_>) -> Result<Inferred, Problems> {
    let mut inferred = declared::edges(scene)?;
    let found: Vec<Inferred> = RULES.par_iter().map(|rule| rule(scene)).collect();
    for found in found {
        inferred.extend(found);
    }
    let controllers = class::edges(scene, &inferred.edges);
    inferred.extend(controllers);
    // Last: how strong a wait for an operator is depends on who waits for what its objects make.
    let operators = operator::edges(scene, &inferred.edges);
    inferred.extend(operators);
    let applied = applied::edges(scene, &inferred.edges);
    inferred.extend(applied);
    inferred.findings.extend(volume_topology::findings(scene, &inferred.edges));
    inferred.edges.par_sort();
    inferred.edges.dedup();
    inferred.findings.sort();
    inferred.findings.dedup();
    Ok(inferred)
}
