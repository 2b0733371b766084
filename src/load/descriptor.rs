//! `component.yaml` → a component. Fields it does not know are kept and reported.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::LoadedComponent;
use super::checked::Checked;
use super::document::{Document, null_is_absent};
use super::environment::Environment;
use super::flux_spec::{FluxSpec, HealthCheck};
use super::hooks::{HookSetting, WaitForSetting};
use super::policy::{IgnoredDifference, SyncPolicy};
use super::provision::{self, Unclear};
use super::rollout;
use super::targets::Destination;
use crate::model::{
    Component, Declared, DependsOn, Finding, Gate, Level, Phase, Place, Provision, Role, Rungs,
};
use crate::problem::{Problem, Problems, suggestion};
use crate::yaml::tree::Node;

/// Where a component's manifests come from.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// A directory: plain manifests, a kustomization or a chart, whichever it is.
    Directory(String),
    /// Files by glob, relative to the descriptor.
    Globs {
        /// The descriptor's directory.
        base: String,
        /// The globs.
        patterns: Vec<String>,
    },
    /// A kustomization.
    Kustomize(String),
    /// A chart.
    Chart {
        /// The descriptor's directory.
        base: String,
        /// What the descriptor says of it.
        chart: Box<ChartSource>,
    },
}

/// A wait for another component: its name, or name and gate.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "expected the name of a component, or `{name, gate}` with gate `present` or `ready`"
)]
enum DependsOnEntry {
    Name(String),
    Gated { name: String, gate: Option<Gate> },
}

/// A kustomization elsewhere.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(expecting = "a mapping with `path`")]
struct KustomizeSource {
    /// Its directory, relative to the descriptor.
    path: String,
}

/// A Helm chart.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    default,
    rename_all = "camelCase",
    expecting = "a mapping with `path`, or `repoURL`, `name` and `version`"
)]
pub struct ChartSource {
    /// Directory of a chart in the repo, relative to the descriptor.
    pub path: Option<String>,
    /// Release name; default: the component's.
    pub release_name: Option<String>,
    /// Value files, relative to the descriptor.
    pub value_files: Vec<String>,
    /// Inline values.
    pub values: serde_json::Map<String, Value>,
    /// Leave out what is in `crds/`.
    pub skip_crds: bool,
    /// Repository of a remote chart.
    #[serde(rename = "repoURL")]
    pub repo_url: Option<String>,
    /// Name of a remote chart.
    pub name: Option<String>,
    /// Version of a remote chart.
    pub version: Option<String>,
}

/// A rung id; unquoted numbers are read by their text.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "`rolloutPhase` is not the id of a rung")]
#[allow(dead_code, reason = "only its shape is checked: the text is read from the tree, where 010 stays 010")]
enum PhaseText {
    Text(String),
    Number(i64),
}

