//! What a kustomization is made of: the folders it reads, what it takes from elsewhere, whether it inflates charts.
//!
//! Known before kustomize runs: a remote base must not be fetched, and a kept render is only good for the same bytes.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::inflated::Charts;
use super::redact::Redaction;
use crate::disk;
use crate::problem::{Problem, Problems};
use crate::yaml::Limits;
use crate::yaml::tree::{self, Node};

/// Names a kustomization may have.
pub const NAMES: &[&str] = &["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Fields whose entries are files, folders or addresses.
const REFERENCES: &[&str] = &[
    "resources",
    "bases",
    "components",
    "generators",
    "transformers",
    "validators",
    "configurations",
    "crds",
];

/// A kustomization and everything below it.
#[derive(Debug, Default)]
pub struct Kustomization {
    /// Folders whose bytes make the result.
    pub folders: BTreeSet<String>,
    /// The first thing that is not in the repo: where it is said, and what.
    pub remote: Option<(String, String)>,
    /// Whether a chart is inflated.
    pub has_charts: bool,
    /// Secret values that messages must not show.
    pub redaction: Redaction,
}

/// The file that makes a folder a kustomization.
#[must_use]
pub fn file_in(root: &Path, folder: &str) -> Option<String> {
    NAMES.iter().map(|name| disk::joined(folder, name)).find(|file| disk::exists(root, file))
}

/// Reads a kustomization and all those it is built on.
///
/// # Errors
/// When one cannot be read or lies outside the root.
pub fn read(root: &Path, folder: &str) -> Result<Kustomization, Problems> {
    let mut whole = Kustomization::default();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        if folder.starts_with("..") {
            return Err(Problem::new("the kustomization is built on a folder outside the root")
                .at(&folder)
                .help("run on a directory that holds both")
                .into());
        }
        if !whole.folders.insert(folder.clone()) {
            continue;
        }
        let Some(file) = file_in(root, &folder) else { continue };
        let text = Arc::new(disk::read(root, &file)?);
        // What is no YAML is left to kustomize, whose message says more.
        let Ok(node) = tree::parse(&text, &Limits::default()) else { continue };
        whole.take_references(root, &folder, &file, &node, &mut open);
        let charts = Charts::of(root, &folder, &file, &node)?;
        whole.take_charts(root, charts);
        whole.hide_secrets(root, &folder, &node);
    }
    Ok(whole)
}

impl Kustomization {
    fn take_references(
        &mut self,
        root: &Path,
        folder: &str,
        file: &str,
        node: &Node,
        open: &mut Vec<String>,
    ) {
        let entries = REFERENCES.iter().filter_map(|field| node.get(field)).flat_map(Node::items);
        for entry in entries {
            let Some(text) = entry.text().filter(|text| !text.contains('\n')) else { continue };
            let local = disk::joined(folder, text);
            if disk::is_directory(root, &local) {
                open.push(local);
            } else if !disk::exists(root, &local) && is_remote(text) && self.remote.is_none() {
                self.remote = Some((format!("{file}:{}", entry.mark.line), text.to_owned()));
            }
        }
    }

    fn take_charts(&mut self, root: &Path, charts: Charts) {
        self.has_charts |= charts.is_any;
        self.folders.extend(charts.homes.into_iter().filter(|home| disk::is_directory(root, home)));
        self.remote = self.remote.take().or(charts.remote);
        self.redaction.append(charts.redaction);
    }

    /// Literals of secret generators and lines of the files they read.
    fn hide_secrets(&mut self, root: &Path, folder: &str, node: &Node) {
        for generator in node.get("secretGenerator").map_or(&[][..], Node::items) {
            for literal in
                generator.get("literals").map_or(&[][..], Node::items).iter().filter_map(Node::text)
            {
                self.hide_assignment(literal);
            }
            let lists = ["envs", "files"].iter().filter_map(|field| generator.get(field));
            let single = generator.get("env");
            let files = lists.flat_map(Node::items).chain(single).filter_map(Node::text);
            for file in files {
                let path = file.split_once('=').map_or(file, |(_, path)| path);
                // A file that is not there or no text holds nothing kustomize could show.
                if let Ok(text) = disk::read(root, &disk::joined(folder, path)) {
                    text.lines().for_each(|line| self.hide_assignment(line));
                }
            }
        }
    }

    fn hide_assignment(&mut self, text: &str) {
        self.redaction.hide_text(text);
        if let Some((_, value)) = text.split_once('=') {
            self.redaction.hide_text(value);
        }
    }
}

/// Whether kustomize would fetch what is not a local path.
fn is_remote(text: &str) -> bool {
    let is_host = |host: &str| host.contains('.') && !host.starts_with('.');
    text.contains("://")
        || text.contains("?ref=")
        || text.starts_with("git@")
        || text.starts_with("git::")
        || text.split_once('/').is_some_and(|(host, rest)| is_host(host) && rest.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::is_remote;

    #[test]
    fn addresses_are_told_from_paths() {
        for (text, expected) in [
            ("https://example.com/x.yaml", true),
            ("github.com/org/repo", true),
            ("github.com/org/repo//deploy?ref=v1", true),
            ("git@github.com:org/repo.git", true),
            ("ssh://git@example.com/org/repo", true),
            ("../base", false),
            ("../../base/app", false),
            ("deployment.yaml", false),
            ("sub/deployment.yaml", false),
            ("a.b/c.yaml", false),
        ] {
            assert_eq!(is_remote(text), expected, "{text}");
        }
    }
}
