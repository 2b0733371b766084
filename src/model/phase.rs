//! Rungs: the steps of the ladder, in order.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::{Placement, Role};
use crate::load::checked::Checked;
use crate::load::policy::Retry;

/// Zero-padded id of a rung, e.g. `155`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Phase(pub String);

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How many Applications RollingSync may update at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum MaxUpdate {
    /// So many.
    Count(u32),
    /// A share of the step, such as `25%`; Argo CD takes at least one.
    Share(String),
}

impl MaxUpdate {
    /// Whether the step is left to people.
    #[must_use]
    pub fn is_none(&self) -> bool {
        match self {
            Self::Count(count) => *count == 0,
            Self::Share(text) => text == "0%",
        }
    }
}

impl fmt::Display for MaxUpdate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => count.fmt(f),
            Self::Share(text) => write!(f, "\"{text}\""),
        }
    }
}

/// Which components a rung takes besides those of its domain and role.
#[derive(Debug, Clone, Default)]
pub struct Selector {
    /// Component name globs.
    pub components: Option<globset::GlobSet>,
    /// Domains.
    pub domains: Vec<String>,
    /// Roles.
    pub roles: Vec<Role>,
    /// Kinds of resources.
    pub kinds: Option<globset::GlobSet>,
    /// Names of resources.
    pub names: Option<globset::GlobSet>,
    /// Labels of resources.
    pub labels: BTreeMap<String, String>,
}

impl Selector {
    /// Whether it is about resources, not components.
    #[must_use]
    pub fn is_for_resources(&self) -> bool {
        self.kinds.is_some() || self.names.is_some() || !self.labels.is_empty()
    }

    /// Whether every criterion for resources holds; a selector for components takes none.
    #[must_use]
    pub fn takes_resource(&self, resource: &super::Resource) -> bool {
        let fits = |globs: &Option<globset::GlobSet>, text: &str| {
            globs.as_ref().is_none_or(|globs| globs.is_match(text))
        };
        self.is_for_resources()
            && fits(&self.kinds, &resource.id.kind)
            && fits(&self.names, &resource.id.name)
            && resource.manifest.has_labels(&self.labels)
    }

    /// Whether every given criterion holds; a selector without criteria takes nothing.
    #[must_use]
    pub fn takes(&self, name: &str, domain: &str, role: Role) -> bool {
        let named = self.components.as_ref().is_none_or(|globs| globs.is_match(name));
        let in_domain = self.domains.is_empty() || self.domains.iter().any(|d| d == domain);
        let in_role = self.roles.is_empty() || self.roles.contains(&role);
        if self.is_for_resources() {
            return false;
        }
        let any = self.components.is_some() || !self.domains.is_empty() || !self.roles.is_empty();
        any && named && in_domain && in_role
    }
}

/// One step of the ladder.
#[derive(Debug, Clone)]
pub struct Rung {
    /// Its id.
    pub phase: Phase,
    /// First wave of its resources.
    pub wave: i64,
    /// The domain whose components stand here; none means any.
    pub domain: Option<String>,
    /// The roles it is for.
    pub roles: Vec<Role>,
    /// How many Applications RollingSync may update at once.
    pub max_update: MaxUpdate,
    /// Further components it takes.
    pub select: Option<Selector>,
    /// Attempts after a failed sync, laid over the targets'.
    pub retry: Option<Checked<Retry>>,
    /// What runs when the sync of a component on it fails.
    pub rollback: Option<crate::load::settings::Rollback>,
    /// The ApplicationSet that creates its Applications.
    pub application_set: Option<crate::load::targets::RungSet>,
    /// Grown by resolution, not configured.
    pub grown: bool,
}

impl Rung {
    /// Whether only smokes stand on it.
    #[must_use]
    pub fn is_for_smokes(&self) -> bool {
        self.roles == [Role::Smoke]
    }
}

/// All rungs in order, and the domains in order.
#[derive(Debug, Clone)]
pub struct Rungs {
    /// The rungs, lowest first.
    pub list: Vec<Rung>,
    /// The domains, earliest first.
    pub domains: Vec<Domain>,
}

/// A band of the ladder.
#[derive(Debug, Clone)]
pub struct Domain {
    /// Its name.
    pub name: String,
    /// The only roles that belong here; empty means all.
    pub only: Vec<Role>,
}

impl Rungs {
    /// Position of a rung by id.
    #[must_use]
    pub fn position(&self, phase: &Phase) -> Option<usize> {
        self.list.iter().position(|rung| rung.phase == *phase)
    }

    /// A rung by id.
    #[must_use]
    pub fn find(&self, phase: &Phase) -> Option<&Rung> {
        self.list.iter().find(|rung| rung.phase == *phase)
    }

    /// The position of the rung that each placement stands on.
    #[must_use]
    pub fn positions(&self, placements: &[Placement]) -> Vec<usize> {
        placements.iter().map(|placement| self.position(&placement.phase).unwrap_or(0)).collect()
    }

    /// Whether a component of this domain may stand on the rung.
    #[must_use]
    pub fn is_in(&self, position: usize, domain: &str) -> bool {
        self.list[position].domain.as_deref().is_none_or(|own| own == domain)
    }

    /// Whether one domain comes after another; never for one that is not known.
    #[must_use]
    pub fn is_later(&self, domain: &str, than: &str) -> bool {
        let places = (self.domain_position(than), self.domain_position(domain));
        matches!(places, (Some(earlier), Some(later)) if later > earlier)
    }

    /// Position of a domain in the order of domains.
    #[must_use]
    pub fn domain_position(&self, domain: &str) -> Option<usize> {
        self.domains.iter().position(|known| known.name == domain)
    }
}
