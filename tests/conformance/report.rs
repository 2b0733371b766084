//! `UPDATE=1`: writes `docs/conformance.md` from what a whole run showed.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::parts::build;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/conformance.md");

/// One case and what came of it.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) about: String,
    /// None when the machine does not allow it.
    pub(crate) passed: Option<bool>,
    pub(crate) notes: Vec<String>,
}

/// Whether the run is to be written down: only a whole one.
pub(crate) fn wanted() -> bool {
    env::var_os("UPDATE").is_some() && env::args().skip(1).all(|argument| argument.starts_with('-'))
}

/// Writes the table.
pub(crate) fn write(rows: &[Row]) -> Result<()> {
    let mut text = String::from(
        "# Conformance\n\nWritten by `UPDATE=1 cargo test --release --features conformance --test conformance`; \
         `tests/conformance/README.md` says what is real and what is simulated.\n\n| case | shows | result |\n| --- | --- | --- |\n",
    );
    for row in rows {
        let result = match row.passed {
            Some(true) => "passed",
            Some(false) => "FAILED",
            None => "did not run",
        };
        let notes: String = row.notes.iter().map(|note| format!(": {note}")).collect();
        writeln!(text, "| `{}` | {} | {result}{notes} |", row.name, row.about)?;
    }
    text.push_str("\n| real part | version |\n| --- | --- |\n");
    for (part, version) in build::versions()? {
        writeln!(text, "| {part} | {version} |")?;
    }
    let path = Path::new(FILE);
    fs::create_dir_all(path.parent().context("a folder")?)?;
    Ok(fs::write(path, text)?)
}
