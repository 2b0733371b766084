//! `plan`: the ladder for people and programs.

use std::io::{self, Write};

use super::args::{DeleteOrder, PlanArgs, PlanFormat};
use super::{Exit, output};
use crate::Repository;
use crate::load::settings::Scope;
use crate::plan::reverse::Deletion;
use crate::plan::timeline::Timeline;
use crate::plan::{json, markdown, text};

pub(super) fn run(args: &PlanArgs) -> anyhow::Result<Exit> {
    let scope = args.reverse.flatten().map(|order| match order {
        DeleteOrder::Manifests => Scope::Ladder,
        DeleteOrder::Applications => Scope::Component,
    });
    let ladder = output::ladder_for(&args.path, &args.reading, scope, Repository::default())?;
    output::to_stdout(|mut out| match args.format {
        _ if args.reverse.is_some() => deletion(&Deletion::of(&ladder), args.format, out),
        _ if args.timeline.is_some() => {
            timeline(&Timeline::of(&ladder, args.timeline.flatten()), args.format, out)
        }
        PlanFormat::Text => text::write(&ladder, &mut out),
        PlanFormat::Markdown => markdown::write(&ladder, &mut out),
        PlanFormat::Json => {
            serde_json::to_writer_pretty(&mut out, &json::plan(&ladder, args.resources))?;
            writeln!(out)
        }
    })?;
    // The process ends here; freeing a large ladder piece by piece would only take time.
    std::mem::forget(ladder);
    Ok(Exit::Fine)
}

fn timeline(timeline: &Timeline<'_>, format: PlanFormat, mut out: &mut dyn Write) -> io::Result<()> {
    match format {
        PlanFormat::Text => timeline.text(&mut out),
        PlanFormat::Markdown => timeline.markdown(&mut out),
        PlanFormat::Json => json_line(&timeline.json(), out),
    }
}

fn deletion(deletion: &Deletion, format: PlanFormat, mut out: &mut dyn Write) -> io::Result<()> {
    match format {
        PlanFormat::Text => deletion.text(&mut out),
        PlanFormat::Markdown => {
            writeln!(out, "```")?;
            deletion.text(&mut out)?;
            writeln!(out, "```")
        }
        PlanFormat::Json => json_line(deletion, out),
    }
}

fn json_line(value: &impl serde::Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    writeln!(out)
}
