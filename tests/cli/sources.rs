//! Charts and kustomizations: how tools are called, stopped, kept quiet and remembered.
//!
//! Programs written here stand in for helm where its own behaviour is not the point; `real_tools` uses the real ones.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::harness::{Run, Surroundings, Tree, run_in};

pub(crate) const CONFIG_MAP: &str = "printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: made}\\n'";

/// A tree with one chart component and a program `helm` that runs `script`.
pub(crate) fn tree(script: &str) -> Tree {
    let tree = Tree::of(&[
        (
            "apps/web/component.yaml",
            "name: web\nnamespace: web\nchart: {path: chart, values: {password: canary-in-values}}\n",
        ),
        ("apps/web/chart/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
        ("apps/web/chart/values.yaml", "token: canary-in-defaults\n"),
    ]);
    program(&tree, "helm", script);
    tree
}

pub(crate) fn program(tree: &Tree, name: &str, script: &str) {
    let path = format!(".tools/{name}");
    tree.write(&path, format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(tree.path().join(path), fs::Permissions::from_mode(0o755))
        .expect("a file just written can be made a program");
}

/// Runs with the tree's own programs before the system's.
pub(crate) fn run(tree: &Tree, args: &[&str]) -> Run {
    let path = format!("{}:/usr/bin:/bin", tree.path().join(".tools").display());
    let variables = [("PATH", path.as_str()), ("CANARY", "canary-in-environment")];
    run_in(tree.path(), args, &Surroundings { variables: &variables, ..Surroundings::default() })
}

pub(crate) fn is_running(pid: &str) -> bool {
    // A zombie has ended; only nobody has asked for it yet.
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

pub(crate) fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what} did not happen");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_missing_tool_is_named_with_the_component_that_needs_it() {
    let tree = tree("");
    let nothing = Surroundings { variables: &[("PATH", "/nonexistent")], ..Surroundings::default() };
    let message = run_in(tree.path(), &["plan", "."], &nothing).refused();
    assert!(
        message
            .starts_with("apps/web/component.yaml:3: error[missing-tool]: the chart of `web` needs `helm`"),
        "{message}"
    );
    assert!(message.contains("help: install Helm"), "{message}");
}

#[test]
fn a_hanging_tool_is_stopped_with_everything_it_started() {
    let tree = tree("sleep 300 & echo $! > child; exec sleep 300");
    let start = Instant::now();
    let message = run(&tree, &["render", ".", "--timeout", "1"]).refused();
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(message.contains("was stopped: the time for rendering, 1 s, had run out"), "{message}");
    let child = fs::read_to_string(tree.path().join("child")).unwrap();
    wait_for("the end of the tool's child", || !is_running(&child));
}

#[test]
fn who_leaves_the_tools_group_does_not_keep_us_waiting() {
    let tree = tree(&format!(
        "setsid sh -c 'echo > gone; exec sleep 60' & until [ -f gone ]; do sleep 0.05; done; {CONFIG_MAP}"
    ));
    let start = Instant::now();
    let message = run(&tree, &["render", ".", "--timeout", "1"]).refused();
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(message.contains("the time for rendering, 1 s, had run out"), "{message}");
}

#[test]
fn a_tool_that_never_stops_writing_is_told_as_such() {
    let message = run(&tree("yes"), &["render", "."]).refused();
    assert!(message.contains("wrote more than 104857600 bytes"), "{message}");
}

#[test]
fn a_tool_that_cannot_be_started_says_why() {
    let tree = tree("");
    tree.write(".tools/helm", "#!/nonexistent/interpreter\n");
    let message = run(&tree, &["render", "."]).refused();
    assert!(message.contains("(exit status: 127): it cannot be started: "), "{message}");
}

#[test]
fn no_tool_is_started_once_the_time_has_run_out() {
    let tree = tree("echo call >> calls; exec sleep 300");
    tree.write("apps/b/component.yaml", "name: b\nnamespace: b\nchart: {path: ../web/chart}\n");
    let message = run(&tree, &["render", ".", "--timeout", "1", "--jobs", "1"]).refused();
    assert_eq!(message.matches("had run out").count(), 2, "{message}");
    assert_eq!(fs::read_to_string(tree.path().join("calls")).unwrap(), "call\n");
}

#[test]
fn the_versions_of_a_cluster_do_not_hide_what_went_wrong() {
    let tree = tree("exit 3");
    let versions = ["--api-versions", "a/v1", "--api-versions", "b/v1"];
    let message = run(&tree, &[&["render", "."], &versions[..]].concat()).refused();
    assert!(message.contains("--namespace=web --api-versions=... --include-crds"), "{message}");
}

#[test]
fn a_secret_is_hidden_also_where_the_message_is_cut() {
    let secret = "canary-".repeat(100);
    let tree = tree("cat apps/web/chart/values.yaml >&2; head -c 3700 /dev/zero | tr '\\0' x >&2; exit 3");
    tree.write("apps/web/chart/values.yaml", format!("token: {secret}\n"));
    let message = run(&tree, &["render", "."]).refused();
    assert!(message.contains("xxxx") && !message.contains("canary"), "{message}");
}

#[test]
fn a_chart_that_makes_comments_alone_makes_nothing() {
    let tree = tree("printf '%s\\n' --- '# Source: web/templates/x.yaml' '# switched off'");
    tree.write("apps/web/chart/templates/x.yaml", "# switched off\n");
    tree.write("apps/other/component.yaml", "name: other\n");
    tree.write("apps/other/x.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n");
    let message = run(&tree, &["render", "."]).refused();
    assert!(message.contains("error[source-made-nothing]: the chart of `web` made nothing"), "{message}");
    let allowed = run(&tree, &["render", ".", "--allow-empty"]);
    assert!(allowed.stderr.contains("warning[source-made-nothing]"), "{}", allowed.stderr);
    allowed.succeeded();
}

#[test]
fn what_argo_cd_lays_over_a_source_is_told() {
    let tree = tree(CONFIG_MAP);
    tree.write(
        "apps/web/chart/.argocd-source-web.yaml",
        "helm: {parameters: [{name: tag, value: canary}]}\n",
    );
    tree.write("apps/web/chart/.argocd-source-other.yaml", "helm: {}\n");
    let run = run(&tree, &["render", "."]);
    assert_eq!(
        run.stderr,
        "apps/web/chart/.argocd-source-web.yaml:1: warning[source-override-ignored]: `apps/web/chart/.argocd-source-web.yaml` counts where Argo CD renders this folder itself, and is not read here\n  help: write what it says into the descriptor's `chart` or into the kustomization, and remove it\n"
    );
    run.succeeded();
}

#[test]
fn a_tool_that_a_signal_ends_is_told_as_such() {
    let message = run(&tree("kill -9 $$"), &["render", "."]).refused();
    assert!(message.contains("failed (ended by signal 9, as where memory runs out)"), "{message}");
    let message = run(&tree("kill -TERM $$"), &["render", "."]).refused();
    assert!(message.contains("failed (ended by signal 15)"), "{message}");
}

#[test]
fn value_files_are_never_fetched() {
    let tree = tree("touch called");
    tree.write(
        "apps/web/component.yaml",
        "name: web\nchart:\n  path: chart\n  valueFiles: ['https://example.com/values.yaml']\n",
    );
    let message = run(&tree, &["render", ".", "--allow-remote"]).refused();
    assert!(
        message.contains("the value file `https://example.com/values.yaml` is not in the repo"),
        "{message}"
    );
    assert!(!tree.path().join("called").exists());
}

#[test]
fn a_cache_that_cannot_be_written_to_is_a_warning() {
    let tree = tree(&format!("[ \"$1\" = version ] && echo v1 && exit; {CONFIG_MAP}"));
    tree.write("cache", "a file");
    let run = run(&tree, &["render", ".", "--cache-dir", "cache"]);
    assert!(run.stderr.contains("warning[render-not-kept]: renders are not kept: "), "{}", run.stderr);
    run.succeeded();
}

#[test]
fn charts_of_a_kustomization_need_helm() {
    let tree = Tree::of(&[
        ("apps/web/component.yaml", "name: web\nnamespace: web\nkustomize: {path: .}\n"),
        ("apps/web/kustomization.yaml", "helmCharts: [{name: web, releaseName: web}]\n"),
        ("apps/web/charts/web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
    ]);
    program(&tree, "kustomize", CONFIG_MAP);
    let message = run(&tree, &["render", "."]).refused();
    assert!(
        message.contains("the kustomization of `web` needs `helm`, which is not on the PATH"),
        "{message}"
    );
    assert!(message.contains("help: install Helm"), "{message}");
}

#[test]
fn a_tool_ends_when_we_are_killed() {
    let tree = tree(
        "echo $$ > tool.new; sleep 300 & echo $! > child; cat > \"$TMPDIR/plain\"; mv tool.new tool; wait",
    );
    let temporary = tempfile::tempdir().unwrap();
    let homes =
        || fs::read_dir(temporary.path()).unwrap().map(|home| home.unwrap().path()).collect::<Vec<_>>();
    let mut ours = Command::new(env!("CARGO_BIN_EXE_argocd-ladder"))
        .args(["render", "."])
        .current_dir(tree.path())
        .env("PATH", format!("{}:/usr/bin:/bin", tree.path().join(".tools").display()))
        .env("TMPDIR", temporary.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let file = tree.path().join("tool");
    wait_for("the start of the tool", || fs::read_to_string(&file).is_ok_and(|pid| pid.ends_with('\n')));
    let tool = fs::read_to_string(&file).unwrap();
    assert!(is_running(&tool));
    let home = homes().pop().expect("the tool has a home");
    let mode = fs::metadata(&home).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "nobody else looks into it");
    assert!(home.join("plain").exists(), "the tool's temporary files are in it");
    ours.kill().unwrap();
    ours.wait().unwrap();
    wait_for("the end of the tool", || !is_running(&tool));
    let child = fs::read_to_string(tree.path().join("child")).unwrap();
    wait_for("the end of the tool's child", || !is_running(&child));
    wait_for("the end of the tool's home", || homes().is_empty());
}

#[test]
fn tools_see_none_of_our_environment() {
    let tree = tree(&format!("env > seen; {CONFIG_MAP}"));
    run(&tree, &["render", "."]).succeeded();
    let seen = fs::read_to_string(tree.path().join("seen")).unwrap();
    assert!(!seen.contains("canary-in-environment"), "{seen}");
    let home = seen.lines().find_map(|line| line.strip_prefix("HOME=")).unwrap();
    assert!(home.contains("argocd-ladder-"), "{home}");
    assert!(!Path::new(home).exists(), "the tool's home goes with the run");
}

#[test]
fn what_a_failing_tool_says_is_shown_without_values() {
    let tree = tree("echo 'template: web: bad' >&2; cat >&2; cat apps/web/chart/values.yaml >&2; exit 3");
    let message = run(&tree, &["render", "."]).refused();
    assert!(message.contains("the chart of `web` was not rendered: `helm template ./apps/web/chart --name-template=web --namespace=web --include-crds --values=-` failed (exit status: 3): template: web: bad"), "{message}");
    assert!(!message.contains("canary"), "{message}");
}

#[test]
fn only_as_many_tools_run_at_once_as_allowed() {
    let tree = tree(&format!("echo start >> log; sleep 0.2; echo end >> log; {CONFIG_MAP}"));
    for name in ["a", "b", "c"] {
        tree.write(
            &format!("apps/{name}/component.yaml"),
            format!("name: {name}\nnamespace: {name}\nchart: {{path: ../web/chart}}\n"),
        );
    }
    run(&tree, &["render", ".", "--jobs", "1"]).succeeded();
    assert_eq!(fs::read_to_string(tree.path().join("log")).unwrap(), "start\nend\n".repeat(4));
}

#[test]
fn a_kept_render_serves_until_something_it_was_made_of_changes() {
    let tree = tree(&format!("[ \"$1\" = version ] && echo v1 && exit; echo call >> calls; {CONFIG_MAP}"));
    let calls = || fs::read_to_string(tree.path().join("calls")).map_or(0, |text| text.lines().count());
    let render = || run(&tree, &["render", ".", "--cache-dir", "cache"]).succeeded();
    let first = render();
    assert_eq!((render(), calls()), (first.clone(), 1), "the second render is kept");
    tree.write("apps/web/chart/.hidden", "x");
    render();
    assert_eq!(calls(), 2, "a file of the chart changed");
    tree.write(
        "apps/web/component.yaml",
        "name: web\nnamespace: web\nchart: {path: chart, values: {password: other}}\n",
    );
    render();
    assert_eq!(calls(), 3, "a value changed");
    for entry in fs::read_dir(tree.path().join("cache")).unwrap() {
        fs::write(entry.unwrap().path(), "damaged").unwrap();
    }
    assert_eq!((render(), calls()), (first, 4), "damaged entries are misses");
}

#[test]
fn many_processes_share_a_cache() {
    let tree = tree(&format!("[ \"$1\" = version ] && echo v1 && exit; sleep 0.1; {CONFIG_MAP}"));
    let outputs: Vec<String> = std::thread::scope(|scope| {
        let one = || run(&tree, &["render", ".", "--cache-dir", "cache"]).succeeded();
        let runs: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert!(outputs.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn a_remote_chart_is_known_by_its_name_but_not_rendered() {
    let tree = Tree::of(&[
        (
            "foundation/eso/component.yaml",
            "name: eso\nnamespace: eso\nchart: {repoURL: 'https://charts.external-secrets.io', name: external-secrets, version: 0.10.0}\n",
        ),
        ("apps/web/component.yaml", "name: web\nnamespace: web\n"),
        (
            "apps/web/es.yaml",
            "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: es}\nspec: {secretStoreRef: {name: s, kind: ClusterSecretStore}}\n",
        ),
    ]);
    let plan = tree.run(&["plan", ".", "--format", "json"]).json();
    let eso = plan["components"].as_array().unwrap().iter().find(|one| one["name"] == "eso").unwrap();
    assert_eq!((&eso["role"], &eso["resources"]), (&"operator".into(), &0.into()));
    let edges = plan["edges"].as_array().unwrap();
    assert!(edges.iter().any(|edge| edge["from"] == "web" && edge["to"] == "eso"), "{edges:?}");
    let finding = &plan["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["rule"] == "remote-source-not-fetched")
        .unwrap();
    assert_eq!(finding["level"], "warning");
    let message = tree.run(&["render", "."]).refused();
    assert!(
        message.contains("foundation/eso/component.yaml:3: error[remote-source-not-fetched]: the manifests of `eso` are needed here"),
        "{message}"
    );
    assert!(
        message.contains(
            "helm pull external-secrets --repo https://charts.external-secrets.io --version 0.10.0 --untar"
        ),
        "{message}"
    );
    tree.run(&["render", ".", "--component", "web"]).succeeded();
}

/// A chart that only names those of others, and what needs one of them.
fn umbrella() -> Tree {
    let tree = Tree::of(&[
        (
            "foundation/certs/component.yaml",
            "name: certs\nnamespace: certs\nchart: {path: chart, valueFiles: [own.yaml]}\n",
        ),
        (
            "foundation/certs/chart/Chart.yaml",
            "apiVersion: v2\nname: certs\nversion: 1.0.0\ndependencies:\n  - {name: cert-manager, version: 1.x, repository: 'https://charts.jetstack.io'}\n  - {name: vault, version: 0.1.0, repository: 'oci://registry.example.com/charts', condition: vault.enabled}\n",
        ),
        (
            "foundation/certs/chart/Chart.lock",
            "dependencies:\n  - {name: cert-manager, version: v1.15.3, repository: 'https://charts.jetstack.io'}\n",
        ),
        ("foundation/certs/chart/values.yaml", "vault: {enabled: true}\n"),
        ("foundation/certs/own.yaml", "cert-manager: {crds: {enabled: true}}\nvault: {enabled: false}\n"),
        ("foundation/issuer/component.yaml", "name: issuer\nnamespace: certs\n"),
        (
            "foundation/issuer/issuer.yaml",
            "apiVersion: cert-manager.io/v1\nkind: ClusterIssuer\nmetadata: {name: own}\nspec: {selfSigned: {}}\n",
        ),
    ]);
    program(&tree, "helm", "touch called");
    tree
}

#[test]
fn charts_that_a_chart_depends_on_are_known_by_their_names_but_not_rendered() {
    let tree = umbrella();
    let plan = run(&tree, &["plan", ".", "--format", "json"]).json();
    let certs = plan["components"].as_array().unwrap().iter().find(|one| one["name"] == "certs").unwrap();
    assert_eq!((&certs["role"], &certs["resources"]), (&"operator".into(), &0.into()));
    let edges = plan["edges"].as_array().unwrap();
    assert!(edges.iter().any(|edge| edge["from"] == "issuer" && edge["to"] == "certs"), "{edges:?}");
    assert!(!edges.iter().any(|edge| edge.to_string().contains("vault")), "it is switched off: {edges:?}");
    let findings = plan["findings"].as_array().unwrap();
    let finding = findings.iter().find(|one| one["rule"] == "remote-source-not-fetched").unwrap();
    assert_eq!(finding["level"], "warning");
    assert_eq!(finding["origin"]["file"], "foundation/certs/chart/Chart.yaml");
    assert_eq!(finding["origin"]["line"], 5);
    assert!(finding["message"].as_str().unwrap().ends_with("fetched: `cert-manager`, `vault`"), "{finding}");
    run(&tree, &["render", ".", "--component", "issuer"]).succeeded();
    let message = run(&tree, &["render", "."]).refused();
    assert!(
        message.contains("help: vendor it with `helm dependency build foundation/certs/chart`"),
        "{message}"
    );
    assert!(message.contains("error[remote-source-not-fetched]: the manifests of `certs`"), "{message}");
    assert!(!tree.path().join("called").exists(), "nothing is fetched");
}

#[test]
fn charts_that_a_chart_depends_on_are_fetched_where_that_is_allowed() {
    let tree = umbrella();
    let called = tree.path().join("called");
    let called = called.display();
    program(
        &tree,
        "helm",
        &format!(
            "echo \"$@\" >> {called}; case $1 in pull) touch ${{2##*/}}.tgz;; *) ls foundation/certs/chart/charts >> {called}; {CONFIG_MAP};; esac"
        ),
    );
    let arguments = ["render", ".", "--component", "certs", "--allow-remote", "--cache-dir", "cache"];
    for _ in 0..2 {
        run(&tree, &arguments).succeeded();
    }
    let called = fs::read_to_string(tree.path().join("called")).unwrap();
    let pulled = "pull cert-manager --repo=https://charts.jetstack.io --version=v1.15.3 --destination=.";
    assert_eq!(called.matches(pulled).count(), 2, "the locked version, anew each time: {called}");
    assert!(called.contains("pull oci://registry.example.com/charts/vault --version=0.1.0"), "{called}");
    assert!(
        called.contains("template ./foundation/certs/chart") && called.contains("cert-manager.tgz"),
        "{called}"
    );
    assert!(!tree.path().join("foundation/certs/chart/charts").exists(), "the repo stays as it is");
    let chart = tree.path().join("foundation/certs/chart/Chart.yaml");
    let hostile = fs::read_to_string(&chart).unwrap().replace("name: vault", "name: --post-renderer=x");
    fs::write(chart, hostile).unwrap();
    let message = run(&tree, &arguments).refused();
    assert!(message.contains("Chart.yaml:6: error[unsafe-chart]"), "{message}");
}

#[test]
fn a_remote_chart_of_a_kustomization_is_known_by_its_name() {
    let tree = Tree::of(&[
        ("foundation/eso/component.yaml", "name: eso\n"),
        (
            "foundation/eso/kustomization.yaml",
            "helmCharts:\n  - name: external-secrets\n    repo: https://charts.external-secrets.io\n    version: 0.10.0\n    namespace: eso\n    includeCRDs: true\n    valuesInline: {installCRDs: true}\n",
        ),
    ]);
    let plan = tree.run(&["plan", ".", "--format", "json"]).json();
    assert_eq!(plan["components"][0]["role"], "operator");
    let findings = plan["findings"].as_array().unwrap();
    let finding = findings.iter().find(|one| one["rule"] == "remote-source-not-fetched").unwrap();
    assert_eq!(
        (&finding["origin"]["file"], &finding["origin"]["line"]),
        (&"foundation/eso/kustomization.yaml".into(), &2.into())
    );
    assert!(
        finding["help"].as_str().unwrap().starts_with(
            "vendor it with `helm pull external-secrets --repo https://charts.external-secrets.io --version 0.10.0 --untar --untardir foundation/eso/charts/external-secrets-0.10.0`"
        ),
        "{finding}"
    );
}

/// A kustomization of a chart that is elsewhere, and of what lies beside it.
fn beside_a_remote_chart(kustomize: &str) -> Tree {
    let tree = Tree::of(&[
        ("apps/keda/component.yaml", "name: keda\nnamespace: keda\n"),
        (
            "apps/keda/kustomization.yaml",
            "namespace: scaling\nresources: [crd.yaml]\nhelmCharts:\n  - name: keda\n    repo: https://kedacore.github.io/charts\n    version: 2.20.2\n    valuesFile: values.yaml\n    valuesInline: {b: {existingSecret: inline}}\n",
        ),
        (
            "apps/keda/values.yaml",
            "a: {existingSecret: file}\nb: {existingSecret: below}\nurl: http://cache.data.svc:6379\n",
        ),
        ("apps/keda/crd.yaml", CRD),
        ("apps/data/component.yaml", "name: data\nnamespace: scaling\n"),
        (
            "apps/data/all.yaml",
            "{apiVersion: v1, kind: Secret, metadata: {name: file}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: inline}}\n---\n{apiVersion: v1, kind: Secret, metadata: {name: below}}\n---\n{apiVersion: v1, kind: Service, metadata: {name: cache, namespace: data}, spec: {ports: [{port: 6379}]}}\n",
        ),
        ("apps/web/component.yaml", "name: web\nnamespace: web\n"),
        (
            "apps/web/scaled.yaml",
            "{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: s}, spec: {scaleTargetRef: {name: s}}}\n",
        ),
    ]);
    program(&tree, "kustomize", kustomize);
    tree
}

const CRD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.example.org}\nspec: {group: example.org, names: {kind: A, plural: as}, scope: Namespaced, versions: []}\n";

#[test]
fn a_kustomization_is_read_without_its_remote_charts() {
    let tree = beside_a_remote_chart(
        "grep -q kedacore apps/keda/kustomization.yaml && exit 1; cat apps/keda/crd.yaml",
    );
    let plan = run(&tree, &["plan", ".", "--format", "json", "--resources"]).json();
    let edges = plan["edges"].as_array().unwrap();
    let has = |from: &str, reason: &str, to: &str| {
        edges.iter().any(|edge| edge["from"] == from && edge["reason"] == reason && edge["toResource"] == to)
    };
    assert!(has("web", "operator", "stand-in.argocd-ladder/RemoteChart/scaling/keda-keda"), "{edges:?}");
    assert!(has("keda", "chart-secret", "v1/Secret/scaling/file"), "{edges:?}");
    assert!(has("keda", "chart-secret", "v1/Secret/scaling/inline"), "{edges:?}");
    assert!(has("keda", "service-address", "v1/Service/data/cache"), "{edges:?}");
    assert!(!has("keda", "chart-secret", "v1/Secret/scaling/below"), "{edges:?}");
    let secret = edges.iter().find(|edge| edge["toResource"] == "v1/Secret/scaling/file").unwrap();
    assert_eq!(secret["origin"], serde_json::json!({"file": "apps/keda/kustomization.yaml", "line": 4}));
    let keda = plan["components"].as_array().unwrap().iter().find(|one| one["name"] == "keda").unwrap();
    assert_eq!(keda["resources"], 1);
    assert!(plan["components"].as_array().unwrap().iter().all(|one| one["name"] != "keda-crds"));
    let message = run(&tree, &["render", "."]).refused();
    assert!(
        message.contains("the manifests of `keda` are needed here, but are not in the repo"),
        "{message}"
    );
    assert!(
        message.contains("helm pull keda --repo https://kedacore.github.io/charts --version 2.20.2 --untar"),
        "{message}"
    );
}

#[test]
fn the_application_of_a_kustomization_with_remote_charts_reads_its_folder() {
    let tree = beside_a_remote_chart("cat apps/keda/crd.yaml");
    let applications = run(&tree, &["render", ".", "--target", "applications"]).succeeded();
    assert!(applications.contains("path: apps/keda\n"), "{applications}");
}

#[test]
fn charts_are_known_where_the_rest_cannot_be_built_without_them() {
    let tree = beside_a_remote_chart("echo 'no matches for Id Deployment' >&2; exit 1");
    let plan = run(&tree, &["plan", ".", "--format", "json"]).json();
    let edges = plan["edges"].as_array().unwrap();
    assert!(edges.iter().any(|edge| edge["from"] == "web" && edge["to"] == "keda"), "{edges:?}");
    run(&tree, &["render", "."]).refused();
}

#[test]
fn a_known_base_brings_what_its_repository_does() {
    let tree = Tree::of(&[
        ("apps/seal/component.yaml", "name: seal\n"),
        (
            "apps/seal/kustomization.yaml",
            "resources:\n  - https://github.com/bitnami-labs/sealed-secrets/releases/download/v0.27.0/controller.yaml\n  - own.yaml\n",
        ),
        ("apps/seal/own.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: own}}\n"),
        ("apps/crds/component.yaml", "name: crds\n"),
        (
            "apps/crds/kustomization.yaml",
            "resources: ['github.com/kyverno/kyverno//config/crds?ref=v1', 'github.com/example/kyverno//config/crds']\n",
        ),
        ("apps/web/component.yaml", "name: web\nnamespace: web\n"),
        (
            "apps/web/all.yaml",
            "{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {name: s}}\n---\n{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: p}}\n",
        ),
    ]);
    program(&tree, "kustomize", "test ! -f apps/seal/own.yaml || cat apps/seal/own.yaml");
    let plan = run(&tree, &["plan", ".", "--format", "json", "--resources"]).json();
    let edges = plan["edges"].as_array().unwrap();
    let reasons = |to: &str| -> Vec<&str> {
        let own = edges.iter().filter(|edge| edge["from"] == "web" && edge["to"] == to);
        own.map(|edge| edge["reason"].as_str().unwrap()).collect()
    };
    assert_eq!(reasons("seal"), ["custom-resource-definition", "operator"]);
    assert_eq!(reasons("crds"), ["custom-resource-definition"]);
    let seal = plan["components"].as_array().unwrap().iter().find(|one| one["name"] == "seal").unwrap();
    assert_eq!((&seal["role"], &seal["resources"]), (&"operator".into(), &1.into()));
    run(&tree, &["render", "."]).refused();
}

#[test]
fn a_remote_base_is_not_fetched() {
    let tree = Tree::of(&[
        ("apps/web/component.yaml", "name: web\n"),
        ("apps/web/kustomization.yaml", "resources: [../base]\n"),
        ("apps/base/kustomization.yaml", "resources:\n  - github.com/org/repo//deploy?ref=v1\n"),
    ]);
    program(&tree, "kustomize", "touch called; exit 1");
    let message = run(&tree, &["render", "."]).refused();
    assert!(
        message.contains("takes `github.com/org/repo//deploy?ref=v1` from elsewhere and was not built"),
        "{message}"
    );
    assert!(!tree.path().join("called").exists());
    let message = run(&tree, &["render", ".", "--allow-remote"]).refused();
    assert!(message.contains("`kustomize build ./apps/web` failed"), "{message}");
}

#[test]
fn secrets_of_a_generator_stay_out_of_messages() {
    let tree = Tree::of(&[
        ("apps/web/component.yaml", "name: web\n"),
        (
            "apps/web/kustomization.yaml",
            "secretGenerator:\n  - name: s\n    literals: [password=canary-literal, canary-without-name]\n    envs: [secret.env]\n",
        ),
        ("apps/web/secret.env", "TOKEN=canary-in-file\n"),
    ]);
    program(&tree, "kustomize", "cat apps/web/kustomization.yaml apps/web/secret.env >&2; exit 1");
    let message = run(&tree, &["render", "."]).refused();
    assert!(message.contains("secretGenerator") && !message.contains("canary"), "{message}");
}

#[test]
fn a_link_out_of_the_root_is_refused_before_a_tool_follows_it() {
    let tree = tree(&format!("touch called; {CONFIG_MAP}"));
    std::os::unix::fs::symlink("/etc/hostname", tree.path().join("apps/web/chart/leak.txt")).unwrap();
    let message = run(&tree, &["render", "."]).refused();
    assert!(
        message.contains("apps/web/chart/leak.txt: error[path-leaves-root]: the path leaves the root"),
        "{message}"
    );
    assert!(!tree.path().join("called").exists());
}
