//! Root → the descriptors below it, by path.

use std::path::Path;
use std::sync::Arc;

use crate::disk::{Links, Walk};
use crate::model::{Finding, Level, Origin};
use crate::problem::{Problem, Problems};

/// Names a descriptor may have.
pub const DESCRIPTOR_NAMES: &[&str] = &["component.yaml", "component.yml"];

/// Names the settings at the root may have.
pub const SETTINGS_NAMES: &[&str] = &["ladder.yaml", "ladder.yml"];

/// What was found below a root.
#[derive(Debug, Default)]
pub struct Discovered {
    /// Paths of the descriptors, sorted.
    pub descriptors: Vec<String>,
    /// What the user should know.
    pub findings: Vec<Finding>,
}

/// What one folder and those below it hold.
#[derive(Debug, Default)]
struct Below {
    descriptors: Vec<String>,
    /// Links to folders, each with the folder it leads to.
    links: Vec<(String, String)>,
}

/// All descriptors below the root. Hidden folders and links to folders are not looked into: a folder that is linked
/// would show its descriptors twice.
///
/// # Errors
/// When a directory cannot be listed.
pub fn descriptors(root: &Path) -> Result<Discovered, Problems> {
    let Below { descriptors, links } = below(root, "")?;
    let mut findings = Vec::new();
    for (link, target) in links {
        // What a link shows besides is found where it really is.
        if is_hidden(&target)
            && let Some(descriptor) = first_descriptor(root, &target)?
        {
            findings.push(unseen(&link, &descriptor));
        }
    }
    Ok(Discovered { descriptors, findings })
}

/// A descriptor below a hidden folder, also behind further links there.
fn first_descriptor(root: &Path, folder: &str) -> Result<Option<String>, Problems> {
    let mut open = vec![folder.to_owned()];
    let mut seen = Vec::new();
    while let Some(folder) = open.pop() {
        if seen.contains(&folder) {
            continue;
        }
        let Below { descriptors, links } = below(root, &folder)?;
        if let Some(descriptor) = descriptors.into_iter().next() {
            return Ok(Some(descriptor));
        }
        open.extend(links.into_iter().map(|(_, target)| target).filter(|target| is_hidden(target)));
        seen.push(folder);
    }
    Ok(None)
}

fn below(root: &Path, directory: &str) -> Result<Below, Problems> {
    let mut found = Below::default();
    let mut problem = None;
    let walk = Walk { root, with_hidden: false, links: Links::EachPath };
    walk.visit(directory, |path, entry| {
        let is_named = DESCRIPTOR_NAMES.contains(&entry.name.as_str());
        if entry.is_directory && is_named {
            let named = Problem::new("unreadable-file", "a directory has the name of a descriptor")
                .at(path)
                .help("rename it");
            problem.get_or_insert(named);
            return false;
        }
        if is_named {
            found.descriptors.push(path);
            return false;
        }
        if let (true, Some(target)) = (entry.is_directory, &entry.target) {
            found.links.push((path, target.clone()));
            return false;
        }
        true
    })?;
    found.descriptors.sort();
    found.links.sort();
    problem.map_or(Ok(found), |problem| Err(problem.into()))
}

fn is_hidden(path: &str) -> bool {
    path.split('/').any(|part| part.starts_with('.'))
}

fn unseen(link: &str, descriptor: &str) -> Finding {
    let message =
        format!("`{link}` leads to a hidden folder, so the component of `{descriptor}` is left out");
    Finding::new("linked-component-skipped", Level::Warning, message)
        .at(Origin::new(&Arc::from(link), 1))
        .help("move the folder to where the link is")
}
