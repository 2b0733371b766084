//! Values of the right type that a CRD, the API server or a controller would refuse or misread.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::label;
use super::targets::{Cluster, Destination, Steps, TargetSettings};
use crate::model::duration;
use crate::target::name::object_name;

/// A wrong value: the steps to it, the fact, the edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Keys and positions from where the check started.
    pub path: Vec<String>,
    /// The fact.
    pub message: String,
    /// The edit that helps.
    pub help: String,
}

impl Fault {
    fn new(path: &[&str], message: impl Into<String>, help: impl Into<String>) -> Self {
        let path = path.iter().map(|step| (*step).to_owned()).collect();
        Self { path, message: message.into(), help: help.into() }
    }

    /// The same with steps before its path.
    #[must_use]
    pub fn below(mut self, steps: &[&str]) -> Self {
        self.path.splice(0..0, steps.iter().map(|step| (*step).to_owned()));
        self
    }
}

/// Faults of the targets' settings.
#[must_use]
pub fn of_targets(targets: &TargetSettings) -> Vec<Fault> {
    let mut faults = labels(&["labels"], &targets.labels);
    faults.extend(keys(&["annotations"], targets.annotations.keys()));
    faults.extend(of_clusters(&targets.clusters));
    faults.extend(of_destination(&targets.destination).map(|fault| fault.below(&["destination"])));
    faults.extend(names(targets));
    faults.extend(of_sync_policy(&targets.sync_policy).into_iter().map(|fault| fault.below(&["syncPolicy"])));
    let flux = &targets.flux;
    for (key, text) in
        [("interval", &flux.interval), ("retryInterval", &flux.retry_interval), ("timeout", &flux.timeout)]
    {
        faults.extend(length(&["flux", key], text));
    }
    let set = &targets.applicationset;
    if let Steps::List(ids) = &set.steps {
        let numbers = ids.iter().enumerate().filter(|(_, id)| !id.is_string());
        faults.extend(numbers.map(|(number, id)| {
            let path = ["applicationset", "steps", &number.to_string()];
            Fault::new(
                &path,
                format!("`{id}` is no text, and rungs are named by texts"),
                format!("quote it: \"{id}\""),
            )
        }));
    }
    faults
}

/// Each cluster has a name of its own, which ends the names of its Applications.
fn of_clusters(clusters: &[Cluster]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (at, cluster) in clusters.iter().enumerate() {
        let number = at.to_string();
        let path = ["clusters", &number, "name"];
        if cluster.name.is_empty() {
            faults.push(Fault::new(&path, "this cluster has no name", "add the `name` it has in Argo CD"));
        } else if clusters[..at].iter().any(|other| other.name == cluster.name) {
            let message = format!("cluster `{}` is there twice", cluster.name);
            faults.push(Fault::new(&path, message, "make one entry of the two"));
        }
        faults.extend(value(&path, &cluster.name));
        faults.extend(labels(&["clusters", &number, "labels"], &cluster.labels));
    }
    faults
}

/// The fault of a destination that fits its type.
#[must_use]
pub fn of_destination(destination: &Destination) -> Option<Fault> {
    let both = destination.server.is_some() && destination.name.is_some();
    let message = "a destination has an address or a name, and Argo CD refuses one with both";
    both.then(|| Fault::new(&["server"], message, "remove `server` or `name`"))
}

