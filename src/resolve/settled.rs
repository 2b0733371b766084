//! Components on their rungs: shared CRDs are lowered, and what moved each component is told.

use std::collections::BTreeMap;

use super::climb::{SHARED_CRDS, may_be_lowered};
use super::{Input, ResolveError, record};
use crate::model::{AppliedFix, ComponentIndex, Edge, Placement, Role, Rungs};

/// One component, by positions on the grown ladder.
#[derive(Debug, Clone)]
pub(super) struct Placed {
    pub(super) base: usize,
    pub(super) start: usize,
    pub(super) at: usize,
    pub(super) raised_by: Option<usize>,
    pub(super) fixes: Vec<AppliedFix>,
}

/// Every component on its rung.
pub(super) struct Settled<'a> {
    pub(super) input: &'a Input<'a>,
    pub(super) edges: &'a [Edge],
    /// The strong edge to each component waited for, by who waits.
    pub(super) waits: Vec<BTreeMap<usize, usize>>,
    /// Grown ones included.
    pub(super) rungs: Rungs,
    pub(super) placed: Vec<Placed>,
}

impl Settled<'_> {
    /// Moves CRD components that an earlier domain needs to the CRD rung below their first user.
    pub(super) fn lower_shared_crds(&mut self) -> Result<(), ResolveError> {
        let mut first: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for (user, targets) in self.waits.iter().enumerate() {
            for (target, edge) in targets.iter().filter(|(target, _)| self.is_lowered(user, **target)) {
                let candidate = (self.placed[user].at, *edge);
                let best = first.entry(*target).or_insert(candidate);
                *best = (*best).min(candidate);
            }
        }
        for (crds, (user, edge)) in first {
            let need = self.waits[crds].keys().map(|target| self.placed[*target].at).max();
            let below = (0..user).rev().find(|at| {
                self.rungs.list[*at].roles.contains(&Role::Crd) && need.is_none_or(|need| *at > need)
            });
            let Some(at) = below else {
                let rung = &self.rungs.list[self.placed[crds].at];
                let (target, domain) = (rung.phase.clone(), rung.domain.clone().unwrap_or_default());
                let edge = Box::new(self.edges[edge].clone());
                return Err(ResolveError::LaterDomain { edge, domain, target });
            };
            let because = super::error::evidence(self.input.scene, &self.edges[edge]);
            self.placed[crds].at = at;
            record(&mut self.placed[crds].fixes, AppliedFix { rule: SHARED_CRDS, because });
        }
        Ok(())
    }

    /// Whether `target` is a CRD component of a later domain that moves below `user`.
    fn is_lowered(&self, user: usize, target: usize) -> bool {
        let domain = self.rungs.list[self.placed[target].at].domain.as_deref();
        let own = &self.input.scene.components[user].domain;
        may_be_lowered(self.input, target) && domain.is_some_and(|domain| self.rungs.is_later(domain, own))
    }

    pub(super) fn positions(&self) -> Vec<usize> {
        self.placed.iter().map(|placed| placed.at).collect()
    }

    /// The finished placement, without depth and wave yet.
    pub(super) fn placement(&self, component: ComponentIndex) -> Placement {
        let placed = &self.placed[component.0];
        let mut fixes = placed.fixes.clone();
        for proposed in &self.input.fixed[component.0].by_evidence {
            let lifted = |position: &usize| {
                let edge = &self.edges[*position];
                edge.is_strong() && self.placed[edge.to.component.0].at >= placed.start
            };
            if placed.at > placed.start && proposed.evidence.iter().any(lifted) {
                record(&mut fixes, AppliedFix { rule: proposed.rule, because: proposed.because.clone() });
            }
        }
        let described = &self.input.scene.components[component.0];
        Placement {
            role: self.input.roles[component.0],
            role_declared: described.role.is_some(),
            base: self.rungs.list[placed.base].phase.clone(),
            phase: self.rungs.list[placed.at].phase.clone(),
            pinned: described.pin.is_some(),
            depth: 0,
            wave: 0,
            fixes,
            raised_by: placed.raised_by,
        }
    }
}
