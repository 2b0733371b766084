//! The bytes that a tool may read, for the key of its kept output.

use std::path::Path;

use super::Output;
use super::cache::Key;
use super::redact::Redaction;
use super::tools::{Call, Tools};
use crate::disk;
use crate::problem::Problems;

/// All files below some folders, hidden ones too, each once.
///
/// # Errors
/// When a folder cannot be listed or a link leaves the root.
pub fn files<'f>(root: &Path, folders: impl Iterator<Item = &'f String>) -> Result<Vec<String>, Problems> {
    let mut files = Vec::new();
    for folder in folders {
        files.extend(disk::files_below(root, folder)?);
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// Adds names and contents of files to a key.
///
/// # Errors
/// When a file cannot be read.
pub fn add(key: &mut Key, root: &Path, files: &[String]) -> Result<(), Problems> {
    for file in files {
        key.add(file);
        key.add(disk::read_bytes(root, file)?);
    }
    Ok(())
}

/// What was kept under a key, else what `run` makes, which is kept where it may be.
///
/// # Errors
/// When a source cannot be read.
pub fn kept(
    tools: &Tools<'_>,
    key: impl Fn() -> Result<Option<Key>, Problems>,
    run: impl FnOnce() -> Output,
) -> Result<Output, Problems> {
    let before = key()?;
    let Some((cache, before)) = tools.cache.as_ref().zip(before) else { return Ok(run()) };
    if let Some(text) = cache.get(&before) {
        return Ok(Output::Text(text));
    }
    let output = run();
    // A source that changed meanwhile made something else than its key says.
    let is_unchanged = || matches!(key(), Ok(Some(after)) if after == before);
    if let Output::Text(text) = &output
        && is_unchanged()
    {
        cache.put(&before, text);
    }
    Ok(output)
}

/// Version of the first of some programs that is there, as it says itself.
///
/// Asking takes as long as a small render, so the answer is kept for as long as the program's file stays the same.
pub fn version(tools: &Tools<'_>, programs: impl Iterator<Item = &'static str>) -> Option<String> {
    let cache = tools.cache.as_ref()?;
    for program in programs {
        let Some(stamp) = disk::program_stamp(program) else { continue };
        let mut key = Key::new("version");
        key.add(&stamp);
        if let Some(version) = cache.get(&key) {
            return Some(version);
        }
        let arguments: &[&str] = if program == "kubectl" { &["version", "--client"] } else { &["version"] };
        let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
        let redaction = Redaction::default();
        let call = Call { program, arguments, directory: Path::new("/"), redaction: &redaction, input: None };
        let version = format!("{program} {}", tools.run(&call).ok()?);
        cache.put(&key, &version);
        return Some(version);
    }
    None
}
