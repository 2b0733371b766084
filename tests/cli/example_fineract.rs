//! `examples/fineract`: nine Applications in seven waves, with hooks, gates, probe windows and the reason of every wait.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value;

use crate::harness::{self, Surroundings, Tree, documents, repository, run, run_in};

/// The table its people kept by hand: Application, wave, what it depends on.
const TABLE: &[(&str, i64, &[&str])] = &[
    ("sealed-secrets", -5, &[]),
    ("fineract-dev-database-init", -1, &["sealed-secrets"]),
    ("fineract-dev-keycloak", 0, &["fineract-dev-database-init", "sealed-secrets"]),
    ("fineract-dev-oauth2-proxy", 1, &["fineract-dev-keycloak"]),
    ("fineract-dev-redis", 2, &["sealed-secrets"]),
    ("fineract-dev-write", 3, &["fineract-dev-database-init", "fineract-dev-keycloak", "fineract-dev-redis"]),
    ("fineract-dev-read", 3, &["fineract-dev-database-init", "fineract-dev-keycloak", "fineract-dev-redis"]),
    ("fineract-dev-batch", 3, &["fineract-dev-database-init", "fineract-dev-keycloak", "fineract-dev-redis"]),
    ("fineract-dev-community-app", 4, &["fineract-dev-write", "fineract-dev-oauth2-proxy"]),
];

/// "All other applications depend on sealed secrets": these hold one, and their row does not repeat it.
const HOLD_SEALED_SECRETS: &[&str] =
    &["fineract-dev-oauth2-proxy", "fineract-dev-write", "fineract-dev-read", "fineract-dev-batch"];

fn example() -> PathBuf {
    repository().join("examples/fineract")
}

