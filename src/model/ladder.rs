//! The finished ladder: what every command reads and none recomputes.

use std::collections::BTreeMap;

use super::{
    Barrier, Component, ComponentIndex, Edge, Finding, Level, Phase, Resource, ResourceIndex, Role, Rungs,
};
use crate::argocd::Hook;
use crate::load::settings::Settings;

/// A named rule that moved or split a component, with what it saw.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct AppliedFix {
    /// Id of the fix.
    pub rule: &'static str,
    /// What it saw, with file and line.
    pub because: String,
}

/// Where a component stands and why.
#[derive(Debug, Clone)]
pub struct Placement {
    /// Its role.
    pub role: Role,
    /// Whether the descriptor declared the role.
    pub role_declared: bool,
    /// The rung of its domain and role.
    pub base: Phase,
    /// The rung it stands on.
    pub phase: Phase,
    /// Whether the descriptor pinned it.
    pub pinned: bool,
    /// Depth inside the rung, in waves.
    pub depth: i64,
    /// First wave of its resources.
    pub wave: i64,
    /// What moved it.
    pub fixes: Vec<AppliedFix>,
    /// The strong edge that lifted it above the rung it started on, by position.
    pub raised_by: Option<usize>,
}

/// Where a resource stands in Argo CD's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The resource.
    pub resource: ResourceIndex,
    /// Argo CD's hook it runs in.
    pub hook: Hook,
    /// The wave Argo CD will use, promotion included.
    pub wave: i64,
}

/// Everything the commands read.
#[derive(Debug)]
pub struct Ladder {
    /// Rungs in order, grown ones included.
    pub rungs: Rungs,
    /// Components by name.
    pub components: Vec<Component>,
    /// One placement per component, same order.
    pub placements: Vec<Placement>,
    /// Resources by component, then as read.
    pub resources: Vec<Resource>,
    /// One wave per resource, same order.
    pub waves: Vec<i64>,
    /// Annotations the fixes add besides the wave, by resource.
    pub extra_annotations: BTreeMap<ResourceIndex, (&'static str, String)>,
    /// All edges, between and inside components.
    pub edges: Vec<Edge>,
    /// Rules between groups of resources, of which the edges name one pair for each member.
    pub barriers: Vec<Barrier>,
    /// The order Argo CD will apply the resources in.
    pub order: Vec<Step>,
    /// The waits of descriptors, and the pods that hold back for them.
    pub gates: Vec<crate::gates::PlacedGate>,
    /// What the user should know.
    pub findings: Vec<Finding>,
    /// Custom kinds that gate something and that Argo CD has no health check for.
    pub unchecked_gates: crate::health::Kinds,
    /// How the ladder's kinds say that they are ready, by group and kind.
    pub ready_rows: BTreeMap<(String, String), std::sync::Arc<crate::catalogue::ReadyRow>>,
    /// What `ladder.yaml` and the run say, for targets.
    pub settings: Settings,
}

impl Ladder {
    /// The component at an index.
    #[must_use]
    pub fn component(&self, index: ComponentIndex) -> &Component {
        &self.components[index.0]
    }

    /// The placement of a component.
    #[must_use]
    pub fn placement(&self, index: ComponentIndex) -> &Placement {
        &self.placements[index.0]
    }

    /// The resource at an index.
    #[must_use]
    pub fn resource(&self, index: ResourceIndex) -> &Resource {
        &self.resources[index.0]
    }

    /// Rungs in use, in order, each with its components by name.
    #[must_use]
    pub fn phases(&self) -> Vec<(&super::Rung, Vec<ComponentIndex>)> {
        let mut by_phase: BTreeMap<&Phase, Vec<ComponentIndex>> = BTreeMap::new();
        for (index, placement) in self.placements.iter().enumerate() {
            by_phase.entry(&placement.phase).or_default().push(ComponentIndex(index));
        }
        self.rungs
            .list
            .iter()
            .filter_map(|rung| by_phase.get(&rung.phase).map(|components| (rung, components.clone())))
            .collect()
    }

    /// Edges between components, in a stable order.
    pub fn outer_edges(&self) -> impl Iterator<Item = &Edge> {
        self.edges.iter().filter(|edge| !edge.is_inner())
    }

    /// Resources of a component that are written out, in order.
    pub fn resources_of(&self, component: ComponentIndex) -> impl Iterator<Item = ResourceIndex> + '_ {
        let first = self.resources.partition_point(|resource| resource.component < component);
        let own = self.resources[first..].iter().take_while(move |resource| resource.component == component);
        own.enumerate()
            .filter(|(_, resource)| !resource.is_stand_in())
            .map(move |(offset, _)| ResourceIndex(first + offset))
    }

    /// Whether something of a component is encrypted with SOPS.
    #[must_use]
    pub fn holds_encrypted(&self, component: ComponentIndex) -> bool {
        let is_encrypted = |resource| self.resource(resource).manifest.outline.opaque;
        self.component(component).place.is_encrypted || self.resources_of(component).any(is_encrypted)
    }

    /// The resources that are written out, as read.
    pub fn written(&self) -> impl Iterator<Item = ResourceIndex> {
        (0..self.resources.len()).map(ResourceIndex).filter(|index| !self.resource(*index).is_stand_in())
    }

    /// The loudest level among the findings.
    #[must_use]
    pub fn worst(&self) -> Option<Level> {
        self.findings.iter().map(|finding| finding.level).max()
    }

    /// Looks a component up by name.
    #[must_use]
    pub fn component_named(&self, name: &str) -> Option<ComponentIndex> {
        self.components.iter().position(|component| component.name == name).map(ComponentIndex)
    }
}
