//! What tools say: the message stays, secrets and what differs each time go.

use crate::harness::Tree;
use crate::sources::{program, run, tree};

/// Runs with a helm that says everything there is, and gives the message.
fn said(tree: &Tree) -> String {
    program(
        tree,
        "helm",
        "cat >&2; find . -name '*.yaml' -exec cat {} + >&2; echo 'Error: template: web/templates/x.yaml:1:3: bad' >&2; exit 1",
    );
    run(tree, &["render", "."]).refused()
}

#[test]
fn values_of_charts_below_a_chart_are_hidden() {
    let tree = tree("");
    for file in ["values-prod.yaml", "charts/db/values.yaml", "charts/db/charts/deep/values.yml"] {
        tree.write(&format!("apps/web/chart/{file}"), "auth: {password: canary-of-a-subchart}\n");
    }
    tree.write("apps/web/chart/values-broken.yaml", "a: [\npassword: canary-in-no-yaml\n");
    let message = said(&tree);
    assert!(message.contains("web/templates/x.yaml:1:3: bad") && !message.contains("canary"), "{message}");
}

#[test]
fn keys_of_values_are_hidden_unless_a_template_names_them() {
    let tree = tree("");
    tree.write("apps/web/chart/templates/x.yaml", "{{ range .Values.accounts }}{{ end }}\n");
    tree.write("apps/web/chart/values.yaml", "accounts: {canary-account: admin}\n");
    let message = said(&tree);
    assert!(message.contains("accounts: {***: admin}"), "{message}");
}

#[test]
fn a_message_stays_readable_whatever_the_values_are() {
    let tree = tree("");
    tree.write("apps/web/chart/templates/x.yaml", "{{ fail .Values.kind }}\n");
    tree.write("apps/web/chart/values.yaml", "kind: template\ndir: templates\nfolder: apps/web\n");
    program(
        &tree,
        "helm",
        "echo 'Error: template: web/templates/x.yaml:1:3: executing \"web/templates/x.yaml\" at <fail>: bad' >&2; exit 1",
    );
    let message = run(&tree, &["render", "."]).refused();
    assert!(message.contains("`helm template ./apps/web/chart --name-template=web"), "{message}");
    assert!(
        message.contains(
            "Error: template: web/templates/x.yaml:1:3: executing \"web/templates/x.yaml\" at <fail>: bad"
        ),
        "{message}"
    );
    assert!(message.contains("with the component's values on its standard input"), "{message}");
}

#[test]
fn patches_and_values_of_a_kustomization_are_hidden() {
    let tree = Tree::of(&[
        ("apps/web/component.yaml", "name: web\n"),
        (
            "apps/web/kustomization.yaml",
            "patches:\n  - patch: |\n      kind: Deployment\n      spec: {password: canary-in-place}\n  - path: patch.yaml\n    target: {kind: Deployment}\npatchesJson6902:\n  - patch: '[{\"op\": \"replace\", \"path\": \"/spec/password\", \"value\": \"canary-in-json\"}]'\n    target: {kind: Deployment}\nhelmCharts:\n  - name: db\n    valuesFile: own.yaml\n    additionalValuesFiles: [more.yaml]\n    valuesInline: {canary-key: canary-inline}\n",
        ),
        ("apps/web/patch.yaml", "kind: Deployment\nspec: {password: canary-in-file}\n"),
        ("apps/web/own.yaml", "password: canary-in-values\n"),
        ("apps/web/more.yaml", "password: canary-in-more\n"),
        ("apps/web/charts/db/values.yaml", "password: canary-of-the-chart\n"),
    ]);
    program(&tree, "helm", "");
    program(&tree, "kustomize", "find . -name '*.yaml' -exec cat {} + >&2; exit 1");
    let message = run(&tree, &["render", "."]).refused();
    assert!(message.contains("kind: Deployment") && message.contains("\"path\": \"/spec/"), "{message}");
    assert!(!message.contains("canary"), "{message}");
}

#[test]
fn what_generators_read_and_what_is_no_patch_is_hidden() {
    for text in [
        "configMapGenerator: [{name: a, literals: [canary-without-name]}]\n",
        "configMapGenerator: [{name: a, envs: [a.env]}]\n",
        "secretGenerator: [{name: a, files: [key=a.env]}]\n",
        "patches: [{patch: 'canary of no patch: : x'}]\n",
    ] {
        let tree =
            Tree::of(&[("apps/web/component.yaml", "name: web\n"), ("apps/web/kustomization.yaml", text)]);
        let secrets = if text.contains("a.env") { "a.env" } else { "unused" };
        tree.write(&format!("apps/web/{secrets}"), b"A=canary-before-no-text\nB=canary\xff\n");
        // kustomize shows a line that is no text as it is, and byte by byte.
        let bytes = "66 61 99 97 110 97 114 121 255";
        program(
            &tree,
            "kustomize",
            &format!("echo said: [{bytes}] >&2; cat apps/web/k* apps/web/*.env >&2; exit 1"),
        );
        let message = run(&tree, &["render", "."]).refused();
        assert!(message.contains("said: ["), "{message}");
        assert!(!message.contains("canary"), "{text}: {message}");
        assert!(secrets == "unused" || !message.contains("99 97 110"), "{text}: {message}");
    }
}

#[test]
fn what_signs_somebody_in_is_hidden_in_a_tools_words() {
    let tree = tree("echo 'failed to fetch https://user:canary@charts.example.com/index.yaml' >&2; exit 1");
    tree.write(
        "apps/web/component.yaml",
        "name: web\nchart: {repoURL: 'https://user:canary@charts.example.com', name: web, version: 1.0.0}\n",
    );
    let message = run(&tree, &["render", ".", "--allow-remote"]).refused();
    assert!(message.contains("fetch https://charts.example.com/index.yaml"), "{message}");
    assert!(!message.contains("canary"), "{message}");
}

#[test]
fn a_message_is_the_same_each_time() {
    let tree = tree(
        "echo \"W1118 20:51:03.$$ $$ loader.go:12] no file in $PWD/apps/web\" >&2; echo \"in $TMPDIR/x\" >&2; exit 1",
    );
    let message = run(&tree, &["render", "."]).refused();
    assert!(message.contains("failed (exit status: 1): no file in apps/web\n  in ~/x"), "{message}");
    assert_eq!(run(&tree, &["render", "."]).refused(), message);
}
