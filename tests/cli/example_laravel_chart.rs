//! The laravel-chart example: three charts, every resource on the wave of its table, through plugin and filter alike.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use crate::harness::{Run, Surroundings, Tree, matches_file, repository, run_in};
use crate::real_tools::{path_with, tool};

const CHARTS: [&str; 3] = ["laravel", "yii2", "wordpress-bedrock"];

fn charts() -> PathBuf {
    repository().join("examples/laravel-chart")
}

/// A copy of the example whose `ladder.yaml` goes on with a strategy.
fn with(strategy: &str) -> Tree {
    let tree = Tree::copy_of(&charts());
    let read = |file: &str| std::fs::read_to_string(charts().join(file)).expect("it can be read");
    tree.write("ladder.yaml", read("ladder.yaml") + &read(&format!("strategies/{strategy}.yaml")));
    tree
}

/// Runs on a tree with helm on the PATH.
fn run_on(tree: &Tree, path: &str, arguments: &[&str], stdin: &str) -> Run {
    let variables = [("PATH", path)];
    run_in(tree.path(), arguments, &Surroundings { stdin: stdin.as_bytes(), variables: &variables })
}

fn plan(tree: &Tree, path: &str) -> Value {
    run_on(tree, path, &["plan", "--format", "json", "--resources"], "").json()
}

fn word<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} in {value}"))
}

/// `Kind/name` of a resource id without its group and namespace.
fn short(id: &str) -> String {
    let parts: Vec<&str> = id.split('/').collect();
    format!("{}/{}", parts[1], parts[3])
}

/// Component and `Kind/name` → hook and wave.
fn waves(plan: &Value) -> BTreeMap<(String, String), String> {
    let resources = plan["resources"].as_array().expect("resources");
    let one = |resource: &Value| {
        let key = (word(resource, "component").to_owned(), short(word(resource, "id")));
        (key, format!("{} {}", word(resource, "hook"), resource["wave"]))
    };
    resources.iter().map(one).collect()
}

/// The rows of a chart's table: what it is called there, the resources, the wave.
fn rows(chart: &str) -> Vec<(&'static str, Vec<String>, i64)> {
    let named = |names: &[&str]| names.iter().map(|name| name.replace('@', chart)).collect::<Vec<_>>();
    let redis = ["PersistentVolumeClaim/@-redis", "Service/@-redis", "Deployment/@-redis"];
    let mut rows = vec![
        ("database", named(&["Database/@"]), -3),
        ("redis", named(&redis), -2),
        ("deployment", named(&["Deployment/@"]), 0),
        ("service", named(&["Service/@"]), 0),
        ("ingress", named(&["Ingress/@"]), 0),
    ];
    let (migration, workers, crons): (&str, &[&str], &[&str]) = match chart {
        "laravel" => (
            "Job/@-migration-4-2-0",
            &["Deployment/@-queue-default", "Deployment/@-queue-mail"],
            &["CronJob/@-scheduler", "CronJob/@-prune"],
        ),
        "yii2" => ("Job/@-migration-2-0-7", &["Deployment/@-queue-default"], &["CronJob/@-reports"]),
        _ => return rows,
    };
    rows.push(("migration", named(&[migration]), -1));
    rows.push(("queue workers", named(workers), 0));
    rows.push(("cronjobs", named(crons), 0));
    rows
}

/// Every row of the tables, with these numbers instead of the usual ones.
fn check_rows(plan: &Value, number: impl Fn(i64) -> i64) {
    let waves = waves(plan);
    for chart in CHARTS {
        for (row, resources, wave) in rows(chart) {
            for resource in resources {
                let shown = waves.get(&(chart.to_owned(), resource.clone()));
                let expected = format!("Sync {}", number(wave));
                assert_eq!(shown, Some(&expected), "{chart}, {row}: {resource}");
            }
        }
    }
}

#[test]
fn every_row_of_the_three_tables_has_its_wave() {
    let Some(path) = path_with(&["helm"]) else { return };
    let plan = plan(&Tree::copy_of(&charts()), &path);
    assert_eq!(plan["findings"], serde_json::json!([]));
    check_rows(&plan, |wave| wave);
    let table: String = waves(&plan)
        .iter()
        .map(|((chart, resource), wave)| format!("{chart} {resource}: {wave}\n"))
        .collect();
    matches_file(&charts().join("expected-waves.txt"), &table);
}

