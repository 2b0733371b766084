//! `parameters`: the announcement for Argo CD's user interface.
//!
//! The ladder is built for it, as split-off components and grown rungs can be chosen too. Where it cannot be built, what
//! the files say themselves must do: this is where people look to find out what to change.

use std::collections::BTreeSet;
use std::path::Path;

use clap::ValueEnum;

use super::args::{ParametersArgs, Target};
use super::{Exit, output};
use crate::model::Rungs;
use crate::plugin::{Choices, announcements};
use crate::problem::Problems;
use crate::render::tools::ToolOptions;
use crate::{Options, build, discover, load};

pub(super) fn run(args: &ParametersArgs) -> anyhow::Result<Exit> {
    let targets = Target::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let targets = targets.map(|target| target.get_name().to_owned()).collect();
    let choices = match choices(&args.path, output::tools(&args.tools)?) {
        Ok(choices) => Choices { targets, ..choices },
        Err(problems) => {
            // Without an announcement nothing of the Application could be changed in the user interface.
            output::problem(&problems.into());
            Choices { targets, ..Choices::default() }
        }
    };
    output::raw_to_stdout(|out| {
        serde_json::to_writer(&mut *out, &announcements(&choices))?;
        writeln!(out)
    })?;
    Ok(Exit::Fine)
}

/// What the repo has; a ladder that cannot be built leaves what its files say.
fn choices(root: &Path, tools: ToolOptions) -> Result<Choices, Problems> {
    let settings = load::settings(root, &mut Vec::new())?;
    let loaded = load::components(root, &discover::descriptors(root)?.descriptors, &settings)?;
    let declared = loaded.components.iter().flat_map(|component| &component.environments);
    let environments: BTreeSet<String> = declared.chain(settings.environments.keys()).cloned().collect();
    let named = |rungs: &Rungs| rungs.list.iter().map(|rung| rung.phase.0.clone()).collect();
    let (components, rungs) = if let Ok(ladder) = build(root, &Options { tools, ..Options::default() }) {
        let components = ladder.components.iter().map(|component| component.name.clone());
        (components.collect(), named(&ladder.rungs))
    } else {
        let components = loaded.components.iter().map(|loaded| loaded.component.name.clone());
        (components.collect(), named(&settings.rungs))
    };
    Ok(Choices { targets: Vec::new(), components, rungs, environments: environments.into_iter().collect() })
}
