//! Laws over all targets: the same strong order in each, and a change that reaches no further than it must.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use crate::harness::{Surroundings, Tree, example, repository, run_in};

const LADDER: &str =
    "targets: {repoURL: \"https://git.example.com/platform.git\", revision: main, path: examples/platform}\n";

/// The example platform with settings for targets, and more of them.
fn platform(more: &str) -> Tree {
    let tree = Tree::copy_of(&example());
    tree.write("ladder.yaml", format!("{LADDER}{more}"));
    tree
}

fn objects(text: &str) -> Vec<Value> {
    serde_yaml::Deserializer::from_str(text)
        .map(|document| Value::deserialize(document).expect("the output is YAML"))
        .collect()
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer} in {value}"))
}

/// Pairs of components that wait for each other strongly: who, for whom.
fn strong(tree: &Tree) -> BTreeSet<(String, String)> {
    let plan = tree.run(&["plan", "--format", "json"]).json();
    let edges = plan["edges"].as_array().expect("edges").clone();
    let strong = edges.iter().filter(|edge| edge["strength"] == "strong");
    strong.map(|edge| (text(edge, "/from").to_owned(), text(edge, "/to").to_owned())).collect()
}

/// Components in the order of Application waves.
fn by_application(tree: &Tree) -> BTreeMap<String, i64> {
    let written = tree.run(&["render", "--target", "applications"]).succeeded();
    let wave = |object: &Value| {
        let annotations = &object["metadata"]["annotations"];
        annotations["argocd.argoproj.io/sync-wave"].as_str().and_then(|wave| wave.parse().ok())
    };
    let one = |object: &Value| (text(object, "/metadata/name").to_owned(), wave(object).expect("a wave"));
    objects(&written).iter().map(one).collect()
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
    for object in objects(&written) {
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
    let layers = Tree::copy_of(&repository().join("examples/flux-layers"));
    assert_eq!(keeps_strong_order(&layers), 3);
}

/// Checks every target of a tree, and counts the pairs of components that wait strongly.
fn keeps_strong_order(tree: &Tree) -> usize {
    let strong = strong(tree);
    let (waves, steps, waits) = (by_application(tree), by_step(tree), by_dependency(tree));
    let manifests = by_manifest(tree);
    // Dense waves belong to edges, not to components: parts of one may go earlier.
    let dense = std::fs::read_to_string(tree.path().join("ladder.yaml"))
        .is_ok_and(|ladder| ladder.contains("waves: dense"));
    assert_eq!(waves.len(), steps.len());
    assert_eq!(waves.len(), waits.len());
    for (from, to) in &strong {
        assert!(waves[to] < waves[from], "{from} ({}) waits for {to} ({}) by wave", waves[from], waves[to]);
        assert!(steps[to] < steps[from], "{from} waits for {to} by step");
        assert!(waits[from].contains(to), "{from} waits for {to} by dependsOn");
        assert!(dense || manifests[to].1 < manifests[from].0, "{from} waits for {to} in the manifests");
    }
    strong.len()
}

#[test]
fn a_change_inside_a_component_changes_its_application_and_nothing_else() {
    let tree = platform("");
    let before = objects(&tree.run(&["render", "--target", "applications"]).succeeded());
    let file = some_config_map(&tree);
    let old = std::fs::read_to_string(tree.path().join(&file)).expect("it was found");
    tree.write(&file, old.replacen("\ndata:", "\ndata:\n  added-by-the-test: \"1\"", 1));
    let after = objects(&tree.run(&["render", "--target", "applications"]).succeeded());
    assert_eq!(before.len(), after.len());
    let changed: Vec<&str> = before
        .iter()
        .zip(&after)
        .filter(|(before, after)| before != after)
        .map(|(before, _)| text(before, "/metadata/name"))
        .collect();
    assert_eq!(changed.len(), 1, "{file}: {changed:?}");
}

/// A file of the platform with a ConfigMap in it.
fn some_config_map(tree: &Tree) -> String {
    let all = crate::harness::files(tree.path());
    let holds = |file: &String| {
        let text = std::fs::read_to_string(tree.path().join(file)).expect("it was listed");
        text.contains("kind: ConfigMap") && text.contains("\ndata:")
    };
    all.into_iter().find(holds).expect("a ConfigMap")
}

#[test]
fn applications_come_the_same_whatever_the_threads() {
    let tree = platform("");
    for target in ["applications", "applicationset", "flux"] {
        let one = tree.run(&["render", "--target", target, "--threads", "1"]);
        assert_eq!(one, tree.run(&["render", "--target", target, "--threads", "4"]), "{target}");
    }
}

#[test]
fn flux_gets_rendered_folders_with_every_byte_of_encrypted_documents() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata:\n    name: s\n    namespace: default\nstringData:\n    \
                  a: ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]\nsops:\n    mac: ENC[AES256_GCM,data:m,iv:n,tag:o,type:str]\n";
    let tree = Tree::of(&[
        ("ladder.yaml", "targets: {flux: {rendered: out}}\n"),
        ("apps/a/component.yaml", "name: A\nnamespace: default\nmanifests: [secret.yaml]\n"),
        ("apps/a/secret.yaml", secret),
    ]);
    tree.run(&["render", "--target", "flux", "-o", "out/"]).succeeded();
    let read = |file: &str| std::fs::read_to_string(tree.path().join(file)).expect("it was written");
    assert_eq!(read("out/a/manifests.yaml"), format!("---\n{secret}"));
    assert!(read("out/a/kustomization.yaml").contains("- manifests.yaml"));
    assert!(read("out/kustomization.yaml").contains("- kustomizations.yaml"));
    let kustomization = &objects(&read("out/kustomizations.yaml"))[0];
    assert_eq!(text(kustomization, "/spec/path"), "./out/a");
    assert_eq!(text(kustomization, "/spec/decryption/provider"), "sops");
}

