//! Becomes another program that ends when the one who asked for it ends, whatever ended that.

#![expect(clippy::disallowed_methods, reason = "it becomes the program it starts")]

use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::getppid;

/// Exit code for a program that is not there, as shells have it.
pub const NOT_FOUND: i32 = 127;

/// Exit code for a program that is there and cannot be started, as shells have it.
const NOT_STARTED: i32 = 126;

/// Turns this process into `program`; comes back only when that fails, with the exit code to leave with.
#[must_use]
pub fn launch(parent: i32, program: &OsString, arguments: &[OsString]) -> i32 {
    let parent_lives = || getppid().is_some_and(|pid| pid.as_raw_nonzero().get() == parent);
    if end_with_parent().is_err() || !parent_lives() {
        return 1;
    }
    let error = Command::new(program).args(arguments).exec();
    // Who asked shows this as the program's own words.
    let _ = writeln!(io::stderr(), "it cannot be started: {error}");
    if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_STARTED }
}

/// Asks the kernel, which keeps this wish across the change of program.
#[cfg(target_os = "linux")]
fn end_with_parent() -> rustix::io::Result<()> {
    use rustix::process::{Signal, set_parent_process_death_signal};
    set_parent_process_death_signal(Some(Signal::KILL))
}

/// Other kernels cannot be asked: there a tool may outlive a run that is killed.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "it fails on Linux")]
fn end_with_parent() -> rustix::io::Result<()> {
    Ok(())
}
