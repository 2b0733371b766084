//! Sources that attack: what a tool is told never means more than the repo may say, and what it says never tells more.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::harness::{Run, Surroundings, Tree, run_in};
use crate::real_tools::path_with;

const CONFIG: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n";
const CONFIG_MAP: &str = "printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: made}\\n'";
const CHART: &str = "apiVersion: v2\nname: c\nversion: 1.0.0\n";

/// A program of the tree that runs `script`; its own files lie outside of every component.
fn program(tree: &Tree, name: &str, script: &str) {
    let path = format!(".tools/{name}");
    tree.write(&path, format!("#!/bin/sh\n[ \"$1\" = version ] && echo v1 && exit\n{script}\n"));
    fs::set_permissions(tree.path().join(path), fs::Permissions::from_mode(0o755))
        .expect("a file just written can be made a program");
}

fn run(tree: &Tree, args: &[&str]) -> Run {
    let path = format!("{}:/usr/bin:/bin", tree.path().join(".tools").display());
    run_with(tree, &path, args)
}

fn run_with(tree: &Tree, path: &str, args: &[&str]) -> Run {
    run_in(tree.path(), args, &Surroundings { variables: &[("PATH", path)], ..Surroundings::default() })
}

fn calls(tree: &Tree) -> String {
    fs::read_to_string(tree.path().join("calls")).unwrap_or_default()
}

#[test]
fn words_of_the_repo_are_never_options() {
    for (folder, name) in
        [("--help", "a"), ("--load-restrictor=LoadRestrictionsNone", "a"), ("web", "--debug")]
    {
        let tree = Tree::empty();
        tree.write(&format!("{folder}/Chart.yaml"), CHART);
        tree.write(&format!("{folder}/-f,x"), "a: b\n");
        let source = "namespace: --kubeconfig=x\nchart: {path: ., releaseName: '--post-renderer=x', valueFiles: ['-f,x']}";
        tree.write(&format!("{folder}/component.yaml"), format!("name: '{name}'\n{source}\n"));
        tree.write("k/component.yaml", "name: k\nkustomize: {path: --version}\n");
        tree.write("k/--version/kustomization.yaml", "resources: []\n");
        for tool in ["helm", "kustomize"] {
            program(&tree, tool, &format!("shift; printf '%s\\n' \"$@\" >> calls; {CONFIG_MAP}"));
        }
        run(&tree, &["render", ".", "--jobs", "1"]);
        let calls = calls(&tree);
        assert!(calls.contains("./k/--version\n") && calls.contains(&format!("./{folder}\n")), "{calls}");
        assert!(calls.contains(&format!("--values=\"./{folder}/-f,x\"\n")), "{calls}");
        let known = [
            "./",
            "--name-template=--post-renderer=x",
            "--namespace=--kubeconfig=x",
            "--values=",
            "--include-crds",
        ];
        let stray = calls.lines().find(|word| !known.iter().any(|known| word.starts_with(known)));
        assert_eq!(stray, None, "{calls}");
    }
}

#[test]
fn the_real_tools_take_a_folder_for_what_it_is() {
    let Some(path) = path_with(&["helm", "kustomize"]) else { return };
    let outside = Tree::of(&[("outside.txt", "canary-outside\n")]);
    let leak =
        format!("configMapGenerator: [{{name: leak, files: [{}/outside.txt]}}]\n", outside.path().display());
    let tree = Tree::of(&[
        ("kustomization.yaml", &leak),
        ("--load-restrictor=LoadRestrictionsNone/component.yaml", "name: k\n"),
        ("--load-restrictor=LoadRestrictionsNone/kustomization.yaml", "resources: [own.yaml]\n"),
        ("--load-restrictor=LoadRestrictionsNone/own.yaml", CONFIG),
        (
            "--help/component.yaml",
            "name: h\nchart: {path: ., valueFiles: ['-,v.yaml'], values: {two: second}}\n",
        ),
        ("--help/-,v.yaml", "one: first\n"),
        ("--help/Chart.yaml", CHART),
        (
            "--help/templates/c.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: made-{{ .Values.one }}-{{ .Values.two }}}\n",
        ),
    ]);
    let out = run_with(&tree, &path, &["render", "."]).succeeded();
    assert!(out.contains("name: own") && out.contains("name: made-first-second"), "{out}");
    assert!(!out.contains("canary"), "{out}");
}

