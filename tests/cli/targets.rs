//! Laws over all targets: a change that reaches no further than it must, and a plugin that renders what is named.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use crate::harness::{Surroundings, Tree, example, run_in};

const LADDER: &str =
    "targets: {repoURL: \"https://git.example.com/platform.git\", revision: main, path: examples/platform}\n";

/// The example platform with settings for targets, and more of them.
pub(crate) fn platform(more: &str) -> Tree {
    let tree = Tree::copy_of(&example());
    tree.write("ladder.yaml", format!("{LADDER}{more}"));
    tree
}

pub(crate) fn objects(text: &str) -> Vec<Value> {
    serde_yaml::Deserializer::from_str(text)
        .map(|document| Value::deserialize(document).expect("the output is YAML"))
        .collect()
}

pub(crate) fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer} in {value}"))
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
