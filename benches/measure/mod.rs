//! Commands → medians and peak memory. Commands take turns within every round, so a slow moment of the machine
//! hits them alike and only their ratios are worth reading.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A command whose output is thrown away.
pub(crate) struct Run {
    program: OsString,
    arguments: Vec<OsString>,
}

impl Run {
    pub(crate) fn new(program: impl Into<OsString>) -> Self {
        Self { program: program.into(), arguments: Vec::new() }
    }

    pub(crate) fn with(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Runs once unmeasured: fills the page cache and shows what is wrong, if anything.
    fn warm_up(&self) -> io::Result<()> {
        let output = self.command().stderr(Stdio::piped()).output()?;
        if output.status.success() {
            return Ok(());
        }
        let program = Path::new(&self.program).display();
        Err(io::Error::other(format!("{program} failed: {}", String::from_utf8_lossy(&output.stderr))))
    }

    fn time(&self) -> io::Result<Duration> {
        let start = Instant::now();
        self.command().status()?;
        Ok(start.elapsed())
    }

    /// The most memory it ever held, in bytes. The kernel's own high-water mark is read until the process ends.
    pub(crate) fn peak_memory(&self) -> io::Result<u64> {
        let mut child = self.command().spawn()?;
        let status = format!("/proc/{}/status", child.id());
        let mut peak = 0;
        while child.try_wait()?.is_none() {
            peak = high_water(&status).unwrap_or(0).max(peak);
            thread::sleep(Duration::from_micros(500));
        }
        Ok(peak)
    }
}

/// The median of each command over `rounds` in which they take turns.
pub(crate) fn medians<const N: usize>(rounds: usize, runs: [&Run; N]) -> io::Result<[Duration; N]> {
    runs.iter().try_for_each(|run| run.warm_up())?;
    let mut times = [const { Vec::new() }; N];
    for _ in 0..rounds {
        for (run, times) in runs.iter().zip(&mut times) {
            times.push(run.time()?);
        }
    }
    Ok(times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    }))
}

fn high_water(status: &str) -> Option<u64> {
    let text = fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes * 1024)
}
