//! The one walk over folders. Its result never hangs on the order in which a disk lists them.
//!
//! Links to folders are where a small tree becomes an endless one: a link to a folder above it is refused, and folders
//! of links to each other would double with each level, so what is seen through links is either seen once or counted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::{inside, joined, leaves, unreadable};
use crate::problem::{Problem, Problems};

/// Entries that a walk may see through links; no repo has as many, and every level of links to links doubles them.
const MAX_LINKED_ENTRIES: usize = 100_000;

/// What belongs to Git, not to the sources: a checkout may lack it.
const GIT: &str = ".git";

/// One directory entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Name without path.
    pub name: String,
    /// Whether it is a directory, or a link to one.
    pub is_directory: bool,
    /// Whether it is a link to nothing.
    pub is_dangling: bool,
    /// Where a link leads, from the root.
    pub target: Option<String>,
}

/// What a walk does with links to folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Sees a folder under each of its paths, as programs do that are given the directory.
    EachPath,
    /// Sees a folder once: where it really is, else under the first link by name.
    EachFolderOnce,
}

/// A walk over a directory and everything below it.
#[derive(Debug, Clone, Copy)]
pub struct Walk<'r> {
    /// The directory everything is below.
    pub root: &'r Path,
    /// Whether hidden entries are seen; `.git` never is.
    pub with_hidden: bool,
    /// What happens at links to folders.
    pub links: Links,
}

/// A folder on the way.
#[derive(Debug)]
struct Folder {
    path: String,
    real: PathBuf,
    above: Option<Rc<Folder>>,
    is_linked: bool,
}

impl Walk<'_> {
    /// Shows every entry below a directory, and goes into those directories for which the answer is yes.
    ///
    /// # Errors
    /// When a directory cannot be listed, or a link leaves the root or leads back.
    pub fn visit(
        &self,
        directory: &str,
        mut see: impl FnMut(String, &Entry) -> bool,
    ) -> Result<(), Problems> {
        let real_root = real(self.root, "")?;
        let start = inside(self.root, directory)?;
        let start = Folder {
            path: directory.to_owned(),
            real: real(&start, directory)?,
            above: None,
            is_linked: false,
        };
        let mut open = vec![Rc::new(start)];
        // Real folders first: a link to one of them then finds it seen.
        let mut links: BTreeMap<String, Rc<Folder>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let mut linked_entries = 0;
        while let Some(folder) = open.pop().or_else(|| links.pop_first().map(|(_, folder)| folder)) {
            if self.links == Links::EachFolderOnce && !seen.insert(folder.real.clone()) {
                continue;
            }
            let mut below = Vec::new();
            for (entry, real) in self.entries(&folder, &real_root)? {
                linked_entries += usize::from(folder.is_linked);
                if linked_entries > MAX_LINKED_ENTRIES {
                    return Err(too_many(directory));
                }
                let path = joined(&folder.path, &entry.name);
                if !see(path.clone(), &entry) || !entry.is_directory {
                    continue;
                }
                let is_link = entry.target.is_some();
                let is_linked = folder.is_linked || is_link;
                let next = Rc::new(Folder { path, real, above: Some(Rc::clone(&folder)), is_linked });
                if is_link && self.links == Links::EachFolderOnce {
                    links.insert(next.path.clone(), next);
                } else {
                    below.push(next);
                }
            }
            open.extend(below.into_iter().rev());
        }
        Ok(())
    }

    /// The entries of a folder by name, each with where it really is.
    fn entries(&self, folder: &Folder, real_root: &Path) -> Result<Vec<(Entry, PathBuf)>, Problems> {
        let mut entries = Vec::new();
        for listed in fs::read_dir(&folder.real).map_err(|error| unreadable(&folder.path, &error))? {
            let listed = listed.map_err(|error| unreadable(&folder.path, &error))?;
            let shown = listed.file_name().to_string_lossy().into_owned();
            if shown == GIT || (shown.starts_with('.') && !self.with_hidden) {
                continue;
            }
            let name = match listed.file_name().into_string() {
                Ok(name) => name,
                // It may lie beside what is read: whoever needs something in there says that it cannot be read.
                Err(_) if self.with_hidden || listed.path().is_dir() => shown,
                Err(_) if is_manifest(&shown) => return Err(unwritable(&joined(&folder.path, &shown))),
                Err(_) => continue,
            };
            let path = || joined(&folder.path, &name);
            let file_type = listed.file_type().map_err(|error| unreadable(&path(), &error))?;
            entries.push(if file_type.is_symlink() {
                folder.followed(name.clone(), &listed.path(), real_root)?
            } else {
                let is_directory = file_type.is_dir();
                (Entry { name, is_directory, is_dangling: false, target: None }, listed.path())
            });
        }
        entries.sort();
        Ok(entries)
    }
}

fn is_manifest(name: &str) -> bool {
    matches!(name.rsplit('.').next(), Some("yaml" | "yml" | "json"))
}

fn unwritable(path: &str) -> Problems {
    Problem::new("unreadable-file", "the name of this file is not UTF-8")
        .at(path)
        .help("rename the file")
        .into()
}

impl Folder {
    /// A link in it.
    fn followed(&self, name: String, link: &Path, real_root: &Path) -> Result<(Entry, PathBuf), Problems> {
        let path = joined(&self.path, &name);
        let real = match link.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok((
                    Entry { name, is_directory: false, is_dangling: true, target: None },
                    link.to_owned(),
                ));
            }
            Err(error) => return Err(unreadable(&path, &error)),
        };
        let Ok(target) = real.strip_prefix(real_root) else { return Err(leaves(&path)) };
        if self.and_above().any(|folder| folder.real.starts_with(&real)) {
            let problem = Problem::new("link-loop", "the link leads back to a folder above it").at(path);
            return Err(problem.help("remove the link").into());
        }
        let target = Some(target.to_string_lossy().into_owned());
        Ok((Entry { name, is_directory: real.is_dir(), is_dangling: false, target }, real))
    }

    /// It and the folders the walk came through.
    fn and_above(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |folder| folder.above.as_deref())
    }
}

fn real(path: &Path, shown: &str) -> Result<PathBuf, Problems> {
    path.canonicalize().map_err(|error| unreadable(shown, &error))
}

fn too_many(directory: &str) -> Problems {
    let directory = if directory.is_empty() { "." } else { directory };
    Problem::new(
        "too-many-links",
        format!("links to folders make more than {MAX_LINKED_ENTRIES} paths of what is below"),
    )
    .at(directory)
    .help("remove links that lead to folders with links")
    .into()
}
