//! Where an Application gets a component's manifests.
//!
//! The plugin is the general form: with the parameter `component` it renders exactly that component, split-off CRDs,
//! inner waves, hooks and gates included. Argo CD's own Helm and Kustomize sources are used where they lose nothing,
//! and for charts that are not in the repository.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::argocd::{WAVE, parse_wave};
use crate::load::descriptor::ChartSource;
use crate::load::targets::{SourceForm, TargetSettings};
use crate::model::Tool;
use crate::model::{Component, ComponentIndex, Finding, Ladder, Level};

/// Stands for the repository where nothing says which it is; `.invalid` never resolves (RFC 2606).
const UNKNOWN_REPOSITORY: &str = "https://git.example.invalid/repository.git";

/// The fields of an Application's spec that say where its manifests are, and whether something is lost that way.
pub struct SourceFields {
    /// `source`, or `sources`.
    pub fields: Map<String, Value>,
    /// What the user should know.
    pub findings: Vec<Finding>,
}

/// The source of a component's Application.
#[must_use]
pub fn fields(ladder: &Ladder, component: ComponentIndex, fingerprint: &str) -> SourceFields {
    let targets = &ladder.settings.targets;
    let own = ladder.component(component);
    let loses = loses_by_native(ladder, component);
    if let Some(chart) = own.descriptor.chart.as_ref().filter(|chart| chart.repo_url.is_some()) {
        let help = "vendor the chart, so that the plugin can render it";
        let findings = loses.map(|what| loss(own, what, help)).into_iter().chain(floats(own, chart));
        return SourceFields { fields: remote_chart(ladder, component, chart), findings: findings.collect() };
    }
    let repository = repository(targets);
    // The plugin does not fetch what is not in the repo; Argo CD's own tools do.
    let is_remote = own.place.tool.is_some() && holds_stand_in(ladder, component);
    let native = match targets.source {
        SourceForm::Auto => own.place.tool.is_some() && loses.is_none() || is_remote,
        SourceForm::Plugin => false,
        SourceForm::Native => true,
    };
    let source = if native {
        native_source(ladder, component, repository)
    } else {
        plugin_source(ladder, component, repository, fingerprint)
    };
    let finding = loses.filter(|_| native);
    let help = if is_remote {
        "vendor what it takes from elsewhere, so that the plugin can render it"
    } else {
        "set `targets: {source: auto}` in ladder.yaml"
    };
    let finding = finding.map(|what| loss(own, what, help));
    SourceFields { fields: single(source), findings: finding.into_iter().collect() }
}

/// Whether something of a component is not in the repo.
fn holds_stand_in(ladder: &Ladder, component: ComponentIndex) -> bool {
    ladder.resources.iter().any(|resource| resource.component == component && resource.is_stand_in())
}

/// A chart without a version is another one tomorrow, and no change in the repository says so.
fn floats(own: &Component, chart: &ChartSource) -> Option<Finding> {
    let message =
        format!("the chart of `{}` has no version, so Argo CD takes the newest whenever it looks", own.name);
    chart.version.is_none().then(|| {
        Finding::new("chart-version-floats", Level::Warning, message)
            .about(&own.name)
            .at(own.origin.clone())
            .help("add `version` to `chart`")
    })
}

fn loss(own: &Component, what: &str, help: &str) -> Finding {
    let message =
        format!("the Application of `{}` reads its files without the plugin and loses {what}", own.name);
    Finding::new("native-source-loses-order", Level::Warning, message)
        .about(&own.name)
        .at(own.origin.clone())
        .help(help)
}

