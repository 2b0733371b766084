//! Named rules that move a component to another rung, each in its own file, each switchable.
//!
//! A fix says which component it moves, to which role's rung, and which edges are its evidence. Switched off,
//! the component stays, and the evidence no longer decides rungs: it is demoted to weak, visible but not obeyed.

pub mod jobs_after_runtime;
pub mod kinds_after_runtime;
pub mod made_in_loops;
pub mod operator_after_cert_manager;
pub mod promoted_in_loops;
pub mod secretstore_after_provider;
pub mod skip_dry_run;
pub mod smokes_last;
pub mod split_crds;
pub mod split_late;
pub mod vault_after_storage;
pub mod webhook_certs_are_secrets;

use std::collections::BTreeSet;

use crate::infer::Scene;
use crate::load::settings::Settings;
use crate::model::{AppliedFix, ComponentIndex, Edge, ResourceIndex, Role, Strength};

/// What a fix looks at: the scene, all edges, and each component's role before any fix.
pub struct View<'a> {
    /// Components and resources.
    pub scene: &'a Scene<'a>,
    /// All edges.
    pub edges: &'a [Edge],
    /// Roles by component, declared or inferred.
    pub roles: &'a [Role],
    /// Resources by component.
    pub resources: &'a [Vec<ResourceIndex>],
    /// Positions of the edges that leave each component.
    out: Vec<Vec<usize>>,
}

/// A move one fix proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// Id of the fix.
    pub rule: &'static str,
    /// Who moves.
    pub component: ComponentIndex,
    /// To the rung of this role; none when the evidence alone moves it.
    pub to: Option<Role>,
    /// What was seen.
    pub because: String,
    /// The edges that were seen, by position.
    pub evidence: Vec<usize>,
}

/// What the fixes decided for each component.
#[derive(Debug, Clone, Default)]
pub struct Fixed {
    /// The role whose rung it starts on, when a fix says so.
    pub start: Option<Role>,
    /// Fixes that act by role.
    pub applied: Vec<AppliedFix>,
    /// Fixes whose evidence may move it: reported if it does.
    pub by_evidence: Vec<Move>,
}

/// All fixes that act on roles and edges, in the order they are tried.
const FIXES: &[fn(&View<'_>) -> Vec<Move>] = &[
    smokes_last::moves,
    webhook_certs_are_secrets::moves,
    vault_after_storage::moves,
    secretstore_after_provider::moves,
    kinds_after_runtime::moves,
    jobs_after_runtime::moves,
    operator_after_cert_manager::moves,
];

/// What every fix proposes, in order.
#[must_use]
pub fn proposed(view: &View<'_>) -> Vec<Move> {
    FIXES.iter().flat_map(|fix| fix(view)).collect()
}

/// Applies the moves of fixes that are on; demotes the evidence of those switched off.
#[must_use]
pub fn apply(moves: Vec<Move>, edges: &mut [Edge], components: usize, settings: &Settings) -> Vec<Fixed> {
    let mut fixed = vec![Fixed::default(); components];
    for proposed in moves {
        if !settings.is_on(proposed.rule) {
            for position in &proposed.evidence {
                edges[*position].strength = Strength::Weak;
            }
            continue;
        }
        let own = &mut fixed[proposed.component.0];
        match proposed.to {
            None => own.by_evidence.push(proposed),
            Some(role) if own.start.is_none() => {
                own.start = Some(role);
                own.applied.push(AppliedFix { rule: proposed.rule, because: proposed.because });
            }
            Some(_) => {}
        }
    }
    fixed
}

impl<'a> View<'a> {
    /// A view of a scene; roles and resources by component.
    #[must_use]
    pub fn new(
        scene: &'a Scene<'a>,
        edges: &'a [Edge],
        roles: &'a [Role],
        resources: &'a [Vec<ResourceIndex>],
    ) -> Self {
        let mut out = vec![Vec::new(); roles.len()];
        for (position, edge) in edges.iter().enumerate().filter(|(_, edge)| !edge.is_inner()) {
            out[edge.from.component.0].push(position);
        }
        Self { scene, edges, roles, resources, out }
    }

    /// Components with their indices.
    pub fn components(&self) -> impl Iterator<Item = ComponentIndex> + '_ {
        (0..self.roles.len()).map(ComponentIndex)
    }

    /// The workloads that answer webhooks.
    #[must_use]
    pub fn backends(&self) -> BTreeSet<ResourceIndex> {
        let registered = self.edges.iter().filter(|edge| edge.reason.as_str() == "webhook-backend");
        let answering = registered.filter_map(|edge| edge.to.resource);
        answering.filter(|resource| self.scene.resource(*resource).is_workload).collect()
    }

    /// Whether two components share a domain.
    #[must_use]
    pub fn same_domain(&self, a: ComponentIndex, b: ComponentIndex) -> bool {
        self.scene.component(a).domain == self.scene.component(b).domain
    }

    /// Edges that leave a component, with their positions.
    pub fn leaving(&self, component: ComponentIndex) -> impl Iterator<Item = (usize, &Edge)> + '_ {
        self.out[component.0].iter().map(|position| (*position, &self.edges[*position]))
    }

    /// The kind of the resource at an edge's target.
    #[must_use]
    pub fn target_kind(&self, edge: &Edge) -> &str {
        edge.to.resource.map_or("", |resource| &self.scene.resource(resource).id.kind)
    }

    /// `Kind/ns/name waits for Kind/ns/name (file:line)`, for the reason of a move.
    #[must_use]
    pub fn told(&self, edge: &Edge, verb: &str) -> String {
        let shown = |end: crate::model::End| end.shown(self.scene.components, self.scene.resources);
        format!("`{}` {verb} `{}` ({})", shown(edge.from), shown(edge.to), edge.origin)
    }
}
