//! Root → the descriptors below it, by path.

use std::path::Path;

use crate::disk;
use crate::problem::{Problem, Problems};

/// Names a descriptor may have.
pub const DESCRIPTOR_NAMES: &[&str] = &["component.yaml", "component.yml"];

/// Names the settings at the root may have.
pub const SETTINGS_NAMES: &[&str] = &["ladder.yaml", "ladder.yml"];

/// How deep folders may nest.
const MAX_DEPTH: usize = 64;

/// Paths of all descriptors below the root, sorted.
///
/// # Errors
/// When a directory cannot be listed.
pub fn descriptors(root: &Path) -> Result<Vec<String>, Problems> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), 0)];
    while let Some((directory, depth)) = open.pop() {
        for entry in disk::list(root, &directory)? {
            let path = disk::joined(&directory, &entry.name);
            let named = DESCRIPTOR_NAMES.contains(&entry.name.as_str());
            if entry.is_directory && named {
                return Err(Problem::new("a directory has the name of a descriptor")
                    .at(path)
                    .help("rename it")
                    .into());
            }
            if entry.is_directory {
                if depth < MAX_DEPTH && !is_linked_directory(root, &path) {
                    open.push((path, depth + 1));
                }
            } else if named {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// A linked directory would show its descriptors twice, or for ever.
fn is_linked_directory(root: &Path, path: &str) -> bool {
    root.join(path).is_symlink()
}
