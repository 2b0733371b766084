//! Each command does what its help says: examples, schemas, completions, files written whole or not at all.

use std::fs;

use serde_json::Value;

use crate::harness::{Surroundings, Tree, entries, example, repository, run, run_in};

const CONFIG: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";

/// Two components that render.
fn tree() -> Tree {
    Tree::of(&[
        ("shop/component.yaml", "name: shop\n"),
        ("shop/config.yaml", CONFIG),
        ("web/component.yaml", "name: web\n"),
        ("web/pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n"),
    ])
}

/// Commands as the help lists them.
fn commands() -> Vec<String> {
    let help = run(repository(), &["--help"]).succeeded();
    let listed =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // Deeper lines go on with a description.
    let first =
        |line: &'_ str| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')).map(str::to_owned);
    let commands = listed.filter_map(first);
    let names =
        commands.filter_map(|line| line.split(' ').next().map(str::to_owned)).filter(|name| name != "help");
    names.collect()
}

#[test]
fn every_command_has_help_with_an_example() {
    let commands = commands();
    assert!(
        ["render", "plan", "explain", "schema", "completions"]
            .iter()
            .all(|name| commands.contains(&(*name).to_owned()))
    );
    for command in commands {
        let help = run(repository(), &[&command, "--help"]).succeeded();
        let example = help.split_once("\nExample:\n").map(|(_, example)| example.to_owned());
        assert!(
            example.is_some_and(|text| text.contains(&format!("argocd-ladder {command}"))),
            "{command}: {help}"
        );
    }
}

#[test]
fn examples_in_the_help_work_as_they_stand() {
    let mut worked = 0;
    for command in commands() {
        let help = run(repository(), &[&command, "--help"]).succeeded();
        for line in help.lines().filter_map(|line| line.trim().strip_prefix("argocd-ladder ")) {
            let typed = line.split(['>', '|']).next().unwrap_or(line);
            let args: Vec<&str> = typed.split_whitespace().collect();
            if !args.contains(&"-") {
                let run = run(repository(), &args);
                assert_eq!(run.exit, 0, "{line}: {}", run.stderr);
                worked += 1;
            }
        }
    }
    assert!(worked >= 8, "only {worked} examples could be tried");
}

#[test]
fn the_version_is_the_package_s() {
    let version = run(repository(), &["--version"]).succeeded();
    assert_eq!(version, format!("argocd-ladder {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn schemas_are_json_and_know_every_field_of_the_design() {
    for (file, fields) in [
        (
            "component",
            "name domain componentType dependencyPhase rolloutPhase project namespace dependsOn provides requires \
             path manifests kustomize chart syncOptions syncPolicy ignoreDifferences labels annotations environments \
             waitFor timeout retries",
        ),
        (
            "ladder",
            "preset waves grow existingOrder domains rungs rules edges makes kinds providers external targets environments",
        ),
    ] {
        let schema: Value = run(repository(), &["schema", file]).json();
        let properties = schema["properties"].as_object().expect("a schema of an object");
        for field in fields.split_whitespace() {
            let described = properties.get(field).is_some_and(|property| property["description"].is_string());
            assert!(described, "{file}: `{field}` is there and described");
        }
        assert!(
            schema["$schema"].as_str().is_some_and(|draft| draft.contains("draft-07")),
            "editors read draft 7"
        );
    }
}

#[test]
fn completions_name_every_command_in_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(repository(), &["completions", shell]).succeeded();
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
        assert!(!script.contains("launch"), "{shell} offers what only we run");
    }
}

#[test]
fn a_file_is_written_whole_and_nothing_else() {
    let tree = tree();
    let printed = tree.run(&["render"]).succeeded();
    let run = tree.run(&["render", "-o", "all.txt"]);
    assert_eq!((run.exit, run.stdout.as_str()), (0, ""), "{}", run.stderr);
    assert_eq!(fs::read_to_string(tree.path().join("all.txt")).unwrap(), printed);
    assert_eq!(entries(tree.path()).len(), 3, "no temporary file stays behind");
}

#[test]
fn a_failed_run_leaves_the_old_file_and_directory_alone() {
    let tree = tree();
    tree.write("web/pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata:\n  name: [\n");
    tree.write("all.txt", "old");
    tree.write("out/shop.yaml", "old");
    for target in ["all.txt", "out", "out/", "new/"] {
        tree.run(&["render", "-o", target]).refused();
    }
    assert_eq!(fs::read_to_string(tree.path().join("all.txt")).unwrap(), "old");
    assert_eq!(fs::read_to_string(tree.path().join("out/shop.yaml")).unwrap(), "old");
    assert_eq!(entries(&tree.path().join("out")).len(), 1);
    assert!(!tree.path().join("new").exists(), "a failed run makes no directory");
}

#[test]
fn a_directory_gets_one_file_per_component() {
    let tree = tree();
    let printed = tree.run(&["render"]).succeeded();
    fs::create_dir(tree.path().join("there")).unwrap();
    for target in ["there", "made/deep/"] {
        let run = tree.run(&["render", "-o", target]);
        assert_eq!((run.exit, run.stdout.as_str()), (0, ""), "{}", run.stderr);
        let files = crate::harness::files(&tree.path().join(target));
        assert_eq!(files, ["shop.yaml", "web.yaml"], "{target}");
        let texts: Vec<String> = files
            .iter()
            .map(|file| fs::read_to_string(tree.path().join(target).join(file)).unwrap())
            .collect();
        assert_eq!(texts.concat(), printed, "{target}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_refused_by_name() {
    let message = tree().run(&["render", "-o", "missing/all.txt"]).refused();
    assert!(message.contains("missing/all.txt"), "{message}");
}

#[test]
fn plan_and_render_take_manifests_from_standard_input() {
    let tree = Tree::empty();
    let surroundings = Surroundings { stdin: CONFIG.as_bytes(), variables: &[] };
    let plan = run_in(tree.path(), &["plan", "-", "--format", "json", "--resources"], &surroundings).json();
    assert_eq!(plan["resources"][0]["id"], "v1/ConfigMap/default/a");
    let out = run_in(tree.path(), &["render", "-"], &surroundings).succeeded();
    assert!(out.contains("argocd.argoproj.io/sync-wave"), "{out}");
    let message =
        run_in(tree.path(), &["render", "-"], &Surroundings { stdin: b"\xff", variables: &[] }).refused();
    assert!(message.starts_with("-: error[unreadable-file]: standard input is not UTF-8"), "{message}");
}

#[test]
fn the_json_plan_keeps_its_contract() {
    let plan = run(&example(), &["plan", "--format", "json", "--resources"]).json();
    assert_eq!(plan["schemaVersion"], 1);
    for (list, fields) in [
        ("phases", "phase components"),
        (
            "components",
            "name domain role roleSource basePhase phase pinned path resources wave fixes waitsFor",
        ),
        ("edges", "from to reason strength gate fromResource toResource origin dropped"),
        ("resourceEdges", "from to reason strength gate fromResource toResource origin dropped"),
        ("resources", "id component wave hook"),
    ] {
        let rows = plan[list].as_array().unwrap_or_else(|| panic!("`{list}` is a list"));
        assert!(!rows.is_empty(), "{list}");
        for row in rows {
            for field in fields.split(' ') {
                assert!(row.get(field).is_some(), "{list} have `{field}`: {row}");
            }
        }
    }
    let without = run(&example(), &["plan", "--format", "json"]).json();
    assert!(without.get("resourceEdges").is_none() && without.get("resources").is_none());
    assert_eq!(without["edges"], plan["edges"]);
}
