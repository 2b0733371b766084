//! The example platform: every component on its expected rung, every fix switchable, and nothing hangs on names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;
use serde_yaml::Value as Yaml;

use crate::harness::{self, Tree, example, files, run};

/// The ladder of the default preset: id and how many Applications may update at once.
const RUNGS: &str = "010:3 020:2 099:2 100:3 110:3 120:2 130:4 140:4 150:6 155:2 199:2 \
    210:3 220:2 230:4 240:4 250:6 260:2 299:2 310:3 320:2 330:4 340:4 350:6 355:2 399:2 \
    410:3 420:2 430:4 440:4 450:6 455:2 499:2 510:3 520:2 530:4 540:4 550:6 599:2 \
    610:3 620:2 630:4 640:4 650:10 699:3";

/// `plan --format json` of a directory.
pub(crate) fn plan(directory: &Path) -> Value {
    run(directory, &["plan", "--format", "json"]).json()
}

/// Components of a plan by name.
pub(crate) fn components(plan: &Value) -> BTreeMap<String, Value> {
    let list = plan["components"].as_array().expect("a list of components");
    list.iter().map(|component| (word(&component["name"]), component.clone())).collect()
}

/// Component → one of its fields.
fn field(plan: &Value, name: &str) -> BTreeMap<String, String> {
    components(plan).into_iter().map(|(component, view)| (component, word(&view[name]))).collect()
}

pub(crate) fn word(value: &Value) -> String {
    value.as_str().expect("a string").to_owned()
}

#[test]
fn every_component_stands_on_its_expected_phase() {
    let expected = fs::read_to_string(example().join("expected-phases.txt")).unwrap();
    let expected: BTreeMap<String, String> = expected
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, phase)| (name.to_owned(), phase.to_owned()))
        .collect();
    assert_eq!(field(&plan(&example()), "phase"), expected);
}

#[test]
fn every_target_writes_what_is_expected() {
    for target in ["applications", "applicationset", "flux"] {
        let output = run(&example(), &["render", "--target", target]).succeeded();
        harness::matches_file(&example().join(format!("expected-{target}.yaml")), &output);
    }
    // The bytes of every object stand in the content hashes above; this is their order.
    let objects = harness::documents(&run(&example(), &["render"]).succeeded());
    let line = |object: &Value| {
        let metadata = &object["metadata"];
        let wave = metadata["annotations"]["argocd.argoproj.io/sync-wave"].as_str().unwrap_or("-");
        let namespace = metadata["namespace"].as_str().unwrap_or_default();
        format!("{wave} {}/{namespace}/{}\n", word(&object["kind"]), word(&metadata["name"]))
    };
    let order: String = objects.iter().map(line).collect();
    harness::matches_file(&example().join("expected-manifests.txt"), &order);
}

