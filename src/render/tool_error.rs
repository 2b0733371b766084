//! Why a tool gave no output, in words for people.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use super::tools::MAX_OUTPUT_BYTES;

/// Why a tool gave no output.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// It is not installed.
    #[error("`{0}` is not on the PATH")]
    Missing(&'static str),
    /// It said no.
    #[error("`{command}` failed ({}){}", ended(*.status), shown(.stderr))]
    Failed {
        /// The command line.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// What it said.
        stderr: String,
    },
    /// It took too long.
    #[error("`{command}` was stopped: the time for rendering, {} s, had run out", .limit.as_secs_f32())]
    Deadline {
        /// The command line.
        command: String,
        /// The limit.
        limit: Duration,
    },
    /// It wrote more than anybody would apply.
    #[error("`{0}` wrote more than {MAX_OUTPUT_BYTES} bytes")]
    TooLong(String),
    /// It could not be started or read.
    #[error("`{command}` could not run: {error}")]
    Broken {
        /// The command line.
        command: String,
        /// Why.
        error: std::io::Error,
    },
}

/// How a tool ended: its launcher, like a shell, adds 128 to the number of a signal.
fn ended(status: ExitStatus) -> String {
    let told = status.code().filter(|code| (129..160).contains(code)).map(|code| code - 128);
    match status.signal().or(told) {
        Some(9) => "ended by signal 9, as where memory runs out".to_owned(),
        Some(signal) => format!("ended by signal {signal}"),
        None => status.to_string(),
    }
}

fn shown(stderr: &str) -> String {
    let stderr = stderr.trim();
    if stderr.is_empty() { String::new() } else { format!(": {stderr}") }
}
