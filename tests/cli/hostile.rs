//! Input that attacks: a message with its place, exit code 2 and no output; never a panic, a hang or half a result.

use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::{fs, io};

use crate::harness::Tree;

const CONFIG: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";

/// A tree with one component whose only manifest holds these bytes.
fn tree(manifest: impl AsRef<[u8]>) -> Tree {
    let tree = Tree::of(&[("shop/component.yaml", "name: shop\n")]);
    tree.write("shop/all.yaml", manifest);
    tree
}

/// What `render` says to such a manifest.
fn refusal(manifest: impl AsRef<[u8]>) -> String {
    tree(manifest).run(&["render"]).refused()
}

/// Aliases of aliases: eleven lines that mean a hundred billion values.
fn billion_laughs() -> String {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..11 {
        let below = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(text, "a{level}: &a{level} [{below}]").expect("text takes it");
    }
    text
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_line() {
    for (bytes, place) in [
        (
            &b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: \xff\n"[..],
            "shop/all.yaml:4: error[unreadable-file]: the file is not UTF-8",
        ),
        (
            b"apiVersion: v1\nkind: ConfigMap\ndata:\n  k: a\0b\n",
            "shop/all.yaml:4: error[invalid-yaml]: invalid YAML at column 7",
        ),
        (
            b"apiVersion: v1\nkind: ConfigMap\ndata:\n  k: a\x1bb\n",
            "shop/all.yaml:4: error[invalid-yaml]: invalid YAML at column 7",
        ),
    ] {
        let message = refusal(bytes);
        assert!(message.contains(place), "{place}: {message}");
    }
}

#[test]
fn nesting_without_end_is_refused_quickly() {
    let flow = format!("{CONFIG}data: {}", "[".repeat(200_000));
    let braces = format!("{CONFIG}data: {}", "{a: ".repeat(100_000));
    let block: Vec<String> = (0..2_000).map(|level| format!("{}k:", " ".repeat(level + 1))).collect();
    let dashes = format!("{CONFIG}data:\n  {}x\n", "- ".repeat(50_000));
    for text in [flow, braces, format!("{CONFIG}data:\n{}", block.join("\n")), dashes] {
        let message = refusal(text);
        assert!(message.contains("shop/all.yaml:"), "{message}");
        assert!(message.contains("error[invalid-yaml]"), "{message}");
    }
}

#[test]
fn aliases_that_multiply_are_refused_in_manifests_descriptors_and_settings() {
    let laughs = billion_laughs();
    assert!(refusal(format!("{laughs}{CONFIG}")).contains("shop/all.yaml:1: error[invalid-yaml]"));
    let other = Tree::of(&[("shop/component.yaml", &format!("name: shop\n{laughs}"))]);
    assert!(other.run(&["plan"]).refused().starts_with("shop/component.yaml:2:"));
    let other = Tree::of(&[("shop/component.yaml", "name: shop\n"), ("ladder.yaml", &laughs)]);
    assert!(other.run(&["plan"]).refused().starts_with("ladder.yaml:1:"));
}

#[test]
fn two_megabytes_on_one_line_are_read_and_written() {
    let pairs: Vec<String> = (0..80_000).map(|number| format!("key{number}: some-value-{number}")).collect();
    let text = format!(
        "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: a}}, data: {{{}}}}}\n",
        pairs.join(", ")
    );
    assert!(text.len() > 2_000_000);
    let out = tree(&text).run(&["render"]).succeeded();
    let wave = "{\"annotations\": {\"argocd.argoproj.io/sync-wave\": \"6400\"}, name: a}";
    assert!(out == format!("---\n{}", text.replace("{name: a}", wave)), "only the wave is new");
}

#[test]
fn links_that_leave_the_root_are_refused() {
    let outside = Tree::of(&[("secret.yaml", CONFIG)]);
    for (link, target) in
        [("shop/linked.yaml", outside.path().join("secret.yaml")), ("shop/linked", outside.path().to_owned())]
    {
        let tree = tree(CONFIG);
        symlink(target, tree.path().join(link)).unwrap();
        let message = tree.run(&["render"]).refused();
        assert!(
            message
                .starts_with(&format!("{link}: error[path-leaves-root]: the path leaves the root\n  help: ")),
            "{message}"
        );
    }
}

#[test]
fn links_inside_the_root_are_followed_broken_ones_left_out_and_circular_ones_refused() {
    let good = tree(CONFIG);
    good.write("common/more.yaml", CONFIG.replace("name: a", "name: b"));
    symlink("../common/more.yaml", good.path().join("shop/more.yaml")).unwrap();
    assert_eq!(good.run(&["render"]).succeeded().matches("kind: ConfigMap").count(), 2);
    let broken = tree(CONFIG);
    symlink("nowhere.yaml", broken.path().join("shop/gone.yaml")).unwrap();
    assert_eq!(broken.run(&["render"]).succeeded().matches("kind: ConfigMap").count(), 1, "as Argo CD does");
    let plan = broken.run(&["plan", "--format", "json"]).succeeded();
    assert!(plan.contains("`shop/gone.yaml` is a link to nothing and is left out"), "{plan}");
    let circular = tree(CONFIG);
    circular.write("shop/sub/more.yaml", CONFIG);
    for link in ["shop/sub/one", "shop/sub/two"] {
        symlink(".", circular.path().join(link)).unwrap();
    }
    let message = circular.run(&["render"]).refused();
    assert!(
        message.starts_with("shop/sub/one: error[link-loop]: the link leads back to a folder above it\n"),
        "{message}"
    );
}

#[test]
fn files_that_cannot_be_read_are_refused() {
    let tree = tree(CONFIG);
    let path = tree.path().join("shop/all.yaml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&path).is_ok() {
        // Past the capture of `cargo test`, so that the gap is seen.
        let told = "SKIPPED files_that_cannot_be_read_are_refused: this user reads everything (root?)";
        writeln!(io::stderr(), "{told}").unwrap();
        return;
    }
    let message = tree.run(&["render"]).refused();
    assert!(
        message.starts_with("shop/all.yaml: error[unreadable-file]: permission denied\n  help: "),
        "{message}"
    );
}

#[test]
fn a_directory_named_like_a_file_is_no_manifest() {
    let tree = Tree::of(&[("shop/component.yaml", "name: shop\n"), ("shop/all.yaml/inner.yaml", CONFIG)]);
    assert_eq!(tree.run(&["render"]).succeeded().matches("kind: ConfigMap").count(), 1);
    let tree = Tree::of(&[("shop/component.yaml", "name: shop\n"), ("ladder.yaml/x.txt", "")]);
    assert!(tree.run(&["plan"]).refused().starts_with("ladder.yaml: error[unreadable-file]: "));
}

#[test]
fn secret_values_never_reach_a_message() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n  labels: {tier: 1}\nstringData:\n  password: hunter2\n  password: hunter3\n";
    let tree = tree(secret);
    tree.write("shop/broken.yaml", "apiVersion: v1\nkind: Secret\nstringData: {password: hunter4\n");
    for args in
        [&["render"][..], &["plan"], &["plan", "--format", "json", "--resources"], &["explain", "Secret/a"]]
    {
        let run = tree.run(args);
        assert!(!format!("{}{}", run.stdout, run.stderr).contains("hunter"), "{args:?}: {run:?}");
    }
}

