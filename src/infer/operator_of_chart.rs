//! Charts nobody rendered: one that holds objects of another's kinds waits for it, and one named like a group may serve it.

use std::collections::BTreeMap;

use super::Inferred;
use super::scene::{Scene, Wait};
use crate::catalogue::is_built_in_group;
use crate::classify::serves;
use crate::model::{Chart, Gate, Origin, Reason, ResourceIndex, Strength};

/// Edges from releases to the operators their charts need, and from objects to releases called like their group.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = used(scene);
    inferred.extend(expected(scene));
    inferred.extend(with_crds(scene));
    inferred.extend(named(scene));
    inferred
}

/// Weak: the chart installs, and its workload waits or retries.
fn expected(scene: &Scene<'_>) -> Inferred {
    let mut releases: BTreeMap<&str, Vec<ResourceIndex>> = BTreeMap::new();
    for (index, release) in scene.iter().filter(|(_, resource)| serves::runs(resource)) {
        for provider in serves::providers(release, scene.catalogue) {
            releases.entry(&provider.name).or_default().push(index);
        }
    }
    let mut inferred = Inferred::default();
    for (index, release) in scene.iter().filter(|(_, resource)| serves::runs(resource)) {
        let wait = wait("provider-expects", Strength::Weak, release.origin());
        let names = serves::providers(release, scene.catalogue).flat_map(|provider| &provider.expects);
        let expected = names.filter_map(|name| releases.get(name.as_str())).flatten();
        let expected = scene.own_first(&expected.copied().collect::<Vec<_>>(), release.component);
        let others = expected.into_iter().filter(|other| *other != index);
        inferred.edges.extend(others.map(|other| scene.edge(index, other, &wait)));
    }
    inferred
}

/// Weak, as only names say so: chart `x` and the chart `x-crds` of the same repository.
fn with_crds(scene: &Scene<'_>) -> Inferred {
    type Key<'k> = (&'k str, Option<&'k str>);
    let mut releases: BTreeMap<Key<'_>, ResourceIndex> = BTreeMap::new();
    for (index, release) in scene.iter() {
        for chart in &release.charts {
            let Some(name) = serves::named_for_crds(&chart.name) else { continue };
            releases.entry((name, chart.repository.as_deref())).or_insert(index);
        }
    }
    let mut inferred = Inferred::default();
    for (index, release) in scene.iter().filter(|(_, resource)| !resource.charts.is_empty()) {
        let wait = wait("chart-crds", Strength::Weak, release.origin());
        let keys = release.charts.iter().map(|chart| (chart.name.as_str(), chart.repository.as_deref()));
        let crds = keys.filter_map(|key| releases.get(&key));
        inferred.edges.extend(crds.map(|crds| scene.edge(index, *crds, &wait)));
    }
    inferred
}

/// Strong: Helm cannot install objects of a kind that is not there.
fn used(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    for (index, release) in scene.iter().filter(|(_, resource)| !resource.charts.is_empty()) {
        let wait = wait("chart-uses", Strength::Strong, release.origin());
        let groups = serves::providers(release, scene.catalogue).flat_map(|provider| &provider.uses);
        let operators =
            groups.flat_map(|group| scene.operators(group)).filter(|operator| **operator != index);
        inferred.edges.extend(operators.map(|operator| scene.edge(index, *operator, &wait)));
    }
    inferred
}

/// Weak, as only names say so: objects of `backup.example.org` and the one release of a chart `backup` (or
/// `backup-operator`) that comes from `example`.
fn named(scene: &Scene<'_>) -> Inferred {
    let mut by_label: BTreeMap<&str, Vec<(ResourceIndex, &Chart)>> = BTreeMap::new();
    for (index, release) in scene.iter() {
        let unknown = |chart: &&Chart| {
            scene.catalogue.providers_of_chart(&chart.name, chart.repository.as_deref()).next().is_none()
        };
        for chart in release.charts.iter().filter(unknown) {
            let short = chart.name.strip_suffix("-operator");
            for label in short.into_iter().chain([chart.name.as_str()]) {
                by_label.entry(label).or_default().push((index, chart));
            }
        }
    }
    let mut inferred = Inferred::default();
    for (index, resource) in scene.iter().filter(|(_, resource)| !is_built_in_group(&resource.id.group)) {
        let group = resource.id.group.as_str();
        let Some((label, owner)) = group.split_once('.').filter(|_| scene.operators(group).is_empty()) else {
            continue;
        };
        let comes_from = |chart: &Chart| {
            let repository = chart.repository.as_deref().unwrap_or_default();
            let mut parts = repository.split(['/', '.']).filter(|part| part.len() > 2);
            parts.any(|part| owner.split('.').next() == Some(part))
        };
        let mut releases = by_label.get(label).into_iter().flatten().filter(|(_, chart)| comes_from(chart));
        if let (Some((release, _)), None) = (releases.next(), releases.next()) {
            let wait = wait("operator-by-name", Strength::Weak, resource.origin());
            inferred.edges.push(scene.edge(index, *release, &wait));
        }
    }
    inferred
}

fn wait(reason: &'static str, strength: Strength, origin: Origin) -> Wait {
    Wait { reason: Reason::from(reason), strength, gate: Gate::Ready, origin }
}
