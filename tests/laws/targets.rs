//! Every target keeps what the descriptors of a random tree say: who waits strongly comes later, whatever the target.

use std::collections::{BTreeMap, BTreeSet};

use argocd_ladder::emit::{self, Selection};
use argocd_ladder::load::settings::{Scope, Waves};
use argocd_ladder::model::Ladder;
use argocd_ladder::target::{applications, applicationset, flux};
use argocd_ladder::{Options, build};
use proptest::prelude::*;
use serde_json::Value;

use crate::few;
use crate::phases::{Plot, plain, plots, tree};

/// Where each component stands, by number; every component exactly once.
fn placed<P>(plots: &[Plot], places: impl IntoIterator<Item = (String, P)>) -> Vec<P> {
    let mut by_name: BTreeMap<String, P> = BTreeMap::new();
    for (name, place) in places {
        assert!(by_name.insert(name.clone(), place).is_none(), "{name} is there twice");
    }
    let found = (0..plots.len()).map(|number| by_name.remove(&plain(number)).expect("everybody is there"));
    let found: Vec<P> = found.collect();
    assert!(by_name.is_empty(), "strangers");
    found
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer} in {value}"))
}

/// The wave of each Application.
fn waves(plots: &[Plot], ladder: &Ladder) -> Vec<i64> {
    let objects = applications::write(ladder, &Selection::default()).expect("names are apart").objects;
    let wave = |object: &Value| text(object, "/metadata/annotations/argocd.argoproj.io~1sync-wave").parse();
    placed(plots, objects.into_iter().map(|(name, object)| (name, wave(&object).expect("a number"))))
}

/// The one step of each Application.
fn steps(plots: &[Plot], ladder: &Ladder) -> Vec<usize> {
    let objects =
        applicationset::write(ladder, &Selection::default()).expect("every rung has a step").objects;
    let [(_, set)] = &objects[..] else { panic!("one ApplicationSet") };
    let list = |pointer: &str| set.pointer(pointer).and_then(Value::as_array).cloned().expect("a list");
    let steps = list("/spec/strategy/rollingSync/steps");
    let step = |phase: &Value| {
        let takes = |step: &&Value| {
            step["matchExpressions"][0]["values"].as_array().is_some_and(|all| all.contains(phase))
        };
        assert_eq!(steps.iter().filter(takes).count(), 1, "{phase}");
        steps.iter().position(|step| takes(&step)).expect("counted")
    };
    let elements = list("/spec/generators/0/list/elements");
    placed(plots, elements.iter().map(|one| (text(one, "/name").to_owned(), step(&one["phase"]))))
}

/// All that each Kustomization waits for, directly or through others; none comes before what it names, so there are no loops.
fn dependencies(plots: &[Plot], ladder: &Ladder) -> Vec<BTreeSet<String>> {
    let objects = flux::write(ladder, &Selection::default()).expect("names are apart").objects;
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, object) in objects {
        let direct = object.pointer("/spec/dependsOn").and_then(Value::as_array).cloned().unwrap_or_default();
        let direct: Vec<&str> = direct.iter().map(|one| text(one, "/name")).collect();
        let below = |target: &&str| all.get(*target).expect("targets come first").clone();
        let through_others: BTreeSet<String> = direct.iter().flat_map(below).collect();
        assert!(direct.iter().all(|target| !through_others.contains(*target)), "{name} names too much");
        all.insert(name, direct.into_iter().map(str::to_owned).chain(through_others).collect());
    }
    placed(plots, all)
}

/// The first and last position of each component's manifests in one Application.
fn positions(plots: &[Plot], ladder: &Ladder) -> Vec<(usize, usize)> {
    let mut places: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (position, resource) in emit::sequence(ladder, &Selection::default()).into_iter().enumerate() {
        let name = ladder.component(ladder.resource(resource).component).name.clone();
        places.entry(name).or_insert((position, position)).1 = position;
    }
    placed(plots, places)
}

/// The tree as a ladder; none when it has no order.
fn ladder(plots: &[Plot], scope: Scope, waves: Waves) -> Option<Ladder> {
    let root = tree(plots, plain, true);
    build(root.path(), &Options { scope: Some(scope), waves: Some(waves), ..Options::default() }).ok()
}

proptest! {
    #![proptest_config(few(16))]

    #[test]
    fn every_target_keeps_the_same_strong_order(plots in plots()) {
        let Some(apart) = ladder(&plots, Scope::Component, Waves::Banded) else { return Ok(()) };
        let dense = ladder(&plots, Scope::Component, Waves::Dense).expect("the order is the same");
        let one = ladder(&plots, Scope::Ladder, Waves::Banded).expect("the order is the same");
        let all_waves = [waves(&plots, &apart), waves(&plots, &dense)];
        let (steps, dependencies) = (steps(&plots, &apart), dependencies(&plots, &apart));
        let positions = positions(&plots, &one);
        for (own, target) in plots.iter().enumerate().flat_map(|(own, plot)| plot.waits.iter().map(move |to| (own, *to))) {
            prop_assert!(all_waves.iter().all(|waves| waves[target] < waves[own]), "{} and {} of {:?}", own, target, all_waves);
            prop_assert!(steps[target] < steps[own], "{} and {} of {:?}", own, target, steps);
            prop_assert!(dependencies[own].contains(&plain(target)), "{} and {} of {:?}", own, target, dependencies);
            prop_assert!(positions[target].1 < positions[own].0, "{} and {} of {:?}", own, target, positions);
        }
    }
}
