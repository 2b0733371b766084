//! `hooks` and `waitFor` of a descriptor as written.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which resources of the component; all given criteria must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ResourceSelect {
    /// Kind.
    pub kind: Option<String>,
    /// Name glob.
    pub name: Option<String>,
    /// Labels it must carry.
    pub labels: BTreeMap<String, String>,
}

/// One word or several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Words {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl Words {
    /// The words in order.
    #[must_use]
    pub fn list(&self) -> Vec<&str> {
        match self {
            Self::One(word) => word.split(',').map(str::trim).collect(),
            Self::Many(words) => words.iter().map(String::as_str).collect(),
        }
    }
}

/// Resources that run as hooks of the sync.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookSetting {
    /// Which resources.
    #[serde(default)]
    pub select: ResourceSelect,
    /// `PreSync`, `Sync`, `PostSync`, `SyncFail`, `Skip`, `PreDelete`, `PostDelete`; one or several.
    pub hook: Words,
    /// `HookSucceeded`, `HookFailed`, `BeforeHookCreation`; one or several.
    #[serde(default)]
    pub delete_policy: Option<Words>,
    /// Wave inside the hook.
    #[serde(default)]
    pub wave: Option<i64>,
}

/// A condition of an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResourceWait {
    /// Kind, or `kind.group`.
    pub kind: String,
    /// Name.
    pub name: String,
    /// Namespace; default: the pod's.
    #[serde(default)]
    pub namespace: Option<String>,
    /// Condition that must be true.
    pub condition: String,
}

impl ResourceWait {
    /// Kind and, when it is said, group.
    #[must_use]
    pub fn kind_and_group(&self) -> (&str, Option<&str>) {
        self.kind.split_once('.').map_or((&self.kind, None), |(kind, group)| (kind, Some(group)))
    }
}

/// Something the pods of the component wait for in an init container; one of `http`, `tcp`, `resource`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct WaitForSetting {
    /// Address that must answer with success.
    pub http: Option<String>,
    /// `host:port` that must accept a connection.
    pub tcp: Option<String>,
    /// Object with a condition; the pods' service account must be allowed to read it.
    pub resource: Option<ResourceWait>,
    /// Name of the init container; default: made from what is waited for.
    pub name: Option<String>,
    /// Only workloads of these names (globs); default: all.
    pub workloads: Vec<String>,
    /// Tries before the pod gives up; default: the setting of `gates`.
    pub retries: Option<u32>,
    /// Time between tries; default: the setting of `gates`.
    pub interval: Option<String>,
    /// Image; default: the setting of `gates`.
    pub image: Option<String>,
}

impl WaitForSetting {
    /// Whether a workload of this name waits.
    #[must_use]
    pub fn is_for(&self, name: &str) -> bool {
        let mut globs = self.workloads.iter().filter_map(|pattern| globset::Glob::new(pattern).ok());
        self.workloads.is_empty() || globs.any(|glob| glob.compile_matcher().is_match(name))
    }
}

/// `gates` of `ladder.yaml`: what wait-for containers have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct GateSettings {
    /// Image for `http` and `tcp`; needs `sh`, `wget` and `nc`.
    pub image: String,
    /// Image for `resource`; needs `sh` and `kubectl`.
    pub kubectl_image: String,
    /// Tries before the pod gives up.
    pub retries: u32,
    /// Time between tries.
    pub interval: String,
}

impl Default for GateSettings {
    fn default() -> Self {
        Self {
            image: "docker.io/library/busybox:1.37".to_owned(),
            kubectl_image: "docker.io/alpine/k8s:1.33.4".to_owned(),
            retries: 60,
            interval: "5s".to_owned(),
        }
    }
}