#[test]
fn remote_charts_with_names_that_are_no_names_are_refused() {
    for (chart, field) in [
        ("{name: --help, repoURL: 'https://x.example'}", "`--help` cannot be the `name`"),
        ("{name: ../../etc, repoURL: 'https://x.example'}", "`../../etc` cannot be the `name`"),
        ("{name: /etc, repoURL: 'https://x.example'}", "`/etc` cannot be the `name`"),
        ("{name: c, repoURL: --insecure}", "`--insecure` cannot be the `repoURL`"),
        ("{name: c, repoURL: 'https://x.example', version: -x}", "`-x` cannot be the `version`"),
    ] {
        let tree = Tree::of(&[("a/component.yaml", &format!("name: a\nchart: {chart}\n"))]);
        let message = tree.run(&["plan", "."]).refused();
        assert!(
            message.starts_with("a/component.yaml:2: error[invalid-value]: ") && message.contains(field),
            "{message}"
        );
    }
}

#[test]
fn a_remote_chart_is_not_looked_for_in_the_repo() {
    let tree = Tree::of(&[
        (
            "a/component.yaml",
            "name: a\nchart: {name: web, repoURL: 'https://x.example', valueFiles: [v.yaml]}\n",
        ),
        ("a/v.yaml", "one: first\n"),
        ("web/Chart.yaml", CHART),
    ]);
    program(
        &tree,
        "helm",
        &format!("[ -e web ] && exit 3; cat \"${{6#--values=}}\" >&2 || exit 4; {CONFIG_MAP}"),
    );
    let run = run(&tree, &["render", ".", "--allow-remote"]);
    assert!(run.succeeded().contains("name: made"));
}

#[test]
fn charts_of_a_kustomization_stay_charts_of_the_repo() {
    let chart = "helmCharts: [{name: web, releaseName: --post-renderer=/bin/sh}]\n";
    let generator = "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: g}\nname: web\nreleaseName: --post-renderer=/bin/sh\n";
    let with_generator = "helmCharts: [{name: web}]\ngenerators: [g.yaml]\n";
    for (kustomization, place) in [
        (chart, "k/kustomization.yaml:1: error[unsafe-chart]: a word of a chart begins with `-`"),
        (
            &chart.replace("releaseName", "RELEASENAME"),
            "k/kustomization.yaml:1: error[unsafe-chart]: a word of a chart",
        ),
        (with_generator, "k/g.yaml:5: error[unsafe-chart]: a word of a chart begins with `-`"),
        (
            "helmCharts: [{name: web}]\ngenerators: [sub]\n",
            "k/kustomization.yaml:2: error[unsafe-chart]: nobody can tell",
        ),
        (
            "helmCharts: [{name: ../../../x}]\n",
            "k/kustomization.yaml:1: error[unsafe-chart]: the chart lies outside the root",
        ),
        (
            "helmGlobals: {chartHome: /etc}\nhelmCharts: [{name: x}]\n",
            "k/kustomization.yaml:2: error[unsafe-chart]: the chart lies",
        ),
    ] {
        let tree = Tree::of(&[
            ("k/component.yaml", "name: k\nkustomize: {path: .}\n"),
            ("k/kustomization.yaml", kustomization),
            ("k/g.yaml", generator),
            ("k/sub/kustomization.yaml", "resources: []\n"),
            ("k/charts/web/Chart.yaml", CHART),
        ]);
        for tool in ["helm", "kustomize"] {
            program(&tree, tool, "echo called >> calls");
        }
        let message = run(&tree, &["render", "."]).refused();
        assert!(message.starts_with(place), "{kustomization}: {message}");
        assert_eq!(calls(&tree), "", "{kustomization}");
    }
}

