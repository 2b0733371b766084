//! `render`: the ladder as manifests.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;

use super::args::{RenderArgs, Target};
use super::{Exit, files, output};
use crate::emit::{self, Selection};
use crate::load::settings::Scope;
use crate::model::{ComponentIndex, Ladder, Level, Phase, ResourceIndex};
use crate::problem::{Problem, Problems, suggestion};
use crate::render::empty;
use crate::target::content::fingerprint;
use crate::target::rollback;
use crate::yaml::Spliced;

pub(super) fn run(args: &RenderArgs) -> anyhow::Result<Exit> {
    if args.target != Target::Manifests {
        return super::targets::run(args);
    }
    let mut ladder = output::ladder_for(&args.path, &args.reading, scope(args)?, args.repository.clone())?;
    accept_empty(&mut ladder, args);
    output::findings(ladder.findings.iter().filter(|finding| finding.level > Level::Info));
    if ladder.worst() == Some(Level::Error) {
        return Ok(Exit::Failed);
    }
    let selection = selection(&ladder, args)?;
    not_fetched(&ladder, &selection)?;
    if let Some(expected) = args.content.as_deref().filter(|_| args.content_gate) {
        held_back(&ladder, &selection, expected)?;
    }
    let sequence = emit::sequence(&ladder, &selection);
    if sequence.is_empty() && !args.allow_empty {
        return Err(nothing_to_write().into());
    }
    manifests(&ladder, &sequence, &rollback::jobs(&ladder, &selection), args.output.as_deref())?;
    // The process ends here; freeing a large ladder piece by piece would only take time.
    std::mem::forget(ladder);
    Ok(Exit::Fine)
}

/// One stream of several components is one Application, whatever the setting says: its waves must order them all.
fn scope(args: &RenderArgs) -> Result<Option<Scope>, Problems> {
    let apart = args.components.len() == 1 || args.output.as_deref().is_some_and(is_directory);
    match (&args.content, apart, args.reading.scope) {
        (Some(_), ..) => Ok(Some(Scope::Component)),
        (None, true, typed) => Ok(typed),
        (None, false, Some(Scope::Component)) => Err(Problem::new(
            "invalid-value",
            "one stream of several components is one Application, and `--scope component` is about one each",
        )
        .help("choose one with --component NAME, or write a file for each with -o DIR/")
        .into()),
        (None, false, _) => Ok(Some(Scope::Ladder)),
    }
}

/// Refuses content that the parent of an Application has not passed on yet.
fn held_back(ladder: &Ladder, selection: &Selection, expected: &str) -> Result<(), Problems> {
    for component in selection.components.iter().map(|number| ComponentIndex(*number)) {
        if fingerprint(ladder, component)? != expected {
            let name = &ladder.component(component).name;
            return Err(Problem::new("content-not-passed-on", format!(
                "the content of `{name}` changed, and the parent of its Application has not passed it on yet"
            ))
            .help("sync the parent Application; `targets.contentGate` in ladder.yaml asks for this")
            .into());
        }
    }
    Ok(())
}

/// What was selected.
pub(super) fn selection(ladder: &Ladder, args: &RenderArgs) -> Result<Selection, Problems> {
    Ok(Selection {
        components: components(ladder, &args.components)?,
        phases: phases(ladder, args.phases.as_deref())?,
    })
}

/// A source that made nothing is no error where an empty result is none.
pub(super) fn accept_empty(ladder: &mut Ladder, args: &RenderArgs) {
    if args.allow_empty {
        let about = ladder.findings.iter_mut().filter(|finding| finding.rule == empty::RULE);
        about.for_each(|finding| finding.level = finding.level.min(Level::Warning));
    }
}

/// Why an empty result is refused.
pub(super) fn nothing_to_write() -> Problems {
    Problem::new("nothing-to-write", "there is nothing to write, and an empty result would prune a cluster")
        .help("check what was selected, or pass --allow-empty if it is meant")
        .into()
}

