//! `parameters`: the announcement for Argo CD's user interface. Nothing is rendered for it.

use std::collections::BTreeSet;

use clap::ValueEnum;

use super::args::{ParametersArgs, Target};
use super::{Exit, output};
use crate::plugin::{Choices, announcements};
use crate::{discover, load};

pub(super) fn run(args: &ParametersArgs) -> anyhow::Result<Exit> {
    let root = args.path.as_path();
    let settings = load::settings(root, &mut Vec::new())?;
    let loaded = load::components(root, &discover::descriptors(root)?.descriptors, &settings)?;
    let declared = loaded.components.iter().flat_map(|component| &component.environments);
    let environments: BTreeSet<String> = declared.chain(settings.environments.keys()).cloned().collect();
    let targets = Target::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let choices = Choices {
        targets: targets.map(|target| target.get_name().to_owned()).collect(),
        components: loaded.components.iter().map(|loaded| loaded.component.name.clone()).collect(),
        rungs: settings.rungs.list.iter().map(|rung| rung.phase.0.clone()).collect(),
        environments: environments.into_iter().collect(),
    };
    output::raw_to_stdout(|out| {
        serde_json::to_writer(&mut *out, &announcements(&choices))?;
        writeln!(out)
    })?;
    Ok(Exit::Fine)
}
