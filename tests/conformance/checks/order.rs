//! The order of the applies against the simulated one, as far as Argo CD fixes it.

use argocd_ladder::argocd::kind_rank;
use serde_json::Value;

use crate::objects::{Object, WAVE};
use crate::parts::audit::Times;

/// Every object that was created before one that the simulation has in an earlier group.
///
/// `objects` are in the simulated order. Only the order of groups is fixed: Argo CD applies neighbours of one wave and
/// one kind side by side, and leaves the order of kinds of one rank to their names, or to chance if these are the same.
pub(crate) fn differences(objects: &[Value], times: &Times) -> Vec<String> {
    let mut differences = Vec::new();
    let mut latest: Option<(&str, String)> = None;
    for group in objects.chunk_by(side_by_side) {
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

fn side_by_side(one: &Value, other: &Value) -> bool {
    let kind = |object: &Value| object["kind"].as_str().unwrap_or_default().to_owned();
    let same_rank = kind_rank(&kind(one)) == kind_rank(&kind(other));
    let same_name = one["metadata"]["name"] == other["metadata"]["name"];
    one.annotation(WAVE) == other.annotation(WAVE) && (kind(one) == kind(other) || (same_rank && same_name))
}