/// `component.yaml` as written.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "argocd-ladder: component.yaml")]
pub struct Descriptor {
    /// Unique name of the component.
    name: String,
    /// Which band it belongs to; default: from the path, then `apps`.
    #[serde(default)]
    pub(super) domain: Option<String>,
    /// Its role; default: inferred from the manifests.
    #[serde(default)]
    component_type: Option<String>,
    /// Role as older descriptors call it; `componentType` wins.
    #[serde(default)]
    dependency_phase: Option<String>,
    /// The rung it must stand on; an error if evidence contradicts it.
    #[serde(default)]
    #[allow(dead_code, reason = "the text is read from the tree")]
    rollout_phase: Option<PhaseText>,
    /// Argo CD project.
    #[serde(default)]
    project: Option<String>,
    /// Destination namespace.
    #[serde(default)]
    namespace: Option<String>,
    /// Components it waits for, by name or name and gate.
    #[serde(default, deserialize_with = "null_is_absent")]
    depends_on: Vec<DependsOnEntry>,
    /// What it brings that manifests do not show.
    #[serde(default, deserialize_with = "null_is_absent")]
    provides: Vec<provision::Entry>,
    /// What it needs that manifests do not show.
    #[serde(default, deserialize_with = "null_is_absent")]
    requires: Vec<provision::Entry>,
    /// Directory of its manifests; default: the descriptor's own.
    #[serde(default)]
    path: Option<String>,
    /// Manifest files by glob.
    #[serde(default, deserialize_with = "null_is_absent")]
    manifests: Vec<String>,
    /// A kustomization.
    #[serde(default)]
    kustomize: Option<KustomizeSource>,
    /// A Helm chart.
    #[serde(default)]
    pub chart: Option<ChartSource>,
    /// Sync options of the Application.
    #[serde(default, deserialize_with = "null_is_absent")]
    pub sync_options: Vec<String>,
    /// Sync policy of the Application.
    #[serde(default)]
    pub sync_policy: Option<Checked<SyncPolicy>>,
    /// Differences the Application ignores.
    #[serde(default, deserialize_with = "null_is_absent")]
    pub ignore_differences: Vec<Checked<IgnoredDifference>>,
    /// Labels of the Application.
    #[serde(default, deserialize_with = "null_is_absent")]
    pub labels: BTreeMap<String, String>,
    /// Annotations of the Application.
    #[serde(default, deserialize_with = "null_is_absent")]
    pub annotations: BTreeMap<String, String>,
    /// Environments it belongs to; default: all.
    #[serde(default, deserialize_with = "null_is_absent")]
    pub(super) environments: Vec<String>,
    /// Addresses its pods wait for in init containers.
    #[serde(default, deserialize_with = "null_is_absent")]
    pub wait_for: Vec<WaitForSetting>,
    /// Resources that run as hooks of the sync.
    #[serde(default, deserialize_with = "null_is_absent")]
    pub hooks: Vec<HookSetting>,
    /// Cluster and namespace its resources go to.
    #[serde(default, deserialize_with = "null_is_absent")]
    pub destination: Destination,
    /// Clusters it goes to, by name; default: all of the targets.
    #[serde(default, deserialize_with = "null_is_absent")]
    pub clusters: Vec<String>,
    /// Finalizers of the Application; default: those of the targets.
    #[serde(default)]
    pub finalizers: Option<Vec<String>>,
    /// What Flux waits for, instead of what the manifests say.
    #[serde(default, deserialize_with = "null_is_absent")]
    pub health_checks: Vec<Checked<HealthCheck>>,
    /// Fields of its Flux Kustomization that differ; `namespace` is that of the Kustomization.
    #[serde(default, deserialize_with = "null_is_absent")]
    pub flux: Checked<FluxSpec>,
    /// Expected time to healthy.
    #[serde(default)]
    pub timeout: Option<String>,
    /// Retry limit.
    #[serde(default)]
    pub retries: Option<u32>,
}

impl Descriptor {
    /// Whether the manifests are named one by one.
    #[must_use]
    pub fn has_globs(&self) -> bool {
        !self.manifests.is_empty()
    }

    /// Whether its own sync creates the destination namespace.
    #[must_use]
    pub fn creates_namespace(&self) -> bool {
        let policy = self.sync_policy.iter().filter_map(|policy| policy.get("syncOptions")?.as_array());
        let in_policy = policy.flatten().filter_map(Value::as_str);
        let options = in_policy.chain(self.sync_options.iter().map(String::as_str));
        let decided = options.filter_map(|option| option.strip_prefix("CreateNamespace=")).next_back();
        decided == Some("true")
    }
}

/// The schema, made once for all descriptors.
static SCHEMA: LazyLock<Value> = LazyLock::new(|| schema_for!(Descriptor).to_value());

/// What a descriptor is read against.
#[derive(Debug, Clone, Copy)]
pub struct Context<'c> {
    /// The rungs there are.
    pub rungs: &'c Rungs,
    /// The environment that was asked for.
    pub environment: Option<&'c Environment>,
    /// The environments `ladder.yaml` names.
    pub environments: &'c BTreeMap<String, Environment>,
}

impl Context<'_> {
    /// Lays the environment over a descriptor, and reads the values of charts as Go does: Helm takes `yes` for a boolean.
    fn adjust(self, document: &mut Document<Descriptor>) -> Result<(), Problems> {
        let name = document.value.name.trim().to_owned();
        if let Some(environment) = self.environment
            && environment.adjust(&name, &mut document.tree)
        {
            document.retype().map_err(|misfit| {
                let place = environment.place_of(&name).unwrap_or("ladder.yaml");
                let message = format!("the environment does not fit `{name}`: {}", misfit.message);
                misfit.help.into_iter().fold(Problem::new("invalid-value", message).at(place), Problem::help)
            })?;
        }
        if let Some(chart) = &mut document.value.chart
            && let Some(Value::Object(values)) = document.tree.at(&["chart", "values"]).map(Node::to_json)
        {
            chart.values = values;
        }
        Ok(())
    }
}

