//! Components → their manifests. Sources render in parallel; the result never depends on which thread was first.

pub mod manifest;
pub mod plain;
pub mod query;

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

pub use manifest::Manifest;
use plain::Found;

use crate::catalogue::Catalogue;
use crate::load::LoadedComponent;
use crate::load::descriptor::Source;
use crate::model::{Finding, Level, Origin};
use crate::problem::{Problem, Problems};
use crate::progress::Progress;

/// The manifests of one component, and what was odd about them.
#[derive(Debug, Default)]
pub struct Rendered {
    /// In file order, then document order.
    pub manifests: Vec<Manifest>,
    /// What the user should know.
    pub findings: Vec<Finding>,
}

/// Renders every component's source, in the order of the components.
///
/// # Errors
/// When a path is missing or cannot be read; all components' problems together.
pub fn manifests(
    root: &Path,
    components: &[LoadedComponent],
    catalogue: &Catalogue,
    progress: &Progress,
) -> Result<Vec<Rendered>, Problems> {
    let listed: Vec<Result<Found, Problems>> =
        components.par_iter().map(|component| files(root, component)).collect();
    let mut rendered: Vec<Rendered> = components.iter().map(|_| Rendered::default()).collect();
    let mut problems = Vec::new();
    let mut work = Vec::new();
    for (index, found) in listed.into_iter().enumerate() {
        match found {
            Ok(Found { files, skipped, dangling }) => {
                work.extend(files.into_iter().map(|file| (index, file)));
                let findings = &mut rendered[index].findings;
                findings.extend(skipped.iter().map(|skipped| skipped_finding(&components[index], skipped)));
                findings.extend(dangling.iter().map(|link| dangling_finding(&components[index], link)));
            }
            Err(Problems(found)) => problems.extend(found),
        }
    }
    progress.start(work.len());
    let read: Vec<(usize, Result<Rendered, Problems>)> = work
        .into_par_iter()
        .map(|(index, file)| {
            let rendered = manifest::from_file(root, &file, catalogue);
            progress.step();
            (index, rendered)
        })
        .collect();
    progress.finish();
    for (index, result) in read {
        match result {
            Ok(file) => add(&mut rendered[index], file, &components[index]),
            Err(Problems(found)) => problems.extend(found),
        }
    }
    for (component, own) in components.iter().zip(&mut rendered) {
        own.findings.extend(not_rendered(root, component));
    }
    if problems.is_empty() { Ok(rendered) } else { Err(Problems(problems)) }
}

fn add(rendered: &mut Rendered, file: Rendered, component: &LoadedComponent) {
    rendered.manifests.extend(file.manifests);
    let about = |finding: Finding| finding.about(&component.component.name);
    rendered.findings.extend(file.findings.into_iter().map(about));
}

/// The plain manifest files of a component; charts and kustomizations have none.
fn files(root: &Path, component: &LoadedComponent) -> Result<Found, Problems> {
    let origin = &component.source_origin;
    match &component.source {
        Source::Directory(path) if path.starts_with("..") => {
            Err(Problem::new(format!("`{path}` leaves the root"))
                .at(origin)
                .help("move the manifests below the root, or run on a directory that holds both")
                .into())
        }
        Source::Directory(path) => {
            if plain::tool_of(root, path).is_some() {
                return Ok(Found::default());
            }
            if !crate::disk::is_directory(root, path) {
                let message = format!(
                    "`{path}`, the path of component `{}`, is not a directory",
                    component.component.name
                );
                return Err(Problem::new(message)
                    .at(origin)
                    .help("`path` is relative to the descriptor: correct it, or use `manifests` for single files")
                    .into());
            }
            plain::in_directory(root, path)
        }
        Source::Globs { base, patterns } => plain::by_globs(root, base, patterns, origin),
        Source::Kustomize(_) | Source::Chart { .. } => Ok(Found::default()),
    }
}

fn skipped_finding(component: &LoadedComponent, (path, tool): &(String, &'static str)) -> Finding {
    let name = &component.component.name;
    Finding::new(
        "nested-source-skipped",
        Level::Info,
        format!("`{path}` below `{name}` is a {tool} and is left out"),
    )
    .about(name)
    .at(component.source_origin.clone())
    .help("describe it with a component.yaml of its own if it should be rolled out")
}

/// Argo CD passes over such a link with a line in its log.
fn dangling_finding(component: &LoadedComponent, link: &str) -> Finding {
    let message = format!("`{link}` is a link to nothing and is left out");
    Finding::new("dangling-link", Level::Warning, message)
        .about(&component.component.name)
        .at(Origin::new(&Arc::from(link), 1))
        .help("remove the link, or restore what it leads to")
}

fn not_rendered(root: &Path, component: &LoadedComponent) -> Option<Finding> {
    let what = match &component.source {
        Source::Directory(path) => plain::tool_of(root, path)?,
        Source::Kustomize(_) => "kustomization",
        Source::Chart { .. } => "chart",
        Source::Globs { .. } => return None,
    };
    let name = &component.component.name;
    Some(
        Finding::new("source-not-rendered", Level::Error, format!("the {what} of `{name}` was not rendered"))
            .about(name)
            .at(component.source_origin.clone())
            .help("render it beforehand and point `path` at the result"),
    )
}
