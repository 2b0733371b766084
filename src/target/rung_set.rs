//! A rung's Applications from one ApplicationSet, which finds their descriptors in the repository.
//!
//! Nobody inside a rung waits strongly for a neighbour, so creating them at once breaks nothing; the set's own health
//! (see `health-checks`) holds the next wave. What only the render knows of a component (the fingerprint of its content)
//! is not on these Applications. The file generator is used for lists too: a list generator never looks again, and the
//! health the set reports would stay that of the first moment.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde_json::{Map, Value, json};

use super::application::{GENERATE_PATHS, IN_CLUSTER, PHASE};
use super::name::object_name;
use super::source::{in_repository, repository};
use super::sync;
use crate::load::targets::RungSet;
use crate::model::{Component, ComponentIndex, Finding, Ladder, Level, Rung};
use crate::problem::{Problem, Problems};
use crate::render::manifest::WAVE;

const DESCRIPTOR: &str = "component.yaml";

/// The ApplicationSet of a rung, and what its Applications cannot carry.
///
/// # Errors
/// When it would miss a component of the rung, or create one of another.
pub fn write(ladder: &Ladder, rung: &Rung, set: &RungSet) -> Result<(Value, Vec<Finding>), Problems> {
    let members: Vec<&Component> = (0..ladder.components.len())
        .map(ComponentIndex)
        .filter(|index| ladder.placement(*index).phase == rung.phase)
        .map(|index| ladder.component(index))
        .collect();
    check(ladder, rung, set, &members)?;
    let targets = &ladder.settings.targets;
    let files: Vec<Value> = match &set.directories[..] {
        [] => members.iter().map(|member| member.origin.file.to_string()).collect::<Vec<_>>(),
        globs => globs.iter().map(|glob| descriptor_in(glob)).collect(),
    }
    .iter()
    .map(|file| json!({"path": in_repository(targets, file)}))
    .collect();
    let mut labels = Map::from_iter([(PHASE.to_owned(), json!(rung.phase))]);
    labels.extend(rung.domain.iter().map(|domain| ("domain".to_owned(), json!(domain))));
    let object = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {
            "name": set.name,
            "namespace": targets.namespace,
            "labels": labels,
            "annotations": {WAVE: rung.wave.to_string()},
        },
        "spec": {
            "goTemplate": true,
            "goTemplateOptions": ["missingkey=error"],
            "generators": [{"git": {
                "repoURL": repository(targets),
                "revision": targets.revision,
                "files": files,
                "requeueAfterSeconds": set.requeue_after_seconds,
            }}],
            "template": template(ladder, rung),
        },
    });
    Ok((object, members.iter().filter_map(|member| loses(member, set)).collect()))
}

fn descriptor_in(directory: &str) -> String {
    format!("{}/{DESCRIPTOR}", directory.trim_end_matches('/'))
}

/// One Application, in terms of its descriptor's fields.
fn template(ladder: &Ladder, rung: &Rung) -> Value {
    let targets = &ladder.settings.targets;
    let mut labels = targets.labels.clone();
    labels.insert(PHASE.to_owned(), rung.phase.0.clone());
    labels.extend(rung.domain.iter().map(|domain| ("domain".to_owned(), domain.clone())));
    let mut annotations = targets.annotations.clone();
    let ladder_file = in_repository(targets, ladder.settings.file_name());
    annotations.insert(GENERATE_PATHS.to_owned(), format!("/{{{{ .path.path }}}};/{ladder_file}"));
    let mut parameters = vec![json!({"name": "component", "string": "{{ .name }}"})];
    if let Some(environment) = &ladder.settings.environment {
        parameters.push(json!({"name": "environment", "string": environment}));
    }
    let server = match (&targets.destination.server, &targets.destination.name) {
        (None, Some(name)) => ("name", name.as_str()),
        (server, _) => ("server", server.as_deref().unwrap_or(IN_CLUSTER)),
    };
    let mut metadata = json!({"name": "{{ .name }}", "labels": labels, "annotations": annotations});
    if !targets.finalizers.is_empty() {
        metadata["finalizers"] = json!(targets.finalizers);
    }
    let mut spec = json!({
        "project": format!("{{{{ get . \"project\" | default \"{}\" }}}}", targets.project.as_deref().unwrap_or("default")),
        "source": {
            "repoURL": repository(targets),
            "targetRevision": targets.revision,
            "path": in_repository(targets, ""),
            "plugin": {"name": targets.plugin, "parameters": parameters},
        },
        "destination": {
            server.0: server.1,
            "namespace": format!("{{{{ get . \"namespace\" | default \"{}\" }}}}", targets.destination.namespace.as_deref().unwrap_or("default")),
        },
        "syncPolicy": sync::policy_of_rung(ladder, &rung.phase),
    });
    if !targets.ignore_differences.is_empty() {
        spec["ignoreDifferences"] = json!(targets.ignore_differences);
    }
    if let Some(limit) = targets.revision_history_limit {
        spec["revisionHistoryLimit"] = json!(limit);
    }
    json!({"metadata": metadata, "spec": spec})
}

/// Every component of the rung must be found, none of another rung, and each must be what a template can make.
fn check(ladder: &Ladder, rung: &Rung, set: &RungSet, members: &[&Component]) -> Result<(), Problems> {
    let globs = |strict| {
        globs(&set.directories, strict).map_err(|error| {
            Problem::new("invalid-value", error.to_string()).at(format!("ladder.yaml: rung `{}`", rung.phase))
        })
    };
    let (narrow, wide) = (globs(true)?, globs(false)?);
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
fn globs(directories: &[String], strict: bool) -> Result<GlobSet, globset::Error> {
    let mut set = GlobSetBuilder::new();
    for directory in directories {
        set.add(GlobBuilder::new(&descriptor_in(directory)).literal_separator(strict).build()?);
    }
    set.build()
}

/// Fields of a descriptor that the template has no place for.
fn loses(component: &Component, set: &RungSet) -> Option<Finding> {
    let own = &component.descriptor;
    let fields: Vec<&str> = [
        ("syncOptions", !own.sync_options.is_empty()),
        ("syncPolicy", own.sync_policy.is_some()),
        ("ignoreDifferences", !own.ignore_differences.is_empty()),
        ("labels", !own.labels.is_empty()),
        ("annotations", !own.annotations.is_empty()),
        ("finalizers", own.finalizers.is_some()),
        ("destination", own.destination != crate::load::targets::Destination::default()),
        ("retries", own.retries.is_some()),
    ]
    .into_iter()
    .filter_map(|(field, is_set)| is_set.then_some(field))
    .collect();
    let message = format!(
        "the Application of `{}` comes from ApplicationSet `{}` and loses {}",
        component.name,
        set.name,
        fields.join(", ")
    );
    (!fields.is_empty()).then(|| {
        Finding::new("applicationset-loses-settings", Level::Warning, message)
            .about(&component.name)
            .at(component.origin.clone())
            .help("set it for all in `targets` of ladder.yaml, or take the component to another rung")
    })
}
