//! Child processes: helm, kustomize, kubectl. No shell, a scrubbed environment, one deadline for the whole run.
//!
//! Argo CD kills the plugin itself, and nobody else, the moment a request's deadline has passed. So a tool is started
//! through a launcher (this program again) that outlives us for as long as it takes to clean up; see `launch`.

#![expect(clippy::disallowed_methods, reason = "this is where programs are started")]

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use wait_timeout::ChildExt;

use super::cache::Cache;
use super::launch;
use super::pipes;
use super::redact::Redaction;
use super::stderr;
pub use super::tool_error::ToolError;
use crate::disk;
use crate::problem::Problem;

/// Longest output of a tool that is read: Argo CD passes no more than this on.
pub(super) const MAX_OUTPUT_BYTES: u64 = 100 * 1024 * 1024;
/// How much of a tool's standard error is looked at.
const READ_STDERR_BYTES: usize = 64 * 1024;
/// How much of it is shown.
const SHOWN_STDERR_BYTES: usize = 4000;
/// How long a pipe may stay open after its tool and all it started have been ended.
const PIPE_GRACE: Duration = Duration::from_secs(1);
/// How much longer a launcher has than its tool.
const LAUNCHER_GRACE: Duration = Duration::from_secs(2);
/// The programs that are looked up.
const PROGRAMS: &[&str] = &["helm", "kustomize", "kubectl"];
/// Variables a tool keeps: where certificates are, and in which language to speak.
const KEPT: &[&str] = &["LANG", "LC_ALL", "SSL_CERT_FILE", "SSL_CERT_DIR"];
/// Further ones it keeps when it may use the network.
const KEPT_FOR_REMOTE: &[&str] =
    &["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"];

/// How tools may run.
#[derive(Debug, Clone)]
pub struct ToolOptions {
    /// All tools of a run together must end within this time.
    pub timeout: Duration,
    /// How many run at once.
    pub jobs: usize,
    /// Whether remote charts and bases are fetched.
    pub allow_remote: bool,
    /// Where renders are kept.
    pub cache_directory: Option<PathBuf>,
    /// How large that may grow.
    pub cache_bytes: u64,
    /// Version of the cluster, for charts that ask.
    pub kube_version: Option<String>,
    /// API versions of the cluster, for charts that ask.
    pub api_versions: Vec<String>,
    /// This program, when tools are to end with it.
    pub launcher: Option<PathBuf>,
}

impl Default for ToolOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(45),
            jobs: thread::available_parallelism().map_or(2, usize::from),
            allow_remote: false,
            cache_directory: None,
            cache_bytes: 256 * 1024 * 1024,
            kube_version: None,
            api_versions: Vec::new(),
            launcher: None,
        }
    }
}

/// The tools of one run.
#[derive(Debug)]
pub struct Tools<'o> {
    /// How they may run.
    pub options: &'o ToolOptions,
    /// Where their output is kept.
    pub cache: Option<Cache>,
    started: Instant,
    programs: BTreeMap<&'static str, PathBuf>,
    home: TempDir,
    nowhere: TempDir,
}

/// One call of a tool.
pub struct Call<'c> {
    /// Its name on the PATH.
    pub program: &'static str,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where it runs.
    pub directory: &'c Path,
    /// What its messages must not show; asked for when there is one.
    pub redaction: &'c dyn Fn() -> Redaction,
    /// What it reads from its standard input.
    pub input: Option<&'c str>,
}

impl<'o> Tools<'o> {
    /// Makes ready what tools need: a home of their own, which goes when this goes.
    ///
    /// # Errors
    /// When there is no place for temporary files.
    pub fn new(options: &'o ToolOptions) -> Result<Self, Problem> {
        let made = |directory: std::io::Result<TempDir>| {
            directory.map_err(|error| {
                Problem::new("no-temporary-directory", format!("no temporary directory can be made: {error}"))
                    .help("point TMPDIR at a writable directory")
            })
        };
        let private = std::fs::Permissions::from_mode(0o700);
        let home = made(tempfile::Builder::new().prefix(launch::HOME_PREFIX).permissions(private).tempdir())?;
        let nowhere = made(TempDir::with_prefix_in("nowhere-", home.path()))?;
        let cache = options.cache_directory.as_deref().map(|path| Cache::new(path, options.cache_bytes));
        let programs = PROGRAMS.iter().filter_map(|name| Some((*name, disk::program(name)?))).collect();
        Ok(Self { options, cache, started: Instant::now(), programs, home, nowhere })
    }

    /// Where a program is; looked up once, so that the one whose version was asked is the one that runs.
    #[must_use]
    pub fn program(&self, name: &str) -> Option<&Path> {
        self.programs.get(name).map(PathBuf::as_path)
    }

    /// A private directory for what tools are given. It goes with us, or with the last tool if we are killed.
    #[must_use]
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// A directory without anything a tool could take for what it was told.
    #[must_use]
    pub fn nowhere(&self) -> &Path {
        self.nowhere.path()
    }

