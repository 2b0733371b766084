//! `targets` of `ladder.yaml`: what an Application, an ApplicationSet or a Flux Kustomization says besides its order.
//!
//! `environments.<name>.targets` is laid over it, key by key.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::checked::Checked;
use super::flux_spec::{Decryption, SourceKind};
use super::policy::{IgnoredDifference, SyncPolicy};

/// How Applications name the manifests of their component.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SourceForm {
    /// Argo CD's own Helm or Kustomize source where it loses nothing, the plugin otherwise.
    #[default]
    Auto,
    /// The plugin for every component that has files in the repository.
    Plugin,
    /// Argo CD's own sources only: waves inside a component are lost.
    Native,
}

/// A cluster that gets an Application of every component.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Cluster {
    /// Its name in Argo CD, and the ending of its Applications' names.
    pub name: String,
    /// Its address; without it the name is the destination.
    pub server: Option<String>,
    /// Labels of its Applications.
    pub labels: BTreeMap<String, String>,
}

/// Where an Application's resources go.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Destination {
    /// Address of the cluster.
    pub server: Option<String>,
    /// Name of the cluster.
    pub name: Option<String>,
    /// Namespace of resources without one; default: the component's.
    pub namespace: Option<String>,
}

impl Destination {
    /// Whether it says which cluster.
    #[must_use]
    pub fn has_cluster(&self) -> bool {
        self.server.is_some() || self.name.is_some()
    }
}

/// Which RollingSync steps are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Steps {
    /// `used`: the rungs in use; `all`: every rung.
    Word(String),
    /// These rungs; each rung in use must be among them. What is no text is told with its place.
    List(#[schemars(with = "Vec<String>")] Vec<Value>),
}

/// How Applications go when their set is deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DeletionOrder {
    /// The last step first.
    #[default]
    Reverse,
    /// At once.
    AllAtOnce,
}

/// Settings of `--target applicationset`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ApplicationSetSettings {
    /// Its name.
    pub name: String,
    /// `used` (default), `all`, or a list of rungs.
    pub steps: Steps,
    /// How the Applications go when the set is deleted.
    pub deletion_order: DeletionOrder,
}

impl Default for ApplicationSetSettings {
    fn default() -> Self {
        Self {
            name: "ladder".to_owned(),
            steps: Steps::Word("used".to_owned()),
            deletion_order: DeletionOrder::default(),
        }
    }
}

/// An ApplicationSet that creates the Applications of one rung from their descriptors in the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RungSet {
    /// Its name.
    pub name: String,
    /// Directories with a descriptor, as globs, so that further ones need no change here; default: those of the
    /// rung's components, one by one.
    #[serde(default)]
    pub directories: Vec<String>,
    /// Seconds between looks at the repository and at the health of its Applications.
    #[serde(default = "default_requeue")]
    pub requeue_after_seconds: u32,
}

fn default_requeue() -> u32 {
    30
}

/// How Flux knows that a component is ready.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FluxHealth {
    /// Everything in it.
    #[default]
    Wait,
    /// Its workloads, releases and custom resources by name.
    HealthChecks,
}

/// The source a Flux Kustomization reads from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FluxSource {
    /// Its kind.
    pub kind: SourceKind,
    /// Its name.
    pub name: String,
    /// Its namespace; default: the Kustomizations'.
    pub namespace: Option<String>,
}

impl Default for FluxSource {
    fn default() -> Self {
        Self { kind: SourceKind::default(), name: "flux-system".to_owned(), namespace: None }
    }
}

/// Settings of `--target flux`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct FluxSettings {
    /// Namespace of the Kustomizations.
    pub namespace: String,
    /// Where they read from.
    pub source_ref: FluxSource,
    /// Time between reconciliations.
    pub interval: String,
    /// Time until a failed one is tried again.
    pub retry_interval: String,
    /// Longest time to healthy, for components that do not say.
    pub timeout: String,
    /// Whether what leaves the repository leaves the cluster.
    pub prune: bool,
    /// How readiness is known.
    pub health: FluxHealth,
    /// Decryption of components that hold SOPS documents.
    pub decryption: Checked<Decryption>,
    /// Directory in the repository that holds the rendered manifests, one folder per component; default: read the sources.
    pub rendered: Option<String>,
    /// Whether each rung waits for all of the rung below, not only for what the edges say; default: only in `layers`.
    pub barriers: Option<bool>,
}

impl Default for FluxSettings {
    fn default() -> Self {
        let decryption = serde_json::json!({"provider": "sops", "secretRef": {"name": "sops-age"}});
        Self {
            namespace: "flux-system".to_owned(),
            source_ref: FluxSource::default(),
            interval: "10m".to_owned(),
            retry_interval: "2m".to_owned(),
            timeout: "5m".to_owned(),
            prune: true,
            health: FluxHealth::default(),
            decryption: Checked::of(decryption.as_object().cloned().unwrap_or_default()),
            rendered: None,
            barriers: None,
        }
    }
}

