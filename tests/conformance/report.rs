//! `UPDATE=1`: writes `docs/conformance.md` from what a whole run showed.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::case::Case;
use crate::checks::judgement::Numbers;
use crate::parts::build;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/conformance.md");

/// One case and what came of it.
pub(crate) struct Row<'a> {
    pub(crate) case: &'a Case,
    /// None when the machine does not allow it.
    pub(crate) passed: Option<bool>,
    pub(crate) notes: Vec<String>,
    /// What its rollout counted.
    pub(crate) numbers: Option<Numbers>,
}

/// Whether the run is to be written down: only a whole one.
pub(crate) fn wanted() -> bool {
    env::var_os("UPDATE").is_some() && env::args().skip(1).all(|argument| argument.starts_with('-'))
}

/// Writes the tables: the examples on the control planes, every case, the versions.
pub(crate) fn write(rows: &[Row]) -> Result<()> {
    let mut text = String::from(
        "# Conformance\n\nWritten by `UPDATE=1 cargo test --release --features conformance --test conformance`; \
         `tests/conformance/README.md` says what is real and what is simulated.\n",
    );
    examples(&mut text, rows)?;
    text.push_str("\n## Every case\n\n| case | shows | result |\n| --- | --- | --- |\n");
    for row in rows {
        let result = match row.passed {
            Some(true) => "passed",
            Some(false) => "FAILED",
            None => "did not run",
        };
        let notes: String = row.notes.iter().map(|note| format!(": {note}")).collect();
        writeln!(text, "| `{}` | {} | {result}{notes} |", row.case.name, row.case.about)?;
    }
    text.push_str("\n## Real parts\n\n| part | version |\n| --- | --- |\n");
    for (part, version) in build::versions()? {
        writeln!(text, "| {part} | {version} |")?;
    }
    let path = Path::new(FILE);
    fs::create_dir_all(path.parent().context("a folder")?)?;
    Ok(fs::write(path, text)?)
}

/// Each example on an empty cluster, where everything must hold.
fn examples(text: &mut String, rows: &[Row]) -> Result<()> {
    text.push_str(
        "\n## Each example on an empty cluster\n\n\
         | example | through | rungs | operations, failed | objects | rejected applies | strong edges kept | broken | then |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let mut lines = Vec::new();
    for row in rows {
        let (Some(example), Some(rollout), Some(numbers)) =
            (&row.case.repo.example, &row.case.rollout, &row.numbers)
        else {
            continue;
        };
        if !rollout.fails.is_empty() || !rollout.may_fail.is_empty() {
            continue;
        }
        let operations = numbers.operations.map(|(all, failed)| format!("{all}, {failed}"));
        lines.push(format!(
            "| {example} | {} | {} | {} | {} | {} | {} | {} | {} |",
            rollout.through.shown(),
            rollout.only.as_deref().unwrap_or("all"),
            operations.unwrap_or_default(),
            numbers.objects,
            numbers.rejected,
            numbers.kept,
            numbers.broken,
            numbers.after.join(", ")
        ));
    }
    lines.sort();
    writeln!(text, "{}", lines.join("\n"))?;
    Ok(())
}