/// What the plugin writes for the Application's own parameters.
fn generated(tree: &Tree, application: &Value) -> crate::harness::Run {
    let parameters = application["spec"]["source"]["plugin"]["parameters"].to_string();
    let variables = [("ARGOCD_APP_PARAMETERS", parameters.as_str()), ("ARGOCD_APP_NAMESPACE", "default")];
    run_in(tree.path(), &["generate"], &Surroundings { variables: &variables, ..Surroundings::default() })
}

#[test]
fn the_plugin_renders_exactly_the_component_an_application_names() {
    let tree = platform("");
    let operator = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: ws.w.io}\n\
                    spec: {group: w.io, names: {kind: W, plural: ws}, scope: Namespaced}\n---\napiVersion: apps/v1\n\
                    kind: Deployment\nmetadata: {name: w}\nspec: {template: {spec: {containers: [{name: w, image: w}]}}}\n";
    tree.write("data/w/component.yaml", "name: w\nnamespace: default\n");
    tree.write("data/w/all.yaml", operator);
    let mut kinds = BTreeMap::new();
    for application in objects(&tree.run(&["render", "--target", "applications"]).succeeded()) {
        let name = text(&application, "/metadata/name").to_owned();
        if !["w", "w-crds", "platform-keycloak"].contains(&name.as_str()) {
            continue;
        }
        let written = objects(&generated(&tree, &application).succeeded());
        let waves: BTreeSet<&str> = written
            .iter()
            .map(|object| text(object, "/metadata/annotations/argocd.argoproj.io~1sync-wave"))
            .collect();
        assert!(waves.contains("0"), "{name} begins at 0: {waves:?}");
        kinds.insert(name, written.iter().map(|object| text(object, "/kind").to_owned()).collect::<Vec<_>>());
    }
    assert_eq!(kinds["w"], ["Deployment"]);
    assert_eq!(kinds["w-crds"], ["CustomResourceDefinition"]);
    assert!(kinds["platform-keycloak"].contains(&"Keycloak".to_owned()));
}

#[test]
fn one_component_renders_as_the_plugin_renders_it_for_its_application() {
    let tree = platform("");
    let mut differs_from_the_whole = false;
    for application in objects(&tree.run(&["render", "--target", "applications"]).succeeded()) {
        let name = text(&application, "/metadata/name").to_owned();
        if !["redis-failover", "foundation-vault-core", "db-migrations"].contains(&name.as_str()) {
            continue;
        }
        let by_plugin = generated(&tree, &application).succeeded();
        let local = tree.run(&["render", "--component", &name, "--scope", "component"]).succeeded();
        assert_eq!(by_plugin, local, "{name}");
        differs_from_the_whole |= local != tree.run(&["render", "--component", &name]).succeeded();
    }
    assert!(differs_from_the_whole, "the scope decides the waves");
}

#[test]
fn a_value_file_of_a_remote_chart_is_content() {
    let tree = Tree::of(&[
        ("a/component.yaml", "name: a\nchart: {repoURL: \"https://c\", name: a, valueFiles: [v.yaml]}\n"),
        ("a/v.yaml", "replicas: 1\n"),
        ("k/component.yaml", "name: k\nkustomize: {path: k}\n"),
        (
            "k/k/kustomization.yaml",
            "resources: [\"https://example.com/x.yaml\"]\npatches: [{path: p.yaml}]\n",
        ),
        ("k/k/p.yaml", "apiVersion: v1\n"),
    ]);
    let hashes = || -> BTreeMap<String, String> {
        let all = objects(&tree.run(&["render", "--target", "applications"]).succeeded());
        let hash = |one: &Value| text(one, "/metadata/annotations/argocd-ladder~1content-hash").to_owned();
        all.iter().map(|one| (text(one, "/metadata/name").to_owned(), hash(one))).collect()
    };
    let before = hashes();
    tree.write("a/v.yaml", "replicas: 2\n");
    let values = hashes();
    assert_ne!(before["a"], values["a"]);
    assert_eq!(before["k"], values["k"]);
    tree.write("k/k/p.yaml", "apiVersion: v2\n");
    let patched = hashes();
    assert_eq!(values["a"], patched["a"]);
    assert_ne!(values["k"], patched["k"]);
}

#[test]
fn gated_content_waits_for_the_parent() {
    let tree = Tree::of(&[
        ("ladder.yaml", "targets: {repoURL: \"https://g\", contentGate: true}\n"),
        ("a/component.yaml", "name: a\nnamespace: default\n"),
        ("a/m.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n"),
    ]);
    let before = objects(&tree.run(&["render", "--target", "applications"]).succeeded());
    generated(&tree, &before[0]).succeeded();
    tree.write("a/m.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: b}\n");
    assert!(generated(&tree, &before[0]).refused().contains("has not passed it on yet"));
    let after = objects(&tree.run(&["render", "--target", "applications"]).succeeded());
    generated(&tree, &after[0]).succeeded();
}
