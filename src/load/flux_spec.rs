//! Fields of a Flux Kustomization (`kustomize.toolkit.fluxcd.io/v1`), as its CRD has them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::checked::{Checked, Text};

/// Kinds a Kustomization can read from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum SourceKind {
    /// A Git repository.
    #[default]
    GitRepository,
    /// An OCI artifact.
    #[serde(rename = "OCIRepository")]
    OciRepository,
    /// A bucket.
    Bucket,
    /// What another controller made.
    ExternalArtifact,
}

/// Fields of a component's Kustomization, laid over what the ladder says.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct FluxSpec {
    /// Namespace of the Kustomization itself.
    pub namespace: Option<Text>,
    build_metadata: Option<Vec<Text>>,
    common_metadata: Option<Checked<Metadata>>,
    components: Option<Vec<Text>>,
    decryption: Option<Checked<Decryption>>,
    deletion_policy: Option<DeletionPolicy>,
    depends_on: Option<Vec<Checked<Dependency>>>,
    force: Option<bool>,
    health_check_exprs: Option<Vec<Checked<HealthExpression>>>,
    health_checks: Option<Vec<Checked<HealthCheck>>>,
    ignore: Option<Vec<Map<String, Value>>>,
    ignore_missing_components: Option<bool>,
    images: Option<Vec<Map<String, Value>>>,
    interval: Option<Text>,
    kube_config: Option<Map<String, Value>>,
    name_prefix: Option<Text>,
    name_suffix: Option<Text>,
    patches: Option<Vec<Map<String, Value>>>,
    path: Option<Text>,
    post_build: Option<Map<String, Value>>,
    prune: Option<bool>,
    retry_interval: Option<Text>,
    service_account_name: Option<Text>,
    source_ref: Option<Checked<SourceReference>>,
    suspend: Option<bool>,
    target_namespace: Option<Text>,
    timeout: Option<Text>,
    wait: Option<bool>,
}

/// How Flux decrypts.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Decryption {
    /// `sops`.
    #[serde(default)]
    provider: Provider,
    /// The Secret with the keys.
    #[serde(default)]
    secret_ref: Option<Checked<Named>>,
    /// Service account whose rights open a cloud's keys.
    #[serde(default)]
    service_account_name: Option<Text>,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Provider {
    #[default]
    Sops,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Named {
    name: Text,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
enum DeletionPolicy {
    MirrorPrune,
    Delete,
    WaitForTermination,
    Orphan,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Metadata {
    labels: Option<BTreeMap<String, Text>>,
    annotations: Option<BTreeMap<String, Text>>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Dependency {
    name: Text,
    #[serde(default)]
    namespace: Option<Text>,
    #[serde(default)]
    ready_expr: Option<Text>,
}

/// Laid over the reference of the targets, so each field may be left out.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
struct SourceReference {
    api_version: Option<Text>,
    kind: Option<SourceKind>,
    name: Option<Text>,
    namespace: Option<Text>,
}

/// An object whose health Flux waits for.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthCheck {
    #[serde(default)]
    api_version: Option<Text>,
    kind: Text,
    name: Text,
    #[serde(default)]
    namespace: Option<Text>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HealthExpression {
    api_version: Text,
    #[serde(default)]
    kind: Option<Text>,
    current: Text,
    #[serde(default)]
    in_progress: Option<Text>,
    #[serde(default)]
    failed: Option<Text>,
}
