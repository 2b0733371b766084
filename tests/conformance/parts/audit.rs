//! The API server's audit log: who wrote what, when, and what came of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::objects::Object;

/// One write.
#[derive(Debug)]
pub(crate) struct Write {
    /// When the request came, in microseconds as text: RFC 3339 sorts by time.
    pub(crate) time: String,
    /// Who, without the prefix all users of the harness share.
    pub(crate) user: String,
    pub(crate) verb: String,
    /// `status` for a write of the status alone, empty for the object.
    pub(crate) subresource: String,
    pub(crate) resource: String,
    /// The group of the resource, empty for the core's.
    pub(crate) group: String,
    /// Namespace and name, with the resource the object's place.
    pub(crate) place: (String, String),
    pub(crate) code: u64,
    /// What the API server said of a refusal.
    pub(crate) message: String,
    /// The object after the write.
    pub(crate) object: Value,
}

impl Write {
    /// Whether the API server refused it.
    pub(crate) fn refused(&self) -> bool {
        self.code >= 400
    }

    /// How a refusal is shown.
    pub(crate) fn shown(&self) -> String {
        format!(
            "{} {} {}/{}: {} {}",
            self.verb, self.resource, self.place.0, self.place.1, self.code, self.message
        )
    }
}

/// All writes of a log, by time; dry runs are no writes.
pub(crate) fn read(log: &Path) -> Result<Vec<Write>> {
    let text = fs::read_to_string(log).with_context(|| log.display().to_string())?;
    let mut writes = Vec::new();
    for line in text.lines() {
        // The last line may still be on its way.
        let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
        let dry = event["requestURI"].as_str().is_some_and(|uri| uri.contains("dryRun="));
        if !dry {
            writes.push(write(&event));
        }
    }
    writes.sort_by(|one, other| one.time.cmp(&other.time));
    Ok(writes)
}

fn write(event: &Value) -> Write {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let reference = &event["objectRef"];
    let status = &event["responseStatus"];
    let code = status["code"].as_u64().unwrap_or_default();
    let object = if code < 400 { event["responseObject"].clone() } else { Value::Null };
    // The name of a created object is in no path.
    let asked = if reference["name"].is_string() { reference } else { &event["requestObject"]["metadata"] };
    Write {
        time: text(&event["requestReceivedTimestamp"]),
        user: text(&event["user"]["username"]).trim_start_matches("conformance:").to_owned(),
        verb: text(&event["verb"]),
        subresource: text(&reference["subresource"]),
        resource: text(&reference["resource"]),
        group: text(&reference["apiGroup"]),
        place: (text(&reference["namespace"]), text(&asked["name"])),
        code,
        message: text(&status["message"]),
        object,
    }
}

/// When objects were there, and when they were ready, by id.
#[derive(Default)]
pub(crate) struct Times {
    pub(crate) created: BTreeMap<String, String>,
    pub(crate) ready: BTreeMap<String, String>,
}

impl Times {
    /// Reads both from the writes.
    pub(crate) fn of(writes: &[Write]) -> Times {
        let mut times = Times::default();
        for write in writes.iter().filter(|write| !write.refused() && write.object["kind"].is_string()) {
            let id = write.object.id();
            if write.subresource.is_empty() {
                times.created.entry(id.clone()).or_insert_with(|| write.time.clone());
            }
            if is_ready(write) {
                times.ready.entry(id).or_insert_with(|| write.time.clone());
            }
            if let Some(service) = served(&write.object) {
                times.ready.entry(service).or_insert_with(|| write.time.clone());
            }
        }
        times
    }
}

/// Whether the write shows its object ready. What has no state of its own is ready once it is there.
fn is_ready(write: &Write) -> bool {
    let object = &write.object;
    let number = |path: &str| object.pointer(path).and_then(Value::as_u64).unwrap_or_default();
    let condition = |kind: &str| {
        let all = object["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
        all.iter().any(|condition| condition["type"] == kind && condition["status"] == "True")
    };
    // Pods of the last change, not those it replaces.
    let renewed = || {
        number("/status/observedGeneration") >= number("/metadata/generation")
            && number("/status/updatedReplicas") >= number("/spec/replicas")
    };
    match (object["apiVersion"].as_str().unwrap_or_default(), object["kind"].as_str().unwrap_or_default()) {
        ("apps/v1", "Deployment") => {
            condition("Available") && number("/status/readyReplicas") >= number("/spec/replicas") && renewed()
        }
        ("apps/v1", "StatefulSet") => {
            number("/status/readyReplicas") >= number("/spec/replicas").max(1) && renewed()
        }
        ("apps/v1", "DaemonSet") => {
            let wanted = number("/status/desiredNumberScheduled");
            wanted > 0 && number("/status/numberReady") >= wanted
        }
        ("batch/v1", "Job") => condition("Complete"),
        ("apiextensions.k8s.io/v1", _) => condition("Established"),
        ("v1", "PersistentVolumeClaim") => object["status"]["phase"] == "Bound",
        ("v1", "Service") => false,
        ("v1", _) => write.subresource.is_empty(),
        // A custom kind is ready once its operator says so, and here kwok is every operator.
        _ => write.user == "kwok" && write.subresource == "status",
    }
}

/// The Service that an `EndpointSlice` gives a ready address.
fn served(object: &Value) -> Option<String> {
    if object["kind"] != "EndpointSlice" {
        return None;
    }
    let ready =
        object["endpoints"].as_array()?.iter().any(|endpoint| endpoint["conditions"]["ready"] == true);
    let name = object["metadata"]["labels"]["kubernetes.io/service-name"].as_str()?;
    let namespace = object["metadata"]["namespace"].as_str()?;
    ready.then(|| format!("v1/Service/{namespace}/{name}"))
}