#[test]
fn each_chart_gets_its_own_values_and_none_of_them_touches_the_disk() {
    let tree = Tree::of(&[
        ("c1/component.yaml", "name: a/b\nchart: {path: chart, values: {who: first}}\n"),
        ("c1/chart/Chart.yaml", CHART),
        ("c2/component.yaml", "name: a-b\nchart: {path: chart, values: {who: second}}\n"),
        ("c2/chart/Chart.yaml", CHART),
    ]);
    let show = "printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: \"%s\"}\\ndata: %s\\n' \"$3\" \"$(cat)\"";
    program(&tree, "helm", &format!("sleep 0.3; grep -r who \"$HOME\" >> calls; {show}"));
    let out = run(&tree, &["render", ".", "--jobs", "2"]).succeeded();
    for (name, who) in [("a/b", "first"), ("a-b", "second")] {
        let own = out.split("---").find(|one| one.contains(&format!("--name-template={name}\"")));
        assert!(own.is_some_and(|own| own.contains(&format!("{{\"who\":\"{who}\"}}"))), "{out}");
    }
    assert_eq!(calls(&tree), "");
}

#[test]
fn a_render_of_files_that_changed_meanwhile_is_not_kept() {
    for (tool, files) in [
        ("helm", [("component.yaml", "name: a\nchart: {path: .}\n"), ("Chart.yaml", CHART)]),
        ("kustomize", [("component.yaml", "name: a\n"), ("kustomization.yaml", "resources: []\n")]),
    ] {
        let tree = Tree::empty();
        for (file, text) in files {
            tree.write(&format!("a/{file}"), text);
        }
        tree.write("a/v", "one");
        let show = "printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: is-%s}\\n' \"$(cat a/v)\"";
        program(&tree, tool, &format!("[ -e calls ] || printf two > a/v; echo call >> calls; {show}"));
        let render = || run(&tree, &["render", ".", "--cache-dir", ".cache"]).succeeded();
        assert!(render().contains("is-two"));
        tree.write("a/v", "one");
        assert!(render().contains("is-one"), "{tool}");
        assert!(render().contains("is-one"), "{tool}");
        assert_eq!(calls(&tree), "call\ncall\n", "{tool}: the second render is kept");
    }
}

#[test]
fn git_is_no_part_of_a_source() {
    let tree = Tree::of(&[
        ("component.yaml", "name: a\nchart: {path: .}\n"),
        ("Chart.yaml", CHART),
        (".git/x", "1"),
    ]);
    symlink("/etc/hostname", tree.path().join(".git/link")).expect("a link can be made");
    program(&tree, "helm", &format!("echo call >> .git/calls; {CONFIG_MAP}"));
    let cache = Tree::empty();
    let cache = cache.path().display().to_string();
    for _ in 0..2 {
        run(&tree, &["render", ".", "--cache-dir", &cache]).succeeded();
    }
    let calls = fs::read_to_string(tree.path().join(".git/calls")).expect("it was called");
    assert_eq!(calls, "call\n", "what helm left in .git is no change");
}

#[test]
fn a_tool_that_ends_as_if_it_were_missing_is_heard() {
    let tree = Tree::of(&[("a/component.yaml", "name: a\nchart: {path: .}\n"), ("a/Chart.yaml", CHART)]);
    program(&tree, "helm", "echo 'post-renderer not found' >&2; exit 127");
    let message = run(&tree, &["render", "."]).refused();
    assert!(message.contains("failed (exit status: 127): post-renderer not found"), "{message}");
    tree.write(".tools/helm", "#!/nonexistent/interpreter\n");
    let message = run(&tree, &["render", "."]).refused();
    assert!(message.contains("failed (exit status: 127): it cannot be started: "), "{message}");
}

