//! The programs a machine must have, and which Debian package brings each.

use std::env;

use anyhow::{Result, bail};

const NEEDED: [(&str, &str); 6] = [
    ("go", "Go 1.26.3 or later (https://go.dev/dl)"),
    ("git", "apt-get install git"),
    ("redis-server", "apt-get install --no-install-recommends redis-server"),
    ("ip", "apt-get install iproute2"),
    ("unshare", "apt-get install util-linux"),
    ("mount", "apt-get install mount"),
];

/// An error that names every missing program and how to get it.
pub(crate) fn check() -> Result<()> {
    let path = env::var_os("PATH").unwrap_or_default();
    let there = |name: &str| env::split_paths(&path).any(|folder| folder.join(name).is_file());
    let missing: Vec<String> = NEEDED
        .iter()
        .filter(|(name, _)| !there(name))
        .map(|(name, source)| format!("`{name}` is missing: {source}"))
        .collect();
    if missing.is_empty() { Ok(()) } else { bail!("{}", missing.join("\n")) }
}
