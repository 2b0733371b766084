//! An edge: `from` waits for `to`, with the reason and the place that say so.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Component, ComponentIndex, Origin, Resource, ResourceIndex};

/// Kebab-case id of the rule that found an edge; cheap to copy, whether compiled in or a user's.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Reason(Id);

#[derive(Debug, Clone)]
enum Id {
    CompiledIn(&'static str),
    Row(Arc<str>),
}

impl Reason {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Id::CompiledIn(text) => text,
            Id::Row(text) => text,
        }
    }
}

impl From<&'static str> for Reason {
    fn from(text: &'static str) -> Self {
        Self(Id::CompiledIn(text))
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self(Id::Row(text.into()))
    }
}

impl From<Reason> for String {
    fn from(reason: Reason) -> Self {
        reason.as_str().to_owned()
    }
}

impl PartialEq for Reason {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Reason {}

impl PartialOrd for Reason {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Reason {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What happens without the target: failure, or only a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Strength {
    /// It only retries: orders inside a rung.
    Weak,
    /// Applying or starting fails without it: decides the rung.
    Strong,
}

/// What the target must be before `from` may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Gate {
    /// The object exists.
    Present,
    /// It is healthy.
    Ready,
}

/// Why a weak edge orders nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dropped {
    /// It closes a loop.
    Loop,
    /// Its target stands on a later rung.
    LaterRung,
}

/// One end of an edge: a component, and the resource of it that says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct End {
    /// The component.
    pub component: ComponentIndex,
    /// The resource, unless the descriptor itself speaks.
    pub resource: Option<ResourceIndex>,
}

/// `from` waits for `to`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Who waits.
    pub from: End,
    /// For whom.
    pub to: End,
    /// The rule that found it.
    pub reason: Reason,
    /// Whether it decides the rung.
    pub strength: Strength,
    /// What is waited for.
    pub gate: Gate,
    /// The field that says so.
    pub origin: Origin,
    /// Set when a weak edge orders nothing.
    pub dropped: Option<Dropped>,
    /// Whether the target is not what is named but what makes it at run time.
    pub made: bool,
}

impl End {
    /// `Kind/ns/name` of the resource, or the component's name.
    #[must_use]
    pub fn shown(self, components: &[Component], resources: &[Resource]) -> String {
        match self.resource {
            Some(resource) => resources[resource.0].id.short(),
            None => components[self.component.0].name.clone(),
        }
    }
}

impl Edge {
    /// Whether both ends are the same component.
    #[must_use]
    pub fn is_inner(&self) -> bool {
        self.from.component == self.to.component
    }

    /// Whether it decides rungs.
    #[must_use]
    pub fn is_strong(&self) -> bool {
        self.strength == Strength::Strong
    }
}

impl Strength {
    /// The word in messages and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Strong => "strong",
        }
    }
}

impl Gate {
    /// The word in messages and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Ready => "ready",
        }
    }
}
