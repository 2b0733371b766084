//! `plugin.yaml` and `sidecar/`: every command, path, volume and file they name is there.

use std::fs;

use serde_json::Value;

use crate::harness::{Tree, documents, files, repository, run};
use crate::real_tools::{path_with, tool};

fn read(path: &str) -> Value {
    let text = fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn container() -> Value {
    read("sidecar/component/repo-server-patch.yaml")["spec"]["template"]["spec"]["containers"][0].clone()
}

#[test]
fn the_plugins_commands_run() {
    let plugin = read("plugin.yaml");
    assert_eq!(plugin["kind"], "ConfigManagementPlugin");
    assert_eq!(plugin["metadata"]["name"], "argocd-ladder");
    // An Application names the plugin as NAME or NAME-VERSION: a version here would be part of every Application.
    assert_eq!(plugin["spec"]["version"], Value::Null);
    assert_eq!(plugin["spec"]["discover"], Value::Null);
    let example = repository().join("examples/rollout-phases");
    for command in
        [&plugin["spec"]["generate"]["command"], &plugin["spec"]["parameters"]["dynamic"]["command"]]
    {
        let words: Vec<&str> = command.as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        assert_eq!(words[0], "argocd-ladder");
        assert!(!run(&example, &words[1..]).succeeded().is_empty(), "{words:?}");
    }
}

#[test]
fn the_commented_discovery_is_a_rule_argo_cd_reads() {
    let text = fs::read_to_string(repository().join("plugin.yaml")).expect("it is there");
    let rule: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.contains("# discover:"))
        .map(|line| line.trim_start_matches("  # "))
        .collect();
    let rule: Value = serde_yaml::from_str(&rule.join("\n")).expect("it is YAML once the marks are gone");
    assert_eq!(rule["discover"]["fileName"], "ladder.yaml");
}

#[test]
fn the_image_holds_what_the_container_runs() {
    let dockerfile = fs::read_to_string(repository().join("sidecar/Dockerfile")).expect("it is there");
    for copied in dockerfile
        .lines()
        .filter_map(|line| line.strip_prefix("COPY "))
        .filter(|line| !line.starts_with("--from"))
    {
        let mut words: Vec<&str> = copied.split(' ').collect();
        words.pop();
        for word in words {
            assert!(repository().join(word).exists(), "{word}");
            let ignored = fs::read_to_string(repository().join("sidecar/Dockerfile.dockerignore"))
                .expect("it is there");
            assert!(
                ignored.lines().any(|line| line == format!("!{word}")),
                "{word} is kept out of the build"
            );
        }
    }
    let entry = container()["command"][0].as_str().expect("a command").to_owned();
    assert!(dockerfile.contains(&format!("ENTRYPOINT [\"{entry}\"]")));
    assert!(dockerfile.contains("COPY plugin.yaml /home/argocd/cmp-server/config/plugin.yaml"));
    let user = container()["securityContext"]["runAsUser"].to_string();
    assert!(dockerfile.contains(&format!("USER {user}:{user}")));
}

#[test]
fn every_mount_has_a_volume() {
    let patch = read("sidecar/component/repo-server-patch.yaml");
    let own: Vec<&str> = patch["spec"]["template"]["spec"]["volumes"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|volume| volume["name"].as_str())
        .collect();
    // These two belong to every installation of the repo-server.
    let theirs = ["var-files", "plugins"];
    for mount in container()["volumeMounts"].as_array().expect("a list") {
        let name = mount["name"].as_str().expect("a name");
        assert!(own.contains(&name) || theirs.contains(&name), "{name}");
    }
}

#[test]
fn both_ways_to_install_run_the_same_container() {
    let values = read("sidecar/argo-helm-values.yaml");
    assert_eq!(values["repoServer"]["extraContainers"][0], container());
    let patch = read("sidecar/component/repo-server-patch.yaml");
    assert_eq!(values["repoServer"]["volumes"], patch["spec"]["template"]["spec"]["volumes"]);
}

