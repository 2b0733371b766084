//! `health-checks`: the patch of `argocd-cm` that makes waves wait.

use super::args::HealthChecksArgs;
use super::{Exit, output};
use crate::{health, yaml};

pub(super) fn run(args: &HealthChecksArgs) -> anyhow::Result<Exit> {
    let ladder = args.path.as_ref().map(|path| output::ladder(path, &args.reading)).transpose()?;
    let named = ladder.as_ref().map_or("argocd", |ladder| &ladder.settings.targets.namespace);
    let patch = health::patch(ladder.as_ref(), named);
    output::raw_to_stdout(|out| out.write_all(yaml::from_json(&patch).as_bytes()))?;
    Ok(Exit::Fine)
}