/// Names that the API server or Argo CD would refuse.
fn names(targets: &TargetSettings) -> Vec<Fault> {
    let flux = &targets.flux;
    let objects: [(&[&str], &str, &str); 4] = [
        (&["namespace"], &targets.namespace, "a namespace"),
        (&["applicationset", "name"], &targets.applicationset.name, "an ApplicationSet"),
        (&["flux", "namespace"], &flux.namespace, "a namespace"),
        (&["flux", "sourceRef", "name"], &flux.source_ref.name, "a source"),
    ];
    let wrong = |text: &str| text.is_empty() || object_name(text) != text;
    let refused = objects.into_iter().filter(|(_, text, _)| wrong(text)).map(|(path, text, what)| {
        let help = "use lower-case letters, digits, `-` and `.`, a letter or digit first and last";
        Fault::new(path, format!("`{text}` cannot name {what}"), help)
    });
    let texts = [
        ("repoURL", targets.repo_url.as_deref()),
        ("project", targets.project.as_deref()),
        ("plugin", Some(targets.plugin.as_str())),
    ];
    let empty = texts.into_iter().filter(|(_, text)| text.is_some_and(str::is_empty)).map(|(key, _)| {
        Fault::new(&[key], format!("`{key}` is empty"), "fill it in, or remove it for the default")
    });
    refused.chain(empty).collect()
}

/// Faults of a sync policy that fits its type.
#[must_use]
pub fn of_sync_policy(policy: &Map<String, Value>) -> Vec<Fault> {
    let retry = policy.get("retry").and_then(Value::as_object);
    let mut faults: Vec<Fault> =
        retry.map(of_retry).unwrap_or_default().into_iter().map(|fault| fault.below(&["retry"])).collect();
    let metadata = |key| policy.get("managedNamespaceMetadata")?.get(key)?.as_object();
    for (key, text) in metadata("labels").into_iter().flatten() {
        let path = ["managedNamespaceMetadata", "labels", key];
        faults.extend(key_fault(&path, key));
        faults.extend(text.as_str().and_then(|text| value(&path, text)));
    }
    let annotations = metadata("annotations").into_iter().flat_map(Map::keys);
    faults.extend(keys(&["managedNamespaceMetadata", "annotations"], annotations));
    faults
}

/// Faults of retries that fit their type.
#[must_use]
pub fn of_retry(retry: &Map<String, Value>) -> Vec<Fault> {
    let text = |key| retry.get("backoff")?.get(key)?.as_str();
    let wrong = |key: &'static str| {
        let text = text(key).filter(|text| !text.is_empty() && !duration::is_known_to_go(text))?;
        let message = format!("Argo CD cannot read `{text}` as a length of time");
        Some(Fault::new(&["backoff", key], message, "write it like `90s` or `5m`"))
    };
    ["duration", "maxDuration"].into_iter().filter_map(wrong).collect()
}

/// Faults of the fields of a Kustomization that fit their type.
#[must_use]
pub fn of_flux(fields: &Map<String, Value>) -> Vec<Fault> {
    let text = |key: &'static str| Some((key, fields.get(key)?.as_str()?));
    let texts = ["interval", "retryInterval", "timeout"].into_iter().filter_map(text);
    texts.filter_map(|(key, text)| length(&[key], text)).collect()
}

/// Faults of labels.
#[must_use]
pub fn labels(path: &[&str], labels: &BTreeMap<String, String>) -> Vec<Fault> {
    let one = |(key, text): (&String, &String)| {
        let path = [path, &[key.as_str()]].concat();
        key_fault(&path, key).or_else(|| value(&path, text))
    };
    labels.iter().filter_map(one).collect()
}

/// Faults of the keys of annotations.
#[must_use]
pub fn keys<'k>(path: &[&str], keys: impl IntoIterator<Item = &'k String>) -> Vec<Fault> {
    keys.into_iter().filter_map(|key| key_fault(&[path, &[key.as_str()]].concat(), key)).collect()
}

/// The fault of a text that becomes the value of a label.
#[must_use]
pub fn value(path: &[&str], text: &str) -> Option<Fault> {
    let why = label::value_fault(text)?;
    Some(Fault::new(path, format!("`{text}` cannot be the value of a label"), why))
}

fn key_fault(path: &[&str], key: &str) -> Option<Fault> {
    let why = label::key_fault(key)?;
    Some(Fault::new(path, format!("`{key}` cannot be a key of labels or annotations"), why))
}

fn length(path: &[&str], text: &str) -> Option<Fault> {
    let message = format!("`{text}` is no length of time");
    duration::parse(text).is_none().then(|| Fault::new(path, message, duration::help(text)))
}
