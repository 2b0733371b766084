//! The real helm and kustomize: what we write is what they make, plus our annotations.
//!
//! They are looked for on the PATH, then where the conformance harness keeps what it built. Where they are missing the
//! tests say so loudly; with `LADDER_REQUIRE_TOOLS` set (`.ci/run` does) they fail instead.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_yaml::{Mapping, Value};

use crate::harness::{Run, Surroundings, Tree, run_in};

const WAVE: &str = "argocd.argoproj.io/sync-wave";

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/sources")
}

/// A PATH on which all these programs are, if there is one.
pub(crate) fn path_with(programs: &[&str]) -> Option<String> {
    let home = std::env::var("HOME").unwrap_or_default();
    let built = std::env::var("LADDER_CONFORMANCE_CACHE")
        .unwrap_or_else(|_| format!("{home}/.cache/argocd-ladder-conformance"));
    let path = format!("{built}/bin:{}", std::env::var("PATH").unwrap_or_default());
    let has = |program: &&str| std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if programs.iter().all(has) {
        return Some(path);
    }
    // kubectl is a second way to what kustomize does: nobody must have both.
    let is_required = std::env::var_os("LADDER_REQUIRE_TOOLS").is_some() && !programs.contains(&"kubectl");
    assert!(!is_required, "{programs:?} are not all on the PATH");
    // Past the capture of the test runner, which would keep it quiet.
    let _ = writeln!(
        std::io::stderr(),
        "!! {programs:?} are not all on the PATH: this comparison with the real tools DID NOT RUN"
    );
    None
}

fn ours(path: &str, arguments: &[&str]) -> Run {
    let variables = [("PATH", path)];
    run_in(&example(), arguments, &Surroundings { variables: &variables, ..Surroundings::default() })
}

fn theirs(path: &str, program: &str, arguments: &[&str]) -> String {
    tool(&example(), path, program, arguments)
}

/// What a program of that PATH prints in a directory.
pub(crate) fn tool(directory: &Path, path: &str, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .env("PATH", path)
        .output()
        .expect("it was found");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("tools write UTF-8")
}

/// Objects by kind and name, without the wave and without the namespace that a destination would give them anyway.
fn objects(text: &str, namespace: &str) -> BTreeMap<String, Value> {
    let mut objects = BTreeMap::new();
    for document in serde_yaml::Deserializer::from_str(text) {
        let mut object: Value = serde::Deserialize::deserialize(document).expect("tools write YAML");
        let Some(metadata) = object.get_mut("metadata").and_then(Value::as_mapping_mut) else { continue };
        if let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_mapping_mut) {
            annotations.remove(WAVE);
        }
        if metadata.get("annotations").and_then(Value::as_mapping).is_some_and(Mapping::is_empty) {
            metadata.remove("annotations");
        }
        if metadata.get("namespace").and_then(Value::as_str) == Some(namespace) {
            metadata.remove("namespace");
        }
        let name = format!("{:?} {:?}", object.get("kind"), object["metadata"]["name"]);
        assert!(objects.insert(name.clone(), object).is_none(), "{name} stands twice");
    }
    objects
}

#[test]
fn charts_and_kustomizations_come_out_as_the_tools_make_them() {
    let Some(path) = path_with(&["helm", "kustomize"]) else { return };
    let banner = tempfile::NamedTempFile::with_suffix(".yaml").unwrap();
    std::fs::write(banner.path(), "cache: {size: 64Mi}\nfeatures: {banner: true}\n").unwrap();
    let inline = banner.path().to_str().unwrap();
    let shop =
        format!("template shop apps/shop/chart --namespace shop -f apps/shop/values-small.yaml -f {inline}");
    for (components, namespace, program, arguments) in [
        (
            vec!["widgets-operator", "widgets-operator-crds"],
            "widgets",
            "helm",
            "template widgets foundation/widgets/chart --namespace widgets --include-crds",
        ),
        (
            vec!["gadgets-operator", "gadgets-operator-crds"],
            "gadgets",
            "helm",
            "template gadgets-operator foundation/gadgets/chart --namespace gadgets --set crds.enabled=true",
        ),
        (vec!["shop"], "shop", "helm", &shop),
        (vec!["portal"], "portal", "kustomize", "build apps/portal/overlays/dev"),
        (vec!["legacy"], "legacy", "kustomize", "build apps/legacy --enable-helm"),
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let mut rendered = vec!["render", "."];
        rendered.extend(components.iter().flat_map(|name| ["--component", name]));
        let rendered = ours(&path, &rendered).succeeded();
        let expected = objects(&theirs(&path, program, &arguments), namespace);
        assert_eq!(objects(&rendered, namespace), expected, "{components:?}");
        assert!(
            rendered.matches(WAVE).count() >= expected.len(),
            "{components:?}: every object has its wave"
        );
    }
}

