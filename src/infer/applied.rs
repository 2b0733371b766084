//! Applications and Flux Kustomizations whose folders are components here wait as those components do.
//!
//! Weak: creating such an object never fails, its own sync only retries.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use super::Inferred;
use super::scene::{Scene, Wait};
use crate::catalogue::matcher::Capture;
use crate::catalogue::probes::Fact;
use crate::disk;
use crate::model::{ComponentIndex, Edge, Gate, Reason, ResourceIndex, Strength};

/// An edge between two appliers for every edge between what they apply, or to the release that a folder waits for.
///
/// Not where one of the two applies the other: what contains an object is neither before nor after it. Nor where they
/// apply to different clusters: what one of those has, the other does not need.
#[must_use]
pub fn edges(scene: &Scene<'_>, others: &[Edge]) -> Inferred {
    let appliers = appliers(scene);
    let mut inferred = Inferred::default();
    let mut seen = BTreeSet::new();
    let of = |component| appliers.get(&component).map_or(&[][..], Vec::as_slice);
    let contains =
        |outer: &ResourceIndex, inner: ResourceIndex| of(scene.resource(inner).component).contains(outer);
    for edge in others.iter().filter(|edge| !edge.is_inner()) {
        let release = edge.to.resource.filter(|to| !scene.resource(*to).charts.is_empty());
        for from in of(edge.from.component).iter().copied() {
            // An Application waits for the other Application that installs a chart, not for the parent of both.
            let is_peer = |to: &ResourceIndex| scene.resource(*to).id.kind == scene.resource(from).id.kind;
            let release = release.filter(is_peer);
            let appliers = if release.is_some() { &[] } else { of(edge.to.component) };
            for to in appliers.iter().copied().chain(release) {
                let apart =
                    contains(&to, from) || contains(&from, to) || cluster(scene, from) != cluster(scene, to);
                if to != from && !apart && seen.insert((from, to)) {
                    let wait = Wait {
                        reason: Reason::from("applied-path"),
                        strength: Strength::Weak,
                        gate: Gate::Ready,
                        origin: edge.origin.clone(),
                    };
                    inferred.edges.push(scene.edge(from, to, &wait));
                }
            }
        }
    }
    inferred
}

/// The cluster an applier names; none for its own.
fn cluster<'s>(scene: &Scene<'s>, applier: ResourceIndex) -> Option<&'s str> {
    let install = scene.resource(applier).manifest.facts(Fact::Install).next()?;
    let named = ["destination.name", "destination.server", "kubeConfig.secretRef.name"];
    let named = named.iter().find_map(|field| install.field(field))?;
    (!["in-cluster", "https://kubernetes.default.svc"].contains(&named)).then_some(named)
}

/// The objects that apply each component's folder, from the repository most of them name: another one may have a
/// folder of the same name.
fn appliers(scene: &Scene<'_>) -> BTreeMap<ComponentIndex, Vec<ResourceIndex>> {
    let mut by_repository: BTreeMap<String, BTreeSet<(ComponentIndex, ResourceIndex)>> = BTreeMap::new();
    let mut paths: BTreeMap<&str, Vec<ComponentIndex>> = BTreeMap::new();
    for (number, component) in scene.components.iter().enumerate() {
        paths.entry(&component.path).or_default().push(ComponentIndex(number));
    }
    for (index, resource) in scene.iter() {
        for seen in resource.manifest.facts(Fact::AppliedPath) {
            let repository = ["repoURL", "sourceRef.name"].iter().find_map(|field| seen.field(field));
            for component in folders(seen).flat_map(|folder| below(&paths, &folder).collect::<Vec<_>>()) {
                let known = by_repository.entry(repository.unwrap_or_default().to_owned()).or_default();
                known.insert((component, index));
            }
        }
    }
    let most = by_repository.values().map(BTreeSet::len).max().unwrap_or(0);
    let mut appliers: BTreeMap<ComponentIndex, Vec<ResourceIndex>> = BTreeMap::new();
    for (component, applier) in by_repository.into_values().filter(|pairs| pairs.len() == most).flatten() {
        appliers.entry(component).or_default().push(applier);
    }
    appliers
}

/// The folder itself, and the kustomize components it adds, relative to it.
fn folders(seen: &Capture) -> impl Iterator<Item = String> + '_ {
    let own = seen.field("path").unwrap_or_default();
    let added = seen.all("components[*]").map(move |component| disk::joined(own, component));
    std::iter::once(disk::joined("", own)).chain(added).filter(|folder| !folder.is_empty())
}

/// Components in a folder or below it; `0` follows `/`, so the paths below a folder are one range.
fn below<'a>(
    paths: &'a BTreeMap<&str, Vec<ComponentIndex>>,
    folder: &str,
) -> impl Iterator<Item = ComponentIndex> + 'a {
    let own = paths.get(folder).into_iter();
    let inside = (Bound::Included(format!("{folder}/")), Bound::Excluded(format!("{folder}0")));
    let range = (inside.0.as_ref().map(String::as_str), inside.1.as_ref().map(String::as_str));
    own.chain(paths.range::<str, _>(range).map(|(_, list)| list)).flatten().copied()
}
