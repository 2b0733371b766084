//! Watches over a tool. It ends, with everything it started, when its time is up and when the one who asked is gone,
//! whatever ended that; then its home goes too, as nobody else is left to remove it.
//!
//! The tool is in a process group of its own, away from the watcher, which so can end the group and live on.

#![expect(clippy::disallowed_methods, reason = "it starts the program it watches, and removes its home")]

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, getppid, kill_process_group};
use wait_timeout::ChildExt;

/// Exit code for a program that is not there, or whose interpreter is not, as shells have it.
const NOT_FOUND: i32 = 127;
/// Exit code for a program that is there and cannot be started, as shells have it.
const NOT_STARTED: i32 = 126;
/// Exit code for a tool whose time was up, as `timeout` has it.
const TIME_UP: i32 = 124;
/// Exit code when nobody is left to read it.
const UNSEEN: i32 = 1;
/// How names of homes begin: nothing else is ever removed.
pub const HOME_PREFIX: &str = "argocd-ladder-";
/// How often the watcher looks whether the one who asked is still there. The end of the tool is seen at once.
const LOOK: Duration = Duration::from_millis(100);

/// A tool to watch over.
#[derive(Debug)]
pub struct Watch {
    /// The process that asked.
    pub parent: i32,
    /// The tool's home.
    pub home: PathBuf,
    /// How long it may take.
    pub time: Duration,
    /// The tool.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

enum End {
    Done(ExitStatus),
    TimeUp,
    Orphaned,
}

impl Watch {
    /// Runs the tool to its end; gives the exit code to leave with.
    #[must_use]
    pub fn run(&self) -> i32 {
        let mut child = match Command::new(&self.program).args(&self.arguments).process_group(0).spawn() {
            Ok(child) => child,
            Err(error) => {
                // Who asked shows this as the program's own words.
                let _ = writeln!(io::stderr(), "it cannot be started: {error}");
                return if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_STARTED };
            }
        };
        let end = self.end(&mut child);
        // Also after a clean end: whatever the tool left behind would hold the pipes open.
        stop_group(&child);
        match end {
            End::Done(status) => code(status),
            End::TimeUp => {
                let _ = child.wait();
                TIME_UP
            }
            End::Orphaned => {
                let _ = child.wait();
                self.remove_home();
                UNSEEN
            }
        }
    }

    fn end(&self, child: &mut Child) -> End {
        let start = Instant::now();
        loop {
            if getppid().is_none_or(|pid| pid.as_raw_nonzero().get() != self.parent) {
                return End::Orphaned;
            }
            let left = self.time.saturating_sub(start.elapsed());
            match child.wait_timeout(left.min(LOOK)) {
                Ok(Some(status)) => return End::Done(status),
                Ok(None) if !left.is_zero() => {}
                Ok(None) | Err(_) => return End::TimeUp,
            }
        }
    }

    fn remove_home(&self) {
        let name = self.home.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(HOME_PREFIX) {
            // Another tool of the same run may be writing there still: its own watcher comes after it.
            let _ = fs::remove_dir_all(&self.home);
        }
    }
}

/// As shells have it: a tool that a signal ended has that signal's number on top of 128.
fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(UNSEEN)
}

/// Ends everybody in the group that a process leads.
pub fn stop_group(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It fails when everybody in it has gone, which is what is wanted.
        let _ = kill_process_group(group, Signal::KILL);
    }
}
