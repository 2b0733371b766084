//! The script of a gate, run by a real shell whose clock and tools are made up.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::harness::{documents, repository, run};

fn tool(folder: &Path, name: &str, script: &str) {
    let file = folder.join(name);
    fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("it is written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("it may run");
}

#[test]
fn tries_sleep_for_the_rest_of_their_interval() {
    let output = run(&repository().join("tests/cases/gates/repo"), &["render"]).succeeded();
    let all = documents(&output);
    let containers =
        all.iter().filter_map(|one| one.pointer("/spec/template/spec/initContainers")?.as_array());
    let mut containers = containers.flatten();
    let gate = containers.find(|one| one["name"] == "wait-for-certificate-proxy").expect("the gate is there");
    let script = gate["command"][2].as_str().expect("the script");
    // Seconds a check takes of an interval of 5, and what three tries then sleep.
    for (taken, slept) in [(0, "5\n5\n5\n"), (4, "1\n1\n1\n"), (5, ""), (9, "")] {
        let folder = tempfile::tempdir().expect("a folder");
        let here = folder.path().display();
        fs::write(folder.path().join("clock"), "100\n").expect("it is written");
        tool(folder.path(), "date", &format!("cat {here}/clock"));
        tool(
            folder.path(),
            "kubectl",
            &format!("expr `cat {here}/clock` + {taken} > {here}/now; mv {here}/now {here}/clock; exit 1"),
        );
        tool(folder.path(), "sleep", &format!("echo $1 >> {here}/slept"));
        let path = format!("{here}:{}", std::env::var("PATH").expect("there is a PATH"));
        let ended = Command::new("sh")
            .args(["-c", script])
            .envs([("PATH", path.as_str()), ("TRIES", "3"), ("PAUSE", "5"), ("TARGET", "certificate/proxy")])
            .output()
            .expect("sh runs");
        assert!(!ended.status.success(), "it gives up");
        assert_eq!(fs::read_to_string(folder.path().join("slept")).unwrap_or_default(), slept, "{taken}");
    }
}
