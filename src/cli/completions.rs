//! `completions`: for the shell.

use clap::CommandFactory;

use super::args::{Args, CompletionsArgs};
use super::{Exit, output};

pub(super) fn run(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "argocd-ladder", &mut text);
    output::raw_to_stdout(|out| out.write_all(&text))?;
    Ok(Exit::Fine)
}
