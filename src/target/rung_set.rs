//! A rung's Applications from one ApplicationSet, which finds their descriptors in the repository.
//!
//! Nobody inside a rung waits strongly for a neighbour, so creating them at once breaks nothing; the set's own health
//! (see `health-checks`) holds the next wave. Two generators are merged by name: one finds the descriptors, also those
//! that nobody rendered yet, the other says what only the render knows of a component (`member.rs`). The file generator
//! is used for explicit lists too: a list generator never looks again, and the health the set reports would stay that
//! of the first moment.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde_json::{Map, Value, json};

use super::application::{Application, PHASE};
use super::name::object_name;
use super::source::{in_repository, repository};
use super::{member, rung_template};
use crate::argocd::WAVE;
use crate::load::targets::RungSet;
use crate::model::{Component, Finding, Ladder, Rung};
use crate::problem::{Problem, Problems};

const DESCRIPTOR: &str = "component.yaml";

/// The ApplicationSet of a rung with these Applications, and what they cannot carry.
///
/// # Errors
/// When it would miss a component of the rung, or create one of another.
pub fn write(
    ladder: &Ladder,
    rung: &Rung,
    set: &RungSet,
    applications: &[Application],
) -> Result<(Value, Vec<Finding>), Problems> {
    let members: Vec<&Component> =
        applications.iter().map(|application| ladder.component(application.component)).collect();
    let (narrow, wide) = (globs(rung, set, true)?, globs(rung, set, false)?);
    check(ladder, rung, set, &members, (&narrow, &wide))?;
    let elements: Vec<Value> =
        applications.iter().map(|application| member::element(ladder, rung, application)).collect();
    let object = object(
        ladder,
        rung,
        set,
        &[
            json!({"git": {
                "repoURL": repository(&ladder.settings.targets),
                "revision": ladder.settings.targets.revision,
                "files": files(ladder, set, &members, &wide),
                "requeueAfterSeconds": set.requeue_after_seconds,
            }}),
            json!({"list": {"elements": elements}}),
        ],
    );
    Ok((object, members.iter().filter_map(|member| member::loses(ladder, member, set)).collect()))
}

/// The set, whose members come from generators that are merged by name.
fn object(ladder: &Ladder, rung: &Rung, set: &RungSet, generators: &[Value]) -> Value {
    let mut labels = Map::from_iter([(PHASE.to_owned(), json!(rung.phase))]);
    labels.extend(rung.domain.iter().map(|domain| ("domain".to_owned(), json!(domain))));
    let wave = ladder.settings.enabled.then(|| (WAVE.to_owned(), json!(rung.wave.to_string())));
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {
            "name": set.name,
            "namespace": ladder.settings.targets.namespace,
            "labels": labels,
            "annotations": wave.into_iter().collect::<Map<_, _>>(),
        },
        "spec": {
            "goTemplate": true,
            "goTemplateOptions": ["missingkey=error"],
            "generators": [{"merge": {"mergeKeys": ["name"], "generators": generators}}],
            "template": rung_template::by_parameters(ladder, rung),
            "templatePatch": member::TEMPLATE_PATCH,
        },
    })
}

/// Where the descriptors are: the directories of the set without what belongs to another environment, or those of its
/// components one by one.
fn files(ladder: &Ladder, set: &RungSet, members: &[&Component], found: &GlobSet) -> Vec<Value> {
    let path = |file: &str| in_repository(&ladder.settings.targets, file);
    if set.directories.is_empty() {
        return members.iter().map(|member| json!({"path": path(&member.origin.file)})).collect();
    }
    let globs = set.directories.iter().map(|glob| json!({"path": path(&descriptor_in(glob))}));
    let elsewhere = ladder.settings.elsewhere.iter().filter(|file| found.is_match(file.as_ref()));
    globs.chain(elsewhere.map(|file| json!({"path": path(file), "exclude": true}))).collect()
}

fn descriptor_in(directory: &str) -> String {
    format!("{}/{DESCRIPTOR}", directory.trim_end_matches('/'))
}

/// Every component of the rung must be found, none of another rung, and each must be what a template can make.
fn check(
    ladder: &Ladder,
    rung: &Rung,
    set: &RungSet,
    members: &[&Component],
    (narrow, wide): (&GlobSet, &GlobSet),
) -> Result<(), Problems> {
    let finds = |component: &Component| narrow.is_empty() || narrow.is_match(component.origin.file.as_ref());
    let may_find = |component: &Component| wide.is_match(component.origin.file.as_ref());
    let mut problems = Vec::new();
    for member in members {
        problems.extend(refusal(member, finds(member)).map(|(why, help)| {
            let message = format!("ApplicationSet `{}` cannot create `{}`: it {why}", set.name, member.name);
            cannot_create(message).at(&member.origin).help(help)
        }));
    }
    let strangers = ladder.components.iter().zip(&ladder.placements).filter(|(component, placement)| {
        placement.phase != rung.phase && component.split_from.is_none() && may_find(component)
    });
    for (stranger, placement) in strangers {
        let message = format!(
            "`{}` stands on rung `{}`, but ApplicationSet `{}` of rung `{}` would create it too",
            stranger.name, placement.phase, set.name, rung.phase
        );
        let help = "move its directory, or narrow `directories`";
        problems.push(cannot_create(message).at(&stranger.origin).help(help));
    }
    if !ladder.settings.targets.clusters.is_empty() {
        let message = format!(
            "ApplicationSet `{}` knows one destination, but `targets.clusters` names several",
            set.name
        );
        problems.push(cannot_create(message).at("ladder.yaml").help("remove `applicationSet` from the rung"));
    }
    if problems.is_empty() { Ok(()) } else { Err(Problems(problems)) }
}

/// Why no template can make a component's Application, and what helps.
fn refusal(member: &Component, is_found: bool) -> Option<(&'static str, &'static str)> {
    let is_remote = member.descriptor.chart.as_ref().is_some_and(|chart| chart.repo_url.is_some());
    if member.split_from.is_some() {
        let help = "set `rules: {split-crds: off}`, or take it to another rung";
        Some(("has no descriptor of its own", help))
    } else if !is_found {
        Some(("is not in its `directories`", "add its directory there"))
    } else if object_name(&member.name) != member.name {
        Some(("has a name no Application can have", "rename the component"))
    } else if is_remote {
        let why = "is a remote chart, which only an Application of its own can name";
        Some((why, "take it to another rung"))
    } else {
        None
    }
}

fn cannot_create(message: String) -> Problem {
    Problem::new("applicationset-cannot-create", message)
}

/// Globs as the git generator reads them: whether `*` stays inside one folder hangs on a switch of its controller.
fn globs(rung: &Rung, set: &RungSet, strict: bool) -> Result<GlobSet, Problem> {
    let glob =
        |directory: &String| GlobBuilder::new(&descriptor_in(directory)).literal_separator(strict).build();
    let mut all = GlobSetBuilder::new();
    let built = set.directories.iter().try_for_each(|directory| {
        glob(directory).map(|glob| {
            all.add(glob);
        })
    });
    built.and_then(|()| all.build()).map_err(|error| {
        Problem::new("invalid-value", error.to_string()).at(format!("ladder.yaml: rung `{}`", rung.phase))
    })
}