#[test]
fn every_edge_is_found_in_the_manifests() {
    let Some(path) = path_with(&["helm"]) else { return };
    let plan = plan(&Tree::copy_of(&charts()), &path);
    assert_eq!(plan["edges"], serde_json::json!([]), "charts do not wait for each other");
    let mut edges: Vec<String> = Vec::new();
    for edge in plan["resourceEdges"].as_array().expect("edges") {
        let [from, to] = ["fromResource", "toResource"].map(|end| short(word(edge, end)));
        let [reason, strength, gate] = ["reason", "strength", "gate"].map(|key| word(edge, key));
        edges.push(format!("{}: {from} waits for {to}: {reason}, {strength}, {gate}\n", word(edge, "from")));
    }
    edges.sort();
    matches_file(&charts().join("expected-edges.txt"), &edges.concat());
}

#[test]
fn own_numbers_move_what_stands_on_them_and_nothing_else() {
    let Some(path) = path_with(&["helm"]) else { return };
    let plan = plan(&with("own-numbers"), &path);
    check_rows(&plan, |wave| match wave {
        -3 => -5,
        -2 => -3,
        other => other,
    });
}

#[test]
fn switched_off_nothing_gets_a_wave() {
    let Some(path) = path_with(&["helm"]) else { return };
    let rendered = run_on(&with("off"), &path, &["render"], "").succeeded();
    assert!(!rendered.contains("sync-wave"), "{rendered}");
    assert_eq!(rendered.matches("\nkind: ").count(), 40);
}

/// Documents with a mark of their own, without their order and the line that joins them.
fn documents(text: &str) -> Vec<String> {
    let text = text.strip_prefix("---\n").unwrap_or(text);
    let mut documents: Vec<String> = text.split("\n---\n").map(|one| one.trim_end().to_owned()).collect();
    documents.sort();
    documents
}

#[test]
fn plugin_render_and_filter_write_the_same() {
    let Some(path) = path_with(&["helm"]) else { return };
    let tree = Tree::copy_of(&charts());
    for chart in CHARTS {
        let rendered = run_on(&tree, &path, &["render", "--component", chart], "").succeeded();
        let variables = [("PATH", path.as_str()), ("ARGOCD_ENV_LADDER_COMPONENT", chart)];
        let surroundings = Surroundings { variables: &variables, ..Surroundings::default() };
        let generated = run_in(tree.path(), &["generate"], &surroundings).succeeded();
        assert_eq!(generated, rendered, "{chart}");
        let template = tool(tree.path(), &path, "helm", &["template", chart, chart]);
        let filtered = run_on(&tree, &path, &["render", "-", "--settings", "ladder.yaml"], &template);
        // A stream has no descriptor that names its namespace.
        let plain = rendered.replace(&format!("  namespace: \"{chart}\"\n"), "");
        assert_eq!(documents(&filtered.succeeded()), documents(&plain), "{chart}");
        let waveless = |text: &str| {
            let kept = |line: &&str| !line.contains("sync-wave:") && *line != "  annotations:";
            documents(&text.lines().filter(kept).map(|line| format!("{line}\n")).collect::<String>())
        };
        assert_eq!(waveless(&plain), waveless(&template), "{chart}: only waves are added");
    }
}

#[test]
fn existing_hooks_stay() {
    let Some(path) = path_with(&["helm"]) else { return };
    let tree = Tree::copy_of(&charts());
    let found = waves(&plan(&tree, &path));
    let wave = |chart: &str, job: &str| found[&(chart.to_owned(), format!("Job/{job}"))].clone();
    assert_eq!(wave("laravel", "laravel-warm-up"), "PostSync 0");
    assert_eq!(wave("yii2", "yii2-flush-cache"), "PostSync 5");
    let rendered = run_on(&tree, &path, &["render"], "").succeeded();
    for kept in [
        "argocd.argoproj.io/hook: PostSync\n    argocd.argoproj.io/hook-delete-policy: HookSucceeded\n",
        "helm.sh/hook: post-install,post-upgrade\n",
        "helm.sh/hook-weight: \"5\"\n",
    ] {
        assert!(rendered.contains(kept), "{kept}");
    }
}

/// The example with the migrations as hooks.
fn migration_as(hook: &str) -> Tree {
    let tree = Tree::copy_of(&charts());
    for chart in ["laravel", "yii2"] {
        let values =
            std::fs::read_to_string(charts().join(format!("{chart}/values.yaml"))).expect("it can be read");
        let own = format!("annotations: {{argocd.argoproj.io/hook: {hook}}}\n");
        let changed = values.replacen("annotations: {}\n", &own, 1);
        assert_ne!(changed, values);
        tree.write(&format!("{chart}/values.yaml"), changed);
    }
    tree
}