/// Settings of all targets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct TargetSettings {
    /// Address of the repository that holds this ladder.
    #[serde(rename = "repoURL")]
    pub repo_url: Option<String>,
    /// Branch, tag or commit.
    pub revision: String,
    /// The ladder's root inside the repository.
    pub path: String,
    /// Namespace of the Applications.
    pub namespace: String,
    /// Project of components that name none.
    pub project: Option<String>,
    /// Cluster and namespace of components that name none.
    pub destination: Destination,
    /// Clusters that get every component; none means the destination alone.
    pub clusters: Vec<Cluster>,
    /// How Applications name their manifests.
    pub source: SourceForm,
    /// Name of the plugin in Argo CD.
    pub plugin: String,
    /// Whether a component's content waits until the parent passes it on: the plugin refuses any other content.
    pub content_gate: bool,
    /// Sync policy, below the components'.
    pub sync_policy: Checked<SyncPolicy>,
    /// Sync options, beside the components'.
    pub sync_options: Vec<String>,
    /// Differences to ignore, beside the components'.
    pub ignore_differences: Vec<Checked<IgnoredDifference>>,
    /// Finalizers of the Applications.
    pub finalizers: Vec<String>,
    /// Labels of the Applications, below the components'.
    pub labels: BTreeMap<String, String>,
    /// Annotations of the Applications, below the components'.
    pub annotations: BTreeMap<String, String>,
    /// How many old revisions an Application keeps.
    pub revision_history_limit: Option<u32>,
    /// The ApplicationSet.
    pub applicationset: ApplicationSetSettings,
    /// The Flux Kustomizations.
    pub flux: FluxSettings,
}

impl Default for TargetSettings {
    fn default() -> Self {
        let automated = serde_json::json!({"automated": {"prune": true, "selfHeal": true}});
        Self {
            repo_url: None,
            revision: "HEAD".to_owned(),
            path: String::new(),
            namespace: "argocd".to_owned(),
            project: None,
            destination: Destination::default(),
            clusters: Vec::new(),
            source: SourceForm::default(),
            plugin: "argocd-ladder".to_owned(),
            content_gate: false,
            sync_policy: Checked::of(automated.as_object().cloned().unwrap_or_default()),
            sync_options: Vec::new(),
            ignore_differences: Vec::new(),
            finalizers: vec!["resources-finalizer.argocd.argoproj.io".to_owned()],
            labels: BTreeMap::new(),
            annotations: BTreeMap::new(),
            revision_history_limit: None,
            applicationset: ApplicationSetSettings::default(),
            flux: FluxSettings::default(),
        }
    }
}

impl TargetSettings {
    /// These settings with an environment's laid over them.
    ///
    /// # Errors
    /// When the result does not fit, with what does not.
    pub fn overlaid(&self, environment: &Value) -> Result<Self, serde_json::Error> {
        let mut whole = serde_json::to_value(self)?;
        merge(&mut whole, environment);
        serde_json::from_value(whole)
    }
}

/// Lays `over` on `base`: mappings key by key, everything else whole; null takes a key away.
pub fn merge(base: &mut Value, over: &Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                if value.is_null() {
                    base.shift_remove(key);
                    continue;
                }
                let own = base.entry(key.clone()).or_insert(Value::Null);
                if value.is_object() && !own.is_object() {
                    *own = Value::Object(serde_json::Map::new());
                }
                merge(own, value);
            }
        }
        (base, over) => *base = over.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_environment_changes_only_what_it_names() {
        let base = TargetSettings { repo_url: Some("https://a".to_owned()), ..TargetSettings::default() };
        let dev = base
            .overlaid(&json!({"revision": "dev", "destination": {"server": "https://dev"}, "flux": {"interval": "1m"}}))
            .unwrap();
        assert_eq!((dev.repo_url.as_deref(), dev.revision.as_str()), (Some("https://a"), "dev"));
        assert_eq!(dev.destination.server.as_deref(), Some("https://dev"));
        assert_eq!((dev.flux.interval.as_str(), dev.flux.timeout.as_str()), ("1m", "5m"));
        assert!(base.overlaid(&json!({"clusters": 3})).is_err());
    }

    #[test]
    fn null_takes_a_key_away() {
        let mut base = json!({"a": {"b": 1, "c": 2}});
        merge(&mut base, &json!({"a": {"b": null, "d": [1]}, "e": {"f": null}}));
        assert_eq!(base, json!({"a": {"c": 2, "d": [1]}, "e": {}}));
    }
}
