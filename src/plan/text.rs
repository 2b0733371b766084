//! The ladder top to bottom for a terminal: rungs, components, what moved and why.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::causes;
use crate::argocd::Hook;
use crate::load::settings::Waves;
use crate::message::{printable, report};
use crate::model::{ComponentIndex, Ladder, Step};

const RUNG: Style = Style::new().bold();
const MOVED: Style = AnsiColor::Green.on_default();
const DIM: Style = Style::new().dimmed();

/// Writes the plan.
///
/// # Errors
/// When the writer fails.
pub fn write(ladder: &Ladder, out: &mut impl Write) -> io::Result<()> {
    let phases = ladder.phases();
    writeln!(
        out,
        "{} with {} on {}",
        counted(ladder.components.len(), "component"),
        counted(ladder.written().count(), "resource"),
        counted(phases.len(), "rung")
    )?;
    let width = printable::width(ladder.components.iter().map(|component| component.name.as_str()));
    for (rung, components) in phases {
        let mut notes = rung.domain.as_deref().unwrap_or("any domain").to_owned();
        if counts_by_rung(ladder) {
            notes.push_str(&format!(", wave {}", rung.wave));
        }
        if rung.grown {
            notes.push_str(", added");
        }
        writeln!(out, "\n{RUNG}{}{RUNG:#}  {DIM}{notes}{DIM:#}", rung.phase)?;
        for component in components {
            line(ladder, component, width, out)?;
        }
    }
    if ladder.settings.is_by_resource() {
        waves(ladder, out)?;
    }
    if !ladder.findings.is_empty() {
        writeln!(out, "\n{}", report::summary(&ladder.findings))?;
        report::findings(&ladder.findings, out)?;
    }
    Ok(())
}

/// The waves of resources, in Argo CD's order: where rungs hold resources, a component's rung says little.
fn waves(ladder: &Ladder, out: &mut impl Write) -> io::Result<()> {
    const SHOWN: usize = 20;
    for steps in ladder.order.chunk_by(|one, other| (one.hook, one.wave) == (other.hook, other.wave)) {
        let Step { hook, wave, .. } = steps[0];
        let note = if hook == Hook::Sync { String::new() } else { format!(", {hook}") };
        writeln!(out, "\n{RUNG}wave {wave}{RUNG:#}{DIM}{note}{DIM:#}")?;
        for step in steps.iter().take(SHOWN) {
            writeln!(out, "  {}", printable::line(&ladder.resource(step.resource).id.short()))?;
        }
        if steps.len() > SHOWN {
            writeln!(out, "  {DIM}and {} more{DIM:#}", steps.len() - SHOWN)?;
        }
    }
    Ok(())
}

/// Whether a rung is a wave; otherwise each component has its own.
fn counts_by_rung(ladder: &Ladder) -> bool {
    ladder.settings.waves == Waves::Banded && !ladder.settings.is_by_resource()
}

fn counted(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

fn line(ladder: &Ladder, index: ComponentIndex, width: usize, out: &mut impl Write) -> io::Result<()> {
    let (component, placement) = (ladder.component(index), ladder.placement(index));
    let mut notes = Vec::new();
    if placement.base != placement.phase {
        notes.push(format!("{MOVED}{} → {}{MOVED:#}", placement.base, placement.phase));
    }
    if placement.pinned {
        notes.push("pinned".to_owned());
    }
    if !counts_by_rung(ladder) {
        notes.push(format!("{DIM}wave {}{DIM:#}", placement.wave));
    } else if placement.depth > 0 {
        notes.push(format!("{DIM}depth {}{DIM:#}", placement.depth));
    }
    if let Some(origin) = &component.split_from {
        notes.push(format!("split from {origin}"));
    }
    let text = format!(
        "  {:width$}  {:12}  {}",
        printable::line(&component.name),
        placement.role.as_str(),
        notes.join(", ")
    );
    writeln!(out, "{}", text.trim_end())?;
    for (rule, because) in causes(ladder, index) {
        writeln!(out, "      {rule}: {because}")?;
    }
    Ok(())
}
