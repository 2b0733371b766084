//! The command: everything it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    argocd_ladder::cli::run()
}