#[test]
fn the_ladder_has_its_44_rungs_in_order() {
    let tree = Tree::empty();
    for (number, rung) in RUNGS.split_whitespace().enumerate() {
        let (id, _) = rung.split_once(':').unwrap();
        let role = if id.ends_with("99") { "smoke" } else { "config" };
        tree.write(
            &format!("c{number}/component.yaml"),
            format!("name: c{number}\ncomponentType: {role}\nrolloutPhase: \"{id}\"\n"),
        );
    }
    let plan = plan(tree.path());
    let shown: Vec<String> = plan["phases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|phase| format!("{}:{}", phase["phase"].as_str().unwrap(), phase["maxUpdate"]))
        .collect();
    assert_eq!(shown.len(), 44);
    assert_eq!(shown.join(" "), RUNGS);
}

#[test]
fn a_fix_switched_off_changes_exactly_what_it_reports() {
    let with = components(&plan(&example()));
    let reports = |component: &Value, fix: &str| {
        component["fixes"].as_array().is_some_and(|fixes| fixes.iter().any(|applied| applied["rule"] == fix))
    };
    let fixes: BTreeSet<String> = with
        .values()
        .flat_map(|component| component["fixes"].as_array().cloned().unwrap_or_default())
        .map(|fix| word(&fix["rule"]))
        .collect();
    assert_eq!(fixes.len(), 9, "{fixes:?}");
    let tree = Tree::copy_of(&example());
    for fix in &fixes {
        tree.write("ladder.yaml", format!("rules: {{{fix}: off}}\n"));
        let plan = plan(tree.path());
        let without = field(&plan, "phase");
        let mut expected = BTreeMap::new();
        for (name, component) in &with {
            let is_reported = reports(component, fix);
            if is_reported && component.get("splitFrom").is_some() {
                continue;
            }
            let phase = if is_reported { unfixed(&plan, component) } else { word(&component["phase"]) };
            expected.insert(name.clone(), phase);
        }
        assert_eq!(without, expected, "without {fix}");
    }
}

/// Where a component stands without its fix: on its base phase, unless what else it strongly waits for stands there.
fn unfixed(plan: &Value, component: &Value) -> String {
    let base = word(&component["basePhase"]);
    let phases = field(plan, "phase");
    let strong = |edge: &&Value| edge["from"] == component["name"] && edge["strength"] == "strong";
    let edges = plan["edges"].as_array().expect("a list of edges");
    let highest = edges.iter().filter(strong).map(|edge| phases[&word(&edge["to"])].clone()).max();
    let Some(need) = highest.filter(|need| *need >= base) else { return base };
    let rungs = RUNGS.split_whitespace().filter_map(|rung| rung.split_once(':'));
    let above = rungs.map(|(id, _)| id).find(|id| *id > need.as_str());
    above.expect("a rung above").to_owned()
}

#[test]
fn names_of_components_and_folders_do_not_matter() {
    let source = example();
    let plan_before = plan(&source);
    let phases = field(&plan_before, "phase");
    let neutral: BTreeMap<String, String> = components(&plan_before)
        .into_iter()
        .filter(|(_, component)| component.get("splitFrom").is_none())
        .enumerate()
        .map(|(number, (name, _))| (name, format!("c{:02}", number + 1)))
        .collect();
    let tree = renamed(&source, &neutral);
    let renamed = field(&plan(tree.path()), "phase");
    let expected: BTreeMap<String, String> = phases
        .into_iter()
        .map(|(name, phase)| match (neutral.get(&name), name.strip_suffix("-crds")) {
            (Some(new), _) => (new.clone(), phase),
            (None, Some(origin)) => (format!("{}-crds", neutral[origin]), phase),
            (None, None) => panic!("`{name}` has a neutral name"),
        })
        .collect();
    assert_eq!(renamed, expected);
}

/// A copy in which every component and its folder has its neutral name.
fn renamed(source: &Path, neutral: &BTreeMap<String, String>) -> Tree {
    let tree = Tree::empty();
    let mut folders = BTreeMap::new();
    for file in files(source).iter().filter(|file| file.ends_with("/component.yaml")) {
        let text = fs::read_to_string(source.join(file)).expect("a descriptor can be read");
        let mut descriptor: Yaml = serde_yaml::from_str(&text).expect("a descriptor is YAML");
        let name = descriptor["name"].as_str().expect("a name").to_owned();
        descriptor["name"] = neutral[&name].clone().into();
        if let Some(Yaml::Sequence(waits)) = descriptor.get_mut("dependsOn") {
            for wait in waits {
                *wait = neutral[wait.as_str().expect("a name")].clone().into();
            }
        }
        let folder = file.trim_end_matches("/component.yaml");
        let (domain, _) = folder.split_once('/').expect("domain/folder");
        let new = format!("{domain}/{}", neutral[&name]);
        tree.write(&format!("{new}/component.yaml"), serde_yaml::to_string(&descriptor).expect("YAML"));
        folders.insert(folder.to_owned(), new);
    }
    for file in files(source).iter().filter(|file| !file.ends_with("/component.yaml")) {
        let Some((folder, rest)) = file.rsplit_once('/').filter(|(folder, _)| folders.contains_key(*folder))
        else {
            continue;
        };
        let bytes = fs::read(source.join(file)).expect("a manifest can be read");
        tree.write(&format!("{}/{rest}", folders[folder]), bytes);
    }
    tree
}

#[test]
fn one_new_descriptor_lands_on_155_with_file_and_line() {
    let tree = Tree::copy_of(&example());
    tree.write("foundation/second-store/component.yaml", "name: second-store\n");
    tree.write(
        "foundation/second-store/store.yaml",
        "apiVersion: external-secrets.io/v1
kind: SecretStore
metadata:
  name: second
  namespace: ameide
spec:
  provider:
    vault:
      server: http://vault.vault.svc:8200
      path: secret
",
    );
    assert_eq!(components(&plan(tree.path()))["second-store"]["phase"], "155");
    let told = tree.run(&["explain", "second-store"]).succeeded();
    assert!(told.starts_with("second-store stands on 155, wave 155"), "{told}");
    for part in [
        "secretstore-after-provider",
        "secret-store-provider",
        "`SecretStore/ameide/second`",
        "`Service/vault/vault`",
        "(foundation/second-store/store.yaml:9)",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let before = field(&plan(&example()), "phase");
    let mut after = field(&plan(tree.path()), "phase");
    after.remove("second-store");
    assert_eq!(after, before, "nobody else moves");
}
