//! What a kustomization is made of: the folders it reads, what it takes from elsewhere, whether it inflates charts.
//!
//! Known before kustomize runs: a remote base must not be fetched, and a kept render is only good for the same bytes.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::inflated::Charts;
use super::redact::Redaction;
use super::remote::{Part, What};
use super::secrets;
use super::tools::Tools;
use crate::disk;
use crate::model::Origin;
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

/// Of those, the fields whose entries only add objects: the rest can be built without one.
pub(super) const BASES: &[&str] = &["resources", "bases", "components"];

/// Fields with files: the list, and where in its entries (or in itself) files are named; "" is the entry itself.
const FILES: &[(&str, &[&str])] = &[
    ("patches", &["path"]),
    ("patchesJson6902", &["path"]),
    ("patchesStrategicMerge", &[""]),
    ("replacements", &["path"]),
    ("openapi", &["path"]),
    ("configMapGenerator", &["files", "envs", "env"]),
    ("secretGenerator", &["files", "envs", "env"]),
    ("helmCharts", &["valuesFile", "additionalValuesFiles"]),
];

/// A kustomization and everything below it.
#[derive(Debug, Default)]
pub struct Kustomization {
    /// Folders whose bytes make the result.
    pub folders: BTreeSet<String>,
    /// What is not in the repo.
    pub remote: Vec<Part>,
    /// Whether a chart is inflated.
    pub has_charts: bool,
    /// Whether a file that Flux decrypts for it, or applies decrypted, is encrypted with SOPS.
    pub is_encrypted: bool,
    /// Folders that hold charts.
    pub homes: BTreeSet<String>,
    /// What is said of charts, each with the folder paths in it are relative to.
    pub charts: Vec<(String, Node)>,
    /// All kustomizations it is made of, by folder.
    pub nodes: Vec<(String, Node)>,
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
        if !whole.folders.insert(folder.clone()) {
            continue;
        }
        let Some(file) = file_in(root, &folder) else { continue };
        let text = Arc::new(disk::read(root, &file)?);
        // What is no YAML is left to kustomize, whose message says more.
        let Ok(node) = tree::parse(&text, &Limits::default()) else { continue };
        whole.take_references(root, &folder, &file, &node, &mut open)?;
        whole.is_encrypted |= decrypted_files(&node).any(|file| is_encrypted(root, &folder, file));
        let charts = Charts::of(root, &folder, &file, &node)?;
        whole.take_charts(root, charts);
        whole.take_files(&file, &node);
        whole.nodes.push((folder, node));
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
    ) -> Result<(), Problems> {
        let entries = REFERENCES.iter().filter_map(|field| node.get(field)).flat_map(Node::items);
        for entry in entries {
            let Some(text) = entry.text().filter(|text| !text.contains('\n')) else { continue };
            let local = disk::joined(folder, text);
            if local.starts_with("..") && !is_remote(text) {
                return Err(outside(format!("{file}:{}", entry.mark.line)));
            } else if disk::is_directory(root, &local) {
                // What it names is relative to where it really is.
                open.push(disk::real(root, &local));
            } else if !disk::exists(root, &local) && is_remote(text) {
                self.take_address(file, entry, text);
            }
        }
        Ok(())
    }

    /// Files may be fetched too, but only by an address that a browser would take.
    fn take_files(&mut self, file: &str, node: &Node) {
        for (list, fields) in FILES {
            let whole = node.get(list).into_iter();
            for entry in whole.flat_map(|list| list.items().iter().chain([list])) {
                let named = fields
                    .iter()
                    .filter_map(|field| if field.is_empty() { Some(entry) } else { entry.get(field) });
                let each = named.flat_map(|one| one.items().iter().chain([one]));
                for (address, text) in each.filter_map(|one| Some((one, one.text()?))) {
                    if is_web(text) {
                        self.take_address(file, address, text);
                    }
                }
            }
        }
    }

    /// `crds` are both references and files, and each is told once.
    fn take_address(&mut self, file: &str, entry: &Node, text: &str) {
        let origin = Origin::new(&Arc::from(file), entry.mark.line);
        let part = Part { origin, what: What::Address(text.to_owned()) };
        if !self.remote.contains(&part) {
            self.remote.push(part);
        }
    }

    fn take_charts(&mut self, root: &Path, charts: Charts) {
        self.has_charts |= charts.is_any;
        self.homes.extend(charts.homes.into_iter().filter(|home| disk::is_directory(root, home)));
        self.folders.extend(self.homes.iter().cloned());
        self.remote.extend(charts.remote);
        self.charts.extend(charts.said);
    }

    /// What messages about it must not show.
    #[must_use]
    pub fn secrets(&self, root: &Path, tools: &Tools<'_>) -> Redaction {
        secrets::kustomization::of(root, self, tools)
    }
}

