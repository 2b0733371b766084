//! What an Application says of a component, shared by single Applications and the ApplicationSet.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::name::{Names, object_name};
use super::{content, source, sync, waves};
use crate::argocd::WAVE;
use crate::emit::Selection;
use crate::load::targets::{Cluster, Destination};
use crate::model::{Component, ComponentIndex, Finding, Ladder, Level};
use crate::problem::{Problem, Problems, suggestion};

/// The annotation that changes with a component's content.
pub const CONTENT: &str = "argocd-ladder/content-hash";
/// The label RollingSync selects by.
pub const PHASE: &str = "rollout-phase";
pub(super) const GENERATE_PATHS: &str = "argocd.argoproj.io/manifest-generate-paths";
/// Labels that are the ladder's.
const OWN_LABELS: &[&str] = &[PHASE, "domain", "componentType", "cluster", "environment"];
pub(super) const IN_CLUSTER: &str = "https://kubernetes.default.svc";

/// One Application.
#[derive(Debug, Clone)]
pub struct Application {
    /// Its name.
    pub name: String,
    /// The component it applies.
    pub component: ComponentIndex,
    /// Its wave below a root application.
    pub wave: i64,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Its annotations.
    pub annotations: BTreeMap<String, String>,
    /// Its finalizers.
    pub finalizers: Vec<String>,
    /// Its spec.
    pub spec: Map<String, Value>,
}

/// The Applications of a ladder by wave and name, and what the user should know.
///
/// # Errors
/// When names clash or a cluster is not there.
pub fn applications(
    ladder: &Ladder,
    selection: &Selection,
) -> Result<(Vec<Application>, Vec<Finding>), Problems> {
    let (waves, mut findings) = waves::waves(ladder);
    let fingerprints = content::fingerprints(ladder)?;
    let mut names = Names::taken_by_manifests(ladder, "argoproj.io", "Application");
    let facts = sync::Facts::of(ladder);
    let mut list = Vec::new();
    for number in (0..ladder.components.len()).filter(|number| selection.takes_component(ladder, *number)) {
        let index = ComponentIndex(number);
        let source = source::fields(ladder, index, &fingerprints[number]);
        findings.extend(source.findings);
        findings.extend(encrypted(ladder, index));
        let clusters = clusters(ladder, index)?;
        for cluster in &clusters {
            let application = Application {
                name: name(ladder.component(index), *cluster),
                component: index,
                wave: waves[number],
                labels: labels(ladder, index, *cluster),
                annotations: annotations(ladder, index, waves[number], &fingerprints[number]),
                finalizers: finalizers(ladder, index),
                spec: spec(ladder, index, *cluster, source.fields.clone(), &facts),
            };
            names.give(&ladder.settings.targets.namespace, &application.name, ladder.component(index));
            list.push(application);
        }
        let one = list.last().filter(|one: &&Application| one.component == index);
        findings.extend(one.into_iter().flat_map(|one| overridden(ladder.component(index), one)));
    }
    names.checked()?;
    list.sort_by(|a, b| (a.wave, &a.name).cmp(&(b.wave, &b.name)));
    Ok((list, findings))
}

/// Flux decrypts what it applies; Argo CD hands it to the API server, which refuses it.
fn encrypted(ladder: &Ladder, index: ComponentIndex) -> Option<Finding> {
    let component = ladder.component(index);
    let message = format!(
        "`{}` holds documents encrypted with SOPS, and Argo CD does not decrypt them",
        component.name
    );
    ladder.holds_encrypted(index).then(|| {
        Finding::new("encrypted-for-argo-cd", Level::Warning, message)
            .about(&component.name)
            .at(component.origin.clone())
            .help("make the Secrets in the cluster (SealedSecret, ExternalSecret, an operator for SOPS)")
    })
}

/// What a descriptor says of its Application where the ladder has the word.
fn overridden(component: &Component, application: &Application) -> Vec<Finding> {
    let own = &component.descriptor;
    let differs = |key: &&str, own: &BTreeMap<String, String>, written: &BTreeMap<String, String>| {
        own.get(*key).is_some_and(|value| written.get(*key) != Some(value))
    };
    let labels = OWN_LABELS.iter().filter(|key| differs(key, &own.labels, &application.labels));
    let annotations =
        [WAVE, CONTENT].into_iter().filter(|key| differs(key, &own.annotations, &application.annotations));
    let told = |key: &str| {
        let message = format!("`{}` sets `{key}`, which the ladder writes otherwise", component.name);
        let help = if key == WAVE || key == PHASE {
            "remove it; `rolloutPhase` pins a component, and rungs have a `wave` in ladder.yaml"
        } else {
            "remove it"
        };
        Finding::new("written-by-the-ladder", Level::Warning, message)
            .about(&component.name)
            .at(component.origin.clone())
            .help(help)
    };
    labels.copied().chain(annotations).map(told).collect()
}

/// Ends in the cluster, also where there is only one: a name that changed with the next cluster would be an
/// Application that goes, with all it holds.
fn name(component: &Component, cluster: Option<&Cluster>) -> String {
    match cluster {
        Some(cluster) => object_name(&format!("{}-{}", component.name, cluster.name)),
        None => object_name(&component.name),
    }
}