/// Parses a descriptor.
///
/// # Errors
/// With line and column when a field does not fit or names what is not there.
pub fn parse(
    file: &Arc<str>,
    text: &str,
    context: Context<'_>,
    findings: &mut Vec<Finding>,
) -> Result<LoadedComponent, Problems> {
    let mut document = Document::<Descriptor>::parse(file, text)?;
    context.adjust(&mut document)?;
    let rungs = context.rungs;
    let descriptor = &document.value;
    let about = |finding: Finding| finding.about(&descriptor.name);
    findings.extend(document.unknown_fields(&SCHEMA).into_iter().map(about));
    let base = file.rsplit_once('/').map_or("", |(directory, _)| directory);
    let component = Component {
        name: name(&document)?,
        domain: domain(&document, base, rungs)?,
        role: role(&document)?,
        pin: pin(&document, rungs)?,
        project: descriptor.project.clone(),
        namespace: namespace(descriptor),
        depends_on: depends_on(&document),
        provides: provisions(&document, "provides", &descriptor.provides, findings),
        requires: provisions(&document, "requires", &descriptor.requires, findings),
        wait_for: wait_for(&document),
        path: base.to_owned(),
        origin: document.origin(&[]),
        descriptor: Arc::new(descriptor.clone()),
        place: Place::default(),
        split_from: None,
    };
    let source = source(&document, base)?;
    rollout::check(&document, context.environments)?;
    let source_origin = ["path", "manifests", "kustomize", "chart"]
        .iter()
        .find(|field| document.tree.get(field).is_some())
        .map_or(component.origin.clone(), |field| document.origin(&[field]));
    Ok(LoadedComponent { component, source, source_origin, environments: descriptor.environments.clone() })
}

/// The namespace of its destination is where Argo CD puts things, whatever else is said.
fn namespace(descriptor: &Descriptor) -> String {
    descriptor.destination.namespace.as_ref().or(descriptor.namespace.as_ref()).cloned().unwrap_or_default()
}

fn name(document: &Document<Descriptor>) -> Result<String, Problems> {
    let name = document.value.name.trim();
    if name.chars().any(char::is_control) {
        return Err(Problem::new("invalid-value", "`name` holds a control character")
            .at(document.place(&["name"]))
            .into());
    }
    if name.is_empty() || document.tree.get("name").is_some_and(Node::is_null) {
        return Err(Problem::new("invalid-value", "`name` is empty").at(document.place(&["name"])).into());
    }
    Ok(name.to_owned())
}

/// The declared domain, else the outermost folder named like one, else `apps`: what lies in `apps/observability` is
/// called so beside other apps, and waits for them as they do for it.
fn domain(document: &Document<Descriptor>, base: &str, rungs: &Rungs) -> Result<String, Problems> {
    if let Some(domain) = &document.value.domain {
        if rungs.domains.is_empty() || rungs.domain_position(domain).is_some() {
            return Ok(domain.clone());
        }
        let known: Vec<&str> = rungs.domains.iter().map(|known| known.name.as_str()).collect();
        return Err(Problem::new("unknown-domain", format!("there is no domain `{domain}`"))
            .at(document.place(&["domain"]))
            .help(suggestion(domain, known))
            .into());
    }
    let folders: Vec<&str> = base.split('/').collect();
    let (own, above) = folders.split_last().unwrap_or((&"", &[]));
    let known = above.iter().chain([own]).find(|folder| rungs.domain_position(folder).is_some());
    Ok((*known.unwrap_or(&"apps")).to_owned())
}

fn role(document: &Document<Descriptor>) -> Result<Option<Declared<Role>>, Problems> {
    let descriptor = &document.value;
    let (field, word) = match (&descriptor.component_type, &descriptor.dependency_phase) {
        (Some(word), _) => ("componentType", word),
        (None, Some(word)) => ("dependencyPhase", word),
        (None, None) => return Ok(None),
    };
    match Role::from_word(word) {
        Some(value) => Ok(Some(Declared { value, origin: document.origin(&[field]) })),
        None => Err(Problem::new("unknown-role", format!("`{word}` is not a role"))
            .at(document.place(&[field]))
            .help(suggestion(word, Role::words().collect::<Vec<_>>()))
            .into()),
    }
}

fn pin(document: &Document<Descriptor>, rungs: &Rungs) -> Result<Option<Declared<Phase>>, Problems> {
    let written = document.tree.get("rolloutPhase").filter(|node| !node.is_null());
    let Some(text) = written.and_then(Node::text) else { return Ok(None) };
    let phase = Phase(text.to_owned());
    if rungs.position(&phase).is_none() {
        let known: Vec<&str> = rungs.list.iter().map(|rung| rung.phase.0.as_str()).collect();
        return Err(Problem::new("unknown-rung", format!("there is no rung `{text}`"))
            .at(document.place(&["rolloutPhase"]))
            .help(suggestion(text, known))
            .into());
    }
    Ok(Some(Declared { value: phase, origin: document.origin(&["rolloutPhase"]) }))
}

