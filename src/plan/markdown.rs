//! The ladder as Markdown, for pull requests and wikis.

use std::io::{self, Write};

use super::causes;
use crate::message::report;
use crate::model::Ladder;

/// Writes the plan as a table.
///
/// # Errors
/// When the writer fails.
pub fn write(ladder: &Ladder, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "| phase | component | role | base | why |")?;
    writeln!(out, "| --- | --- | --- | --- | --- |")?;
    for (rung, components) in ladder.phases() {
        for index in components {
            let placement = ladder.placement(index);
            let why: Vec<String> = causes(ladder, index)
                .into_iter()
                .map(|(rule, because)| format!("**{rule}**: {because}"))
                .collect();
            writeln!(
                out,
                "| {} | {} | {} | {} | {} |",
                rung.phase,
                cell(&ladder.component(index).name),
                placement.role,
                placement.base,
                cell(&why.join("; "))
            )?;
        }
    }
    writeln!(out, "\n{}", report::summary(&ladder.findings))?;
    for finding in &ladder.findings {
        let place = finding.origin.as_ref().map(|origin| format!("`{origin}` ")).unwrap_or_default();
        writeln!(
            out,
            "- {place}**{}** {}: {}",
            finding.level.as_str(),
            finding.rule,
            cell(&finding.message)
        )?;
    }
    Ok(())
}

/// A pipe would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