fn outside(place: String) -> Problems {
    Problem::new("path-leaves-root", "the kustomization is built on something outside the root")
        .at(place)
        .help("run on a directory that holds both")
        .into()
}

/// Whether kustomize would fetch a file.
fn is_web(text: &str) -> bool {
    !text.contains('\n') && (text.starts_with("https://") || text.starts_with("http://"))
}

/// The files Flux decrypts: what secret generators read and patches before the build, resources behind it.
fn decrypted_files(node: &Node) -> impl Iterator<Item = &str> {
    let items = |field: &str| node.get(field).into_iter().flat_map(Node::items);
    let generated = items("secretGenerator").flat_map(generator_files);
    let patches = items("patches").filter_map(|patch| patch.get("path")?.text());
    let resources = items("resources").filter_map(Node::text);
    generated.chain(patches).chain(resources)
}

/// The files a generator reads, without the keys they are given.
fn generator_files(generator: &Node) -> impl Iterator<Item = &str> {
    let lists = ["envs", "files"].into_iter().filter_map(|field| generator.get(field));
    let files = lists.flat_map(Node::items).chain(generator.get("env")).filter_map(Node::text);
    files.map(|file| file.split_once('=').map_or(file, |(_, path)| path))
}

fn is_encrypted(root: &Path, folder: &str, file: &str) -> bool {
    let local = disk::joined(folder, file);
    // What cannot be read is told by kustomize.
    !file.contains('\n')
        && !disk::is_directory(root, &local)
        && disk::read(root, &local).is_ok_and(|text| holds_mac(&text))
}

/// Whether a text carries the seal of SOPS, in whatever format: `mac: ENC[`, `"mac": "ENC[`, `sops_mac=ENC[`, `mac = ENC[`.
fn holds_mac(text: &str) -> bool {
    let sealed = |before: &str| before.trim_end_matches([' ', '\t', '"', '\'', ':', '=']).ends_with("mac");
    text.match_indices("ENC[").any(|(at, _)| sealed(&text[..at]))
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
    use super::{holds_mac, is_remote};

    #[test]
    fn the_seal_of_sops_is_found_in_every_format() {
        for (text, expected) in [
            ("a: 1\nsops:\n    mac: ENC[AES256_GCM,data:x]\n", true),
            ("{\"sops\": {\"mac\": \"ENC[AES256_GCM,data:x]\"}}", true),
            ("{\"a\":\"ENC[AES256_GCM,data:y]\",\"sops\":{\"mac\":\"ENC[AES256_GCM,data:x]\"}}", true),
            ("A=ENC[AES256_GCM,data:y]\nsops_mac=ENC[AES256_GCM,data:x]\n", true),
            ("[sops]\nmac = ENC[AES256_GCM,data:x]\n", true),
            ("password: ENC[AES256_GCM,data:x]\n", false),
            ("mac: aa:bb\n", false),
        ] {
            assert_eq!(holds_mac(text), expected, "{text}");
        }
    }

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