/// The clusters a component goes to; none stands for its destination.
fn clusters(ladder: &Ladder, index: ComponentIndex) -> Result<Vec<Option<&Cluster>>, Problems> {
    let component = ladder.component(index);
    let all = &ladder.settings.targets.clusters;
    let wanted = &component.descriptor.clusters;
    if component.descriptor.destination.has_cluster() {
        // Two Applications that apply the same objects to one place would take them from each other.
        return if wanted.is_empty() { Ok(vec![None]) } else { Err(two_places(component).into()) };
    }
    if let Some(unknown) = wanted.iter().find(|name| !all.iter().any(|cluster| cluster.name == **name)) {
        let known: Vec<&str> = all.iter().map(|cluster| cluster.name.as_str()).collect();
        return Err(Problem::new(
            "unknown-cluster",
            format!("`{}` goes to cluster `{unknown}`, which is not there", component.name),
        )
        .at(&component.origin)
        .help(format!("clusters stand in `targets.clusters` of ladder.yaml; {}", suggestion(unknown, known)))
        .into());
    }
    if all.is_empty() {
        return Ok(vec![None]);
    }
    let takes = |cluster: &&Cluster| wanted.is_empty() || wanted.contains(&cluster.name);
    Ok(all.iter().filter(takes).map(Some).collect())
}

fn two_places(component: &Component) -> Problem {
    let message = format!("`{}` names clusters and a destination of its own", component.name);
    Problem::new("invalid-value", message)
        .at(&component.origin)
        .help("keep `clusters`, or `server` or `name` of `destination`")
}

fn labels(ladder: &Ladder, index: ComponentIndex, cluster: Option<&Cluster>) -> BTreeMap<String, String> {
    let (component, placement) = (ladder.component(index), ladder.placement(index));
    let mut labels = ladder.settings.targets.labels.clone();
    labels.extend(component.descriptor.labels.clone());
    if let Some(cluster) = cluster {
        labels.extend(cluster.labels.clone());
        labels.insert("cluster".to_owned(), cluster.name.clone());
    }
    if let Some(environment) = &ladder.settings.environment {
        labels.insert("environment".to_owned(), environment.clone());
    }
    labels.insert(PHASE.to_owned(), placement.phase.0.clone());
    labels.insert("domain".to_owned(), component.domain.clone());
    labels.insert("componentType".to_owned(), placement.role.as_str().to_owned());
    labels
}

fn annotations(
    ladder: &Ladder,
    index: ComponentIndex,
    wave: i64,
    fingerprint: &str,
) -> BTreeMap<String, String> {
    let mut annotations = ladder.settings.targets.annotations.clone();
    annotations.extend(ladder.component(index).descriptor.annotations.clone());
    if ladder.settings.enabled {
        annotations.insert(WAVE.to_owned(), wave.to_string());
    }
    let further = annotations.remove(GENERATE_PATHS).map(|paths| format!(";{paths}")).unwrap_or_default();
    annotations.insert(GENERATE_PATHS.to_owned(), source::generate_paths(ladder, index) + &further);
    annotations.insert(CONTENT.to_owned(), fingerprint.to_owned());
    annotations
}

fn finalizers(ladder: &Ladder, index: ComponentIndex) -> Vec<String> {
    let own = ladder.component(index).descriptor.finalizers.as_ref();
    own.unwrap_or(&ladder.settings.targets.finalizers).clone()
}

fn spec(
    ladder: &Ladder,
    index: ComponentIndex,
    cluster: Option<&Cluster>,
    source: Map<String, Value>,
    facts: &sync::Facts<'_>,
) -> Map<String, Value> {
    let targets = &ladder.settings.targets;
    let component = ladder.component(index);
    let mut spec = Map::new();
    let project = component.project.as_deref().or(targets.project.as_deref());
    spec.insert("project".to_owned(), json!(project.unwrap_or("default")));
    spec.extend(source);
    spec.insert("destination".to_owned(), destination(ladder, component, cluster));
    spec.insert("syncPolicy".to_owned(), sync::policy(ladder, index, facts));
    let ignored: Vec<_> =
        targets.ignore_differences.iter().chain(&component.descriptor.ignore_differences).collect();
    if !ignored.is_empty() {
        spec.insert("ignoreDifferences".to_owned(), json!(ignored));
    }
    if let Some(limit) = targets.revision_history_limit {
        spec.insert("revisionHistoryLimit".to_owned(), json!(limit));
    }
    spec
}

/// The component's own destination, else the cluster's, else the targets', else this cluster.
fn destination(ladder: &Ladder, component: &Component, cluster: Option<&Cluster>) -> Value {
    let (own, common) = (&component.descriptor.destination, &ladder.settings.targets.destination);
    let by_cluster = cluster.map(|cluster| match &cluster.server {
        Some(server) => ("server", server.as_str()),
        None => ("name", cluster.name.as_str()),
    });
    let named = |destination: &Destination| match (&destination.server, &destination.name) {
        (Some(server), _) => Some(("server", server.clone())),
        (None, Some(name)) => Some(("name", name.clone())),
        (None, None) => None,
    };
    let chosen = named(own)
        .or(by_cluster.map(|(key, value)| (key, value.to_owned())))
        .or_else(|| named(common))
        .unwrap_or(("server", IN_CLUSTER.to_owned()));
    let mut destination = Map::from_iter([(chosen.0.to_owned(), json!(chosen.1))]);
    let given = Some(&component.namespace).filter(|namespace| !namespace.is_empty());
    if let Some(namespace) = given.or(common.namespace.as_ref()) {
        destination.insert("namespace".to_owned(), json!(namespace));
    }
    Value::Object(destination)
}
