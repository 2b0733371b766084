//! Runs the harness in processes that end with it: one builds, then one runs the cases in namespaces of its own, so that
//! their ports clash with nobody's, nothing leaves the machine, and the kernel ends every process with it.
//!
//! Each is this program again. The outer process holds the write end of its stdin: when the outer one goes, however it
//! goes, the inner one reads the end of its input, ends the process groups it started, and stops. A terminal's Ctrl-C
//! reaches the outer one alone, for the inner one would be gone before it could do that. Where namespaces are not allowed
//! the cases run without.

use std::env;
use std::io::{Read, stdin};
use std::net::Ipv4Addr;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio, exit};
use std::thread;

use anyhow::{Context, Result};
use rustix::process::geteuid;

use crate::parts::process::{end_all, output};

/// The address of every simulated pod. Endpoints may not be loopback addresses, so it is an address on `lo`.
pub(crate) const POD_ADDRESS: Ipv4Addr = Ipv4Addr::new(10, 244, 0, 1);

const INSIDE: &str = "LADDER_CONFORMANCE_INSIDE";
const BUILDING: &str = "building";
const APART: &str = "apart";
const SHARED: &str = "shared";
const NO_EXCUSE: &str = "LADDER_CONFORMANCE_NO_EXCUSE";
/// Root's own first: in those a program may also run as another user.
const NAMESPACES: [&[&str]; 2] = [
    &["--net", "--pid", "--fork", "--kill-child", "--mount-proc"],
    &["--user", "--map-root-user", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"],
];

/// What this process is for.
pub(crate) enum Stage {
    /// It starts the other two.
    Outer,
    Build,
    Cases,
}

/// What this process is for.
pub(crate) fn stage() -> Stage {
    match env::var_os(INSIDE) {
        None => Stage::Outer,
        Some(kind) if kind == BUILDING => Stage::Build,
        Some(_) => Stage::Cases,
    }
}

/// Whether what this process mounts is seen by its own programs alone.
pub(crate) fn has_own_mounts() -> bool {
    env::var_os(INSIDE).is_some_and(|kind| kind == APART)
}

/// Whether a case that cannot run here has failed.
pub(crate) fn has_no_excuse() -> bool {
    env::var_os(NO_EXCUSE).is_some()
}

/// In CI root must be allowed everything; asked outside, for in a user namespace everybody is root.
fn is_root_in_ci() -> bool {
    env::var_os("CI").is_some_and(|value| value == "true") && geteuid().is_root()
}

/// Runs this program again, to build; its exit code.
pub(crate) fn run_build() -> Result<u8> {
    let mut command = Command::new(env::current_exe()?);
    run_again(command.env(INSIDE, BUILDING))
}

/// Runs this program again, in namespaces, for the cases; its exit code.
pub(crate) fn run_cases() -> Result<u8> {
    let program = env::current_exe()?;
    let allowed = |flags: &&&[&str]| {
        let mut probe = Command::new("unshare");
        probe
            .args(**flags)
            .arg("true")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|done| done.success())
    };
    let mut command = if let Some(flags) = NAMESPACES.iter().find(allowed) {
        let mut command = Command::new("unshare");
        command.args(*flags).arg(&program).env(INSIDE, APART);
        command
    } else {
        println!("no namespaces here (unshare is refused): the cases share this machine's network");
        let mut command = Command::new(&program);
        command.env(INSIDE, SHARED);
        command
    };
    if is_root_in_ci() {
        command.env(NO_EXCUSE, "1");
    }
    run_again(&mut command)
}

fn run_again(command: &mut Command) -> Result<u8> {
    command.args(env::args_os().skip(1)).stdin(Stdio::piped()).process_group(0);
    let mut inner = command.spawn()?;
    // `wait` would close the pipe, and the inner process would take that for our end.
    let pipe = inner.stdin.take();
    let status = inner.wait()?;
    drop(pipe);
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2))
}

/// From here on this process and what it started end with the outer one.
pub(crate) fn end_with_outer() {
    thread::spawn(|| {
        let mut input = Vec::new();
        let _ = stdin().read_to_end(&mut input);
        end_all();
        exit(130);
    });
}

/// Makes the loopback device ready, and the pods' address on it.
pub(crate) fn settle() -> Result<()> {
    output(Command::new("ip").args(["link", "set", "lo", "up"])).context("the loopback device")?;
    let address = format!("{POD_ADDRESS}/32");
    output(Command::new("ip").args(["address", "replace", &address, "dev", "lo"]))
        .context("the pods' address")?;
    Ok(())
}
