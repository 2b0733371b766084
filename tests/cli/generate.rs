//! The plugin's commands: configured by the environment alone, and the same bytes as `render`.

use std::path::Path;

use crate::harness::{Run, Surroundings, Tree, run, run_in};

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: made}\n";

fn example() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/rollout-phases")
}

fn generate(variables: &[(&str, &str)]) -> Run {
    run_in(&example(), &["generate"], &Surroundings { variables, ..Surroundings::default() })
}

fn parameters(text: &str) -> Run {
    generate(&[("ARGOCD_APP_PARAMETERS", text)])
}

#[test]
fn generate_writes_what_render_writes() {
    for (variables, arguments) in [
        (vec![], vec![]),
        (vec![("ARGOCD_APP_PARAMETERS", "null"), ("KUBE_VERSION", ""), ("KUBE_API_VERSIONS", "")], vec![]),
        (vec![("ARGOCD_APP_NAMESPACE", "vault")], vec!["--namespace", "vault"]),
        (
            vec![(
                "ARGOCD_APP_PARAMETERS",
                r#"[{"name":"phases","string":"100-199"},{"name":"waves","string":"dense"}]"#,
            )],
            vec!["--phases", "100-199", "--waves", "dense"],
        ),
        (vec![("ARGOCD_ENV_LADDER_PHASES", "100-199")], vec!["--phases", "100-199"]),
        (vec![("ARGOCD_ENV_LADDER_PHASES", " 100 - 199\n")], vec!["--phases", "100-199"]),
        (vec![("ARGOCD_ENV_LADDER_PHASES", "-199")], vec!["--phases=010-199"]),
        (
            vec![("ARGOCD_APP_PARAMETERS", r#"[{"name":"component","array":["foundation-vault-core"]}]"#)],
            vec!["--component", "foundation-vault-core"],
        ),
    ] {
        let rendered = run(&example(), &[&["render", "."][..], &arguments].concat());
        assert_eq!(generate(&variables), rendered, "{variables:?}");
        assert!(!rendered.succeeded().is_empty());
    }
    for target in ["manifests", "applications", "applicationset", "flux"] {
        let rendered = run(&example(), &["render", ".", "--target", target]);
        assert_eq!(generate(&[("ARGOCD_ENV_LADDER_TARGET", target)]), rendered, "{target}");
        assert!(!rendered.succeeded().is_empty(), "{target}");
    }
}

#[test]
fn parameters_that_do_not_fit_are_refused() {
    for (text, expected) in [
        (r#"[{"name":"componant","string":"x"}]"#, "did you mean `component`?"),
        (r#"[{"name":"target","string":"manifest"}]"#, "did you mean `manifests`?"),
        (
            r#"[{"name":"component","array":["foundation-vault-cor"]}]"#,
            "did you mean `foundation-vault-core`?",
        ),
        (r#"[{"name":"phases","string":"156"}]"#, "there is no rung `156`"),
        (r#"[{"name":"phases","string":"-"}]"#, "`-` names no rung"),
        (r#"[{"name":"environment","string":"mars"}]"#, "there is no environment `mars`"),
    ] {
        let message = parameters(text).refused();
        assert!(message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn an_empty_result_is_refused_unless_it_is_meant() {
    // 499 is a rung of the ladder on which this selection has nothing.
    let nothing = r#"{"name":"component","string":"foundation-vault-core"},{"name":"phases","string":"650"}"#;
    let message = parameters(&format!("[{nothing}]")).refused();
    assert!(message.contains("an empty result would prune a cluster"), "{message}");
    let meant = parameters(&format!(r#"[{nothing},{{"name":"allow-empty","string":"true"}}]"#));
    assert_eq!(meant.succeeded(), "");
}

#[test]
fn the_announcement_lists_what_the_repo_has() {
    let tree = Tree::of(&[
        ("ladder.yaml", "environments: {dev: {}, prod: {}}\n"),
        ("apps/web/component.yaml", "name: web\nenvironments: [dev]\nchart: {path: chart}\n"),
    ]);
    let announced = tree.run(&["parameters"]).json();
    let tooltip = |name: &str| {
        let all = announced.as_array().unwrap().iter();
        let one = all.clone().find(|one| one["name"] == name).unwrap();
        one["tooltip"].as_str().unwrap().to_owned()
    };
    assert!(tooltip("component").contains("web"));
    assert!(tooltip("environment").contains("dev, prod"));
    assert!(tooltip("phases").contains("010, 020, 099, 100"));
    let names: Vec<&str> =
        announced.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["target", "component", "environment", "phases", "waves", "allow-empty"]);
    for one in announced.as_array().unwrap() {
        let kind = one["collectionType"].as_str().unwrap();
        assert!(
            one[kind].is_string() || one[kind].is_array(),
            "{one}: Argo CD reads the default by its kind"
        );
    }
}

#[test]
fn the_announcement_lists_what_the_ladder_makes_of_the_repo() {
    let announced = run(&example(), &["parameters"]).json();
    let plan = run(&example(), &["plan", "--format", "json"]).json();
    let split =
        plan["components"].as_array().unwrap().iter().find(|one| !one["splitFrom"].is_null()).unwrap();
    let tooltip = announced[1]["tooltip"].as_str().unwrap();
    assert!(tooltip.contains(split["name"].as_str().unwrap()), "{tooltip}");
    let tree = Tree::of(&[
        ("apps/a/component.yaml", "name: a\nrolloutPhase: \"650\"\n"),
        ("apps/b/component.yaml", "name: b\nrolloutPhase: \"650\"\n"),
        ("apps/c/component.yaml", "name: c\ncomponentType: runtime\ndependsOn: [a]\n"),
        ("apps/a/a.yaml", CONFIG_MAP),
        ("apps/b/b.yaml", CONFIG_MAP),
        ("apps/c/c.yaml", CONFIG_MAP),
    ]);
    let announced = tree.run(&["parameters"]).json();
    let tooltip = announced[3]["tooltip"].as_str().unwrap();
    assert!(tooltip.contains("650, 655"), "the rung that grew: {tooltip}");
}

#[test]
fn a_broken_repo_has_an_announcement() {
    let tree = Tree::of(&[("apps/web/component.yaml", "name: [\n")]);
    let run = tree.run(&["parameters"]);
    assert!(run.stderr.contains("apps/web/component.yaml"), "{}", run.stderr);
    assert_eq!(run.json()[0]["name"], "target");
}

#[test]
fn variables_set_to_nothing_are_unset() {
    let variables = ["TIMEOUT", "JOBS", "ALLOW_REMOTE", "CACHE_DIR", "CACHE_MIB"]
        .map(|name| (format!("LADDER_{name}"), ""));
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    assert_eq!(generate(&variables), generate(&[]));
    let refused = generate(&[("LADDER_TIMEOUT", "soon")]).refused();
    assert!(refused.contains("invalid value"), "{refused}");
}