#[test]
fn charts_see_the_cluster_they_are_for() {
    let Some(path) = path_with(&["helm", "kustomize"]) else { return };
    let shop = ["render", ".", "--component", "shop"];
    let plain = ours(&path, &shop).succeeded();
    assert!(plain.contains(r#"widgets: "false""#), "{plain}");
    let cluster = ["--kube-version", "2.30.1", "--api-versions", "apps/v1,example.com/v1/Widget"];
    let told = ours(&path, &[&shop[..], &cluster].concat()).succeeded();
    assert!(told.contains(r#"widgets: "true""#) && told.contains(r#"kube: "2""#), "{told}");
    let variables = [
        ("PATH", path.as_str()),
        ("KUBE_VERSION", "2.30.1"),
        ("KUBE_API_VERSIONS", "apps/v1,example.com/v1/Widget"),
        ("ARGOCD_ENV_LADDER_COMPONENT", "shop"),
    ];
    let generated =
        run_in(&example(), &["generate"], &Surroundings { variables: &variables, ..Surroundings::default() });
    assert_eq!(generated.succeeded(), told);
}

#[test]
fn kubectl_builds_where_kustomize_is_missing() {
    let Some(path) = path_with(&["helm", "kustomize", "kubectl"]) else { return };
    let find = |program: &str| {
        std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file()).unwrap()
    };
    let only = tempfile::tempdir().unwrap();
    for program in ["helm", "kubectl"] {
        std::os::unix::fs::symlink(find(program), only.path().join(program)).unwrap();
    }
    // kubectl of a distribution may be a script that needs the usual folders.
    let other = format!("{}:/usr/bin:/bin", only.path().display());
    if std::env::split_paths(&other).any(|folder| folder.join("kustomize").is_file()) {
        return;
    }
    let tree = Tree::copy_of(&example().join("apps/portal"));
    let render = |path: &str| {
        let variables = [("PATH", path)];
        run_in(
            tree.path(),
            &["render", "."],
            &Surroundings { variables: &variables, ..Surroundings::default() },
        )
    };
    assert_eq!(render(&other).succeeded(), render(&path).succeeded());
}

#[test]
fn a_chart_that_fails_is_told_with_helms_own_words() {
    let Some(path) = path_with(&["helm"]) else { return };
    let tree = Tree::of(&[
        (
            "apps/web/component.yaml",
            "name: web\nchart: {path: chart, values: {password: canary-in-values}}\n",
        ),
        (
            "apps/web/chart/Chart.yaml",
            "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: gone, version: 1.0.0}]\n",
        ),
    ]);
    let variables = [("PATH", path.as_str())];
    let surroundings = Surroundings { variables: &variables, ..Surroundings::default() };
    let message = run_in(tree.path(), &["render", "."], &surroundings).refused();
    assert!(
        message.contains("missing in charts/") && message.contains("`helm dependency build "),
        "{message}"
    );
    tree.write("apps/web/chart/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n");
    tree.write("apps/web/chart/templates/x.yaml", "{{ fail .Values.password }}\n");
    let message = run_in(tree.path(), &["render", "."], &surroundings).refused();
    assert!(message.contains("web/templates/x.yaml:1:3") && !message.contains("canary"), "{message}");
    tree.write("apps/web/chart/secret.txt", "canary-in-file\n");
    tree.write(
        "apps/web/chart/templates/x.yaml",
        "{{ fail (printf \"say no %s %s %s\" (upper .Values.password) (trunc 9 .Values.password) (.Files.Get \"secret.txt\")) }}\n",
    );
    let message = run_in(tree.path(), &["render", "."], &surroundings).refused();
    assert!(message.contains(": say no ***"), "the words of the template are shown: {message}");
    assert!(!message.to_lowercase().contains("canary"), "in no form: {message}");
}

#[test]
fn a_dependency_that_lies_in_the_repo_is_built_as_helm_builds_it() {
    let Some(path) = path_with(&["helm"]) else { return };
    let made = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Chart.Name }}}\ndata: {port: {{ .Values.port | quote }}}\n";
    let tree = Tree::of(&[
        (
            "apps/web/component.yaml",
            "name: web\nchart: {path: chart, valueFiles: [more.yaml], values: {base: {port: 3}}}\n",
        ),
        ("apps/web/more.yaml", "port: 2\n"),
        (
            "apps/web/chart/Chart.yaml",
            "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: common, alias: base, version: 1.x, repository: 'file://../../../shared/common'}]\n",
        ),
        ("apps/web/chart/values.yaml", "port: 1\n"),
        ("apps/web/chart/templates/x.yaml", made),
        ("shared/common/Chart.yaml", "apiVersion: v2\nname: common\nversion: 1.2.3\n"),
        ("shared/common/values.yaml", "port: 9\n"),
        ("shared/common/templates/x.yaml", made),
    ]);
    let variables = [("PATH", path.as_str())];
    let surroundings = Surroundings { variables: &variables, ..Surroundings::default() };
    let cached = ["render", ".", "--cache-dir", ".cache"];
    let rendered = run_in(tree.path(), &cached, &surroundings).succeeded();
    assert!(!tree.path().join("apps/web/chart/charts").exists(), "the repo stays as it is");
    tree.write("shared/common/values.yaml", "port: 9\nother: 1\n");
    tree.write("shared/common/templates/y.yaml", made.replace("name: {{", "name: y-{{"));
    let changed = run_in(tree.path(), &cached, &surroundings).succeeded();
    assert!(changed.contains("name: y-base"), "a dependency is part of the key: {changed}");
    std::fs::remove_file(tree.path().join("shared/common/templates/y.yaml")).unwrap();
    // Argo CD's way.
    tool(tree.path(), &path, "helm", &["dependency", "build", "apps/web/chart"]);
    let inline = "base.port=3";
    let arguments = [
        "template",
        "web",
        "apps/web/chart",
        "--values",
        "apps/web/more.yaml",
        "--set",
        inline,
        "--include-crds",
    ];
    let expected = tool(tree.path(), &path, "helm", &arguments);
    assert_eq!(objects(&rendered, ""), objects(&expected, ""));
    assert!(rendered.contains("port: \"3\""), "{rendered}");
}