/// Directories whose change means new manifests, as Argo CD's annotation lists them.
#[must_use]
pub fn generate_paths(ladder: &Ladder, component: ComponentIndex) -> String {
    let own = ladder.component(component);
    let root = &ladder.settings.targets.path;
    let absolute = |path: &str| format!("/{}", crate::disk::joined(root, path));
    let mut paths =
        vec![absolute(&own.path), absolute(&own.place.path), absolute(ladder.settings.file_name())];
    if own.descriptor.chart.as_ref().is_some_and(|chart| chart.path.is_none()) {
        paths.remove(1);
    }
    paths.extend(own.place.also.iter().map(|path| absolute(path)));
    paths.dedup();
    paths.join(";")
}

/// The address of the repository, or one that nobody can take for it.
pub(super) fn repository(targets: &TargetSettings) -> &str {
    targets.repo_url.as_deref().unwrap_or(UNKNOWN_REPOSITORY)
}

/// Says that the address of the repository is not known, where an object names it.
pub(super) fn unknown_repository<'o>(objects: impl IntoIterator<Item = &'o Value>) -> Option<Finding> {
    let is_named = objects.into_iter().any(|object| names(object, UNKNOWN_REPOSITORY));
    is_named.then(|| {
        let message = format!(
            "nothing says which repository holds this ladder, so `{UNKNOWN_REPOSITORY}` stands for it"
        );
        Finding::new("repository-unknown", Level::Warning, message).help(
            "set `targets: {repoURL: https://git.example.com/platform.git, revision: main}` in ladder.yaml",
        )
    })
}

fn names(value: &Value, text: &str) -> bool {
    match value {
        Value::String(own) => own == text,
        Value::Array(items) => items.iter().any(|item| names(item, text)),
        Value::Object(fields) => fields.values().any(|field| names(field, text)),
        _ => false,
    }
}

fn single(source: Value) -> Map<String, Value> {
    Map::from_iter([("source".to_owned(), source)])
}

/// What Argo CD's own rendering would lose, if anything.
fn loses_by_native(ladder: &Ladder, component: ComponentIndex) -> Option<&'static str> {
    let own = ladder.component(component);
    if own.split_from.is_some() || crds_of(ladder, &own.name).is_some() {
        return Some("the split of its CRDs");
    }
    if has_late_part(ladder, own) {
        return Some("the split of its late resources");
    }
    if !own.descriptor.hooks.is_empty() {
        return Some("the hooks of its descriptor");
    }
    if !own.descriptor.wait_for.is_empty() {
        return Some("the gates of its descriptor");
    }
    if !super::rollback::rungs(ladder, component).is_empty() {
        return Some("the rollback of its rung");
    }
    let differs = ladder.resources_of(component).any(|index| {
        let existing = ladder.resource(index).manifest.annotation(WAVE).and_then(parse_wave).unwrap_or(0);
        existing != ladder.waves[index.0]
    });
    differs.then_some("the waves inside it")
}

/// Whether resources of a component stand in another one because they must come later.
pub(super) fn has_late_part(ladder: &Ladder, component: &Component) -> bool {
    let origin = component.split_from.as_deref().unwrap_or(&component.name);
    let late = ladder.component_named(&format!("{origin}-late"));
    late.is_some_and(|late| ladder.component(late).split_from.as_deref() == Some(origin))
}

/// The component that was split from this one.
pub(super) fn crds_of(ladder: &Ladder, name: &str) -> Option<ComponentIndex> {
    let wanted = format!("{name}-crds");
    let found = ladder.components.binary_search_by(|other| other.name.as_str().cmp(&wanted)).ok()?;
    (ladder.components[found].split_from.as_deref() == Some(name)).then_some(ComponentIndex(found))
}

fn plugin_source(ladder: &Ladder, component: ComponentIndex, repository: &str, fingerprint: &str) -> Value {
    let targets = &ladder.settings.targets;
    let mut parameters = vec![json!({"name": "component", "string": ladder.component(component).name})];
    if let Some(environment) = &ladder.settings.environment {
        parameters.push(json!({"name": "environment", "string": environment}));
    }
    // Inside the source, so that a health check can tell a state of the old content from one of this content.
    parameters.push(json!({"name": "content-hash", "string": fingerprint}));
    if targets.content_gate {
        parameters.push(json!({"name": "content-gate", "string": "true"}));
    }
    json!({
        "repoURL": repository,
        "targetRevision": targets.revision,
        "path": in_repository(targets, ""),
        "plugin": {"name": targets.plugin, "parameters": parameters},
    })
}

