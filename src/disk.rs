//! Reading the tree under the root: the only place that lists and reads files.
//!
//! Paths are relative to the root with `/`; links that leave the root are refused, as Argo CD does.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use crate::model::Shown;
use crate::problem::{Problem, Problems};

/// Files larger than this are refused.
const MAX_FILE_BYTES: u64 = 256 * 1024 * 1024;

/// One directory entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Name without path.
    pub name: String,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Whether it is a link to nothing.
    pub is_dangling: bool,
}

/// `base/path` with `.` and `..` taken out; a path that leaves the root keeps its leading `..`.
#[must_use]
pub fn joined(base: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}

/// The entries of a directory by name; hidden ones are left out.
///
/// # Errors
/// When it cannot be listed.
pub fn list(root: &Path, directory: &str) -> Result<Vec<Entry>, Problems> {
    let path = inside(root, directory)?;
    let read = fs::read_dir(&path).map_err(|error| unreadable(directory, &error))?;
    let mut entries = Vec::new();
    for entry in read {
        let entry = entry.map_err(|error| unreadable(directory, &error))?;
        let shown = entry.file_name().to_string_lossy().into_owned();
        if shown.starts_with('.') {
            continue;
        }
        let name = match name_of(&entry, directory) {
            Ok(name) => name,
            // Of the names that cannot be written, only those that would be looked into matter.
            Err(problem) if may_matter(&entry, &shown) => return Err(problem),
            Err(_) => continue,
        };
        let file_type = entry.file_type().map_err(|error| unreadable(&joined(directory, &name), &error))?;
        let is_dangling = file_type.is_symlink()
            && fs::metadata(entry.path()).is_err_and(|error| error.kind() == ErrorKind::NotFound);
        let is_directory = if is_dangling {
            false
        } else if file_type.is_symlink() {
            link_target_is_directory(root, &joined(directory, &name))?
        } else {
            file_type.is_dir()
        };
        entries.push(Entry { name, is_directory, is_dangling });
    }
    entries.sort();
    Ok(entries)
}

/// The name of an entry, by which it is read later.
fn name_of(entry: &fs::DirEntry, directory: &str) -> Result<String, Problems> {
    entry.file_name().into_string().map_err(|name| {
        let shown = joined(directory, &name.to_string_lossy());
        Problem::new("the name of this file is not UTF-8").at(Shown(&shown)).help("rename the file").into()
    })
}

fn may_matter(entry: &fs::DirEntry, name: &str) -> bool {
    let ending = name.rsplit('.').next().unwrap_or_default();
    entry.path().is_dir() || matches!(ending, "yaml" | "yml" | "json")
}

/// All files below a directory, hidden ones too, sorted; links that leave the root are refused.
///
/// # Errors
/// When a directory cannot be listed.
pub fn files_below(root: &Path, directory: &str) -> Result<Vec<String>, Problems> {
    let mut files = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(current) = open.pop() {
        let path = inside(root, &current)?;
        for entry in fs::read_dir(&path).map_err(|error| unreadable(&current, &error))? {
            let entry = entry.map_err(|error| unreadable(&current, &error))?;
            let below = joined(&current, &name_of(&entry, &current)?);
            let file_type = entry.file_type().map_err(|error| unreadable(&below, &error))?;
            let is_directory = match file_type.is_symlink() {
                true if fs::metadata(entry.path()).is_err() => continue,
                true => link_target_is_directory(root, &below)?,
                false => file_type.is_dir(),
            };
            if is_directory { open.push(below) } else { files.push(below) }
        }
    }
    files.sort();
    Ok(files)
}

/// Reads a file as it is.
///
/// # Errors
/// When it cannot be read.
pub fn read_bytes(root: &Path, file: &str) -> Result<Vec<u8>, Problems> {
    let path = inside(root, file)?;
    checked_size(&path, file)?;
    fs::read(&path).map_err(|error| unreadable(file, &error))
}

/// Refuses what cannot be read whole: a pipe or a device would keep us waiting for ever.
fn checked_size(path: &Path, file: &str) -> Result<(), Problems> {
    let metadata = fs::metadata(path).map_err(|error| unreadable(file, &error))?;
    let size = metadata.len();
    if !metadata.is_file() {
        return Err(Problem::new("this is no file").at(file).help("put a file there, or remove it").into());
    }
    if size > MAX_FILE_BYTES {
        let message = format!("the file has {size} bytes, more than the {MAX_FILE_BYTES} read here");
        return Err(Problem::new(message).at(file).into());
    }
    Ok(())
}

