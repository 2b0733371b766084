//! A case as its file says it. Every key is explained in `README.md`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/cases");

/// One case.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Case {
    /// The file's name without its ending.
    #[serde(skip)]
    pub(crate) name: String,
    /// What it shows, in one sentence.
    pub(crate) about: String,
    /// What the git repository holds.
    pub(crate) repo: RepoContent,
    /// Further plugins, each on a cmp-server of its own: name to `plugin.yaml`.
    #[serde(default)]
    pub(crate) plugins: BTreeMap<String, Value>,
    /// Scripts that stand before the real tools on the plugins' `PATH`.
    #[serde(default)]
    pub(crate) tools: BTreeMap<String, String>,
    /// Environment of the plugins' cmp-servers.
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    /// Texts that may appear in manifests and nowhere else.
    #[serde(default)]
    pub(crate) canaries: Vec<String>,
    /// Command lines that no process may have once the requests are answered.
    #[serde(default)]
    pub(crate) gone: Vec<String>,
    /// Questions to the repo-server and the cmp-servers.
    #[serde(default)]
    pub(crate) requests: Vec<Request>,
    /// The time of one plugin's requests against another's.
    pub(crate) overhead: Option<Overhead>,
    /// A sync by Argo CD on an empty cluster.
    pub(crate) rollout: Option<Rollout>,
    /// A kustomize component laid over Argo CD's own installation.
    pub(crate) install: Option<Install>,
    /// The plugin under test runs in its image, not from this build.
    pub(crate) sidecar: Option<Sidecar>,
}

/// The content of the git repository: an example, changed.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RepoContent {
    /// A folder of `examples/`.
    pub(crate) example: Option<String>,
    /// The address the example says it is at: wherever its files have it, they get the real one.
    pub(crate) address: Option<String>,
    /// Files written over it, by path.
    #[serde(default)]
    pub(crate) files: BTreeMap<PathBuf, String>,
    /// How long objects take to become ready: `Kind/namespace/name` to a duration, or `never`.
    #[serde(default)]
    pub(crate) slow: BTreeMap<String, String>,
}

/// A question and what must come back.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Request {
    /// `generate` and `details` go to the repo-server, `match` and `announce` to the plugin's cmp-server.
    #[serde(default = "generate")]
    pub(crate) ask: String,
    /// The source, as an Application holds it; `repoURL` and `targetRevision` are filled in.
    #[serde(default)]
    pub(crate) source: Value,
    /// How often it is asked, all at once.
    #[serde(default = "once")]
    pub(crate) together: usize,
    /// The namespace the Application deploys to.
    #[serde(default = "default_namespace")]
    pub(crate) namespace: String,
    /// The deadline of the request.
    pub(crate) seconds: Option<f64>,
    /// What the cluster is said to be; empty as the hydrator sends it.
    pub(crate) kube_version: Option<String>,
    pub(crate) expect: Expect,
}

/// What a request must give.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Expect {
    /// The same objects as this local command of `argocd-ladder` prints.
    pub(crate) local: Option<Vec<String>>,
    /// The same objects as this other source, apart from what `argocd-ladder` adds.
    pub(crate) source: Option<Value>,
    /// An error with all of these texts.
    #[serde(default)]
    pub(crate) error: Vec<String>,
    /// Texts the error must not have.
    #[serde(default)]
    pub(crate) error_lacks: Vec<String>,
    /// Ids of objects that are there.
    #[serde(default)]
    pub(crate) has: Vec<String>,
    /// Ids of objects that are not.
    #[serde(default)]
    pub(crate) lacks: Vec<String>,
    /// Part of the answer: each field named here has this value there.
    pub(crate) result: Option<Value>,
    /// Texts that the answer, as JSON, has.
    #[serde(default)]
    pub(crate) result_has: Vec<String>,
    /// Texts that it has not.
    #[serde(default)]
    pub(crate) result_lacks: Vec<String>,
    /// The answer must come within these seconds.
    pub(crate) within: Option<f64>,
}

/// The time of one source's requests against another's.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Overhead {
    pub(crate) source: Value,
    pub(crate) against: Value,
    pub(crate) times: usize,
    pub(crate) ratio: f64,
}

/// What is added to Argo CD's own installation; folders of this repository.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Install {
    /// The kustomization for one that is there already.
    pub(crate) overlay: String,
    /// The kustomize component for one that is built with it.
    pub(crate) component: String,
    /// The Deployment it changes.
    pub(crate) deployment: String,
    /// The container it adds.
    pub(crate) container: String,
}

/// The plugin's container, as it is installed, in its image.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sidecar {
    /// The file its image is made by.
    pub(crate) dockerfile: String,
    /// The kustomize component that installs it: a folder of this repository.
    pub(crate) component: String,
    /// The Deployment it is added to.
    pub(crate) deployment: String,
    /// Its name there.
    pub(crate) container: String,
}