fn native_source(ladder: &Ladder, component: ComponentIndex, repository: &str) -> Value {
    let targets = &ladder.settings.targets;
    let own = ladder.component(component);
    let mut source = json!({
        "repoURL": repository,
        "targetRevision": targets.revision,
        "path": in_repository(targets, &own.place.path),
    });
    match (own.place.tool, &own.descriptor.chart) {
        (Some(Tool::Helm), chart) => {
            let chart = chart.clone().unwrap_or_default();
            let files =
                |file: &String| format!("/{}", in_repository(targets, &crate::disk::joined(&own.path, file)));
            source["helm"] =
                helm(&own.name, &chart, &chart.value_files.iter().map(files).collect::<Vec<_>>());
        }
        (None, _) => {
            source["directory"] = json!({"recurse": true, "exclude": not_manifests(ladder, own)});
        }
        (Some(Tool::Kustomize), _) => {}
    }
    source
}

/// What a directory holds besides a component's manifests, as a glob: descriptors, settings, and other components.
fn not_manifests(ladder: &Ladder, own: &Component) -> String {
    let path = &own.place.path;
    let below = |other: &Component| {
        let inside = if path.is_empty() {
            Some(&*other.path)
        } else {
            other.path.strip_prefix(path)?.strip_prefix('/')
        };
        inside.filter(|inside| !inside.is_empty()).map(|inside| format!("{inside}/**"))
    };
    let others: BTreeSet<String> = ladder.components.iter().filter_map(below).collect();
    let names = ["component.yaml", "component.yml", ladder.settings.file_name()].map(str::to_owned);
    let all: Vec<String> = names.into_iter().chain(others).collect();
    format!("{{{}}}", all.join(","))
}

/// A chart of a Helm repository; value files make a second source that only gives files.
fn remote_chart(ladder: &Ladder, component: ComponentIndex, chart: &ChartSource) -> Map<String, Value> {
    let targets = &ladder.settings.targets;
    let own = ladder.component(component);
    let address = chart.repo_url.as_deref().unwrap_or_default().trim_start_matches("oci://");
    let files: Vec<String> = chart
        .value_files
        .iter()
        .map(|file| format!("$values/{}", in_repository(targets, &crate::disk::joined(&own.path, file))))
        .collect();
    let has_files = !files.is_empty();
    let mut source = json!({
        "repoURL": address,
        "chart": chart.name.as_deref().unwrap_or(&own.name),
        "targetRevision": chart.version.as_deref().unwrap_or("*"),
    });
    let helm = helm(&own.name, chart, &files);
    source["helm"] = helm;
    if !has_files {
        return single(source);
    }
    let values = json!({"repoURL": repository(targets), "targetRevision": targets.revision, "ref": "values"});
    Map::from_iter([("sources".to_owned(), json!([source, values]))])
}

fn helm(name: &str, chart: &ChartSource, value_files: &[String]) -> Value {
    let mut helm = json!({"releaseName": chart.release_name.as_deref().unwrap_or(name)});
    if !value_files.is_empty() {
        helm["valueFiles"] = json!(value_files);
    }
    if !chart.values.is_empty() {
        helm["valuesObject"] = Value::Object(chart.values.clone());
    }
    if chart.skip_crds {
        helm["skipCrds"] = json!(true);
    }
    helm
}

/// A path of the tree as the repository has it.
pub(super) fn in_repository(targets: &TargetSettings, path: &str) -> String {
    let whole = crate::disk::joined(&targets.path, path);
    if whole.is_empty() { ".".to_owned() } else { whole }
}
