//! One Kubernetes object of a component, and its identity.

use std::fmt;

use compact_str::CompactString;

use super::{ComponentIndex, Origin, Role};
use crate::argocd::HookUse;
use crate::classify::chart_names::ChartName;
use crate::classify::chart_values::ChartValues;
use crate::render::Manifest;

/// Namespaces every cluster has.
pub const NAMESPACES_OF_EVERY_CLUSTER: &[&str] =
    &["default", "kube-system", "kube-public", "kube-node-lease"];

/// Position of a resource in the ladder's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceIndex(pub usize);

/// What makes an object itself: group, kind, namespace, name. The version is not part of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId {
    /// API group; empty for core.
    pub group: CompactString,
    /// Kind.
    pub kind: CompactString,
    /// Empty for cluster scope.
    pub namespace: CompactString,
    /// Name (or `generateName` with a trailing `*`).
    pub name: CompactString,
}

impl ResourceId {
    /// An id from its parts.
    #[must_use]
    pub fn new(group: &str, kind: &str, namespace: &str, name: &str) -> Self {
        Self { group: group.into(), kind: kind.into(), namespace: namespace.into(), name: name.into() }
    }

    /// `Kind/namespace/name` or `Kind/name`, for people.
    #[must_use]
    pub fn short(&self) -> String {
        if self.namespace.is_empty() {
            format!("{}/{}", self.kind, self.name)
        } else {
            format!("{}/{}/{}", self.kind, self.namespace, self.name)
        }
    }
}

impl fmt::Display for ResourceId {
    /// `group/Kind/namespace/name`, the core group written `v1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let group = if self.group.is_empty() { "v1" } else { &self.group };
        write!(f, "{group}/{}/{}/{}", self.kind, self.namespace, self.name)
    }
}

/// A chart an object installs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    /// Name of the chart.
    pub name: String,
    /// Where it comes from, when known.
    pub repository: Option<String>,
    /// Name of the release.
    pub release: String,
    /// Namespace of the release; empty when the object does not say.
    pub namespace: String,
    /// The name its values give its objects.
    pub full_name: Option<String>,
    /// What else it is installed with, where the catalogue knows the chart.
    pub values: ChartValues,
    /// Names of other objects in its values.
    pub names: Vec<ChartName>,
}

/// One object of a component, classified.
#[derive(Debug)]
pub struct Resource {
    /// Its identity.
    pub id: ResourceId,
    /// The component it belongs to.
    pub component: ComponentIndex,
    /// What it is for.
    pub role: Role,
    /// Its text and the facts read from it.
    pub manifest: Manifest,
    /// What Argo CD takes its hook annotations for.
    pub hook: HookUse,
    /// Whether its namespace is certain: written in the manifest, or the scope of its kind is known.
    pub is_scope_known: bool,
    /// Whether it runs pods that stay.
    pub is_workload: bool,
    /// Charts it installs.
    pub charts: Vec<Chart>,
    /// API groups its workload serves.
    pub serves: Vec<String>,
}

impl Resource {
    /// Whether it only stands for a source that is not in the repo.
    #[must_use]
    pub fn is_stand_in(&self) -> bool {
        self.id.group == crate::render::remote::GROUP
    }

    /// Where the object starts.
    #[must_use]
    pub fn origin(&self) -> Origin {
        Origin::new(&self.manifest.file, self.manifest.line)
    }

    /// A place inside the object's file.
    #[must_use]
    pub fn origin_at(&self, line: usize) -> Origin {
        Origin::new(&self.manifest.file, line)
    }
}
