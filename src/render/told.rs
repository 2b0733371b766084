//! What the user is told of sources that came out not at all, or not whole.

use std::sync::Arc;

use super::tools::ToolError;
use crate::load::LoadedComponent;
use crate::load::descriptor::Source;
use crate::model::{Finding, Level, Origin, Tool};
use crate::problem::Problem;

pub(super) fn not_kept(refusal: &str) -> Finding {
    Finding::new("render-not-kept", Level::Warning, format!("renders are not kept: {refusal}"))
        .help("point --cache-dir (or LADDER_CACHE_DIR) at a writable directory, or leave it out")
}

pub(super) fn skipped(component: &LoadedComponent, (path, tool): &(String, Tool)) -> Finding {
    let name = &component.component.name;
    Finding::new(
        "nested-source-skipped",
        Level::Info,
        format!("`{path}` below `{name}` is a {} and is left out", tool.source()),
    )
    .about(name)
    .at(component.source_origin.clone())
    .help("describe it with a component.yaml of its own if it should be rolled out")
}

/// Argo CD passes over such a link with a line in its log.
pub(super) fn dangling(component: &LoadedComponent, link: &str) -> Finding {
    let message = format!("`{link}` is a link to nothing and is left out");
    Finding::new("dangling-link", Level::Warning, message)
        .about(&component.component.name)
        .at(Origin::new(&Arc::from(link), 1))
        .help("remove the link, or restore what it leads to")
}

pub(super) fn missing(program: &str, tool: Tool, component: &LoadedComponent) -> Problem {
    let help = match program {
        "helm" => "install Helm (https://helm.sh/docs/intro/install/) and put `helm` on the PATH",
        _ => {
            "install kustomize (https://kubectl.docs.kubernetes.io/installation/kustomize/) or kubectl, and put one of them on the PATH"
        }
    };
    let name = &component.component.name;
    Problem::new(
        "missing-tool",
        format!("the {} of `{name}` needs `{program}`, which is not on the PATH", tool.source()),
    )
    .at(&component.source_origin)
    .help(help)
}

/// The folder of a component's chart, from the root.
fn chart_folder(component: &LoadedComponent) -> String {
    let folder = match &component.source {
        Source::Chart { base, chart } => crate::disk::joined(base, chart.path.as_deref().unwrap_or_default()),
        Source::Directory(path) | Source::Kustomize(path) => path.clone(),
        Source::Globs { base, .. } => base.clone(),
    };
    if folder.is_empty() { ".".to_owned() } else { folder }
}

pub(super) fn not_rendered(error: &ToolError, tool: Tool, component: &LoadedComponent) -> Finding {
    let name = &component.component.name;
    let message = format!("the {} of `{name}` was not rendered: {error}", tool.source());
    let finding = Finding::new("source-not-rendered", Level::Error, message)
        .about(name)
        .at(component.source_origin.clone());
    match error {
        ToolError::Deadline { .. } => finding.help(
            "give it more with --timeout or LADDER_TIMEOUT; Argo CD's own limit is controller.repo.server.timeout.seconds, which must stay above it",
        ),
        ToolError::Failed { stderr, .. } if stderr.contains("missing in charts/") => {
            let folder = chart_folder(component);
            finding.help(format!("vendor its dependencies: `helm dependency build {folder}`, then commit `charts/`"))
        }
        ToolError::Failed { command, .. } if command.contains("--values=-") => finding
            .help("run the command above in the root, with the component's values on its standard input, to see the same"),
        _ => finding.help("run the command above in the root to see the same"),
    }
}