fn wait_for(document: &Document<Descriptor>) -> Vec<Declared<WaitForSetting>> {
    let declared = |(number, wait): (usize, &WaitForSetting)| Declared {
        value: wait.clone(),
        origin: document.origin(&["waitFor", &number.to_string()]),
    };
    document.value.wait_for.iter().enumerate().map(declared).collect()
}

fn depends_on(document: &Document<Descriptor>) -> Vec<DependsOn> {
    let entries = document.value.depends_on.iter().enumerate();
    entries
        .map(|(number, entry)| {
            let origin = document.origin(&["dependsOn", &number.to_string()]);
            match entry {
                DependsOnEntry::Name(name) => DependsOn { name: name.clone(), gate: Gate::Ready, origin },
                DependsOnEntry::Gated { name, gate } => {
                    DependsOn { name: name.clone(), gate: gate.unwrap_or(Gate::Ready), origin }
                }
            }
        })
        .collect()
}

fn provisions(
    document: &Document<Descriptor>,
    field: &str,
    entries: &[provision::Entry],
    findings: &mut Vec<Finding>,
) -> Vec<Declared<Provision>> {
    let mut provisions = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        for (key, text) in entry {
            let origin = document.origin(&[field, &number.to_string(), key]);
            match provision::parse(key, text) {
                Ok(value) => provisions.push(Declared { value, origin }),
                Err(unclear) => findings
                    .push(unclear_provision(key, text, &unclear).at(origin).about(&document.value.name)),
            }
        }
    }
    provisions
}

fn unclear_provision(key: &str, text: &str, unclear: &Unclear) -> Finding {
    match unclear {
        Unclear::Key => {
            Finding::new("unknown-field", Level::Warning, format!("`{key}` is nothing to provide or require"))
                .help(suggestion(key, provision::KEYS.iter().copied()))
        }
        Unclear::Value(form) => {
            Finding::new("unclear-provision", Level::Warning, format!("`{text}` does not name a {key}"))
                .help(format!("write {form}"))
        }
    }
}

fn source(document: &Document<Descriptor>, base: &str) -> Result<Source, Problems> {
    let descriptor = &document.value;
    let given = [
        ("path", descriptor.path.is_some()),
        ("manifests", !descriptor.manifests.is_empty()),
        ("kustomize", descriptor.kustomize.is_some()),
        ("chart", descriptor.chart.is_some()),
    ];
    let given: Vec<&str> = given.iter().filter(|(_, is_given)| *is_given).map(|(field, _)| *field).collect();
    if let [first, second, ..] = given[..] {
        return Err(Problem::new(
            "two-sources",
            format!("`{first}` and `{second}` both say where the manifests are"),
        )
        .at(document.place(&[second]))
        .help("keep one of them")
        .into());
    }
    let under = |field: &str, path: &str| below_root(document, field, base, path);
    if let Some(kustomize) = &descriptor.kustomize {
        return Ok(Source::Kustomize(under("kustomize", &kustomize.path)?));
    }
    if let Some(chart) = &descriptor.chart {
        let paths = chart.path.iter().chain(&chart.value_files);
        paths.map(|path| under("chart", path)).collect::<Result<Vec<_>, _>>()?;
        return Ok(Source::Chart { base: base.to_owned(), chart: Box::new(chart.clone()) });
    }
    for pattern in &descriptor.manifests {
        under("manifests", pattern)?;
    }
    if !descriptor.manifests.is_empty() {
        return Ok(Source::Globs { base: base.to_owned(), patterns: descriptor.manifests.clone() });
    }
    Ok(Source::Directory(under("path", descriptor.path.as_deref().unwrap_or_default())?))
}

/// A path of a descriptor, from the root.
fn below_root(
    document: &Document<Descriptor>,
    field: &str,
    base: &str,
    path: &str,
) -> Result<String, Problems> {
    let joined = crate::disk::joined(base, path);
    let problem = if path.starts_with('/') {
        Problem::new("path-leaves-root", format!("`{path}` is an absolute path"))
            .help("write it relative to the descriptor; nothing outside the root is read")
    } else if joined.starts_with("..") {
        Problem::new("path-leaves-root", format!("`{joined}` leaves the root"))
            .help("move it below the root, or run on a directory that holds both")
    } else {
        return Ok(joined);
    };
    Err(problem.at(document.place(&[field])).into())
}
