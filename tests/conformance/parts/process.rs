//! Programs of a case: each in its own process group, with its own log, ended with its guard.
//!
//! The end is always SIGKILL: argocd-cmp-server outlives SIGTERM, and no data of a run is worth a clean stop.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};

/// The process groups that are running, for the day the harness itself has to stop.
static GROUPS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// A running program; dropping it ends it and everything it started.
pub(crate) struct Process {
    name: String,
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts a program whose output goes to `<logs>/<name>.log`.
    pub(crate) fn start(name: &str, command: &mut Command, logs: &Path) -> Result<Process> {
        let log = logs.join(format!("{name}.log"));
        let file = File::create(&log).with_context(|| log.display().to_string())?;
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).process_group(0);
        let child = command.spawn().with_context(|| format!("{name} does not start"))?;
        groups().insert(child.id().cast_signed());
        Ok(Process { name: name.to_owned(), child, log })
    }

    /// Waits until `ready` says so; an error if the program ends before, or `limit` passes.
    pub(crate) fn wait_until(&mut self, limit: Duration, mut ready: impl FnMut() -> bool) -> Result<()> {
        let start = Instant::now();
        while !ready() {
            if let Some(status) = self.child.try_wait()? {
                bail!("{} ended with {status}: {}", self.name, self.last_words());
            }
            if start.elapsed() > limit {
                bail!("{} was not ready after {limit:?}: {}", self.name, self.last_words());
            }
            sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The end of its log.
    pub(crate) fn last_words(&self) -> String {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().rev().take(3).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n    ")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let group = self.child.id().cast_signed();
        kill(group);
        let _ = self.child.wait();
        groups().remove(&group);
    }
}

/// Ends every program that still runs.
pub(crate) fn end_all() {
    groups().iter().copied().for_each(kill);
}

fn kill(group: i32) {
    if let Some(group) = Pid::from_raw(group) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn groups() -> std::sync::MutexGuard<'static, BTreeSet<i32>> {
    GROUPS.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A loopback port that nobody listens on.
pub(crate) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Whether an HTTP server on a loopback port answers a path with 200.
pub(crate) fn http_ok(port: u16, path: &str) -> bool {
    let ask = || -> std::io::Result<String> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_read_timeout(Some(Duration::from_secs(2)))?;
        write!(stream, "GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n")?;
        let mut status = [0; 12];
        stream.read_exact(&mut status)?;
        Ok(String::from_utf8_lossy(&status).into_owned())
    };
    ask().is_ok_and(|status| status.ends_with(" 200"))
}

/// Whether somebody listens on a loopback port.
pub(crate) fn port_open(port: u16) -> bool {
    TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok()
}

/// Polls until `done` gives a value; the error after `limit` ends in `what`.
pub(crate) fn wait_for<T>(
    what: &str,
    limit: Duration,
    mut done: impl FnMut() -> Result<Option<T>>,
) -> Result<T> {
    let start = Instant::now();
    // A long wait may be late by more: asking costs time that the parts need.
    let pause = (limit / 300).clamp(Duration::from_millis(100), Duration::from_secs(1));
    loop {
        if let Some(value) = done()? {
            return Ok(value);
        }
        if start.elapsed() > limit {
            bail!("after {limit:?} still waiting for {what}");
        }
        sleep(pause);
    }
}

/// How a command ended that may take long, in a process group that ends with the harness.
pub(crate) fn status(command: &mut Command) -> Result<ExitStatus> {
    let shown = command.get_program().display().to_string();
    let child = command.stdin(Stdio::null()).process_group(0).spawn();
    let mut child = child.with_context(|| format!("{shown} does not start"))?;
    let group = child.id().cast_signed();
    groups().insert(group);
    let status = child.wait();
    groups().remove(&group);
    Ok(status?)
}

/// The output of a command that must succeed; the error holds its stderr.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>> {
    let shown = command.get_program().display().to_string();
    let done = command.stdin(Stdio::null()).output().with_context(|| format!("{shown} does not start"))?;
    if !done.status.success() {
        bail!("{shown} ended with {}: {}", done.status, String::from_utf8_lossy(&done.stderr).trim());
    }
    Ok(done.stdout)
}