#[test]
fn a_pipe_among_the_manifests_does_not_keep_us_waiting() {
    let tree = tree(CONFIG);
    let pipe = tree.path().join("shop/pipe.yaml");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is everywhere");
    assert!(made.success());
    let message = tree.run(&["render"]).refused();
    assert!(message.contains("shop/pipe.yaml: error[unreadable-file]: this is no file"), "{message}");
}

#[test]
fn folders_that_link_to_each_other_are_read_once_or_told_at_the_link() {
    let tree = tree(CONFIG);
    for (folder, target) in [("a", "../b"), ("b", "../a")] {
        tree.write(
            &format!("shop/{folder}/own.yaml"),
            CONFIG.replace("name: a", &format!("name: own-{folder}")),
        );
        symlink(target, tree.path().join("shop").join(folder).join("link")).unwrap();
    }
    assert_eq!(tree.run(&["render"]).succeeded().matches("kind: ConfigMap").count(), 3);
    // Globs name paths, and these never end.
    tree.write("shop/component.yaml", "name: shop\nmanifests: ['**/*.yaml']\n");
    let message = tree.run(&["render"]).refused();
    assert!(message.contains("error[link-loop]: the link leads back to a folder above it"), "{message}");
    assert!(message.contains("help: remove the link"), "{message}");
}

#[test]
fn paths_outside_the_root_are_refused_where_the_descriptor_names_them() {
    for (source, fact) in [
        ("path: /etc", "`/etc` is an absolute path"),
        ("path: ../..", "`..` leaves the root"),
        ("manifests: ['../../etc/*.yaml']", "`../etc/*.yaml` leaves the root"),
        ("kustomize: {path: ../../x}", "`../x` leaves the root"),
        ("kustomize: {path: gone}", "`shop/gone`, the path of component `shop`, is not a directory"),
        ("chart: {path: ../../chart}", "`../chart` leaves the root"),
        ("chart: {path: chart, valueFiles: [/etc/passwd]}", "`/etc/passwd` is an absolute path"),
    ] {
        let tree = tree(CONFIG);
        tree.write("shop/component.yaml", format!("name: shop\n{source}\n"));
        let message = tree.run(&["plan"]).refused();
        assert!(message.starts_with("shop/component.yaml:2:"), "{source}: {message}");
        assert!(message.contains(fact) && message.contains("help: "), "{source}: {message}");
    }
}

#[test]
fn names_that_are_no_text_are_refused() {
    for (field, value) in [("name", "5"), ("name", "yes"), ("name", "1e3"), ("namespace", "010")] {
        let text = format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  {field}: {value}\n");
        let text = if field == "name" { text.replace("  name: a\n", "") } else { text };
        let message = refusal(&text);
        assert!(message.contains(&format!("`metadata.{field}` is not a string")), "{value}: {message}");
    }
    let quoted = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: '5'\n  namespace: \"010\"\n";
    tree(quoted).run(&["render"]).succeeded();
}

#[test]
fn merge_keys_of_descriptors_count() {
    let tree = tree(CONFIG);
    tree.write("shop/component.yaml", "x-base: &base {domain: data, project: p}\n<<: *base\nname: shop\n");
    let plan = tree.run(&["plan", "--format=json"]).succeeded();
    assert!(plan.contains(r#""domain":"data""#) || plan.contains(r#""domain": "data""#), "{plan}");
}

#[test]
fn names_without_end_are_shown() {
    let name = "x".repeat(100_000);
    let tree = tree(CONFIG);
    tree.write("shop/component.yaml", format!("name: {name}\n"));
    for args in
        [&["plan"][..], &["plan", "--timeline"], &["plan", "--format", "markdown"], &["explain", &name]]
    {
        assert!(tree.run(args).succeeded().contains(&name), "{args:?}");
    }
}
