//! `plan`: the ladder for people and programs.

use super::args::{PlanArgs, PlanFormat};
use super::{Exit, output};
use crate::plan::{json, markdown, text};

pub(super) fn run(args: &PlanArgs) -> anyhow::Result<Exit> {
    let ladder = output::ladder(&args.path, &args.reading)?;
    output::to_stdout(|mut out| match args.format {
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
