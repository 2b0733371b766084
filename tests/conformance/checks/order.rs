//! The order of the applies against the simulated one, as far as Argo CD fixes it.

use serde_json::Value;

use crate::objects::{Object, WAVE};
use crate::parts::audit::Times;

/// Every object that was created before one that the simulation has in an earlier group.
///
/// `objects` are in the simulated order. Argo CD applies neighbours of one wave and one kind side by side, so only the
/// order of these groups is fixed.
pub(crate) fn differences(objects: &[Value], times: &Times) -> Vec<String> {
    let mut differences = Vec::new();
    let mut latest: Option<(&str, String)> = None;
    for group in objects.chunk_by(|one, other| key(one) == key(other)) {
        let created: Vec<(&str, String)> = group
            .iter()
            .filter_map(|object| Some((times.created.get(&object.id())?.as_str(), object.id())))
            .collect();
        if let (Some((time, earlier)), Some((first, later))) = (&latest, created.iter().min())
            && first < time
        {
            differences.push(format!("{later} was created at {first}, before {earlier} at {time}"));
        }
        latest = latest.into_iter().chain(created).max();
    }
    differences
}

fn key(object: &Value) -> (&str, &str) {
    (object.annotation(WAVE).unwrap_or("0"), object["kind"].as_str().unwrap_or_default())
}
