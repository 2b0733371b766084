//! What one descriptor describes.

use std::sync::Arc;

use super::{Fingerprint, Gate, Origin, Phase, Role};
use crate::load::descriptor::Descriptor;
use crate::load::hooks::WaitForSetting;

/// Position of a component in the ladder's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentIndex(pub usize);

/// A value the descriptor declares, with the place that says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared<T> {
    /// The value.
    pub value: T,
    /// Where it is written.
    pub origin: Origin,
}

/// A declared wait for another component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependsOn {
    /// Name of the component waited for.
    pub name: String,
    /// What is waited for.
    pub gate: Gate,
    /// Where it is written.
    pub origin: Origin,
}

/// Something a component provides or requires without a manifest that shows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provision {
    /// An object by identity.
    Object(super::ResourceId),
    /// A served kind: group and kind.
    Crd(String, String),
    /// The controller of an API group.
    Operator(String),
}

/// What turns files into manifests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    /// `kustomize build`.
    Kustomize,
    /// `helm template`.
    Helm,
}

impl Tool {
    /// What it makes manifests of.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Self::Helm => "chart",
            Self::Kustomize => "kustomization",
        }
    }
}

/// Where the manifests of a component are in the tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// Directory relative to the root; empty for the root itself and for charts from elsewhere.
    pub path: String,
    /// What makes manifests of it; none when they are manifests.
    pub tool: Option<Tool>,
    /// Files and folders elsewhere in the tree that go into it: bases, components, charts, value files.
    pub also: Vec<String>,
    /// Fingerprint of its files in the tree, where a part that is not in the tree keeps it from being rendered here.
    pub files: Option<Fingerprint>,
    /// Whether a file that Flux would decrypt before it builds the kustomization is encrypted.
    pub is_encrypted: bool,
}

/// A component before it has a place.
#[derive(Debug, Clone)]
pub struct Component {
    /// Unique name.
    pub name: String,
    /// Which band it belongs to.
    pub domain: String,
    /// The descriptor's role, if it declares one.
    pub role: Option<Declared<Role>>,
    /// The pinned rung, if any.
    pub pin: Option<Declared<Phase>>,
    /// Argo CD project, if its descriptor names one.
    pub project: Option<String>,
    /// Destination namespace; empty when unknown.
    pub namespace: String,
    /// Declared waits.
    pub depends_on: Vec<DependsOn>,
    /// What it brings that manifests do not show.
    pub provides: Vec<Declared<Provision>>,
    /// What it needs that manifests do not show.
    pub requires: Vec<Declared<Provision>>,
    /// What its pods wait for in init containers.
    pub wait_for: Vec<Declared<WaitForSetting>>,
    /// Directory of the descriptor, relative to the root.
    pub path: String,
    /// The descriptor itself.
    pub origin: Origin,
    /// The descriptor as written: labels, sync options and the rest that only targets read.
    pub descriptor: Arc<Descriptor>,
    /// Where its manifests are.
    pub place: Place,
    /// The component it was split from.
    pub split_from: Option<String>,
}
