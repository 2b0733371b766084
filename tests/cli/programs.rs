//! Which programs run, what they leave, and when what they made is kept.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Instant;

use crate::harness::{Surroundings, Tree, run_in};
use crate::sources::{CONFIG_MAP, is_running, program, run, tree, wait_for};

#[test]
fn programs_of_the_repo_do_not_run() {
    let tree = tree("");
    for (number, entry) in ["", ".", ".tools", "./.tools"].into_iter().enumerate() {
        for place in [".tools/helm", "helm"] {
            tree.write(place, "#!/bin/sh\ntouch called\n");
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(tree.path().join(place), mode).unwrap();
        }
        let path = if number == 0 { ":/nonexistent".to_owned() } else { format!("{entry}:/nonexistent") };
        let variables = [("PATH", path.as_str())];
        let surroundings = Surroundings { variables: &variables, ..Surroundings::default() };
        let message = run_in(tree.path(), &["render", "."], &surroundings).refused();
        assert!(message.contains("needs `helm`, which is not on the PATH"), "{path}: {message}");
        assert!(!tree.path().join("called").exists(), "{path}");
    }
}

#[test]
fn a_file_that_may_not_be_run_is_no_program() {
    let tree = tree("");
    fs::set_permissions(tree.path().join(".tools/helm"), fs::Permissions::from_mode(0o644)).unwrap();
    let path = format!("{}:{}", tree.path().join(".tools").display(), tree.path().join(".other").display());
    let variables = [("PATH", path.as_str())];
    let surroundings = Surroundings { variables: &variables, ..Surroundings::default() };
    assert!(run_in(tree.path(), &["render", "."], &surroundings).refused().contains("needs `helm`"));
    program(&tree, "../.other/helm", "");
    tree.write(".other/helm", format!("#!/bin/sh\n{CONFIG_MAP}\n"));
    fs::set_permissions(tree.path().join(".other/helm"), fs::Permissions::from_mode(0o755)).unwrap();
    run_in(tree.path(), &["render", "."], &surroundings).succeeded();
}

#[test]
fn nothing_stays_when_the_time_is_up() {
    let tree = tree("sleep 300 & echo $! > child; echo x > \"$TMPDIR/plain\"; exec sleep 300");
    let temporary = tempfile::tempdir().unwrap();
    let path = format!("{}:/usr/bin:/bin", tree.path().join(".tools").display());
    let variables = [("PATH", path.as_str()), ("TMPDIR", temporary.path().to_str().unwrap())];
    let surroundings = Surroundings { variables: &variables, ..Surroundings::default() };
    let message = run_in(tree.path(), &["render", ".", "--timeout", "1"], &surroundings).refused();
    assert!(message.contains("had run out"), "{message}");
    assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
    let child = fs::read_to_string(tree.path().join("child")).unwrap();
    wait_for("the end of the tool's child", || !is_running(&child));
}

