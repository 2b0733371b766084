//! `examples/app-of-apps`: a root application over Applications and three ApplicationSets, in the waves of the table.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use globset::GlobBuilder;
use serde_json::{Value, json};

use crate::harness::{self, Run, Surroundings, Tree, documents, files, repository, run, run_in};

/// The table its people kept by hand: wave and what belongs to it.
const TABLE: &[(i64, &[&str])] = &[
    (0, &["cilium", "argocd", "1password-connect", "external-secrets", "projects"]),
    (1, &["longhorn", "snapshot-controller", "volsync"]),
    (2, &["pvc-plumber"]),
    (4, &["cert-manager", "kyverno", "gpu-operator", "databases", "gateway"]),
    (5, &["prometheus-stack", "loki-stack", "tempo"]),
    (6, &["immich", "ollama"]),
];

/// Its ApplicationSets: name, wave, and the files they find their Applications by.
const SETS: &[(&str, i64, &[&str])] = &[
    (
        "infrastructure",
        4,
        &[
            "infrastructure/controllers/cert-manager/component.yaml",
            "infrastructure/database/databases/component.yaml",
            "infrastructure/networking/gateway/component.yaml",
            "infrastructure/controllers/gpu-operator/component.yaml",
            "infrastructure/controllers/kyverno/component.yaml",
        ],
    ),
    ("monitoring", 5, &["monitoring/*/component.yaml"]),
    ("my-apps", 6, &["my-apps/*/*/component.yaml"]),
];

