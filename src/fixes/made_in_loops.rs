//! Waits for what another object makes at run time, where that object itself waits for the asker: a store that reads its
//! token from a Secret which one of its own `ExternalSecrets` keeps. No cluster gets there by itself, so whoever runs
//! this has the thing from elsewhere, and the wait must not refuse the repo.

use std::collections::BTreeSet;

use crate::graph;
use crate::infer::{Scene, made};
use crate::model::{Edge, Finding, Level, ResourceIndex, Strength};

/// Demotes such edges to weak, and says so once per maker.
pub fn demote(scene: &Scene<'_>, edges: &mut [Edge]) -> Vec<Finding> {
    let is_made = |edge: &Edge| edge.is_strong() && edge.made;
    if !edges.iter().any(is_made) {
        return Vec::new();
    }
    let mut out = vec![Vec::new(); scene.resources.len()];
    for edge in edges.iter().filter(|edge| edge.is_strong()) {
        if let (Some(from), Some(to)) = (edge.from.resource, edge.to.resource) {
            out[from.0].push(to.0);
        }
    }
    let group_of = graph::group_numbers(&out);
    let mut findings = Vec::new();
    let mut told = BTreeSet::new();
    for edge in edges.iter_mut().filter(|edge| is_made(edge)) {
        let (Some(from), Some(to)) = (edge.from.resource, edge.to.resource) else { continue };
        if from == to || group_of[from.0] != group_of[to.0] {
            continue;
        }
        edge.strength = Strength::Weak;
        if told.insert(to) {
            findings.push(finding(scene, edge, from, to));
        }
    }
    findings
}

fn finding(scene: &Scene<'_>, edge: &Edge, from: ResourceIndex, to: ResourceIndex) -> Finding {
    let (user, maker) = (scene.resource(from), scene.resource(to));
    let message = format!(
        "`{}` needs what `{}` makes, which waits for it: this works only where that is there before both",
        user.id.short(),
        maker.id.short()
    );
    let made: Vec<_> = made::by(scene, maker).collect();
    let listed = match &made[..] {
        [only] if matches!(only.kind.as_str(), "Secret" | "ConfigMap") => {
            let key = if only.kind == "Secret" { "secret" } else { "configMap" };
            format!("`{key}: {}/{}`", only.namespace, only.name)
        }
        _ => "it".to_owned(),
    };
    Finding::new("made-in-loop", Level::Warning, message)
        .about(&scene.component(user.component).name)
        .at(edge.origin.clone())
        .help(format!("create it before the first sync and list {listed} under `external` in ladder.yaml, or make it without `{}`", user.id.short()))
}
