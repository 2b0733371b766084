//! Domains and rungs of `ladder.yaml` as written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::checked::Checked;
use super::policy::Retry;
use super::targets::RungSet;
use crate::model::{MaxUpdate, OneOrMany, Role, one_or_many};

/// A band of the ladder.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct DomainSetting {
    /// Its name; folders of that name put components into it.
    pub name: String,
    /// The only roles that belong here; empty means all.
    #[serde(default)]
    pub only: Vec<Role>,
}

/// A step of the ladder; an id that exists is adjusted, a new one is added.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RungSetting {
    /// Its id, a quoted string such as "155".
    pub id: String,
    /// First wave of its resources; default: id times ten.
    #[serde(default)]
    pub wave: Option<i64>,
    /// The domain whose components stand here; none means any.
    #[serde(default)]
    pub domain: Option<String>,
    /// The role it is for.
    #[serde(default)]
    role: Option<Role>,
    /// The roles it is for.
    #[serde(default, deserialize_with = "one_or_many")]
    #[schemars(with = "OneOrMany<Role>")]
    roles: Vec<Role>,
    /// How many Applications RollingSync may update at once: a number, or a share such as "25%"; with 0 the step waits
    /// for a manual sync.
    #[serde(default)]
    pub max_update: Option<MaxUpdateSetting>,
    /// Further components it takes.
    #[serde(default)]
    pub select: Option<SelectSetting>,
    /// `false` takes the rung out of the ladder.
    #[serde(default)]
    pub enabled: Option<bool>,
    /// Attempts after a failed sync: `limit` and `backoff`, as in a sync policy.
    #[serde(default)]
    pub retry: Option<Checked<Retry>>,
    /// What runs when the sync of a component on this rung fails.
    #[serde(default)]
    pub rollback: Option<Rollback>,
    /// Create its Applications through one ApplicationSet (`--target applications`).
    #[serde(default)]
    pub application_set: Option<RungSet>,
    /// Put a new rung behind this one instead of by number.
    #[serde(default)]
    pub after: Option<String>,
}

impl RungSetting {
    /// The roles it is for.
    #[must_use]
    pub fn roles(&self) -> Vec<Role> {
        self.role.iter().chain(&self.roles).copied().collect()
    }
}

/// A width of RollingSync as written.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MaxUpdateSetting {
    /// So many.
    Count(u32),
    /// Such a share.
    Share(String),
}

impl MaxUpdateSetting {
    /// What it means, if Argo CD can read it.
    #[must_use]
    pub fn meant(&self) -> Option<MaxUpdate> {
        match self {
            Self::Count(count) => Some(MaxUpdate::Count(*count)),
            Self::Share(text) => {
                let share = text.strip_suffix('%')?.parse::<u32>().ok();
                share.filter(|share| *share <= 100).map(|_| MaxUpdate::Share(text.clone()))
            }
        }
    }
}

/// A Job that runs when a sync fails.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rollback {
    /// Image of the Job.
    pub image: String,
    /// Its command.
    #[serde(default)]
    pub command: Vec<String>,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Service account it runs as.
    #[serde(default)]
    pub service_account_name: Option<String>,
}

/// Which components a rung takes; all given criteria must hold.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct SelectSetting {
    /// Component name globs.
    pub components: Vec<String>,
    /// Domains.
    pub domains: Vec<String>,
    /// Roles.
    pub roles: Vec<Role>,
    /// Kinds of resources (globs): the rung then takes resources, not components.
    pub kinds: Vec<String>,
    /// Names of resources (globs).
    pub names: Vec<String>,
    /// Labels of resources.
    pub labels: BTreeMap<String, String>,
}
