//! Sync policies as Argo CD's Application has them (`pkg/apis/application/v1alpha1/types.go`).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checked::{Checked, Text};

/// A sync policy.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct SyncPolicy {
    /// Automated sync; `{}` switches it on.
    pub automated: Option<Checked<Automated>>,
    /// Sync options, such as `ServerSideApply=true`.
    pub sync_options: Option<Vec<String>>,
    /// Attempts after a failed sync.
    pub retry: Option<Checked<Retry>>,
    /// What the namespace that `CreateNamespace=true` makes carries.
    pub managed_namespace_metadata: Option<Checked<NamespaceMetadata>>,
}

/// Automated sync.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Automated {
    /// Whether what leaves the manifests leaves the cluster.
    pub prune: Option<bool>,
    /// Whether drift is healed.
    pub self_heal: Option<bool>,
    /// Whether nothing at all may be synced.
    pub allow_empty: Option<bool>,
    /// `false` switches automated sync off.
    pub enabled: Option<bool>,
}

/// Attempts after a failed sync.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Retry {
    /// How many; below 0 without end.
    pub limit: Option<i64>,
    /// Whether a retry takes the newest revision.
    pub refresh: Option<bool>,
    /// Time between attempts.
    pub backoff: Option<Checked<Backoff>>,
}

/// Time between attempts.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Backoff {
    /// Time before the first retry: seconds, or a length such as `2m`.
    pub duration: Option<Text>,
    /// What each pause is longer than the one before.
    pub factor: Option<i64>,
    /// Longest pause: seconds, or a length such as `2m`.
    pub max_duration: Option<Text>,
}

/// A difference that is none.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IgnoredDifference {
    /// Group of the objects; none is the core group.
    pub group: Option<String>,
    /// Their kind.
    pub kind: String,
    /// Only the one of this name.
    pub name: Option<String>,
    /// Only those of this namespace.
    pub namespace: Option<String>,
    /// Fields, as JSON pointers.
    pub json_pointers: Option<Vec<String>>,
    /// Fields, as expressions of jq.
    pub jq_path_expressions: Option<Vec<String>>,
    /// Fields of these managers.
    pub managed_fields_managers: Option<Vec<String>>,
}

/// What a made namespace carries.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct NamespaceMetadata {
    /// Labels.
    pub labels: Option<BTreeMap<String, Text>>,
    /// Annotations.
    pub annotations: Option<BTreeMap<String, Text>>,
}
