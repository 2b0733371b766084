//! Becomes another program that ends when the one who asked for it ends, whatever ended that.

use std::ffi::OsString;
use std::io::{self, ErrorKind, Write};
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Signal, getppid, set_parent_process_death_signal};

/// Exit code for a program that is not there, as shells have it.
pub const NOT_FOUND: i32 = 127;

/// Exit code for a program that is there and cannot be started, as shells have it.
const NOT_STARTED: i32 = 126;

/// Turns this process into `program`; comes back only when that fails, with the exit code to leave with.
#[must_use]
pub fn launch(parent: i32, program: &OsString, arguments: &[OsString]) -> i32 {
    // The kernel keeps this wish across the change of program.
    let asked = set_parent_process_death_signal(Some(Signal::KILL));
    let parent_lives = getppid().is_some_and(|pid| pid.as_raw_nonzero().get() == parent);
    if asked.is_err() || !parent_lives {
        return 1;
    }
    let error = Command::new(program).args(arguments).exec();
    if error.kind() == ErrorKind::NotFound {
        return NOT_FOUND;
    }
    // Who asked shows this as the program's own words.
    let _ = writeln!(io::stderr(), "it cannot be started: {error}");
    NOT_STARTED
}
