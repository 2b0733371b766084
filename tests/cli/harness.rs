//! Runs the real binary on trees in temporary directories and keeps everything it said.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

/// Everything a run left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) exit: i32,
}

impl Run {
    /// The output of a run that must have succeeded.
    #[track_caller]
    pub(crate) fn succeeded(self) -> String {
        assert_eq!(self.exit, 0, "{}", self.stderr);
        self.stdout
    }

    /// The message of a run that must have failed without printing half a result.
    #[track_caller]
    pub(crate) fn refused(self) -> String {
        assert_eq!((self.exit, self.stdout.as_str()), (2, ""), "{}", self.stderr);
        assert!(self.stderr.contains("error"), "a refusal says why: {:?}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self.stderr
    }

    /// The output of a run that must have succeeded, as JSON.
    #[track_caller]
    pub(crate) fn json(self) -> serde_json::Value {
        serde_json::from_str(&self.succeeded()).expect("the output is JSON")
    }
}

/// What a run is given besides its arguments.
#[derive(Default)]
pub(crate) struct Surroundings<'a> {
    pub(crate) stdin: &'a [u8],
    pub(crate) variables: &'a [(&'a str, &'a str)],
}

/// Runs the binary in a directory.
pub(crate) fn run(directory: &Path, args: &[&str]) -> Run {
    run_in(directory, args, &Surroundings::default())
}

/// Runs the binary in a directory with input and variables.
pub(crate) fn run_in(directory: &Path, args: &[&str], surroundings: &Surroundings<'_>) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_argocd-ladder"))
        .current_dir(directory)
        // A developer's own taste in colours must not reach the comparison.
        .env_remove("CLICOLOR_FORCE")
        .envs(surroundings.variables.iter().copied())
        .write_stdin(surroundings.stdin)
        .args(args)
        .output()
        .expect("the binary starts");
    Run {
        stdout: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
        exit: output.status.code().expect("no signal ended it"),
    }
}

/// A directory that goes away with the test.
pub(crate) struct Tree(TempDir);

impl Tree {
    /// An empty tree.
    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().expect("a temporary directory can be made"))
    }

    /// A tree with these files.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let tree = Self::empty();
        for (path, text) in files {
            tree.write(path, text);
        }
        tree
    }

    /// A tree with the files of a directory.
    pub(crate) fn copy_of(source: &Path) -> Self {
        let tree = Self::empty();
        for file in files(source) {
            match fs::read_link(source.join(&file)) {
                Ok(target) => {
                    let link = tree.path().join(&file);
                    fs::create_dir_all(link.parent().expect("a link has a folder"))
                        .expect("folders can be made");
                    std::os::unix::fs::symlink(target, link).expect("a link can be made");
                }
                Err(_) => tree.write(&file, fs::read(source.join(&file)).expect("a listed file can be read")),
            }
        }
        tree
    }

    /// Writes a file and the folders above it.
    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
        fs::write(path, bytes).expect("a file can be written");
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Runs the binary in it.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        run(self.path(), args)
    }
}

/// Files and links below a directory, relative to it, sorted.
pub(crate) fn files(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(current) = open.pop() {
        for path in entries(&current) {
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            } else {
                let relative = path.strip_prefix(directory).expect("it was found below");
                found.push(relative.to_str().expect("test files have plain names").to_owned());
            }
        }
    }
    found.sort();
    found
}

/// Entries of a directory, sorted.
pub(crate) fn entries(directory: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut entries: Vec<PathBuf> = listed.map(|entry| entry.expect("it can be listed").path()).collect();
    entries.sort();
    entries
}

/// Compares with a file of the repository; `UPDATE=1` rewrites it.
#[track_caller]
pub(crate) fn matches_file(path: &Path, actual: &str) {
    if std::env::var_os("UPDATE").is_some() {
        fs::write(path, actual).expect("what is expected can be rewritten");
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    assert_eq!(actual, expected, "{} differs; UPDATE=1 cargo test rewrites it", path.display());
}

/// The documents of a YAML stream.
pub(crate) fn documents(text: &str) -> Vec<serde_json::Value> {
    let documents = serde_yaml::Deserializer::from_str(text);
    documents.map(|one| serde::Deserialize::deserialize(one).expect("the output is YAML")).collect()
}

/// The repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The example platform.
pub(crate) fn example() -> PathBuf {
    repository().join("examples/rollout-phases")
}
