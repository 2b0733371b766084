//! Values of `ladder.yaml` that are of the right type and still mean nothing, each with its place.

use schemars::schema_for;
use serde_json::Value;

use super::document::Document;
use super::faults::{self, Fault};
use super::settings::LadderFile;
use super::shape;
use super::targets::TargetSettings;
use crate::model::duration;
use crate::problem::{Problem, Problems};

/// Everything wrong with the values of the file itself.
#[must_use]
pub fn faults(document: &Document<LadderFile>) -> Vec<Problem> {
    let mut faults: Vec<Fault> = faults::of_targets(&document.value.targets)
        .into_iter()
        .map(|fault| fault.below(&["targets"]))
        .collect();
    faults.extend(of_rungs(document));
    for (number, domain) in document.value.domains.iter().enumerate() {
        faults.extend(faults::value(&["domains", &number.to_string(), "name"], &domain.name));
    }
    let names = document.value.environments.keys();
    faults.extend(names.filter_map(|name| faults::value(&["environments", name], name)));
    let mut problems = times(document);
    problems.extend(faults.into_iter().map(|fault| placed(document, fault)));
    problems
}

fn of_rungs(document: &Document<LadderFile>) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (number, rung) in document.value.rungs.iter().enumerate() {
        let number = number.to_string();
        faults.extend(faults::value(&["rungs", &number, "id"], &rung.id));
        let retry = rung.retry.iter().flat_map(|retry| faults::of_retry(retry));
        faults.extend(retry.map(|fault| fault.below(&["rungs", &number, "retry"])));
        if rung.max_update.as_ref().is_some_and(|width| width.meant().is_none()) {
            faults.push(Fault {
                path: ["rungs", &number, "maxUpdate"].map(str::to_owned).to_vec(),
                message: "`maxUpdate` is neither a number nor a share".to_owned(),
                help: "write it like `3` or `\"25%\"`".to_owned(),
            });
        }
    }
    faults
}

/// Lengths of time that are only ours.
fn times(document: &Document<LadderFile>) -> Vec<Problem> {
    let timeline = &document.value.timeline;
    let times: [(&[&str], &str); 6] = [
        (&["timeline", "start"], &timeline.start),
        (&["timeline", "component"], &timeline.component),
        (&["timeline", "waveDelay"], &timeline.wave_delay),
        (&["timeline", "settle"], &timeline.settle),
        (&["timeline", "requeue"], timeline.requeue.as_deref().unwrap_or("0s")),
        (&["gates", "interval"], &document.value.gates.interval),
    ];
    let wrong = times.into_iter().filter(|(_, text)| duration::parse(text).is_none());
    let problem = |(path, text): (&[&str], &str)| {
        Problem::new("invalid-value", format!("`{text}` is no length of time"))
            .at(document.place(path))
            .help(duration::help(text))
    };
    wrong.map(problem).collect()
}

/// What an environment lays over the targets must fit them, and leave values that mean something.
///
/// # Errors
/// With the place of what does not.
pub fn check_overlay(document: &Document<LadderFile>, name: &str, targets: &Value) -> Result<(), Problems> {
    let steps = ["environments", name, "targets"];
    let overlaid = document.value.targets.overlaid(targets).map_err(|error| {
        let schema = schema_for!(TargetSettings);
        let misfit = document.tree.at(&steps).and_then(|node| shape::misfit(node, schema.as_value()));
        match misfit {
            Some(misfit) => {
                let place = format!("{}:{}:{}", document.file, misfit.mark.line, misfit.mark.column);
                misfit
                    .help
                    .into_iter()
                    .fold(Problem::new("invalid-value", misfit.message).at(place), Problem::help)
            }
            None => Problem::new("invalid-value", error.to_string()).at(document.place(&steps)),
        }
    })?;
    let known = faults::of_targets(&document.value.targets);
    let added = faults::of_targets(&overlaid).into_iter().filter(|fault| !known.contains(fault));
    let problems: Vec<Problem> = added.map(|fault| placed(document, fault.below(&steps))).collect();
    if problems.is_empty() { Ok(()) } else { Err(Problems(problems)) }
}

fn placed(document: &Document<LadderFile>, fault: Fault) -> Problem {
    let path: Vec<&str> = fault.path.iter().map(String::as_str).collect();
    Problem::new("invalid-value", fault.message).at(document.nearest_place(&path)).help(fault.help)
}
