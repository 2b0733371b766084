//! A claim or composite of Crossplane waits for the Compositions of its type, unless it names one itself (a row says so).

use std::collections::HashMap;

use super::Inferred;
use super::scene::{Scene, Wait};
use super::selected::pairs;
use crate::catalogue::ProbeKind;
use crate::catalogue::matcher::Capture;
use crate::catalogue::probes::Fact;
use crate::model::{Gate, Reason, Resource, ResourceIndex, Strength};

/// Compositions by group and kind of the composites they are for.
type ByType<'a> = HashMap<(&'a str, &'a str), Vec<ResourceIndex>>;

const REASON: &str = "crossplane-composition";

/// Edges to Compositions of the same type, of those that carry the labels asked for.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    let compositions = by_type(scene);
    if compositions.is_empty() {
        return inferred;
    }
    for (index, resource) in scene.iter().filter(|(_, resource)| !names_one(scene, resource)) {
        let Some(composite) = composite(scene, resource) else { continue };
        let wait = Wait {
            reason: Reason::from(REASON),
            strength: Strength::Weak,
            gate: Gate::Present,
            origin: resource.origin(),
        };
        let asked = pairs(resource).unwrap_or_default();
        let fitting = compositions.get(&composite).into_iter().flatten();
        let fitting = fitting.filter(|one| carries(scene.resource(**one), &asked));
        inferred.edges.extend(fitting.map(|one| scene.edge(index, *one, &wait)));
    }
    inferred
}

fn by_type<'a>(scene: &Scene<'a>) -> ByType<'a> {
    let mut compositions = ByType::new();
    for (index, resource) in scene.iter() {
        for seen in resource.manifest.facts(Fact::CompositeType) {
            let group = seen.field("apiVersion").and_then(|version| version.split_once('/'));
            if let (Some((group, _)), Some(kind)) = (group, seen.field("kind")) {
                compositions.entry((group, kind)).or_default().push(index);
            }
        }
    }
    compositions
}

fn names_one(scene: &Scene<'_>, resource: &Resource) -> bool {
    resource.manifest.captures.iter().any(|capture| match capture.kind {
        ProbeKind::Edge(row) => scene.catalogue.edge(row).reason.as_str() == REASON,
        _ => false,
    })
}

/// Group and kind of the composite that a claim stands for, or that the object itself is.
fn composite<'a>(scene: &Scene<'a>, resource: &Resource) -> Option<(&'a str, &'a str)> {
    let makers = scene.kind_makers(&resource.id.group, &resource.id.kind);
    let definition = scene.resource(*makers.first()?);
    let made = definition.manifest.facts(Fact::MadeKind).next()?;
    Some((made.field("group")?, made.field("names.kind")?))
}

fn carries(composition: &Resource, asked: &[(&str, &str)]) -> bool {
    asked.iter().all(|(key, value)| {
        let is_it = |label: &Capture| label.key == *key && label.value.as_deref() == Some(*value);
        composition.manifest.facts(Fact::Label).any(is_it)
    })
}
