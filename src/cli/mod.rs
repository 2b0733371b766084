//! The command line: what was typed → library calls → exit code. Nothing here decides an order.

#![expect(clippy::disallowed_methods, reason = "this is the edge: it reads the environment and writes files")]

pub mod args;
mod completions;
mod explain;
mod files;
mod generate;
mod health_checks;
mod output;
mod parameters;
mod plan;
mod render;
mod schema;
mod targets;

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, FromArgMatches};

use args::{Args, Command, LaunchArgs};

use crate::render::launch;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All well.
    Fine = 0,
    /// Could not run.
    Failed = 2,
}

/// Parses, runs, reports.
#[must_use]
pub fn run() -> ExitCode {
    let parsed = without_empty_variables(Args::command())
        .try_get_matches()
        .and_then(|matches| Args::from_arg_matches(&matches));
    let args = match parsed {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let result = match args.command {
        Command::Launch(args) => {
            let LaunchArgs { parent, time, home, program, arguments } = args;
            let time = Duration::from_millis(time);
            let code = launch::Watch { parent, home, time, program, arguments }.run();
            return ExitCode::from(u8::try_from(code).unwrap_or(1));
        }
        Command::Generate(args) => generate::run(args),
        Command::Parameters(args) => parameters::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::HealthChecks(args) => health_checks::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Completions(args) => completions::run(&args),
    };
    match result {
        Ok(exit) => ExitCode::from(exit as u8),
        // A reader that has seen enough, such as `head`, is no failure.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output::problem(&error);
            ExitCode::from(Exit::Failed as u8)
        }
    }
}

/// A variable that is set to nothing is as good as unset: that is how a container's manifest switches one off.
fn without_empty_variables(command: clap::Command) -> clap::Command {
    let is_empty =
        |arg: &clap::Arg| arg.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
    command
        .mut_args(|arg| if is_empty(&arg) { arg.env(None::<&str>) } else { arg })
        .mut_subcommands(without_empty_variables)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
