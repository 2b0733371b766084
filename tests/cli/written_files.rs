//! Where output goes: files are replaced whole, everything else is written to as it is.

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use crate::harness::{Tree, entries};

fn tree() -> Tree {
    Tree::of(&[
        ("a/component.yaml", "name: a\n"),
        ("a/own.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own-a}\n"),
        ("b/component.yaml", "name: b\n"),
        ("b/own.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own-b}\n"),
    ])
}

fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().expect("mkfifo is everywhere");
    assert!(made.success());
}

#[test]
fn a_link_is_written_through() {
    let tree = tree();
    let printed = tree.run(&["render"]).succeeded();
    tree.write("there/real.txt", "old");
    fs::set_permissions(tree.path().join("there/real.txt"), fs::Permissions::from_mode(0o600)).unwrap();
    for (link, target) in [("link.txt", "there/real.txt"), ("dangling.txt", "there/new.txt")] {
        symlink(target, tree.path().join(link)).unwrap();
        assert_eq!(tree.run(&["render", "-o", link]).succeeded(), "");
        assert!(tree.path().join(link).is_symlink(), "{link}");
        assert_eq!(fs::read_to_string(tree.path().join(target)).unwrap(), printed, "{target}");
    }
    let mode = fs::metadata(tree.path().join("there/real.txt")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "what was private stays private");
    assert_eq!(entries(&tree.path().join("there")).len(), 2, "no temporary file stays behind");
}

#[test]
fn a_pipe_and_a_device_stay_what_they_are() {
    let tree = tree();
    let printed = tree.run(&["render"]).succeeded();
    let path = tree.path().join("pipe");
    pipe(&path);
    let read = std::thread::scope(|scope| {
        let reader = scope.spawn(|| fs::read_to_string(&path).unwrap());
        tree.run(&["render", "-o", "pipe"]).succeeded();
        reader.join().unwrap()
    });
    assert_eq!(read, printed);
    assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
    assert_eq!(tree.run(&["render", "-o", "/dev/stdout"]).succeeded(), printed);
    tree.run(&["render", "-o", "/dev/null"]).succeeded();
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

#[test]
fn a_file_in_a_missing_directory_is_refused_with_the_help_to_create_it() {
    let message = tree().run(&["render", "-o", "missing/all.yaml"]).refused();
    let expected = "missing/all.yaml: error[unwritable-file]: the directory of this file is not there\n  help: create it first";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn no_file_of_a_directory_is_replaced_before_all_are_written() {
    let tree = tree();
    tree.write("out/a.yaml", "old");
    tree.write("out/gone.yaml", "old");
    fs::create_dir(tree.path().join("out/b.yaml")).unwrap();
    let message = tree.run(&["render", "-o", "out/"]).refused();
    assert!(message.contains("out/b.yaml: error[unwritable-file]: cannot be written"), "{message}");
    assert_eq!(fs::read_to_string(tree.path().join("out/a.yaml")).unwrap(), "old");
    assert_eq!(entries(&tree.path().join("out")).len(), 3, "no temporary file stays behind");
    fs::remove_dir(tree.path().join("out/b.yaml")).unwrap();
    tree.run(&["render", "-o", "out/"]).succeeded();
    assert!(fs::read_to_string(tree.path().join("out/a.yaml")).unwrap().contains("own-a"));
    assert_eq!(fs::read_to_string(tree.path().join("out/gone.yaml")).unwrap(), "old", "as --help says");
}

#[test]
fn settings_are_a_file() {
    let tree = tree();
    pipe(&tree.path().join("settings"));
    fs::create_dir(tree.path().join("folder")).unwrap();
    tree.write("bytes", b"a: \xff");
    for (settings, message) in [
        ("settings", "settings: error[unreadable-file]: this is no file"),
        ("folder", "folder: error[unreadable-file]: this is no file"),
        ("missing", "missing: error[unreadable-file]: there is no such file"),
        ("bytes", "bytes:1: error[unreadable-file]: the file is not UTF-8 text"),
    ] {
        let said = tree.run(&["plan", "--settings", settings]).refused();
        assert!(said.starts_with(message), "{said}");
    }
}

#[test]
fn settings_may_be_what_the_shell_hands_over() {
    let tree = tree();
    tree.write("own.yaml", "waves: dense\n");
    let binary = env!("CARGO_BIN_EXE_argocd-ladder");
    let command = format!("{binary} render --settings <(cat own.yaml; echo 'enabled: false')");
    let mut bash = Command::new("bash");
    let run = bash.args(["-c", &command]).current_dir(tree.path()).output().expect("bash runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let written = String::from_utf8(run.stdout).unwrap();
    assert!(written.contains("kind: ") && !written.contains("sync-wave"), "{written}");
}
