//! The deletes of the audit log against what `plan --reverse` printed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::objects::Object;
use crate::parts::audit::Write;

/// How many objects were deleted with the Application, and what differs from the printed order.
///
/// Only the first delete of an object counts: Argo CD repeats it until the object is gone.
pub(crate) fn compare(writes: &[Write], root: &str, plan: &Value, objects: &[Value]) -> (usize, Vec<String>) {
    let deleted = deleted(writes, root);
    // A plan is of the whole repository, a rollout may be of some rungs.
    let rolled_out: BTreeSet<String> = objects.iter().map(Object::id).collect();
    let mut wrong = Vec::new();
    let mut planned = BTreeSet::new();
    let mut ends: Vec<End> = Vec::new();
    for batch in plan["batches"].as_array().map(Vec::as_slice).unwrap_or_default() {
        let ids: Vec<&str> =
            batch["resources"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let ids: Vec<&str> = ids.into_iter().filter(|id| rolled_out.contains(*id)).collect();
        planned.extend(ids.iter().map(|id| (*id).to_owned()));
        wrong.extend(
            ids.iter().filter(|id| !deleted.contains_key(**id)).map(|id| format!("{id} was never deleted")),
        );
        let times: Vec<(&str, &str)> =
            ids.iter().filter_map(|id| Some((deleted.get(*id)?.as_str(), *id))).collect();
        let (Some(first), Some(last)) = (times.iter().min(), times.iter().max()) else { continue };
        for end in ends.iter().filter(|end| is_ordered(end.batch, batch) && first.0 < end.time.as_str()) {
            wrong.push(format!("{} was deleted at {}, before {} at {}", first.1, first.0, end.id, end.time));
        }
        ends.push(End { batch, time: last.0.to_owned(), id: last.1.to_owned() });
    }
    let extra = deleted.keys().filter(|id| rolled_out.contains(*id) && !planned.contains(*id));
    wrong.extend(extra.map(|id| format!("{id} was deleted, and is not in the plan")));
    (planned.len(), wrong)
}

/// The last delete of a batch.
struct End<'p> {
    batch: &'p Value,
    time: String,
    id: String,
}

/// Whether the second batch waits for the first: Applications of one wave go side by side.
fn is_ordered(first: &Value, second: &Value) -> bool {
    first["applicationWave"] != second["applicationWave"] || first["component"] == second["component"]
}

/// When Argo CD first deleted each object after its Application was, by id.
fn deleted(writes: &[Write], root: &str) -> BTreeMap<String, String> {
    let mut ids = BTreeMap::new();
    // The first write shows the object whole; later ones may show its metadata alone.
    for write in writes.iter().filter(|write| write.object["metadata"]["name"].is_string()) {
        ids.entry(key(write)).or_insert_with(|| write.object.id());
    }
    let is_begin =
        |write: &Write| write.verb == "delete" && write.resource == "applications" && write.place.1 == root;
    let begun = writes.iter().position(is_begin).unwrap_or(writes.len());
    let mut times = BTreeMap::new();
    let own = |write: &&Write| write.verb == "delete" && write.user == "argocd" && !write.refused();
    for write in writes[begun..].iter().filter(own) {
        if let Some(id) = ids.get(&key(write)) {
            times.entry(id.clone()).or_insert_with(|| write.time.clone());
        }
    }
    times
}

/// Where the object of a write is. The log has a Namespace inside itself, unless it was just created.
fn key(write: &Write) -> (&str, &str, &str, &str) {
    let namespace = if write.resource == "namespaces" { "" } else { write.place.0.as_str() };
    (&write.group, &write.resource, namespace, &write.place.1)
}
