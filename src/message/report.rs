//! Findings → lines for people: `file:line: level[rule]: fact`, then `help:`.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use crate::message::printable;
use crate::model::{Finding, Level};

/// The colour of a level; the writer decides whether colours are shown.
#[must_use]
pub fn style(level: Level) -> Style {
    let colour = match level {
        Level::Info => AnsiColor::Cyan,
        Level::Warning => AnsiColor::Yellow,
        Level::Error => AnsiColor::Red,
    };
    colour.on_default().bold()
}

/// Writes findings, one after the other.
///
/// # Errors
/// When the writer fails.
pub fn findings<'f>(findings: impl IntoIterator<Item = &'f Finding>, out: &mut impl Write) -> io::Result<()> {
    for finding in findings {
        if let Some(origin) = &finding.origin {
            write!(out, "{}: ", printable::line(&origin.to_string()))?;
        }
        let style = style(finding.level);
        let message = printable::lines(&finding.message);
        writeln!(out, "{style}{}{style:#}[{}]: {message}", finding.level.as_str(), finding.rule)?;
        if let Some(help) = &finding.help {
            writeln!(out, "  help: {}", printable::lines(help))?;
        }
    }
    Ok(())
}

/// `3 errors, 1 warning, 2 infos`.
#[must_use]
pub fn summary(findings: &[Finding]) -> String {
    let count = |level| findings.iter().filter(|finding| finding.level == level).count();
    let words = [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Info, "info")];
    let parts: Vec<String> = words
        .iter()
        .map(|(level, word)| (count(*level), word))
        .filter(|(number, _)| *number > 0)
        .map(|(number, word)| format!("{number} {word}{}", if number == 1 { "" } else { "s" }))
        .collect();
    if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") }
}
