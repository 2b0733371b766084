//! Rendered sources kept between runs, under the digest of everything that made them.
//!
//! An entry carries the digest of its own text, so a damaged one is a miss. Entries appear whole (written beside, then
//! renamed), so any number of processes may share a directory.

#![expect(clippy::disallowed_methods, reason = "kept renders lie outside the root")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use sha2::{Digest, Sha256};

/// How the names of entries end: other files in the directory are somebody else's.
const SUFFIX: &str = ".render";
/// Length of an entry's first line: a digest and the end of the line.
const DIGEST_LINE: u64 = 65;
/// How the names of entries that are being written begin.
const UNFINISHED: &str = ".new-";

/// A directory of rendered sources.
#[derive(Debug)]
pub struct Cache {
    directory: PathBuf,
    limit: u64,
    refusal: OnceLock<String>,
}

/// The digest of everything that made a render.
#[derive(Debug, Clone)]
pub struct Key(Sha256);

impl Key {
    /// A key for a tool of a version.
    #[must_use]
    pub fn new(version: &str) -> Self {
        let mut key = Self(Sha256::new());
        key.add(concat!("argocd-ladder ", env!("CARGO_PKG_VERSION")));
        key.add(version);
        key
    }

    /// Adds a part; its length goes first, so that parts never run into each other.
    pub fn add(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// The name of what is kept under it.
    fn name(&self) -> String {
        hex(self.0.clone().finalize().as_slice()) + SUFFIX
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Cache {
    /// A cache in a directory, which is made when something is kept.
    #[must_use]
    pub fn new(directory: &Path, limit: u64) -> Self {
        Self { directory: directory.to_owned(), limit, refusal: OnceLock::new() }
    }

    /// Why nothing could be kept, where that was so.
    #[must_use]
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.get().map(String::as_str)
    }

    /// What was kept under a key; anything damaged is not there.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<String> {
        let path = self.directory.join(key.name());
        let entry = self.entry(&path)?;
        let (digest, text) = entry.split_once('\n')?;
        if digest != digest_of(text) {
            return None;
        }
        // What is used stays longest; a directory that cannot be written to still serves.
        let _ =
            File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(text.to_owned())
    }

    /// The text of a file that may be an entry: a link may lead to what never ends, and a pipe may never begin.
    fn entry(&self, path: &Path) -> Option<String> {
        let found = fs::symlink_metadata(path).ok()?;
        let longest = self.limit.saturating_add(DIGEST_LINE);
        if !found.is_file() || found.len() > longest {
            return None;
        }
        let mut entry = String::new();
        File::open(path).ok()?.take(longest).read_to_string(&mut entry).ok()?;
        Some(entry)
    }

    /// Keeps a text. A cache that cannot be written to is no reason to fail: [`Cache::refusal`] tells of it.
    pub fn put(&self, key: &Key, text: &str) {
        if text.len() as u64 > self.limit {
            return;
        }
        match self.write(key, text) {
            Ok(()) => self.shrink(),
            Err(error) => {
                self.refusal.get_or_init(|| format!("{}: {error}", self.directory.display()));
            }
        }
    }

    fn write(&self, key: &Key, text: &str) -> std::io::Result<()> {
        fs::create_dir_all(&self.directory)?;
        let mut file =
            tempfile::Builder::new().prefix(UNFINISHED).suffix(SUFFIX).tempfile_in(&self.directory)?;
        writeln!(file, "{}", digest_of(text))?;
        file.write_all(text.as_bytes())?;
        let path = self.directory.join(key.name());
        let Err(error) = file.persist(&path) else { return Ok(()) };
        // Anything else but a directory has given way already.
        if !path.is_dir() || path.is_symlink() {
            return Err(error.error);
        }
        fs::remove_dir_all(&path)?;
        error.file.persist(&path)?;
        Ok(())
    }

    /// Removes what was used longest ago until the rest fits, also what a killed process did not finish.
    fn shrink(&self) {
        let Ok(entries) = fs::read_dir(&self.directory) else { return };
        let mut kept: Vec<(SystemTime, u64, PathBuf)> = entries
            .filter_map(|entry| {
                let entry = entry.ok().filter(|entry| is_ours(&entry.file_name().to_string_lossy()))?;
                let metadata = entry.metadata().ok()?;
                Some((metadata.modified().ok()?, metadata.len(), entry.path()))
            })
            .collect();
        kept.sort();
        let mut size: u64 = kept.iter().map(|(_, length, _)| length).sum();
        for (_, length, path) in kept {
            if size <= self.limit {
                return;
            }
            // Another process may have removed it already.
            let _ = fs::remove_file(path);
            size -= length;
        }
    }
}

fn is_ours(name: &str) -> bool {
    let stem = name.strip_suffix(SUFFIX);
    let is_digest = |stem: &str| stem.len() == 64 && stem.bytes().all(|byte| byte.is_ascii_hexdigit());
    stem.is_some_and(|stem| is_digest(stem) || stem.starts_with(UNFINISHED))
}

fn digest_of(text: &str) -> String {
    hex(Sha256::digest(text.as_bytes()).as_slice())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts something at a path.
    type Fill = fn(&Path);

    fn key(part: &str) -> Key {
        let mut key = Key::new("v1");
        key.add(part);
        key
    }

    #[test]
    fn what_is_kept_comes_back_unless_it_was_damaged() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path(), 1000);
        assert_eq!(cache.get(&key("a")), None);
        cache.put(&key("a"), "kind: A\n");
        assert_eq!(cache.get(&key("a")).as_deref(), Some("kind: A\n"));
        assert_eq!(cache.get(&key("b")), None);
        let path = directory.path().join(key("a").name());
        fs::write(&path, fs::read_to_string(&path).unwrap().replace("kind: A", "kind: B")).unwrap();
        assert_eq!(cache.get(&key("a")), None, "a changed entry is a miss");
        fs::write(&path, "").unwrap();
        assert_eq!(cache.get(&key("a")), None, "an empty entry is a miss");
    }

    #[test]
    fn the_directory_stays_below_its_limit() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path(), 2000);
        for number in 0..20 {
            cache.put(&key(&number.to_string()), &"x".repeat(300));
        }
        let size: u64 =
            fs::read_dir(directory.path()).unwrap().map(|e| e.unwrap().metadata().unwrap().len()).sum();
        assert!(size <= 2000, "{size}");
        assert!(cache.get(&key("19")).is_some(), "the newest entry is kept");
        cache.put(&key("large"), &"x".repeat(3000));
        assert!(cache.get(&key("large")).is_none(), "what does not fit is not kept");
    }

    #[test]
    fn what_is_no_file_is_a_miss_and_gives_way() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path(), 1000);
        let path = directory.path().join(key("a").name());
        let fill: [(&str, Fill); 4] = [
            ("a directory", |path| fs::create_dir_all(path.join("below")).unwrap()),
            ("an endless file", |path| std::os::unix::fs::symlink("/dev/zero", path).unwrap()),
            ("a pipe", |path| {
                assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
            }),
            ("a large file", |path| File::create(path).unwrap().set_len(1 << 40).unwrap()),
        ];
        for (what, fill) in fill {
            fill(&path);
            assert_eq!(cache.get(&key("a")), None, "{what}");
            cache.put(&key("a"), "kind: A\n");
            assert_eq!(cache.get(&key("a")).as_deref(), Some("kind: A\n"), "{what}");
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn what_others_keep_in_the_directory_stays() {
        let directory = tempfile::tempdir().unwrap();
        let theirs = ["notes.txt", "notes.render", ".hidden"].map(|name| directory.path().join(name));
        for path in &theirs {
            fs::write(path, "x".repeat(5000)).unwrap();
        }
        let unfinished = directory.path().join(".new-killed.render");
        fs::write(&unfinished, "x".repeat(5000)).unwrap();
        let cache = Cache::new(directory.path(), 1000);
        cache.put(&key("a"), "kind: A\n");
        assert!(theirs.iter().all(|path| path.exists()));
        assert!(!unfinished.exists(), "what a killed process left is removed");
        assert!(cache.get(&key("a")).is_some());
    }

    #[test]
    fn a_directory_that_cannot_be_written_to_is_told_of() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, "").unwrap();
        let cache = Cache::new(&file, 1000);
        cache.put(&key("a"), "kind: A\n");
        assert!(cache.refusal().is_some_and(|refusal| refusal.starts_with(&*file.to_string_lossy())));
    }

    #[test]
    fn parts_of_a_key_do_not_run_into_each_other() {
        let two = |first: &str, second: &str| {
            let mut key = Key::new("v1");
            key.add(first);
            key.add(second);
            key.name()
        };
        assert_ne!(two("ab", "c"), two("a", "bc"));
    }
}