#[test]
fn a_migration_that_is_a_hook_of_the_sync_keeps_its_wave_and_its_hook() {
    let Some(path) = path_with(&["helm"]) else { return };
    let tree = migration_as("Sync");
    check_rows(&plan(&tree, &path), |wave| wave);
    let rendered = run_on(&tree, &path, &["render"], "").succeeded();
    assert_eq!(rendered.matches("argocd.argoproj.io/hook: Sync\n").count(), 2);
}

#[test]
fn a_migration_before_the_sync_is_refused_because_its_database_is_not_there() {
    let Some(path) = path_with(&["helm"]) else { return };
    let message = run_on(&migration_as("PreSync"), &path, &["render"], "").refused();
    for chart in ["laravel", "yii2"] {
        let job = format!("`Job/{chart}/{chart}-migration-");
        let database = format!("without waiting for `Database/{chart}/{chart}` (Sync wave -3): pod-secret");
        assert!(message.contains(&job) && message.contains(&database), "{message}");
    }
}

#[test]
fn a_database_behind_its_migration_is_refused() {
    let Some(path) = path_with(&["helm"]) else { return };
    let tree = Tree::copy_of(&charts());
    let ladder = std::fs::read_to_string(charts().join("ladder.yaml")).unwrap();
    let late = "rungs:\n  - {id: database, enabled: false}\n  - {id: late, after: application, wave: 1, select: {kinds: [Database]}}\n  - {id: post-runtime, wave: 2}\n  - {id: smokes, wave: 3}\n";
    tree.write("ladder.yaml", ladder + late);
    let message = run_on(&tree, &path, &["render"], "").refused();
    assert!(message.contains("has wave -1, but what it waits for has wave 1"), "{message}");
}

#[test]
fn argo_cd_is_taught_to_wait_for_the_database() {
    let Some(path) = path_with(&["helm"]) else { return };
    let checks = run_on(&Tree::copy_of(&charts()), &path, &["health-checks", "."], "").succeeded();
    assert!(checks.contains("resource.customizations.health.kindadb.example.com_Database: |"), "{checks}");
}

#[test]
fn every_wave_may_have_its_rollback_and_the_last_goes_first() {
    let Some(path) = path_with(&["helm"]) else { return };
    let tree = with("rollback");
    let rendered = run_on(&tree, &path, &["render"], "").succeeded();
    let jobs: BTreeMap<String, String> = serde_yaml::Deserializer::from_str(&rendered)
        .map(|one| <Value as serde::Deserialize>::deserialize(one).expect("YAML"))
        .filter(|one| one["metadata"]["annotations"]["argocd.argoproj.io/hook"] == "SyncFail")
        .map(|one| {
            let metadata = &one["metadata"];
            let wave = word(&metadata["annotations"], "argocd.argoproj.io/sync-wave");
            (format!("{}/{}", word(metadata, "namespace"), word(metadata, "name")), wave.to_owned())
        })
        .collect();
    let expected = [
        ("laravel/laravel-application-rollback", "0"),
        ("laravel/laravel-migration-rollback", "1"),
        ("wordpress-bedrock/wordpress-bedrock-application-rollback", "0"),
        ("yii2/yii2-application-rollback", "0"),
        ("yii2/yii2-migration-rollback", "1"),
    ];
    let expected = expected.map(|(job, wave)| (job.to_owned(), wave.to_owned()));
    assert_eq!(jobs, BTreeMap::from(expected));
}

/// What the text of a chart hashes to hangs on the version of helm.
fn without_hashes(written: &str) -> String {
    let hash = |word: &str| word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let line = |line: &str| match line.rsplit_once(' ') {
        Some((before, word)) if hash(word.trim_matches('"')) => format!("{before} HASH\n"),
        _ => format!("{line}\n"),
    };
    written.lines().map(line).collect()
}

#[test]
fn the_other_targets_are_as_expected() {
    let Some(path) = path_with(&["helm"]) else { return };
    let tree = Tree::copy_of(&charts());
    for target in ["applications", "applicationset", "flux"] {
        let written = run_on(&tree, &path, &["render", "--target", target], "").succeeded();
        let file = charts().join(format!("expected-{target}.yaml"));
        matches_file(&file, &without_hashes(&written));
    }
}