/// Path, size and time of change of a program on the PATH: another program has another stamp.
#[must_use]
pub fn program_stamp(program: &str) -> Option<String> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(program)).find_map(|file| {
        let metadata = fs::metadata(&file).ok().filter(fs::Metadata::is_file)?;
        Some(format!("{} {} {:?}", file.display(), metadata.len(), metadata.modified().ok()?))
    })
}

/// Where the links of a directory lead, as far as that is below the root; a directory that is not there has none.
#[must_use]
pub fn link_targets(root: &Path, directory: &str) -> Vec<String> {
    let Ok(root) = root.canonicalize() else { return Vec::new() };
    let entries = fs::read_dir(root.join(directory)).into_iter().flatten().filter_map(Result::ok);
    let links = entries.filter(|entry| entry.path().is_symlink());
    let targets = links.filter_map(|link| link.path().canonicalize().ok());
    targets.filter_map(|target| Some(target.strip_prefix(&root).ok()?.to_str()?.to_owned())).collect()
}

/// Whether a link leads to a directory; one that leads back to a folder on its own path would never end.
fn link_target_is_directory(root: &Path, link: &str) -> Result<bool, Problems> {
    let target = inside(root, link)?;
    let real = |path: &Path| path.canonicalize().map_err(|error| unreadable(link, &error));
    let real_target = real(&target)?;
    for folder in Path::new(link).ancestors().skip(1) {
        if real(&root.join(folder))?.starts_with(&real_target) {
            let problem = Problem::new("the link leads back to a folder above it").at(link);
            return Err(problem.help("remove the link").into());
        }
    }
    Ok(target.is_dir())
}

/// Reads a text file.
///
/// # Errors
/// When it is missing, unreadable, too large or not UTF-8.
pub fn read(root: &Path, file: &str) -> Result<String, Problems> {
    let path = inside(root, file)?;
    checked_size(&path, file)?;
    let bytes = fs::read(&path).map_err(|error| unreadable(file, &error))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + memchr::memchr_iter(b'\n', &error.as_bytes()[..at]).count();
        Problem::new("the file is not UTF-8 text").at(format!("{file}:{line}")).into()
    })
}

/// Reads a text file that may be absent.
///
/// # Errors
/// When it is there but cannot be read.
pub fn read_optional(root: &Path, file: &str) -> Result<Option<String>, Problems> {
    if exists(root, file) { read(root, file).map(Some) } else { Ok(None) }
}

/// Whether a path exists, links included.
#[must_use]
pub fn exists(root: &Path, path: &str) -> bool {
    fs::symlink_metadata(root.join(path)).is_ok()
}

/// Whether a path is a directory.
#[must_use]
pub fn is_directory(root: &Path, path: &str) -> bool {
    root.join(path).is_dir()
}

/// The real path, if it stays under the root.
fn inside(root: &Path, path: &str) -> Result<PathBuf, Problems> {
    if Path::new(path).components().any(|part| matches!(part, Component::ParentDir | Component::RootDir)) {
        return Err(leaves(path));
    }
    let whole = root.join(path);
    if !has_link(root, path).map_err(|error| unreadable(path, &error))? {
        return Ok(whole);
    }
    let real = whole.canonicalize().map_err(|error| unreadable(path, &error))?;
    let real_root = root.canonicalize().map_err(|error| unreadable(".", &error))?;
    if real.starts_with(&real_root) { Ok(whole) } else { Err(leaves(path)) }
}

/// Whether any step from the root down to a path is a link; without one it cannot leave the root.
fn has_link(root: &Path, path: &str) -> std::io::Result<bool> {
    let mut step = root.to_owned();
    for part in Path::new(path).components() {
        step.push(part);
        if fs::symlink_metadata(&step)?.is_symlink() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn leaves(path: &str) -> Problems {
    Problem::new("the path leaves the root")
        .at(path)
        .help("Argo CD refuses such links too: move the file below the root, or run on a directory that holds both")
        .into()
}

fn unreadable(path: &str, error: &std::io::Error) -> Problems {
    let path = if path.is_empty() { "." } else { path };
    let problem = match error.kind() {
        ErrorKind::NotFound => Problem::new("there is no such file or directory"),
        ErrorKind::PermissionDenied => {
            Problem::new("permission denied").help("make it readable for this user")
        }
        _ => Problem::new(format!("cannot be read: {error}")),
    };
    problem.at(path).into()
}
