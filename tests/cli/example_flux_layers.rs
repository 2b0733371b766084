//! The flux-layers example: its Kustomizations, health checks, secrets and edges, row by row.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::harness::{Tree, expected, files, repository, run};

fn layers() -> PathBuf {
    repository().join("examples/flux-layers")
}

/// The Kustomizations of a tree, in order.
fn kustomizations(tree: &Tree) -> Vec<Value> {
    let written = tree.run(&["render", "--target", "flux"]).succeeded();
    serde_yaml::Deserializer::from_str(&written).map(|one| Value::deserialize(one).expect("YAML")).collect()
}

/// What a layer checks: kind, namespace and name.
fn checks(kustomization: &Value) -> Vec<String> {
    let list = kustomization["spec"]["healthChecks"].as_array().cloned().unwrap_or_default();
    let part = |check: &Value, key: &str| check[key].as_str().expect("a string").to_owned();
    let shown = |check: &Value| ["kind", "namespace", "name"].map(|key| part(check, key)).join("/");
    list.iter().map(shown).collect()
}

#[test]
fn the_committed_layers_are_what_is_rendered() {
    let rendered = run(&layers(), &["render", "--target", "flux"]);
    assert_eq!(rendered.stderr, "", "nothing is left to say");
    expected(&layers().join("gitops/flux-system/layers.yaml"), &rendered.succeeded());
}

#[test]
fn every_layer_has_its_path_dependency_checks_decryption_and_interval() {
    let rows: [(&str, &str, Value, &[&str]); 3] = [
        (
            "infrastructure",
            "./gitops/infrastructure",
            Value::Null,
            &["HelmRelease/cert-manager/cert-manager"],
        ),
        (
            "databases",
            "./gitops/apps/databases",
            json!([{"name": "infrastructure"}]),
            &["HelmRelease/database/postgresql", "HelmRelease/cache/redis"],
        ),
        (
            "apps",
            "./gitops/apps/applications",
            json!([{"name": "databases"}]),
            &["HelmRelease/auth/authentik"],
        ),
    ];
    let layers = kustomizations(&Tree::copy_of(&layers()));
    assert_eq!(layers.len(), rows.len());
    for (layer, (name, path, depends, checked)) in layers.iter().zip(rows) {
        let spec = &layer["spec"];
        assert_eq!(
            layer["metadata"],
            json!({
                "name": name,
                "namespace": "flux-system",
                "labels": layer["metadata"]["labels"],
            })
        );
        assert_eq!(spec["path"], path);
        assert_eq!(spec["dependsOn"], depends, "{name}");
        assert_eq!(checks(layer), checked, "{name}");
        assert_eq!(spec["decryption"], json!({"provider": "sops", "secretRef": {"name": "sops-age"}}));
        assert_eq!(spec["interval"], "10m0s");
        assert_eq!(spec["sourceRef"], json!({"kind": "GitRepository", "name": "flux-system"}));
    }
}

#[test]
fn every_arrow_of_the_diagram_is_there_with_its_reason() {
    let plan = run(&layers(), &["plan", "--format", "json", "--resources"]).json();
    let resources: BTreeSet<(&str, &str)> = plan["resources"]
        .as_array()
        .expect("resources")
        .iter()
        .map(|one| (one["component"].as_str().unwrap(), one["id"].as_str().unwrap()))
        .collect();
    for member in [
        ("infrastructure", "helm.toolkit.fluxcd.io/HelmRelease/cert-manager/cert-manager"),
        ("infrastructure", "helm.cattle.io/HelmChartConfig/kube-system/traefik"),
        ("infrastructure", "storage.k8s.io/StorageClass//local-retain"),
        ("infrastructure", "networking.k8s.io/NetworkPolicy/database/clients-only"),
        ("databases", "helm.toolkit.fluxcd.io/HelmRelease/database/postgresql"),
        ("databases", "helm.toolkit.fluxcd.io/HelmRelease/cache/redis"),
        ("apps", "helm.toolkit.fluxcd.io/HelmRelease/auth/authentik"),
    ] {
        assert!(resources.contains(&member), "{member:?}");
    }
    let edges = plan["edges"].as_array().expect("edges");
    let word = |edge: &Value, key: &str| edge[key].as_str().expect("a string").to_owned();
    let shown = |edge: &Value| {
        let [from, to, reason, strength] = ["from", "to", "reason", "strength"].map(|key| word(edge, key));
        let (file, line) = (word(&edge["origin"], "file"), &edge["origin"]["line"]);
        format!("{from} waits for {to}: {reason}, {strength}, {file}:{line}\n")
    };
    assert!(edges.iter().all(|edge| edge["dropped"].is_null()));
    expected(&layers().join("expected-edges.txt"), &edges.iter().map(shown).collect::<String>());
}

#[test]
fn encrypted_files_leave_byte_by_byte() {
    let rendered = run(&layers(), &["render"]).succeeded();
    let encrypted: Vec<String> =
        files(&layers()).into_iter().filter(|file| file.ends_with(".enc.yaml")).collect();
    assert_eq!(encrypted.len(), 4);
    for file in encrypted {
        let text = fs::read_to_string(layers().join(&file)).expect("it can be read");
        assert!(text.contains("\nsops:\n") && rendered.contains(&text), "{file}");
    }
}

#[test]
fn a_layer_without_encrypted_files_is_not_decrypted() {
    let tree = Tree::copy_of(&layers());
    fs::remove_file(tree.path().join("gitops/infrastructure/cert-manager/dns.enc.yaml")).unwrap();
    let layers = kustomizations(&tree);
    assert_eq!(layers[0]["spec"].get("decryption"), None);
    assert_ne!(layers[1]["spec"].get("decryption"), None);
}

#[test]
fn a_service_added_to_a_layer_is_checked_with_it_and_changes_nothing_else() {
    let tree = Tree::copy_of(&layers());
    let before = kustomizations(&tree);
    let release = layers().join("gitops/apps/databases/redis/release.yaml");
    let text = fs::read_to_string(release)
        .unwrap()
        .replace("redis", "mongodb")
        .replace("bitnami\n  namespace", "mongo\n  namespace");
    tree.write(
        "gitops/apps/databases/mongodb/release.yaml",
        text.replace("name: bitnami\n", "name: mongo\n"),
    );
    let after = kustomizations(&tree);
    assert_eq!((&after[0], &after[2]), (&before[0], &before[2]));
    assert_eq!(
        checks(&after[1]),
        ["HelmRelease/cache/mongodb", "HelmRelease/database/postgresql", "HelmRelease/cache/redis"]
    );
}

#[test]
fn a_layer_below_what_it_needs_is_refused() {
    let tree = Tree::copy_of(&layers());
    tree.write(
        "gitops/infrastructure/storage/claim.yaml",
        "apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: early, namespace: database, annotations: {config.kubernetes.io/depends-on: helm.toolkit.fluxcd.io/namespaces/database/HelmRelease/postgresql}}
",
    );
    let message = tree.run(&["render", "--target", "flux"]).refused();
    assert!(message.contains("infrastructure") && message.contains("claim.yaml:3"), "{message}");
}
