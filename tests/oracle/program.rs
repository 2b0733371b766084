//! Builds the Go program beside this file and asks it questions, one JSON line each.
//! The binary lives in the user's cache folder, so that a checkout stays clean and a second run builds in seconds.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

/// The program, built.
pub(crate) struct Oracle(PathBuf);

impl Oracle {
    /// Builds the program; needs Go, and on the first run its module proxy.
    pub(crate) fn build() -> Oracle {
        let binary = cache_folder().join("oracle");
        let module = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle");
        let status = Command::new("go")
            .args(["build", "-mod=readonly", "-trimpath", "-o"])
            .args([binary.as_path(), Path::new(".")])
            .current_dir(module)
            .status()
            .expect("go is needed to build the oracle");
        assert!(status.success(), "go build of the oracle failed");
        Oracle(binary)
    }

    /// The answers to questions of one kind, in their order.
    pub(crate) fn answers(&self, kind: &str, questions: &[Value]) -> Vec<Value> {
        let mut process = Command::new(&self.0)
            .arg(kind)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the oracle starts");
        let mut input = process.stdin.take().expect("stdin is piped");
        let output = BufReader::new(process.stdout.take().expect("stdout is piped"));
        let answers: Vec<Value> = thread::scope(|scope| {
            // The scope owns the input, so that the program sees its end once all is written.
            scope.spawn(move || {
                for question in questions {
                    writeln!(input, "{question}").expect("the oracle reads on");
                }
            });
            let parse = |line: std::io::Result<String>| {
                serde_json::from_str(&line.expect("a line")).expect("an answer in JSON")
            };
            output.lines().map(parse).collect()
        });
        assert!(process.wait().expect("the oracle ends").success());
        assert_eq!(answers.len(), questions.len());
        answers
    }
}

fn cache_folder() -> PathBuf {
    let home = || PathBuf::from(env::var_os("HOME").expect("HOME is set")).join(".cache");
    let cache = env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from);
    cache.join("argocd-ladder/oracle")
}