#[test]
fn the_health_check_is_the_one_the_command_prints() {
    let nowhere = tempfile::tempdir().expect("a temporary directory can be made");
    let printed: Value =
        serde_yaml::from_str(&run(nowhere.path(), &["health-checks"]).succeeded()).expect("it is YAML");
    let shipped = read("sidecar/component/application-health.yaml");
    assert_eq!(
        shipped["data"], printed["data"],
        "argocd-ladder health-checks > sidecar/component/application-health.yaml"
    );
    let values = read("sidecar/argo-helm-values.yaml");
    assert_eq!(values["configs"]["cm"], shipped["data"], "both ways to install have the same checks");
    // No namespace: the patch is for whatever namespace the installation chose.
    assert_eq!(shipped["metadata"]["namespace"], Value::Null);
}

/// The objects of Argo CD's manifests that the component patches.
const ARGO_CD: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: argocd-repo-server}\nspec: {template: {spec: {containers: [{name: argocd-repo-server, image: argocd}]}}}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\n";

#[test]
fn the_readme_applies_the_kustomization_as_it_says_itself() {
    let text = |path: &str| fs::read_to_string(repository().join(path)).expect("it is there");
    let own = text("sidecar/kustomization.yaml");
    let command = own.lines().find_map(|line| line.strip_prefix("#   ")).expect("its head says how");
    assert!(command.contains(" --server-side --field-manager="), "{command}");
    assert!(text("README.md").contains(command), "{command}");
}

#[test]
fn the_kustomization_holds_the_container_and_the_health_checks() {
    let Some(path) = path_with(&["kustomize"]) else { return };
    holds_the_sidecar(&tool(repository(), &path, "kustomize", &["build", "sidecar"]));
}

/// The head of the component says what to write; here two objects stand for Argo CD's own manifests.
#[test]
fn the_component_installs_with_argo_cd() {
    let Some(path) = path_with(&["kustomize"]) else { return };
    let tree = Tree::of(&[("argocd.yaml", ARGO_CD)]);
    for file in files(&repository().join("sidecar/component")) {
        let text = fs::read(repository().join("sidecar/component").join(&file)).expect("it was listed");
        tree.write(&format!("component/{file}"), text);
    }
    let head = fs::read_to_string(tree.path().join("component/kustomization.yaml")).expect("it is there");
    let shown: Vec<&str> = head.lines().filter_map(|line| line.strip_prefix("#   ")).collect();
    let mut shown: Value = serde_yaml::from_str(&shown.join("\n")).expect("it is YAML");
    for (field, address, local) in [
        ("resources", "https://raw.githubusercontent.com/argoproj/argo-cd/v", "argocd.yaml"),
        ("components", "https://git.example.com/argocd-ladder//sidecar/component?", "component"),
    ] {
        let named = &mut shown[field][0];
        assert!(named.as_str().is_some_and(|named| named.starts_with(address)), "{named}");
        *named = local.into();
    }
    tree.write("kustomization.yaml", shown.to_string());
    holds_the_sidecar(&tool(tree.path(), &path, "kustomize", &["build", "."]));
}

#[track_caller]
fn holds_the_sidecar(built: &str) {
    let built = documents(built);
    let deployment = built.iter().find(|one| one["kind"] == "Deployment").expect("the repo-server");
    let containers = deployment["spec"]["template"]["spec"]["containers"].as_array().expect("a list");
    let own = containers.iter().find(|one| one["name"] == "argocd-ladder").expect("the sidecar");
    assert_eq!(own["image"], "registry.example.com/argocd-ladder:0.1.0");
    assert_eq!(own["command"], container()["command"]);
    let config = built.iter().find(|one| one["kind"] == "ConfigMap").expect("argocd-cm");
    assert_eq!(config["data"], read("sidecar/component/application-health.yaml")["data"]);
}
