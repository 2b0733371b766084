//! Standard output, standard error, and building the ladder for a command.

use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::Context;

use super::args::{Reading, ToolArgs};
use crate::load::settings::Scope;
use crate::message::progress::Progress;
use crate::message::{printable, report};
use crate::model::{Finding, Ladder};
use crate::problem::{Problem, Problems};
use crate::render::tools::ToolOptions;
use crate::{Options, Repository, build, build_from_text};

/// Builds the ladder a command reads; `-` reads manifests from standard input.
pub(super) fn ladder(path: &Path, reading: &Reading) -> anyhow::Result<Ladder> {
    ladder_for(path, reading, None, Repository::default())
}

/// The same, with waves that count what the scope (or else the setting) says, and the repository the surroundings know.
pub(super) fn ladder_for(
    path: &Path,
    reading: &Reading,
    scope: Option<Scope>,
    repository: Repository,
) -> anyhow::Result<Ladder> {
    if let Some(threads) = reading.threads {
        // Fails only when a pool exists already, which is then as good.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build_global();
    }
    let options = Options {
        ignore_existing_order: reading.ignore_existing_order,
        destination: reading.namespace.clone(),
        waves: reading.waves,
        environment: reading.environment.clone(),
        settings: reading.settings.clone(),
        scope: scope.or(reading.scope),
        repository,
        tools: ToolOptions {
            kube_version: reading.kube_version.clone().filter(|version| !version.is_empty()),
            api_versions: reading
                .api_versions
                .iter()
                .filter(|version| !version.is_empty())
                .cloned()
                .collect(),
            ..tools(&reading.tools)?
        },
        progress: Progress::on_terminal(),
    };
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).context("standard input cannot be read")?;
        let text = String::from_utf8(bytes).map_err(|_| {
            Problems::from(Problem::new("unreadable-file", "standard input is not UTF-8 text").at("-"))
        })?;
        return Ok(build_from_text(&text, &options)?);
    }
    if !path.is_dir() {
        let problem = Problem::new("unreadable-file", "there is no such directory").at(path.display());
        return Err(Problems::from(problem).into());
    }
    Ok(build(path, &options)?)
}

/// How tools may run, as typed or set in the environment.
pub(super) fn tools(typed: &ToolArgs) -> Result<ToolOptions, Problems> {
    let timeout =
        Duration::try_from_secs_f32(typed.timeout).ok().filter(|time| !time.is_zero()).ok_or_else(|| {
            Problem::new("invalid-value", format!("a timeout of {} seconds is none", typed.timeout))
                .help("give a number of seconds above 0 to --timeout or LADDER_TIMEOUT")
        })?;
    let usual = ToolOptions::default();
    Ok(ToolOptions {
        timeout,
        jobs: typed.jobs.unwrap_or(usual.jobs).max(1),
        allow_remote: typed.allow_remote,
        cache_directory: typed.cache_dir.clone().filter(|path| !path.as_os_str().is_empty()),
        cache_bytes: typed.cache_size.saturating_mul(1024 * 1024),
        launcher: std::env::current_exe().ok(),
        ..usual
    })
}

/// Writes to standard output through one buffer; colours only on a terminal.
pub(super) fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 18, anstream::AutoStream::auto(io::stdout().lock()));
    write(&mut out)?;
    out.flush()?;
    Ok(())
}

/// Writes bytes to standard output as they are.
pub(super) fn raw_to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let mut out = io::BufWriter::with_capacity(1 << 18, io::stdout().lock());
    write(&mut out)?;
    out.flush()?;
    Ok(())
}

/// Reports findings on standard error.
pub(super) fn findings<'f>(findings: impl IntoIterator<Item = &'f Finding>) {
    let mut out = anstream::AutoStream::auto(io::stderr().lock());
    // Nobody is left to tell when standard error is gone.
    let _ = report::findings(findings, &mut out);
}

/// Reports what stopped the run.
pub(super) fn problem(error: &anyhow::Error) {
    let mut out = anstream::AutoStream::auto(io::stderr().lock());
    let _ = match error.downcast_ref::<Problems>() {
        Some(problems) => writeln!(out, "{problems}"),
        None => writeln!(out, "error: {}", printable::lines(&format!("{error:#}"))),
    };
}