#[test]
fn secrets_stay_out_of_the_real_tools_words() {
    let Some(path) = path_with(&["helm", "kustomize"]) else { return };
    let tree = Tree::of(&[
        (
            "apps/web/component.yaml",
            "name: web\nchart: {path: chart, values: {kind: template, db: {password: canary-inline}}}\n",
        ),
        ("apps/web/chart/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
        ("apps/web/chart/charts/db/Chart.yaml", "apiVersion: v2\nname: db\nversion: 1.0.0\n"),
        ("apps/web/chart/charts/db/values.yaml", "token: canary-default\n"),
        (
            "apps/web/chart/charts/db/templates/x.yaml",
            "{{ fail (printf \"%s %s\" .Values.token .Values.password) }}\n",
        ),
        ("apps/portal/component.yaml", "name: portal\n"),
        (
            "apps/portal/kustomization.yaml",
            "resources: [x.yaml]\npatches:\n  - patch: |\n      kind: Deployment\n      password: [canary-patch\n",
        ),
        ("apps/portal/x.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"),
    ]);
    let variables = [("PATH", path.as_str())];
    let surroundings = Surroundings { variables: &variables, ..Surroundings::default() };
    let message = run_in(tree.path(), &["render", "."], &surroundings).refused();
    assert!(message.contains("web/charts/db/templates/x.yaml:1:3"), "{message}");
    assert!(message.contains("the kustomization of `portal` was not rendered"), "{message}");
    assert!(!message.contains("canary"), "{message}");
    // The defaults of a packed chart are known to helm alone.
    tool(&tree.path().join("apps/web/chart/charts"), &path, "helm", &["package", "db"]);
    std::fs::remove_dir_all(tree.path().join("apps/web/chart/charts/db")).unwrap();
    let message = run_in(tree.path(), &["render", "."], &surroundings).refused();
    assert!(message.contains("x.yaml:1:3") && !message.contains("canary"), "{message}");
}
