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

/// The key with names and contents of files; none when one cannot be read, be it a pipe, too large, or without a name
/// that is text: the tool may do without it, but nothing can be kept then.
#[must_use]
pub fn added(mut key: Key, root: &Path, files: &[String]) -> Option<Key> {
    for file in files {
        key.add(file);
        key.add(disk::read_bytes(root, file).ok()?);
    }
    Some(key)
}

/// What was kept under a key, else what `run` makes, which is kept where it may be.
///
/// # Errors
/// When a source may not be read.
pub fn kept(
    tools: &Tools<'_>,
    key: impl Fn() -> Result<Option<Key>, Problems>,
    run: impl FnOnce() -> Result<Output, Problems>,
) -> Result<Output, Problems> {
    let before = key()?;
    let Some((cache, before)) = tools.cache.as_ref().zip(before) else { return run() };
    if let Some(text) = cache.get(&before) {
        return Ok(Output::Text(text));
    }
    let output = run()?;
    // A source that changed meanwhile made something else than its key says.
    let is_unchanged = || matches!(key(), Ok(Some(after)) if after == before);
    if let Output::Text(text) = &output
        && is_unchanged()
    {
        cache.put(&before, text);
    }
    Ok(output)
}

/// Version of the first of some programs that is there, as it says itself, and its stamp: two builds may call themselves
/// the same.
///
/// Asking takes as long as a small render, so the answer is kept for as long as the program's file stays the same.
pub fn version(tools: &Tools<'_>, programs: impl Iterator<Item = &'static str>) -> Option<String> {
    let cache = tools.cache.as_ref()?;
    for program in programs {
        let Some(stamp) = tools.program(program).and_then(disk::program_stamp) else { continue };
        let mut key = Key::new("version");
        key.add(&stamp);
        if let Some(version) = cache.get(&key) {
            return Some(version);
        }
        let arguments: &[&str] = if program == "kubectl" { &["version", "--client"] } else { &["version"] };
        let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
        let secrets = Redaction::default;
        let call = Call { program, arguments, directory: Path::new("/"), redaction: &secrets, input: None };
        let version = format!("{program} {stamp} {}", tools.run(&call).ok()?);
        cache.put(&key, &version);
        return Some(version);
    }
    None
}