fn example() -> PathBuf {
    repository().join("examples/app-of-apps")
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{pointer} in {value}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn render(tree: &Tree) -> Run {
    tree.run(&["render", "--target", "applications"])
}

/// What the plugin answers to a source's parameters.
fn generated(source: &Value) -> String {
    let parameters = source["plugin"]["parameters"].to_string();
    let variables = [("ARGOCD_APP_PARAMETERS", parameters.as_str())];
    run_in(&example(), &["generate"], &Surroundings { variables: &variables, ..Surroundings::default() })
        .succeeded()
}

fn set(objects: &[Value], name: &str) -> Value {
    let found = objects.iter().find(|one| one["kind"] == "ApplicationSet" && one["metadata"]["name"] == name);
    found.unwrap_or_else(|| panic!("ApplicationSet {name}")).clone()
}

#[test]
fn every_row_of_the_table_has_its_wave() {
    let plan = run(&example(), &["plan", "--format", "json"]).json();
    let mut waves: BTreeMap<i64, BTreeSet<&str>> = BTreeMap::new();
    for component in list(&plan["components"]) {
        let wave = component["wave"].as_i64().expect("a wave");
        waves.entry(wave).or_default().insert(text(component, "/name"));
    }
    let expected: BTreeMap<i64, BTreeSet<&str>> =
        TABLE.iter().map(|(wave, names)| (*wave, names.iter().copied().collect())).collect();
    assert_eq!(waves, expected);
    assert_eq!(plan["findings"], json!([]));
}

#[test]
fn the_root_application_gets_applications_and_three_sets() {
    let root = documents(&std::fs::read_to_string(example().join("root.yaml")).unwrap()).remove(0);
    let output = generated(&root["spec"]["source"]);
    harness::matches_file(&example().join("expected-applications.yaml"), &output);
    let shown: Vec<(i64, String)> = documents(&output)
        .iter()
        .map(|one| {
            let wave = &one["metadata"]["annotations"]["argocd.argoproj.io/sync-wave"];
            let wave = wave.as_str().expect("a quoted wave").parse().expect("an integer");
            (wave, format!("{} {}", text(one, "/kind"), text(one, "/metadata/name")))
        })
        .collect();
    let single = TABLE.iter().filter(|(wave, _)| *wave < 4).flat_map(|(wave, names)| {
        names.iter().map(|name| (*wave, format!("Application {name}"))).collect::<Vec<_>>()
    });
    let sets = SETS.iter().map(|(name, wave, _)| (*wave, format!("ApplicationSet {name}")));
    let mut expected: Vec<(i64, String)> = single.chain(sets).collect();
    expected.sort();
    assert_eq!(shown, expected, "the root itself is not among them");
}

#[test]
fn each_set_finds_exactly_the_components_of_its_wave() {
    let objects = documents(&render(&Tree::copy_of(&example())).succeeded());
    for (name, wave, expected) in SETS {
        let set = set(&objects, name);
        let [found, listed] = list(&set["spec"]["generators"][0]["merge"]["generators"]) else {
            panic!("descriptors, and what the render knows of them")
        };
        let found: Vec<&str> = list(&found["git"]["files"]).iter().map(|file| text(file, "/path")).collect();
        assert_eq!(found, *expected, "{name}");
        let listed: BTreeSet<String> =
            list(&listed["list"]["elements"]).iter().map(|one| text(one, "/name").to_owned()).collect();
        let (_, row) = TABLE.iter().find(|(number, _)| number == wave).unwrap();
        let row: BTreeSet<String> = row.iter().map(|member| (*member).to_owned()).collect();
        assert_eq!(described_by(&found), row, "{name}");
        assert_eq!(listed, row, "{name}");
        for member in &row {
            let template =
                set["spec"]["template"]["spec"]["source"].to_string().replace("{{ .name }}", member);
            let own = generated(&serde_json::from_str(&template).unwrap());
            let rendered = run(&example(), &["render", "--component", member]).succeeded();
            assert_eq!(own, rendered, "the plugin and `render` agree on {member}");
        }
    }
}

/// Names in the descriptors that globs find in the example, `*` within one folder.
fn described_by(globs: &[&str]) -> BTreeSet<String> {
    let globs: Vec<_> = globs
        .iter()
        .map(|glob| GlobBuilder::new(glob).literal_separator(true).build().expect("a glob").compile_matcher())
        .collect();
    files(&example())
        .into_iter()
        .filter(|file| globs.iter().any(|glob| glob.is_match(file)))
        .map(|file| {
            let descriptor =
                documents(&std::fs::read_to_string(example().join(file)).expect("a descriptor")).remove(0);
            text(&descriptor, "/name").to_owned()
        })
        .collect()
}

#[test]
fn a_further_folder_only_becomes_a_further_member() {
    let tree = Tree::copy_of(&example());
    let without_members = |run: Run| -> Vec<Value> {
        let mut objects = documents(&run.succeeded());
        for set in objects.iter_mut().filter(|one| one["kind"] == "ApplicationSet") {
            set["spec"]["generators"][0]["merge"]["generators"][1]["list"]["elements"] = Value::Null;
        }
        objects
    };
    let before = without_members(render(&tree));
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: alloy\n";
    for folder in ["monitoring/alloy", "my-apps/home/mealie"] {
        let name = folder.rsplit('/').next().unwrap();
        tree.write(&format!("{folder}/component.yaml"), format!("name: {name}\nnamespace: {name}\n"));
        tree.write(&format!("{folder}/map.yaml"), map);
    }
    let written = render(&tree).succeeded();
    assert!(written.contains("- name: alloy\n") && written.contains("- name: mealie\n"));
    assert_eq!(without_members(render(&tree)), before);
    tree.write("infrastructure/controllers/reloader/component.yaml", "name: reloader\nnamespace: reloader\n");
    tree.write("infrastructure/controllers/reloader/map.yaml", map);
    let after = render(&tree).succeeded();
    assert!(
        after.contains("- path: infrastructure/controllers/reloader/component.yaml\n"),
        "the list is explicit"
    );
}

#[test]
fn a_change_inside_a_member_changes_that_member_and_nothing_else() {
    let tree = Tree::copy_of(&example());
    let members = |tree: &Tree| -> BTreeMap<String, Value> {
        let objects = documents(&render(tree).succeeded());
        let mut all: BTreeMap<String, Value> = BTreeMap::new();
        for mut one in objects {
            let elements = one.pointer_mut("/spec/generators/0/merge/generators/1/list/elements");
            let elements = elements.map(Value::take).unwrap_or_default();
            let own =
                list(&elements).iter().map(|own| (format!("member {}", text(own, "/name")), own.clone()));
            all.extend(own);
            all.insert(format!("{} {}", text(&one, "/kind"), text(&one, "/metadata/name")), one);
        }
        all
    };
    let before = members(&tree);
    assert_eq!(before.keys().filter(|name| name.starts_with("member ")).count(), 10);
    let file = tree.path().join("monitoring/tempo/tempo.yaml");
    let content = std::fs::read_to_string(&file).expect("it is there");
    tree.write(
        "monitoring/tempo/tempo.yaml",
        content + "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: more\n",
    );
    let after = members(&tree);
    let changed: Vec<&String> = after.keys().filter(|name| before.get(*name) != after.get(*name)).collect();
    assert_eq!(changed, ["member tempo"]);
}

#[test]
fn a_folder_no_set_would_find_is_refused() {
    let tree = Tree::copy_of(&example());
    tree.write("my-apps/lonely/component.yaml", "name: lonely\nnamespace: lonely\n");
    tree.write("my-apps/lonely/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: lonely\n");
    let told = render(&tree).refused();
    assert!(told.contains("ApplicationSet `my-apps` cannot create `lonely`"), "{told}");
}

#[test]
fn every_edge_has_its_reason_and_strong_ones_lead_to_earlier_waves() {
    let plan = run(&example(), &["plan", "--format", "json"]).json();
    let waves: BTreeMap<&str, i64> =
        TABLE.iter().flat_map(|(wave, names)| names.iter().map(|name| (*name, *wave))).collect();
    let edges: BTreeSet<String> = list(&plan["edges"])
        .iter()
        .map(|edge| {
            let part = |name: &str| edge[name].as_str().expect("a word");
            let (from, to) = (part("from"), part("to"));
            assert!(part("strength") == "weak" || waves[to] < waves[from], "{edge}");
            format!("{from} -> {to}  {} {}\n", part("reason"), part("strength"))
        })
        .collect();
    let lines: Vec<String> = edges.into_iter().collect();
    harness::matches_file(&example().join("expected-edges.txt"), &lines.concat());
    let declared: Vec<&String> = lines.iter().filter(|line| line.contains("depends-on")).collect();
    assert_eq!(declared, Vec::<&String>::new(), "nothing but one address is declared");
    assert!(lines.contains(&"kyverno -> pvc-plumber  requires strong\n".to_owned()));
}

#[test]
fn a_member_of_an_early_wave_that_needs_a_later_one_leaves_its_wave_visibly() {
    let tree = Tree::copy_of(&example());
    tree.write(
        "infrastructure/storage/volsync/certificate.yaml",
        "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata:\n  name: volsync\nspec:\n  secretName: volsync\n  \
         issuerRef: {kind: ClusterIssuer, name: internal}\n",
    );
    let told = tree.run(&["plan"]).refused();
    assert!(told.contains("`volsync`") && told.contains("`cert-manager`"), "{told}");
}

#[test]
fn the_checks_make_each_wave_wait_for_its_children() {
    let patch = documents(&run(&example(), &["health-checks", "."]).succeeded()).remove(0);
    assert_eq!(patch["metadata"]["name"], "argocd-cm");
    let keys: Vec<&String> = patch["data"].as_object().expect("checks").keys().collect();
    let prefix = "resource.customizations.health.argoproj.io_";
    for kind in ["Application", "ApplicationSet"] {
        let lua =
            patch["data"][format!("{prefix}{kind}")].as_str().unwrap_or_else(|| panic!("{kind} in {keys:?}"));
        assert!(lua.contains("Progressing"), "{lua}");
    }
    harness::matches_file(
        &example().join("expected-health-checks.yaml"),
        &run(&example(), &["health-checks", "."]).stdout,
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
fn as_one_application_it_is_numbered_anew() {
    let rendered = run(&example(), &["render"]);
    assert_eq!(rendered.stderr, "");
    let kinds = documents(&rendered.succeeded());
    assert!(kinds.iter().any(|one| one["metadata"]["name"] == "immich"));
    let told = run(&example(), &["render", "--waves", "banded"]).refused();
    assert!(told.contains("error[rung-too-short]"), "{told}");
}