    /// Runs a tool and gives its standard output.
    ///
    /// # Errors
    /// When it is missing, fails, takes too long or writes too much.
    pub fn run(&self, call: &Call<'_>) -> Result<String, ToolError> {
        let Some(program) = self.program(call.program) else { return Err(ToolError::Missing(call.program)) };
        let command = stderr::tidy(&command_line(call), call.directory, self.home());
        let deadline = || ToolError::Deadline { command: command.clone(), limit: self.options.timeout };
        if self.left().is_zero() {
            return Err(deadline());
        }
        let broken = |error| ToolError::Broken { command: command.clone(), error };
        let mut child = self.start(call, program).map_err(broken)?;
        pipes::writer(child.stdin.take(), call.input);
        let stdout = pipes::reader(child.stdout.take(), MAX_OUTPUT_BYTES);
        let stderr = pipes::reader(child.stderr.take(), MAX_OUTPUT_BYTES);
        let status = child.wait_timeout(self.left() + self.grace()).map_err(broken)?;
        // Also after a clean end: whatever it left behind would hold the pipes open.
        launch::stop_group(&child);
        if status.is_none() {
            child.wait().map_err(broken)?;
        }
        // Who has left the group cannot be ended, and must not keep us waiting.
        let Ok(stdout) = stdout.recv_timeout(self.left().max(PIPE_GRACE)) else { return Err(deadline()) };
        let stderr = stderr.recv_timeout(PIPE_GRACE).unwrap_or_default();
        match status {
            None => Err(deadline()),
            Some(status) if !status.success() && self.left().is_zero() => Err(deadline()),
            // First of all: a tool whose reader stops ends in a broken pipe.
            Some(_) if stdout.len() as u64 > MAX_OUTPUT_BYTES => Err(ToolError::TooLong(command)),
            Some(status) if !status.success() => {
                let stderr = self.shown_stderr(call, &stderr);
                Err(ToolError::Failed { command, status, stderr })
            }
            Some(_) => String::from_utf8(stdout)
                .map_err(|_| broken(std::io::Error::new(ErrorKind::InvalidData, "its output is not UTF-8"))),
        }
    }

    fn left(&self) -> Duration {
        self.options.timeout.saturating_sub(self.started.elapsed())
    }

    /// The end of what a tool said, which is where it says what went wrong. Cut after secrets are out: a cut through one
    /// would leave a part that is not recognised.
    fn shown_stderr(&self, call: &Call<'_>, bytes: &[u8]) -> String {
        let read = &bytes[bytes.len().saturating_sub(READ_STDERR_BYTES)..];
        let text = stderr::tidy(&String::from_utf8_lossy(read), call.directory, self.home());
        let mut redaction = (call.redaction)();
        redaction.know(&command_line(call));
        let text = redaction.applied(&text);
        let from = text.len().saturating_sub(SHOWN_STDERR_BYTES);
        String::from_utf8_lossy(&text.as_bytes()[from..]).into_owned()
    }

    fn grace(&self) -> Duration {
        if self.options.launcher.is_some() { LAUNCHER_GRACE } else { Duration::ZERO }
    }

    fn start(&self, call: &Call<'_>, program: &Path) -> std::io::Result<Child> {
        let mut command = match &self.options.launcher {
            Some(launcher) => {
                let mut command = Command::new(launcher);
                let time = self.left().as_millis().to_string();
                command
                    .args(["launch", &std::process::id().to_string(), &time])
                    .arg(self.home())
                    .arg(program);
                command
            }
            None => Command::new(program),
        };
        command
            .args(&call.arguments)
            .current_dir(call.directory)
            .env_clear()
            .envs(self.environment())
            .stdin(if call.input.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
    }

    fn environment(&self) -> Vec<(&'static str, OsString)> {
        let home = self.home.path();
        let remote = if self.options.allow_remote { KEPT_FOR_REMOTE } else { &[] };
        let kept = KEPT.iter().chain(remote);
        let mut environment: Vec<(&str, OsString)> =
            kept.filter_map(|name| Some((*name, std::env::var_os(name)?))).collect();
        // Fails only for an entry with a `:` in it, which cannot come from a PATH.
        environment.push(("PATH", std::env::join_paths(disk::search_path()).unwrap_or_default()));
        let own = ["HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"];
        environment.extend(own.map(|name| (name, home.as_os_str().to_owned())));
        if !self.options.allow_remote {
            // Nothing listens there: a tool that tries the network all the same fails at once.
            let nowhere = OsStr::new("http://127.0.0.1:9");
            environment.extend(["HTTP_PROXY", "HTTPS_PROXY"].map(|name| (name, nowhere.to_owned())));
            environment.push(("GIT_ALLOW_PROTOCOL", "none".into()));
        }
        environment
    }
}

/// The command line for people. A cluster has hundreds of API versions, which would hide everything else.
fn command_line(call: &Call<'_>) -> String {
    let shown = call.arguments.iter().map(|word| match word.split_once('=') {
        Some((option, _)) if option.ends_with("api-versions") => format!("{option}=..."),
        _ => word.clone(),
    });
    let mut words: Vec<String> = std::iter::once(call.program.to_owned()).chain(shown).collect();
    words.dedup();
    words.join(" ")
}
