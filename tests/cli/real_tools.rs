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
            "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: gone, version: 1.0.0, repository: 'https://charts.example.com'}]\n",
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
}
