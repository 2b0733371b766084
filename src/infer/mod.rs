//! Resources → edges: who waits for whom, each with its reason and the line that says so.
//!
//! Every rule is one function over the same scene; indices find targets by identity, never by comparing pairs.

pub mod scene;
pub mod admission;
pub mod annotations;
pub mod class;
pub mod crd;
pub mod declared;
pub mod default_class;
pub mod namespace;
pub mod operator;
pub mod rbac;
pub mod reference;
pub mod service_address;
pub mod webhook;

pub use scene::{Found, Scene};

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

/// Runs every rule.
///
/// # Errors
/// When a descriptor waits for a component that is not there.
pub fn edges(scene: &Scene<'_>) -> Result<Inferred, Problems> {
    let mut inferred = declared::edges(scene)?;
    inferred.extend(namespace::edges(scene));
    inferred.extend(crd::edges(scene));
    inferred.extend(reference::edges(scene));
    inferred.extend(default_class::edges(scene));
    inferred.extend(rbac::edges(scene));
    inferred.extend(webhook::edges(scene));
    inferred.extend(service_address::edges(scene));
    inferred.extend(annotations::edges(scene));
    let controllers = class::edges(scene, &inferred.edges);
    inferred.extend(controllers);
    inferred.extend(admission::edges(scene));
    // Last: how strong a wait for an operator is depends on who waits for what its objects make.
    let operators = operator::edges(scene, &inferred.edges);
    inferred.extend(operators);
    inferred.edges.sort();
    inferred.edges.dedup();
    inferred.findings.sort();
    inferred.findings.dedup();
    Ok(inferred)
}