#[test]
fn what_cannot_be_hashed_is_rendered_and_not_kept() {
    let tree = tree(&format!("[ \"$1\" = version ] && echo v1 && exit; echo call >> calls; {CONFIG_MAP}"));
    let chart = tree.path().join("apps/web/chart");
    assert!(Command::new("mkfifo").arg(chart.join("pipe")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(chart.join("s")).unwrap();
    fs::File::create(chart.join("large")).unwrap().set_len(1 << 40).unwrap();
    let name = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"odd-\xff");
    fs::write(chart.join(name), "x").unwrap();
    fs::create_dir(chart.join("folder").join(name))
        .or_else(|_| fs::create_dir_all(chart.join("folder").join(name)))
        .unwrap();
    let start = Instant::now();
    for calls in 1..3 {
        run(&tree, &["render", ".", "--cache-dir", "cache"]).succeeded();
        assert_eq!(fs::read_to_string(tree.path().join("calls")).unwrap().lines().count(), calls);
    }
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn another_build_of_a_program_renders_anew() {
    let script = |word: &str| {
        format!(
            "[ \"$1\" = version ] && echo v1 && exit; printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {{name: {word}}}\\n'"
        )
    };
    let tree = tree(&script("one"));
    let render = || run(&tree, &["render", ".", "--cache-dir", "cache"]).succeeded();
    assert!(render().contains("name: one"));
    program(&tree, "helm", &script("another"));
    assert!(render().contains("name: another"), "it calls itself the same");
}

/// A component of a kustomization with these files.
fn kustomization(files: &[(&str, &str)]) -> Tree {
    let tree = Tree::of(files);
    tree.write("apps/web/component.yaml", "name: web\nkustomize: {path: .}\n");
    program(&tree, "kustomize", &format!("echo \"$@\" > called; {CONFIG_MAP}"));
    program(&tree, "helm", "");
    tree
}

#[test]
fn charts_are_where_kustomize_looks_for_them() {
    let with_both = "helmCharts: [{name: web, version: 1.0.0, repo: 'https://charts.example.com'}]\n";
    let without_version = "helmCharts: [{name: web, repo: 'https://charts.example.com'}]\n";
    let old = "helmChartInflationGenerator: [{chartName: web, chartVersion: 1.0.0, chartRepoUrl: 'https://charts.example.com'}]\n";
    let here = "helmCharts: [{name: web, version: 1.0.0}]\n";
    for (text, folder, is_local) in [
        (with_both, "charts/web", false),
        (with_both, "charts/web-1.0.0", false),
        (with_both, "charts/web-1.0.0/web", true),
        (old, "charts/web", false),
        (old, "charts/web-1.0.0/web", true),
        (without_version, "charts/web", true),
        (here, "charts/web", true),
        (here, "charts/other", true),
    ] {
        let chart = format!("apps/web/{folder}/Chart.yaml");
        let tree = kustomization(&[("apps/web/kustomization.yaml", text), (&chart, "name: web\n")]);
        let run = run(&tree, &["render", "."]);
        assert_eq!(tree.path().join("called").exists(), is_local, "{text} {folder}: {}", run.stderr);
    }
}

/// Two kustomizations that are told apart only by what a folder behind a link builds on.
#[test]
fn what_a_linked_folder_names_is_part_of_the_key() {
    let tree = kustomization(&[
        ("apps/web/kustomization.yaml", "resources: [linked]\n"),
        ("shared/base/kustomization.yaml", "resources: [../more]\n"),
        ("shared/more/kustomization.yaml", "resources: [x.yaml]\n"),
        ("shared/more/x.yaml", "data: one\n"),
    ]);
    std::os::unix::fs::symlink("../../shared/base", tree.path().join("apps/web/linked")).unwrap();
    program(
        &tree,
        "kustomize",
        "printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: a}\\n'; cat shared/more/x.yaml",
    );
    let render = || run(&tree, &["render", ".", "--cache-dir", "cache"]).succeeded();
    assert!(render().contains("data: one"));
    tree.write("shared/more/x.yaml", "data: two\n");
    assert!(render().contains("data: two"));
}

#[test]
fn what_a_kustomization_names_stays_below_the_root() {
    for name in ["../../../x", "../../../x.yaml"] {
        let text = format!("resources:\n  - x.yaml\n  - {name}\n");
        let tree = kustomization(&[("apps/web/kustomization.yaml", &text)]);
        let message = run(&tree, &["render", "."]).refused();
        assert!(
            message.starts_with("apps/web/kustomization.yaml:3: error[path-leaves-root]"),
            "{name}: {message}"
        );
        assert!(!tree.path().join("called").exists(), "{name}");
    }
}

#[test]
fn files_from_elsewhere_are_not_fetched() {
    let address = "https://files.example.com/x.yaml";
    for text in [
        format!("patches: [{{path: '{address}'}}]\n"),
        format!("patchesStrategicMerge: ['{address}']\n"),
        format!("patchesJson6902: [{{path: '{address}', target: {{kind: A}}}}]\n"),
        format!("openapi: {{path: '{address}'}}\n"),
        format!("replacements: [{{path: '{address}'}}]\n"),
        format!("configMapGenerator: [{{name: a, files: ['{address}']}}]\n"),
        format!("helmCharts: [{{name: web, valuesFile: '{address}'}}]\n"),
        format!("crds: ['{address}']\n"),
    ] {
        let tree = kustomization(&[("apps/web/kustomization.yaml", &text)]);
        let message = run(&tree, &["render", "."]).refused();
        assert!(message.contains(&format!("takes `{address}` from elsewhere")), "{text}: {message}");
        assert!(!tree.path().join("called").exists(), "{text}");
    }
}

#[test]
fn a_generator_of_charts_needs_helm_to_be_allowed() {
    let generator =
        "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: web}\nname: web\n";
    let in_place = format!("generators:\n- |\n  {}\n", generator.replace('\n', "\n  "));
    for (text, file) in
        [("generators: [web.yaml]\n", "apps/web/web.yaml"), (&in_place, "apps/web/unused.txt")]
    {
        let chart = ("apps/web/charts/web/Chart.yaml", "name: web\n");
        let tree = kustomization(&[("apps/web/kustomization.yaml", text), (file, generator), chart]);
        run(&tree, &["render", "."]).succeeded();
        let called = fs::read_to_string(tree.path().join("called")).unwrap();
        assert!(called.contains("--enable-helm"), "{text}: {called}");
    }
}