#[test]
fn secrets_are_hidden_as_the_real_helm_shows_them() {
    let Some(path) = path_with(&["helm"]) else { return };
    for shown in
        ["printf \"%q\" .Values.password", "toJson .Values", "b64enc .Values.password", ".Values.password"]
    {
        let tree = Tree::of(&[
            ("a/component.yaml", "name: a\nchart: {path: ., values: {password: 'canary\"<&>\\canary'}}\n"),
            ("a/Chart.yaml", CHART),
        ]);
        tree.write("a/templates/f.yaml", format!("{{{{ fail ({shown}) }}}}\n"));
        let message = run_with(&tree, &path, &["render", "."]).refused();
        assert!(message.contains("***"), "{shown}: {message}");
        assert!(!message.contains("canary") && !message.contains("Y2FuYXJ5"), "{shown}: {message}");
    }
}

/// Levels of two links each to the next level.
fn doubling(tree: &Tree, folder: &str) {
    for level in 0..30 {
        let own = tree.path().join(format!("levels/l{level}"));
        fs::create_dir_all(&own).expect("folders can be made");
        for link in ["a", "b"] {
            symlink(format!("../l{}", level + 1), own.join(link)).expect("a link can be made");
        }
    }
    tree.write("levels/l30/own.yaml", CONFIG);
    symlink("../levels/l0", tree.path().join(folder).join("levels")).expect("a link can be made");
}

#[test]
fn links_that_double_with_each_level_are_read_once_or_refused() {
    let tree = Tree::of(&[("a/component.yaml", "name: a\n")]);
    doubling(&tree, "a");
    let out = tree.run(&["render", "."]).succeeded();
    assert_eq!(out.matches("kind: ConfigMap").count(), 1, "{out}");
    for source in ["manifests: ['**/*.yaml']", "chart: {path: .}"] {
        let tree =
            Tree::of(&[("a/component.yaml", &format!("name: a\n{source}\n")), ("a/Chart.yaml", CHART)]);
        program(&tree, "helm", "echo called >> calls");
        doubling(&tree, "a");
        let message = run(&tree, &["render", "."]).refused();
        assert!(
            message.starts_with("a: error[too-many-links]: links to folders make more than 100000 paths"),
            "{message}"
        );
        assert_eq!(calls(&tree), "");
    }
}

#[test]
fn a_folder_with_two_paths_is_read_where_it_really_is() {
    for (link, real) in [("a-link", "real"), ("z-link", "real")] {
        let tree = Tree::of(&[("a/component.yaml", "name: a\n")]);
        tree.write(&format!("a/{real}/own.yaml"), CONFIG);
        symlink(real, tree.path().join("a").join(link)).expect("a link can be made");
        let plan = tree.run(&["plan", ".", "--format", "json", "--resources"]).json();
        assert_eq!(plan["components"][0]["resources"], 1, "{plan}");
        assert!(plan.to_string().contains("a/real/own.yaml"), "{plan}");
        tree.write("a/component.yaml", format!("name: a\nmanifests: ['{link}/*.yaml']\n"));
        assert_eq!(tree.run(&["plan", ".", "--format", "json"]).json()["components"][0]["resources"], 1);
    }
}

#[test]
fn a_descriptor_is_found_however_deep_it_lies() {
    let tree = Tree::of(&[("a/component.yaml", "name: a\n"), ("a/own.yaml", CONFIG)]);
    let deep = vec!["d"; 100].join("/");
    tree.write(&format!("{deep}/component.yaml"), "name: deep\n");
    tree.write(&format!("{deep}/own.yaml"), CONFIG.replace("own", "deep"));
    assert!(tree.run(&["render", "."]).succeeded().contains("name: deep"));
}
