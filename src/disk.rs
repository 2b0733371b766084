//! Reading the tree under the root: the only place that lists and reads files.
//!
//! Paths are relative to the root with `/`; links that leave the root are refused, as Argo CD does.

#![expect(clippy::disallowed_methods, reason = "this is where files are read")]

mod walk;

use std::fs;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

pub use walk::{Entry, Links, Walk};

use crate::problem::{Problem, Problems};

/// Files larger than this are refused.
const MAX_FILE_BYTES: u64 = 256 * 1024 * 1024;

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

/// A path as an argument of a program: never an option, whatever it is called.
#[must_use]
pub fn argument(path: &str) -> String {
    if path.is_empty() { ".".to_owned() } else { format!("./{path}") }
}

/// All files below a directory, hidden ones too, sorted; links that leave the root are refused.
///
/// # Errors
/// When a directory cannot be listed.
pub fn files_below(root: &Path, directory: &str) -> Result<Vec<String>, Problems> {
    let mut files = Vec::new();
    let walk = Walk { root, with_hidden: true, links: Links::EachPath };
    walk.visit(directory, |path, entry| {
        if !entry.is_directory && !entry.is_dangling {
            files.push(path);
        }
        true
    })?;
    files.sort();
    Ok(files)
}

/// Reads a file as it is.
///
/// # Errors
/// When it cannot be read.
pub fn read_bytes(root: &Path, file: &str) -> Result<Vec<u8>, Problems> {
    whole(&inside(root, file)?, file)
}

/// Reads a text file.
///
/// # Errors
/// When it is missing, unreadable, too large or not UTF-8.
pub fn read(root: &Path, file: &str) -> Result<String, Problems> {
    text(read_bytes(root, file)?, file)
}

/// Reads a text file that may lie anywhere, because the user named it, or what the shell hands over as `<(…)`.
///
/// # Errors
/// When it is missing, unreadable, too large or not UTF-8.
pub fn read_anywhere(file: &Path) -> Result<String, Problems> {
    let shown = file.display().to_string();
    let bytes = if is_handed_over(file) { handed_over(file, &shown)? } else { whole(file, &shown)? };
    text(bytes, &shown)
}

/// Whether a path is a pipe that is open already: its writer is there, so it does not keep us waiting.
fn is_handed_over(file: &Path) -> bool {
    file.starts_with("/dev/fd") && fs::metadata(file).is_ok_and(|found| found.file_type().is_fifo())
}

fn handed_over(file: &Path, shown: &str) -> Result<Vec<u8>, Problems> {
    let mut bytes = Vec::new();
    fs::File::open(file)
        .and_then(|pipe| pipe.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| unreadable(shown, &error))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(too_large(shown, &format!("more than {MAX_FILE_BYTES} bytes")));
    }
    Ok(bytes)
}

/// The bytes of a file. What cannot be read whole is refused: a pipe or a device would keep us waiting for ever.
fn whole(path: &Path, file: &str) -> Result<Vec<u8>, Problems> {
    let metadata = fs::metadata(path).map_err(|error| unreadable(file, &error))?;
    let size = metadata.len();
    if !metadata.is_file() {
        return Err(Problem::new("unreadable-file", "this is no file")
            .at(file)
            .help("put a file there, or remove it")
            .into());
    }
    if size > MAX_FILE_BYTES {
        return Err(too_large(file, &format!("{size} bytes, more than the {MAX_FILE_BYTES} read here")));
    }
    fs::read(path).map_err(|error| unreadable(file, &error))
}

fn too_large(file: &str, size: &str) -> Problems {
    Problem::new("file-too-large", format!("the file has {size}")).at(file).into()
}

fn text(bytes: Vec<u8>, file: &str) -> Result<String, Problems> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + memchr::memchr_iter(b'\n', &error.as_bytes()[..at]).count();
        Problem::new("unreadable-file", "the file is not UTF-8 text").at(format!("{file}:{line}")).into()
    })
}

/// The absolute entries of the PATH. Any other, an empty one too, would let the repo at hand bring the programs.
#[must_use]
pub fn search_path() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|entry| entry.is_absolute()).collect()
}

/// The first program of a name on the PATH that may be run.
#[must_use]
pub fn program(name: &str) -> Option<PathBuf> {
    search_path().into_iter().map(|entry| entry.join(name)).find(|file| {
        fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    })
}

/// Path, size and time of change of a program: another program has another stamp.
#[must_use]
pub fn program_stamp(file: &Path) -> Option<String> {
    let metadata = fs::metadata(file).ok()?;
    Some(format!("{} {} {:?}", file.display(), metadata.len(), metadata.modified().ok()?))
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

/// A directory below the root where it really is, behind links.
#[must_use]
pub fn real(root: &Path, directory: &str) -> String {
    let behind = || {
        let (real, root) = (root.join(directory).canonicalize().ok()?, root.canonicalize().ok()?);
        Some(real.strip_prefix(root).ok()?.to_str()?.to_owned())
    };
    let is_linked = has_link(root, directory).unwrap_or(false);
    is_linked.then(behind).flatten().unwrap_or_else(|| directory.to_owned())
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

/// The path, if it stays under the root.
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
    Problem::new("path-leaves-root", "the path leaves the root")
        .at(path)
        .help("Argo CD refuses such links too: move the file below the root, or run on a directory that holds both")
        .into()
}

fn unreadable(path: &str, error: &std::io::Error) -> Problems {
    let path = if path.is_empty() { "." } else { path };
    let problem = match error.kind() {
        ErrorKind::NotFound => Problem::new("unreadable-file", "there is no such file or directory"),
        ErrorKind::PermissionDenied => {
            Problem::new("unreadable-file", "permission denied").help("make it readable for this user")
        }
        _ => Problem::new("unreadable-file", format!("cannot be read: {error}")),
    };
    problem.at(path).into()
}
