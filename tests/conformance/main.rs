//! Runs `argocd-ladder` on the real Argo CD, Flux and Kubernetes; `README.md` beside this file says how to add a case.

#![expect(clippy::disallowed_methods, reason = "tests read files and start programs")]
#![expect(clippy::print_stdout, reason = "a test runner reports on stdout")]
#![expect(clippy::exit, reason = "the inner process must stop at once when the outer one is gone")]

mod case;
mod checks;
mod isolate;
mod objects;
mod parts;
mod report;
mod run;
mod tools;

use std::env;
use std::process::ExitCode;

use anyhow::Result;

use case::Case;
use isolate::Stage;
use parts::build::Built;
use parts::image;

fn main() -> ExitCode {
    match run_cases() {
        Ok(code) => code,
        Err(error) => {
            println!("conformance: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run_cases() -> Result<ExitCode> {
    let filter = env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let cases = Case::all(&filter)?;
    if env::args().any(|argument| argument == "--list") {
        for case in &cases {
            println!("{}: {}", case.name, case.about);
        }
        return Ok(ExitCode::SUCCESS);
    }
    let built = Built::cache()?;
    match isolate::stage() {
        Stage::Outer => {
            tools::check()?;
            let code = isolate::run_build()?;
            Ok(ExitCode::from(if code == 0 { isolate::run_cases()? } else { code }))
        }
        Stage::Build => {
            isolate::end_with_outer();
            built.ensure(&run::programs(&cases))?;
            for dockerfile in cases.iter().filter_map(|case| Some(&case.sidecar.as_ref()?.dockerfile)) {
                image::build(dockerfile)?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Stage::Cases => {
            isolate::end_with_outer();
            isolate::settle()?;
            run::all(&cases, &built)
        }
    }
}
