//! What a resource or component is for; the role picks the rung inside a domain.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a resource or component is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Namespaces and what belongs to them: RBAC, service accounts, quotas, policies.
    Namespace,
    /// Custom resource definitions.
    Crd,
    /// Controllers that serve API groups.
    Operator,
    /// Secrets and what makes them.
    Secret,
    /// Configuration, classes, storage, jobs that prepare.
    Config,
    /// Workloads others talk to.
    Runtime,
    /// What needs its domain's workloads to answer.
    PostRuntime,
    /// Checks of everything before.
    Smoke,
}

/// Spelling → role, with the words existing descriptors use.
const WORDS: &[(&str, Role)] = &[
    ("namespace", Role::Namespace),
    ("namespaces", Role::Namespace),
    ("crd", Role::Crd),
    ("crds", Role::Crd),
    ("operator", Role::Operator),
    ("operators", Role::Operator),
    ("controller", Role::Operator),
    ("controllers", Role::Operator),
    ("secret", Role::Secret),
    ("secrets", Role::Secret),
    ("config", Role::Config),
    ("configs", Role::Config),
    ("bootstrap", Role::Config),
    ("runtime", Role::Runtime),
    ("runtimes", Role::Runtime),
    ("workload", Role::Runtime),
    ("workloads", Role::Runtime),
    ("app", Role::Runtime),
    ("post-runtime", Role::PostRuntime),
    ("smoke", Role::Smoke),
    ("smokes", Role::Smoke),
];

impl Role {
    /// Every role, in ladder order.
    pub const ALL: [Self; 8] = [
        Self::Namespace,
        Self::Crd,
        Self::Operator,
        Self::Secret,
        Self::Config,
        Self::Runtime,
        Self::PostRuntime,
        Self::Smoke,
    ];

    /// The role a descriptor's word means, if it is one.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        WORDS.iter().find(|(spelling, _)| spelling.eq_ignore_ascii_case(word)).map(|(_, role)| *role)
    }

    /// The spellings a message may suggest.
    pub fn words() -> impl Iterator<Item = &'static str> {
        WORDS.iter().map(|(spelling, _)| *spelling)
    }

    /// The canonical spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Namespace => "namespace",
            Self::Crd => "crd",
            Self::Operator => "operator",
            Self::Secret => "secret",
            Self::Config => "config",
            Self::Runtime => "runtime",
            Self::PostRuntime => "post-runtime",
            Self::Smoke => "smoke",
        }
    }

    /// How much this role weighs when a component holds several: the heaviest names the component.
    #[must_use]
    pub fn weight(self) -> u8 {
        match self {
            Self::Namespace => 0,
            Self::Crd => 1,
            Self::Secret => 2,
            Self::Config => 3,
            Self::Operator => 4,
            Self::Runtime => 5,
            Self::PostRuntime => 6,
            Self::Smoke => 7,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
