//! The law of all targets: whoever waits strongly comes later in each of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::harness::{Tree, repository};
use crate::targets::{objects, platform, text};

/// Pairs of components that wait for each other strongly: who, for whom.
fn strong(tree: &Tree) -> BTreeSet<(String, String)> {
    let plan = tree.run(&["plan", "--format", "json"]).json();
    let edges = plan["edges"].as_array().expect("edges").clone();
    let strong = edges.iter().filter(|edge| edge["strength"] == "strong");
    strong.map(|edge| (text(edge, "/from").to_owned(), text(edge, "/to").to_owned())).collect()
}

/// Components in the order of Application waves; an ApplicationSet has those of its rung.
fn by_application(tree: &Tree) -> BTreeMap<String, i64> {
    let written = tree.run(&["render", "--target", "applications"]).succeeded();
    let plan = tree.run(&["plan", "--format", "json"]).json();
    let on_rung = |phase: &str| -> Vec<String> {
        let all = plan["components"].as_array().expect("components").iter();
        all.filter(|one| one["phase"] == phase).map(|one| text(one, "/name").to_owned()).collect()
    };
    let mut waves = BTreeMap::new();
    for object in objects(&written) {
        let wave = text(&object, "/metadata/annotations/argocd.argoproj.io~1sync-wave").parse();
        let names = match text(&object, "/kind") {
            "Application" => vec![text(&object, "/metadata/name").to_owned()],
            _ => on_rung(text(&object, "/metadata/labels/rollout-phase")),
        };
        let wave: i64 = wave.expect("a number");
        waves.extend(names.into_iter().map(|name| (name, wave)));
    }
    waves
}

/// Components by the step that syncs them; each is in exactly one.
fn by_step(tree: &Tree) -> BTreeMap<String, i64> {
    let written = tree.run(&["render", "--target", "applicationset"]).succeeded();
    let set = &objects(&written)[0];
    let steps = set["spec"]["strategy"]["rollingSync"]["steps"].as_array().expect("steps");
    let elements =
        set.pointer("/spec/generators/0/list/elements").and_then(Value::as_array).expect("elements");
    let step = |phase: &Value| {
        let takes = |step: &Value| {
            let expression = &step["matchExpressions"][0];
            expression["key"] == "rollout-phase"
                && expression["values"].as_array().expect("values").contains(phase)
        };
        let own: Vec<usize> = (0..steps.len()).filter(|number| takes(&steps[*number])).collect();
        assert_eq!(own.len(), 1, "{phase} has one step");
        i64::try_from(own[0]).expect("few steps")
    };
    elements.iter().map(|one| (text(one, "/name").to_owned(), step(&one["phase"]))).collect()
}

/// Everything a Kustomization waits for, directly or through others; a loop would never end here.
fn by_dependency(tree: &Tree) -> BTreeMap<String, BTreeSet<String>> {
    let written = tree.run(&["render", "--target", "flux"]).succeeded();
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for object in objects(&written).into_iter().filter(|object| object["kind"] == "Kustomization") {
        let direct = object["spec"]["dependsOn"].as_array().cloned().unwrap_or_default();
        let mut own = BTreeSet::new();
        for target in direct.iter().map(|target| text(target, "/name")) {
            let below = all.get(target).unwrap_or_else(|| panic!("{target} comes before those who wait"));
            assert!(
                !own.contains(target),
                "{target} follows from others of {}",
                text(&object, "/metadata/name")
            );
            own.extend(below.iter().cloned());
            own.insert(target.to_owned());
        }
        all.insert(text(&object, "/metadata/name").to_owned(), own);
    }
    all
}

/// Components by the first position of their resources in the manifests, and by the last.
fn by_manifest(tree: &Tree) -> BTreeMap<String, (usize, usize)> {
    let plan = tree.run(&["plan", "--format", "json", "--resources"]).json();
    let mut owner = BTreeMap::new();
    for resource in plan["resources"].as_array().expect("resources") {
        let id: Vec<&str> = text(resource, "/id").split('/').collect();
        owner.insert(
            (id[1].to_owned(), id[3].to_owned(), id[2].to_owned()),
            text(resource, "/component").to_owned(),
        );
    }
    let mut places: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (position, object) in objects(&tree.run(&["render"]).succeeded()).iter().enumerate() {
        // Nothing can be written into an encrypted document, so it goes first, behind its Namespace.
        if object.get("sops").is_some() {
            continue;
        }
        let namespace = object.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or_default();
        let key = |namespace: &str| {
            (
                text(object, "/kind").to_owned(),
                text(object, "/metadata/name").to_owned(),
                namespace.to_owned(),
            )
        };
        if let Some(component) = owner.get(&key(namespace)).or_else(|| owner.get(&key(""))) {
            let place = places.entry(component.clone()).or_insert((position, position));
            place.1 = position;
        }
    }
    places
}

#[test]
fn every_target_keeps_the_same_strong_order() {
    let banded = keeps_strong_order(&platform(""));
    assert!(banded > 100, "the platform has strong edges");
    assert_eq!(keeps_strong_order(&platform("waves: dense\n")), banded);
    for (example, some) in [("flux-layers", 3), ("fineract", 12), ("app-of-apps", 15)] {
        let tree = Tree::copy_of(&repository().join("examples").join(example));
        assert!(keeps_strong_order(&tree) >= some, "{example} has strong edges");
    }
}

/// Checks every target of a tree, and counts the pairs of components that wait strongly.
fn keeps_strong_order(tree: &Tree) -> usize {
    let strong = strong(tree);
    let (waves, steps, waits) = (by_application(tree), by_step(tree), by_dependency(tree));
    let ladder = std::fs::read_to_string(tree.path().join("ladder.yaml")).unwrap_or_default();
    // Dense waves belong to edges, not to components: parts of one may go earlier.
    let dense = ladder.contains("waves: dense");
    // Rungs one wave apart leave no room for all manifests in one Application.
    let manifests = if ladder.contains("scope: component") { None } else { Some(by_manifest(tree)) };
    assert_eq!(waves.len(), steps.len());
    assert_eq!(waves.len(), waits.len());
    for (from, to) in &strong {
        assert!(waves[to] < waves[from], "{from} ({}) waits for {to} ({}) by wave", waves[from], waves[to]);
        assert!(steps[to] < steps[from], "{from} waits for {to} by step");
        assert!(waits[from].contains(to), "{from} waits for {to} by dependsOn");
        let apart = manifests.as_ref().is_none_or(|places| places[to].1 < places[from].0);
        assert!(dense || apart, "{from} waits for {to} in the manifests");
    }
    strong.len()
}