/// A component without its manifests would be pruned.
pub(super) fn not_fetched(ladder: &Ladder, selection: &Selection) -> Result<(), Problems> {
    let problems: Vec<Problem> = selection
        .missing(ladder)
        .into_iter()
        .map(|index| {
            let resource = ladder.resource(index);
            let name = &ladder.component(resource.component).name;
            Problem::new(
                "remote-source-not-fetched",
                format!("the manifests of `{name}` are needed here, but are not in the repo"),
            )
            .at(resource.origin())
            .help("vendor them (the warning above says how), pass --allow-remote, or leave the component out")
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(Problems(problems)) }
}

/// Jobs of the rollback policy, by component.
type Jobs = [(ComponentIndex, String)];

fn manifests(
    ladder: &Ladder,
    sequence: &[ResourceIndex],
    jobs: &Jobs,
    target: Option<&Path>,
) -> anyhow::Result<()> {
    match target {
        Some(directory) if is_directory(directory) => {
            std::fs::create_dir_all(directory)?;
            per_component(ladder, sequence, jobs, directory)
        }
        target => {
            let documents = emit::documents(ladder, sequence)?;
            let all = |out: &mut dyn Write| write_all(&documents, jobs.iter(), out);
            match target {
                None => output::raw_to_stdout(all),
                Some(file) => files::to_file(file, all),
            }
        }
    }
}

fn write_all<'j>(
    documents: &[Spliced<'_>],
    jobs: impl Iterator<Item = &'j (ComponentIndex, String)>,
    mut out: &mut dyn Write,
) -> io::Result<()> {
    emit::write(documents, &mut out)?;
    jobs.into_iter().try_for_each(|(_, job)| write!(out, "---\n{job}"))
}

/// Whether a path is meant as a directory.
pub(super) fn is_directory(path: &Path) -> bool {
    path.is_dir() || path.to_string_lossy().ends_with('/')
}

fn per_component(
    ladder: &Ladder,
    sequence: &[ResourceIndex],
    jobs: &Jobs,
    directory: &Path,
) -> anyhow::Result<()> {
    let mut by_component: BTreeMap<ComponentIndex, Vec<ResourceIndex>> = BTreeMap::new();
    for index in sequence {
        by_component.entry(ladder.resource(*index).component).or_default().push(*index);
    }
    let mut by_file: BTreeMap<String, (ComponentIndex, Vec<Spliced<'_>>)> = BTreeMap::new();
    for (component, own) in by_component {
        let name = &ladder.component(component).name;
        let file = format!("{}.yaml", name.replace('/', "-"));
        if let Some((other, _)) = by_file.get(&file) {
            return Err(Problems::from(same_file(&ladder.component(*other).name, name, &file)).into());
        }
        by_file.insert(file, (component, emit::documents(ladder, &own)?));
    }
    // Nothing is replaced before everything is written.
    let staged = by_file.into_iter().map(|(file, (component, documents))| {
        let own = jobs.iter().filter(|(index, _)| *index == component);
        files::staged(&directory.join(file), |out| write_all(&documents, own, out))
    });
    files::place(staged.collect::<anyhow::Result<Vec<_>>>()?)
}

fn same_file(one: &str, other: &str, file: &str) -> Problem {
    Problem::new("name-clash", format!("components `{one}` and `{other}` would both be written to `{file}`"))
        .help("rename one of the two, or write one file with -o FILE")
}

fn components(ladder: &Ladder, names: &[String]) -> Result<BTreeSet<usize>, Problems> {
    let known: Vec<&str> = ladder.components.iter().map(|component| component.name.as_str()).collect();
    names
        .iter()
        .map(|name| {
            ladder.component_named(name).map(|index| index.0).ok_or_else(|| {
                Problem::new("unknown-component", format!("there is no component `{name}`"))
                    .help(suggestion(name, known.clone()))
                    .into()
            })
        })
        .collect()
}

/// `A-B`, or one rung; open ends are allowed.
fn phases(ladder: &Ladder, range: Option<&str>) -> Result<BTreeSet<String>, Problems> {
    let Some(range) = range else { return Ok(BTreeSet::new()) };
    let list = &ladder.rungs.list;
    let position = |id: &str| {
        ladder.rungs.position(&Phase(id.to_owned())).ok_or_else(|| {
            let known: Vec<&str> = list.iter().map(|rung| rung.phase.0.as_str()).collect();
            let help = around(id, &known).unwrap_or_else(|| suggestion(id, known));
            Problems::from(Problem::new("unknown-rung", format!("there is no rung `{id}`")).help(help))
        })
    };
    let whole = ladder.rungs.position(&Phase(range.to_owned()));
    let ends = range.split_once('-').map(|(low, high)| (low.trim(), high.trim()));
    let (low, high) = match (whole, ends) {
        (Some(one), _) => (one, one),
        (None, Some(("", ""))) => {
            return Err(Problem::new("invalid-value", format!("`{range}` names no rung"))
                .help("write the lower rung before it, the higher one behind it, or both")
                .into());
        }
        (None, Some((low, high))) => (
            if low.is_empty() { 0 } else { position(low)? },
            if high.is_empty() { list.len() - 1 } else { position(high)? },
        ),
        (None, None) => position(range).map(|one| (one, one))?,
    };
    if low > high {
        return Err(Problem::new("invalid-value", format!("`{range}` runs downwards"))
            .help("write the lower rung first")
            .into());
    }
    Ok(list[low..=high].iter().map(|rung| rung.phase.0.clone()).collect())
}

/// The rungs next to a number that is none.
fn around(id: &str, known: &[&str]) -> Option<String> {
    let number = |id: &str| id.bytes().all(|byte| byte.is_ascii_digit()).then(|| id.parse::<u64>().ok())?;
    let (wanted, known) = (number(id)?, known.iter().map(|id| Some((number(id)?, *id))));
    let known: Vec<(u64, &str)> = known.collect::<Option<_>>()?;
    let below = known.iter().filter(|(number, _)| *number < wanted).max();
    let above = known.iter().filter(|(number, _)| *number > wanted).min();
    match (below, above) {
        (Some((_, below)), Some((_, above))) => Some(format!("next to it are `{below}` and `{above}`")),
        (one, other) => one.or(other).map(|(_, nearest)| format!("the nearest is `{nearest}`")),
    }
}
