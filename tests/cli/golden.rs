//! Golden cases: `tests/cases/<case>` holds a `repo`, a `cmd`, and the `stdout`, `stderr` and `exit` it must give.
//!
//! An absent file stands for empty output, exit code 0, or no input; `tools` holds the only programs on the PATH. `UPDATE=1 cargo test` rewrites what is expected;
//! cases below `reject` must fail with empty output even then.

use std::path::{Path, PathBuf};
use std::{env, fs, thread};

use crate::harness::{Run, Surroundings, Tree, entries, example, repository, run, run_in};

#[test]
fn every_case_says_what_its_files_say() {
    check(&cases("tests/cases"), |_| {});
}

#[test]
fn every_rejected_case_fails_with_a_message_and_no_output() {
    check(&cases("tests/cases/reject"), |run| {
        run.clone().refused();
    });
}

#[test]
fn every_rule_speaks_in_some_case() {
    let mut said = run(&example(), &["plan"]).succeeded();
    for case in cases("tests/cases").iter().chain(&cases("tests/cases/reject")) {
        said += &text(case, "stdout");
        said += &text(case, "stderr");
    }
    // This one is seen in the annotation it adds.
    let shown = said.replace("SkipDryRunOnMissingResource=true", "skip-dry-run-on-missing-resource");
    let silent: Vec<&&str> =
        argocd_ladder::rules::IDS.iter().filter(|rule| !shown.contains(**rule)).collect();
    assert!(silent.is_empty(), "no case shows {silent:?}");
}

/// Cases of a folder by name.
fn cases(folder: &str) -> Vec<PathBuf> {
    let all = entries(&repository().join(folder));
    all.into_iter().filter(|path| path.join("cmd").exists()).collect()
}

/// Runs every case, a few at a time, and reports all that differ.
fn check(cases: &[PathBuf], law: fn(&Run)) {
    assert!(!cases.is_empty(), "there are cases");
    let share = cases.len().div_ceil(4);
    let differing: Vec<String> = thread::scope(|scope| {
        let workers: Vec<_> = cases
            .chunks(share)
            .map(|own| scope.spawn(move || own.iter().filter_map(|case| differs(case, law)).collect()))
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| -> Vec<String> { worker.join().expect("no case panics") })
            .collect()
    });
    assert!(differing.is_empty(), "{}\nUPDATE=1 cargo test rewrites them", differing.join("\n"));
}

/// What is different about a case; nothing when it is as expected.
fn differs(case: &Path, law: fn(&Run)) -> Option<String> {
    let actual = perform(case);
    if std::panic::catch_unwind(|| law(&actual)).is_err() {
        return Some(format!("{}: {actual:?}", case.display()));
    }
    if env::var_os("UPDATE").is_some() {
        update(case, &actual);
        return None;
    }
    let expected = Run {
        stdout: text(case, "stdout"),
        stderr: text(case, "stderr"),
        exit: text(case, "exit").trim().parse().unwrap_or(0),
    };
    (actual != expected).then(|| {
        let part = |name: &str, expected: &str, actual: &str| {
            if expected == actual {
                String::new()
            } else {
                format!("\n{name}\n{}", changed(expected, actual))
            }
        };
        format!(
            "{}: exit {} instead of {}{}{}",
            case.display(),
            actual.exit,
            expected.exit,
            part("stdout", &expected.stdout, &actual.stdout),
            part("stderr", &expected.stderr, &actual.stderr)
        )
    })
}

fn perform(case: &Path) -> Run {
    let repo = case.join("repo");
    let tree = if repo.is_dir() { Tree::copy_of(&repo) } else { Tree::empty() };
    let command = text(case, "cmd");
    let mut words = command.split_whitespace();
    assert_eq!(words.next(), Some("argocd-ladder"), "{}/cmd", case.display());
    let args: Vec<&str> = words.collect();
    let stdin = text(case, "stdin");
    // Only the case's own programs: what a developer has installed must not decide.
    let tools = case.join("tools").display().to_string();
    run_in(tree.path(), &args, &Surroundings { stdin: stdin.as_bytes(), variables: &[("PATH", &tools)] })
}

/// A file of a case; absent means empty.
fn text(case: &Path, name: &str) -> String {
    fs::read_to_string(case.join(name)).unwrap_or_default()
}

fn update(case: &Path, actual: &Run) {
    let exit = if actual.exit == 0 { String::new() } else { format!("{}\n", actual.exit) };
    for (name, text) in [("stdout", &actual.stdout), ("stderr", &actual.stderr), ("exit", &exit)] {
        let path = case.join(name);
        if !text.is_empty() {
            fs::write(path, text).expect("a case can be rewritten");
        } else if path.exists() {
            fs::remove_file(path).expect("a case can be rewritten");
        }
    }
}

/// Lines around the first difference.
fn changed(expected: &str, actual: &str) -> String {
    let same = expected.lines().zip(actual.lines()).take_while(|(a, b)| a == b).count();
    let shown = |mark: &str, text: &str| {
        let lines: Vec<String> =
            text.lines().skip(same).take(8).map(|line| format!("{mark} {line}")).collect();
        lines.join("\n")
    };
    format!("from line {}\n{}\n{}", same + 1, shown("-", expected), shown("+", actual))
}