fn plan(tree: &Tree) -> Value {
    tree.run(&["plan", "--format", "json", "--resources"]).json()
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer} in {value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn every_application_has_the_wave_of_the_table() {
    let output = run(&example(), &["render", "--target", "applications"]).succeeded();
    harness::matches_file(&example().join("expected-applications.yaml"), &output);
    let applications = documents(&output);
    let waves: Vec<(&str, i64)> = applications
        .iter()
        .map(|one| {
            let wave = &one["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"];
            (text(one, "/metadata/name"), wave.as_str().expect("a quoted wave").parse().expect("an integer"))
        })
        .collect();
    let mut expected: Vec<(&str, i64)> = TABLE.iter().map(|(name, wave, _)| (*name, *wave)).collect();
    expected.sort_by_key(|(name, wave)| (*wave, *name));
    assert_eq!(waves, expected);
    for one in &applications {
        assert_eq!(text(one, "/metadata/labels/project"), "fineract-dev");
        assert_eq!(
            one["spec"]["syncPolicy"]["automated"],
            serde_json::json!({"prune": true, "selfHeal": true})
        );
    }
    let database = applications.iter().find(|one| one["metadata"]["name"] == "fineract-dev-database-init");
    assert_eq!(database.expect("it is there")["spec"]["syncPolicy"]["retry"]["limit"], 4);
}

#[test]
fn the_dependency_column_comes_out_as_edges() {
    let plan = plan(&Tree::copy_of(&example()));
    let waits: BTreeMap<&str, BTreeSet<&str>> = list(&plan["components"])
        .iter()
        .map(|one| (text(one, "/name"), list(&one["waitsFor"]).iter().filter_map(Value::as_str).collect()))
        .collect();
    let expected: BTreeMap<&str, BTreeSet<&str>> = TABLE
        .iter()
        .map(|(name, _, column)| {
            let more = HOLD_SEALED_SECRETS.contains(name).then_some("sealed-secrets");
            (*name, column.iter().copied().chain(more).collect())
        })
        .collect();
    assert_eq!(waits, expected);
}

#[test]
fn every_edge_has_its_reason_and_few_are_declared() {
    let plan = plan(&Tree::copy_of(&example()));
    let edges: BTreeSet<String> = list(&plan["edges"])
        .iter()
        .map(|edge| {
            assert_eq!(edge["dropped"], Value::Null, "{edge}");
            let part = |name: &str| edge[name].as_str().expect("a word");
            format!("{} -> {}  {} {}", part("from"), part("to"), part("reason"), part("strength"))
        })
        .collect();
    let lines: Vec<String> = edges.iter().map(|edge| format!("{edge}\n")).collect();
    harness::matches_file(&example().join("expected-edges.txt"), &lines.concat());
    let declared: Vec<&String> = edges.iter().filter(|edge| edge.contains("depends-on")).collect();
    assert_eq!(declared.len(), 4, "keycloak and the three fineracts wait for the schema: {declared:?}");
    assert!(declared.iter().all(|edge| edge.contains("-> fineract-dev-database-init  ")), "{declared:?}");
    assert_eq!(plan["findings"], serde_json::json!([]));
}

#[test]
fn without_the_declared_waits_only_those_edges_are_missing() {
    let tree = Tree::copy_of(&example());
    let edges = |tree: &Tree| -> BTreeSet<(String, String)> {
        let plan = plan(tree);
        let pair = |edge: &Value| (text(edge, "/from").to_owned(), text(edge, "/to").to_owned());
        list(&plan["edges"]).iter().map(pair).collect()
    };
    let with = edges(&tree);
    let keycloak = "apps/keycloak/overlays/dev/component.yaml";
    tree.write(keycloak, "name: fineract-dev-keycloak\nnamespace: fineract-dev\n");
    let mut without = edges(&tree);
    without.insert(("fineract-dev-keycloak".to_owned(), "fineract-dev-database-init".to_owned()));
    assert_eq!(with.len(), without.len());
    assert_ne!(with, edges(&tree));
    assert_eq!(with, without);
}

#[test]
fn hooks_have_the_waves_of_the_document() {
    let plan = plan(&Tree::copy_of(&example()));
    let mut hooks: Vec<String> = list(&plan["resources"])
        .iter()
        .filter(|one| one["hook"] != "Sync")
        .map(|one| {
            format!(
                "{} {} {} {}\n",
                text(one, "/component"),
                text(one, "/hook"),
                one["wave"],
                text(one, "/id")
            )
        })
        .collect();
    hooks.sort();
    harness::matches_file(&example().join("expected-hooks.txt"), &hooks.concat());
    for expected in [
        "fineract-dev-database-init PreSync 5 batch/Job/fineract-dev/create-databases-job\n",
        "fineract-dev-database-init PreSync 6 batch/Job/fineract-dev/fineract-schema-migration\n",
        "fineract-dev-keycloak PostSync 1 batch/Job/fineract-dev/apply-keycloak-config\n",
    ] {
        assert!(hooks.iter().any(|line| line == expected), "{expected} in {hooks:?}");
    }
}

/// The pod spec of the one workload of a component, as the plugin gives it to Argo CD.
fn pod(component: &str) -> Value {
    let parameters = format!(
        r#"[{{"name":"component","string":"{component}"}},{{"name":"content-hash","string":"any"}}]"#
    );
    let variables = [("ARGOCD_APP_PARAMETERS", parameters.as_str())];
    let surroundings = Surroundings { variables: &variables, ..Surroundings::default() };
    let generated = run_in(&example(), &["generate"], &surroundings).succeeded();
    let rendered = run(&example(), &["render", "--component", component]).succeeded();
    assert_eq!(generated, rendered, "the plugin and `render` agree on {component}");
    let workload = documents(&generated).into_iter().find(|one| one["kind"] == "Deployment");
    workload.expect("a Deployment")["spec"]["template"]["spec"].clone()
}

/// Name → tries × pause and what is asked for, of each init container.
fn gates(component: &str) -> Vec<(String, String)> {
    let pod = pod(component);
    let variable = |gate: &Value, name: &str| {
        let found = list(&gate["env"]).iter().find(|one| one["name"] == name);
        found.map_or(String::new(), |one| text(one, "/value").to_owned())
    };
    list(&pod["initContainers"])
        .iter()
        .map(|gate| {
            let asked = format!(
                "{}x{}s {} {}",
                variable(gate, "TRIES"),
                variable(gate, "PAUSE"),
                variable(gate, "TARGET"),
                variable(gate, "CONDITION")
            );
            (text(gate, "/name").to_owned(), asked.trim_end().to_owned())
        })
        .collect()
}

#[test]
fn pods_wait_in_the_gates_of_the_document() {
    let named = |name: &str, asked: &str| (name.to_owned(), asked.to_owned());
    let realm = "60x5s http://keycloak-service:8080/realms/fineract";
    assert_eq!(
        gates("fineract-dev-oauth2-proxy"),
        [
            named("wait-for-fineract-realm", realm),
            named("wait-for-fineract-oidc", &format!("{realm}/.well-known/openid-configuration")),
        ]
    );
    for component in ["fineract-dev-write", "fineract-dev-read", "fineract-dev-batch"] {
        let job = "60x10s job.batch/fineract-schema-migration Complete";
        assert_eq!(gates(component), [named("wait-for-schema-migration", job)], "{component}");
        let probe = &pod(component)["containers"][0]["startupProbe"];
        let figures = ["initialDelaySeconds", "periodSeconds", "failureThreshold"].map(|name| &probe[name]);
        assert_eq!(figures, [60, 30, 80], "{component}");
    }
    let keycloak: Vec<String> = gates("fineract-dev-keycloak").into_iter().map(|(name, _)| name).collect();
    assert_eq!(keycloak, ["wait-for-keycloak-db"], "the one written by hand stays");
}

/// Replaces text in a file of a tree that must hold it.
fn edit(tree: &Tree, file: &str, from: &str, to: &str) {
    let before = std::fs::read_to_string(tree.path().join(file)).expect("the file is there");
    assert!(before.contains(from), "{from} in {file}");
    tree.write(file, before.replace(from, to));
}

fn findings(tree: &Tree, rule: &str) -> Vec<String> {
    let plan = plan(tree);
    let own = list(&plan["findings"]).iter().filter(|finding| finding["rule"] == rule);
    own.map(|finding| text(finding, "/message").to_owned()).collect()
}

/// A ladder that leaves no wave between Keycloak and its users.
const ONE_WAVE: &str = "
preset: none
scope: component
rungs:
  - {id: secrets, wave: -5, roles: [operator]}
  - {id: databases, wave: -1, roles: [config], select: {components: [\"*-redis\"]}}
  - {id: everything, wave: 0, roles: [runtime]}
  - {id: end, wave: 1}
rules: {split-crds: off}
";

#[test]
fn a_startup_probe_must_outlast_what_starts_beside_it() {
    let tree = Tree::copy_of(&example());
    // Keycloak and what asks it in one wave, and no gate in the writing pods.
    tree.write("ladder.yaml", ONE_WAVE);
    let folder = "apps/fineract/overlays/dev/write";
    tree.write(&format!("{folder}/component.yaml"), "name: fineract-dev-write\nnamespace: fineract-dev\n");
    edit(&tree, "apps/keycloak/overlays/dev/component.yaml", "timeout: 5m", "timeout: 40m");
    let rule = "probe-gives-up-early";
    let about_keycloak = |tree: &Tree| -> Vec<String> {
        let all = findings(tree, rule);
        all.into_iter().filter(|message| message.contains("`fineract-dev-keycloak`")).collect()
    };
    assert_eq!(about_keycloak(&tree), Vec::<String>::new(), "60 + 80 x 30 seconds last 41 minutes");
    edit(&tree, &format!("{folder}/fineract.yaml"), "failureThreshold: 80", "failureThreshold: 77");
    assert_eq!(
        about_keycloak(&tree),
        [
            "the startupProbe of `fineract` in `Deployment/fineract-dev/fineract-write` gives up after 39m30s, \
          but `fineract-dev-keycloak`, which starts together with it, may take 40m"
        ]
    );
}

#[test]
fn a_gate_must_outlast_what_it_waits_for() {
    let tree = Tree::copy_of(&example());
    let rule = "gate-gives-up-early";
    assert_eq!(findings(&tree, rule), Vec::<String>::new());
    edit(&tree, "operations/fineract-database-init/base/component.yaml", "timeout: 10m", "timeout: 11m");
    let told = findings(&tree, rule);
    assert_eq!(told.len(), 3, "{told:?}");
    let write =
        "the gate of `fineract-dev-write` gives up after 10m, but `fineract-dev-database-init` may take 11m";
    assert!(told.iter().any(|message| message == write), "{told:?}");
}

#[test]
fn a_wave_that_contradicts_the_evidence_is_refused() {
    let tree = Tree::copy_of(&example());
    edit(&tree, "apps/keycloak/overlays/dev/component.yaml", "timeout: 5m", "rolloutPhase: secrets");
    let told = tree.run(&["render", "--target", "applications"]).refused();
    assert!(told.contains("`fineract-dev-keycloak` is pinned to secrets"), "{told}");
}

#[test]
fn as_one_application_the_hooks_would_come_too_early() {
    for numbered in [&["render", "--waves", "dense"][..], &["render"]] {
        let told = run(&example(), numbered).refused();
        assert!(told.contains("`SealedSecret/fineract-dev/database-admin` (PreSync wave 4)"), "{told}");
    }
    let told = run(&example(), &["render"]).refused();
    assert!(
        told.contains("roll out each component as its own Application (`--target applications`)"),
        "{told}"
    );
}

#[test]
fn the_other_targets_are_as_expected() {
    for target in ["applicationset", "flux"] {
        let written = run(&example(), &["render", "--target", target]).succeeded();
        harness::matches_file(&example().join(format!("expected-{target}.yaml")), &written);
    }
}

#[test]
fn flux_waits_for_what_the_dependency_column_names() {
    let tree = Tree::copy_of(&example());
    let written = documents(&tree.run(&["render", "--target", "flux"]).succeeded());
    let direct: BTreeMap<&str, BTreeSet<&str>> = written
        .iter()
        .map(|one| {
            let names = list(&one["spec"]["dependsOn"]).iter().map(|target| text(target, "/name"));
            (text(one, "/metadata/name"), names.collect())
        })
        .collect();
    for (name, _, column) in TABLE {
        // The rung that selects it adds no wait; what follows from others is left out.
        let allowed: BTreeSet<&str> = column.iter().copied().chain(["sealed-secrets"]).collect();
        assert!(direct[name].is_subset(&allowed), "{name}: {:?}", direct[name]);
    }
    assert_eq!(direct["fineract-dev-redis"], BTreeSet::from(["sealed-secrets"]));
}
