//! The order of the applies against the simulated one, as far as Argo CD fixes it.

use argocd_ladder::argocd::kind_rank;
use serde_json::Value;

use crate::objects::{Object, WAVE};
use crate::parts::audit::Times;

/// Every object that was created before one that the simulation has in an earlier group.
///
/// `objects` are in the simulated order, and only the order of groups is fixed: Argo CD applies neighbours of one wave
/// and one kind side by side, and leaves it to chance who comes first of equal wave, rank and name, and with that who
/// the neighbours are.
pub(crate) fn differences(objects: &[Value], times: &Times) -> Vec<String> {
    let mut differences = Vec::new();
    let mut latest: Option<(&str, String)> = None;
    for group in groups(objects) {
        let created: Vec<(&str, String)> = group
            .into_iter()
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

fn groups(objects: &[Value]) -> Vec<Vec<&Value>> {
    let mut groups: Vec<Vec<&Value>> = Vec::new();
    let mut ties: &[Value] = &[];
    for next in objects.chunk_by(|one, other| rank(one) == rank(other)) {
        let neighbours = |one: &Value| next.iter().any(|other| wave_and_kind(one) == wave_and_kind(other));
        match groups.last_mut().filter(|_| ties.iter().any(neighbours)) {
            Some(group) => group.extend(next),
            None => groups.push(next.iter().collect()),
        }
        ties = next;
    }
    groups
}

fn rank(object: &Value) -> (Option<&str>, i32, &Value) {
    let kind = object["kind"].as_str().unwrap_or_default();
    (object.annotation(WAVE), kind_rank(kind), &object["metadata"]["name"])
}

fn wave_and_kind(object: &Value) -> (Option<&str>, &Value) {
    (object.annotation(WAVE), &object["kind"])
}
