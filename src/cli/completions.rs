//! `completions`: for the shell.

use clap::CommandFactory;

use super::args::{Args, CompletionsArgs};
use super::{Exit, output};

const NAME: &str = "argocd-ladder";

pub(super) fn run(args: &CompletionsArgs) -> anyhow::Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut typed(), NAME, &mut text);
    output::raw_to_stdout(|out| out.write_all(&text))?;
    Ok(Exit::Fine)
}

/// The commands that people type: completions would offer the hidden ones too.
fn typed() -> clap::Command {
    let all = Args::command();
    let shown = all.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    clap::Command::new(NAME).version(env!("CARGO_PKG_VERSION")).subcommands(shown)
}
