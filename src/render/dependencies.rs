//! Dependencies of a chart that are not in its `charts/`: those that lie in the repo (`repository: file://../common`), and
//! those of repositories.
//!
//! Argo CD runs `helm dependency build` where helm misses one. That writes into the chart; here the chart is copied, and
//! the dependencies are put into the copy's `charts/`. Those of the repo need neither helm nor the network for that.

#![expect(clippy::disallowed_methods, reason = "the copy lies outside the root")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::sources;
use crate::disk;
use crate::model::Origin;
use crate::problem::{Problem, Problems};
use crate::yaml::Limits;
use crate::yaml::tree::{self, Node};

/// Files that name dependencies: the second is that of charts of Helm 2.
const FILES: &[&str] = &["Chart.yaml", "requirements.yaml"];
/// Files that say which versions were taken.
const LOCKS: &[&str] = &["Chart.lock", "requirements.lock"];
/// How the address of a folder begins.
pub(super) const LOCAL: &str = "file://";

/// Folders of the dependencies that a chart misses and the repo has, in the order they are named.
#[must_use]
pub fn missing(root: &Path, folder: &str) -> Vec<String> {
    let mut folders = Vec::new();
    for Dependency { node, .. } in named(root, folder) {
        let field = |name: &str| node.get(name).and_then(Node::text);
        let local = field("repository").and_then(|address| address.strip_prefix(LOCAL));
        let (Some(name), Some(path)) = (field("name"), local) else { continue };
        let found = disk::joined(folder, path);
        let is_in_repo = !path.starts_with('/')
            && !found.starts_with("..")
            && disk::exists(root, &disk::joined(&found, "Chart.yaml"));
        if is_in_repo && !folders.contains(&found) && !is_vendored(root, folder, name) {
            folders.push(found);
        }
    }
    folders
}

/// A dependency as a chart names it.
pub(super) struct Dependency {
    /// Where.
    pub(super) origin: Origin,
    /// Its fields.
    pub(super) node: Node,
}

/// The dependencies of a chart.
pub(super) fn named(root: &Path, folder: &str) -> impl Iterator<Item = Dependency> {
    FILES.iter().flat_map(move |file| {
        let file = disk::joined(folder, file);
        let named = dependencies(root, &file);
        let file: Arc<str> = Arc::from(file);
        let origin = move |node: &Node| Origin::new(&file, node.mark.line);
        named.into_iter().map(move |node| Dependency { origin: origin(&node), node })
    })
}

/// Those whose versions are locked.
pub(super) fn locked(root: &Path, folder: &str) -> Vec<Node> {
    LOCKS.iter().flat_map(|file| dependencies(root, &disk::joined(folder, file))).collect()
}

fn dependencies(root: &Path, file: &str) -> Vec<Node> {
    let node = read(root, file);
    node.as_ref().and_then(|node| node.get("dependencies")).map_or(&[][..], Node::items).to_vec()
}

/// Whether a chart of that name is in `charts/`, unpacked or packed.
pub(super) fn is_vendored(root: &Path, folder: &str, name: &str) -> bool {
    let charts = disk::joined(folder, "charts");
    let is_version = |rest: &str| {
        rest.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == 'v'))
    };
    let is_named = |node: Node| node.get("name").and_then(Node::text) == Some(name);
    let files =
        if disk::is_directory(root, &charts) { disk::files_below(root, &charts) } else { Ok(Vec::new()) };
    files.unwrap_or_default().iter().any(|file| {
        let below = file[charts.len()..].trim_start_matches('/');
        let packed = below.strip_suffix(".tgz").and_then(|packed| packed.strip_prefix(name));
        let is_chart = matches!(below.split_once('/'), Some((_, "Chart.yaml")));
        packed.is_some_and(is_version) || is_chart && read(root, file).is_some_and(is_named)
    })
}

fn read(root: &Path, file: &str) -> Option<Node> {
    let text = disk::read_optional(root, file).ok()??;
    tree::parse(&Arc::new(text), &Limits::default()).ok()
}

/// A chart with its dependencies, in a directory that goes when this goes.
#[derive(Debug)]
pub struct Copy(TempDir);

impl Copy {
    /// Copies a chart and puts dependencies into its `charts/`.
    ///
    /// # Errors
    /// When something cannot be read or written.
    pub fn make(root: &Path, folder: &str, dependencies: &[String], home: &Path) -> Result<Self, Problems> {
        let written = |error| not_copied(folder, &error);
        let directory = tempfile::Builder::new().prefix("chart-").tempdir_in(home).map_err(written)?;
        let chart = directory.path().join(folder);
        copy(root, folder, &chart)?.map_err(written)?;
        for (number, dependency) in dependencies.iter().enumerate() {
            copy(root, dependency, &chart.join("charts").join(format!("built-{number}")))?
                .map_err(written)?;
        }
        Ok(Self(directory))
    }

    /// The folder for packed dependencies of the chart.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn charts(&self, folder: &str) -> Result<PathBuf, Problem> {
        let charts = self.0.path().join(folder).join("charts");
        fs::create_dir_all(&charts).map_err(|error| not_copied(folder, &error))?;
        Ok(charts)
    }

    /// The directory in which the chart has the path it has in the repo.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.0.path()
    }
}

fn not_copied(folder: &str, error: &std::io::Error) -> Problem {
    let message = format!("the chart cannot be copied to build its dependencies: {error}");
    Problem::new("no-temporary-directory", message).at(folder)
}

/// Copies the files below a folder.
///
/// # Errors
/// When they may not be read; the inner one when they cannot be written.
pub(super) fn copy(root: &Path, folder: &str, target: &Path) -> Result<std::io::Result<()>, Problems> {
    for file in sources::files(root, [folder.to_owned()].iter())? {
        let below = file.strip_prefix(folder).unwrap_or(&file).trim_start_matches('/');
        let path = target.join(below);
        let parent = path.parent().unwrap_or(target);
        let bytes = disk::read_bytes(root, &file)?;
        if let Err(error) = fs::create_dir_all(parent).and_then(|()| fs::write(&path, bytes)) {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}