/// A sync by Argo CD on an empty cluster.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Rollout {
    /// How the objects reach Argo CD.
    pub(crate) through: Through,
    /// Only these rungs, as `A-B`.
    pub(crate) only: Option<String>,
    /// Waves changed after rendering: id of an object to its wave.
    #[serde(default)]
    pub(crate) plant: BTreeMap<String, i64>,
    /// What is on the cluster before anything is rolled out: a file of `grounds/`.
    pub(crate) ground: Option<String>,
    /// Whether Argo CD gets the health checks that `argocd-ladder health-checks` prints for the repository.
    #[serde(default)]
    pub(crate) health_checks: bool,
    /// A change that is committed once everything is up.
    pub(crate) change: Option<Change>,
    /// Whether everything is deleted again, in the order of `plan --reverse`.
    #[serde(default)]
    pub(crate) delete: bool,
    /// Further settings of Argo CD (argocd-cm).
    #[serde(default)]
    pub(crate) settings: BTreeMap<String, String>,
    /// How often Argo CD may try again.
    #[serde(default)]
    pub(crate) retries: u32,
    /// Seconds until the operation must have ended.
    #[serde(default = "ten_minutes")]
    pub(crate) seconds: u64,
    /// Ids of objects that must not have been written when the rollout ends, or its time does.
    #[serde(default)]
    pub(crate) held_back: Vec<String>,
    /// The checks that must fail, each with a text of its failure; all others must hold. Empty: all hold.
    #[serde(default)]
    pub(crate) fails: BTreeMap<Check, String>,
    /// The checks that may fail or hold, where nothing keeps an order and chance decides.
    #[serde(default)]
    pub(crate) may_fail: Vec<Check>,
    /// Kinds (`group/Kind`) whose readiness the control plane cannot see: waits for them are left to chance.
    #[serde(default)]
    pub(crate) unseen: Vec<String>,
}

/// A change of the repository that Argo CD passes on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Change {
    /// What is written over the repository.
    pub(crate) content: RepoContent,
    /// Ids of the objects it reaches, each written only once the one before is ready again.
    pub(crate) passes: Vec<String>,
}

/// How the objects reach Argo CD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Through {
    /// The plugin renders them.
    Plugin,
    /// A plain directory holds them as the plugin renders them (and as `plant` changes them).
    Directory,
    /// A plain directory holds them without any wave.
    DirectoryWithoutWaves,
    /// A root Application whose plugin renders Applications.
    Applications,
    /// A root Application whose plugin renders an `ApplicationSet` with RollingSync.
    Applicationset,
    /// Flux Kustomizations, applied by hand.
    Flux,
}

impl Through {
    /// In words.
    pub(crate) fn shown(self) -> &'static str {
        match self {
            Through::Plugin => "one Application (manifests)",
            Through::Directory | Through::DirectoryWithoutWaves => "a directory",
            Through::Applications => "a root Application (applications)",
            Through::Applicationset => "RollingSync (applicationset)",
            Through::Flux => "Flux Kustomizations (flux)",
        }
    }
}

/// What a rollout must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Check {
    /// One operation, at the first try, ends as succeeded; of several Applications or Kustomizations, all become ready.
    Operation,
    /// No apply is refused.
    Rejected,
    /// Nothing is written before what it strongly waits for.
    Edges,
    /// Objects are created in the order of the simulation.
    Order,
    /// A change reaches its objects in the order of the ladder.
    Change,
    /// What `plan --reverse` lists is deleted, nothing else, in that order.
    Deletes,
}

fn generate() -> String {
    "generate".to_owned()
}

fn default_namespace() -> String {
    "default".to_owned()
}

fn once() -> usize {
    1
}

fn ten_minutes() -> u64 {
    600
}

impl Case {
    /// Every case whose name contains `filter`, by name.
    pub(crate) fn all(filter: &str) -> Result<Vec<Case>> {
        let mut cases = Vec::new();
        for entry in fs::read_dir(FOLDER)? {
            let path = entry?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if name.contains(filter) {
                cases.push(Case::read(&path, name)?);
            }
        }
        cases.sort_by(|one, other| one.name.cmp(&other.name));
        if cases.is_empty() {
            bail!("{FOLDER}: no case has `{filter}` in its name");
        }
        Ok(cases)
    }

    fn read(path: &Path, name: String) -> Result<Case> {
        let text = fs::read_to_string(path)?;
        let mut case: Case = serde_yaml::from_str(&text).with_context(|| path.display().to_string())?;
        case.name = name;
        Ok(case)
    }

    /// Whether the case needs a cluster.
    pub(crate) fn needs_cluster(&self) -> bool {
        self.rollout.is_some() || self.install.is_some()
    }

    /// How the case rolls out, if it does.
    pub(crate) fn through(&self) -> Option<Through> {
        Some(self.rollout.as_ref()?.through)
    }
}
