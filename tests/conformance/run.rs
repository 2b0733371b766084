//! Runs cases one after the other: each with parts of its own, in a folder of its own that stays if it fails.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};

use crate::case::{Case, Through};
use crate::checks::judgement::Numbers;
use crate::checks::requests::Desk;
use crate::checks::rollout::{self, Ground};
use crate::checks::{canaries, install, overhead};
use crate::isolate;
use crate::parts::build::{
    ARGOCD, Built, CLIENT, CLUSTER, HELM, KUSTOMIZE, KUSTOMIZE_CONTROLLER, Program, SOURCE_CONTROLLER,
};
use crate::parts::container;
use crate::parts::process::wait_for;
use crate::parts::repo::Repo;
use crate::parts::repo_server::RepoServer;
use crate::report::{self, Row};

const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/conformance");

/// The programs the cases need.
pub(crate) fn programs(cases: &[Case]) -> Vec<&'static Program> {
    let mut programs = vec![&KUSTOMIZE, &HELM, &ARGOCD, &CLIENT];
    if cases.iter().any(Case::needs_cluster) {
        programs.push(&CLUSTER);
    }
    if cases.iter().any(|case| case.through() == Some(Through::Flux)) {
        programs.extend([&SOURCE_CONTROLLER, &KUSTOMIZE_CONTROLLER]);
    }
    programs
}

/// Runs every case and reports.
pub(crate) fn all(cases: &[Case], built: &Built) -> Result<ExitCode> {
    let rows: Vec<Row> = cases.iter().map(|case| reported(case, built)).collect();
    if report::wanted() {
        report::write(&rows)?;
    }
    let count = |passed| rows.iter().filter(|row| row.passed == passed).count();
    let (passed, failed, left_out) = (count(Some(true)), count(Some(false)), count(None));
    let left_out = if left_out > 0 { format!(", {left_out} did not run") } else { String::new() };
    println!("{passed} passed, {failed} failed{left_out}");
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn reported<'a>(case: &'a Case, built: &Built) -> Row<'a> {
    let start = Instant::now();
    let folder = Path::new(FOLDER).join(&case.name);
    let row = |passed, notes, numbers| Row { case, passed, notes, numbers };
    if let (Some(_), Some(why)) = (&case.sidecar, container::refusal()) {
        let (passed, word) =
            if isolate::has_no_excuse() { (Some(false), "FAILED") } else { (None, "!! DID NOT RUN") };
        println!("{} ... {word}: {why}", case.name);
        return row(passed, vec![why.to_owned()], None);
    }
    let result = catch_unwind(AssertUnwindSafe(|| one(case, built, &folder)));
    let result = result.unwrap_or_else(|_| Err(anyhow!("the harness panicked")));
    let seconds = start.elapsed().as_secs_f64();
    match result {
        Ok((mut notes, numbers)) => {
            println!("{} ... ok ({seconds:.1} s)", case.name);
            notes.extend(numbers.iter().map(Numbers::to_string));
            for note in &notes {
                println!("    {note}");
            }
            let _ = fs::remove_dir_all(&folder);
            row(Some(true), notes, numbers)
        }
        Err(error) => {
            println!("{} ... FAILED ({seconds:.1} s)", case.name);
            println!("    {}", case.about);
            println!("    {error:#}");
            println!("    logs: {}", folder.join("logs").display());
            row(Some(false), Vec::new(), None)
        }
    }
}

/// Runs one case; what is worth saying of it, and the numbers of its rollout.
fn one(case: &Case, built: &Built, folder: &Path) -> Result<(Vec<String>, Option<Numbers>)> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder.join("logs"))?;
    let repo = Repo::create(folder.join("repo"), &case.repo)?;
    let server = RepoServer::start(built, case, folder)?;
    let desk = Desk { server: &server, repo: &repo, folder };
    let mut notes = Vec::new();
    let mut answers = Vec::new();
    for (index, request) in case.requests.iter().enumerate() {
        answers.extend(desk.check(request).with_context(|| format!("request {}", index + 1))?);
    }
    for command in &case.gone {
        let gone = || Ok((!runs(command)?).then_some(()));
        wait_for(&format!("the end of `{command}`"), Duration::from_secs(2), gone)?;
    }
    if let Some(wanted) = &case.overhead {
        notes.push(overhead::check(&desk, wanted)?);
    }
    let ground = Ground { built, server: &server, repo: &repo, folder };
    let numbers = case.rollout.as_ref().map(|wanted| rollout::check(&ground, wanted)).transpose()?;
    if let Some(wanted) = &case.install {
        notes.push(install::check(built, folder, wanted)?);
    }
    canaries::check(&case.canaries, &folder.join("logs"), &answers)?;
    Ok((notes, numbers))
}

/// Whether a process has this text in its command line.
fn runs(text: &str) -> Result<bool> {
    for entry in fs::read_dir("/proc")? {
        let path: PathBuf = entry?.path().join("cmdline");
        let line = fs::read(&path).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(text) {
            return Ok(true);
        }
    }
    Ok(false)
}
