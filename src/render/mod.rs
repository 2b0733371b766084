//! Components → their manifests. Sources render in parallel; the result never depends on which thread was first.

pub mod absent;
mod authored;
pub mod cache;
pub mod dependencies;
pub mod empty;
mod forms;
pub mod helm;
mod inflated;
pub mod kustomization;
pub mod kustomize;
pub mod launch;
pub mod manifest;
mod overrides;
mod pipes;
pub mod place;
pub mod plain;
pub mod query;
pub mod redact;
pub mod remote;
pub mod repeatable;
pub mod secrets;
pub mod sources;
pub mod stderr;
pub mod template;
mod told;
mod tool_error;
pub mod tools;
pub mod values;
pub mod vendor;
mod without_remote;

use std::path::Path;

use rayon::prelude::*;

use cache::Cache;
pub use manifest::Manifest;
use plain::Found;
use remote::Remote;
use tools::{ToolError, ToolOptions, Tools};

use crate::catalogue::Catalogue;
use crate::load::LoadedComponent;
use crate::load::descriptor::{ChartSource, Source};
use crate::message::progress::Progress;
use crate::model::{Finding, Tool};
use crate::problem::{Problem, Problems};

/// The manifests of one component, and what was odd about them.
#[derive(Debug, Default)]
pub struct Rendered {
    /// In file order, then document order.
    pub manifests: Vec<Manifest>,
    /// What the user should know.
    pub findings: Vec<Finding>,
}

/// What a tool made of a source.
#[derive(Debug)]
pub enum Output {
    /// Manifests.
    Text(String),
    /// Nothing: the source is not in the repo.
    Remote(Remote),
    /// Nothing: the tool could not.
    Failed(ToolError),
}

/// What renders have in common.
#[derive(Debug, Clone, Copy)]
pub struct Rendering<'r> {
    /// The directory everything is below.
    pub root: &'r Path,
    /// What is asked of manifests.
    pub catalogue: &'r Catalogue,
    /// How tools may run.
    pub tools: &'r ToolOptions,
    /// Namespace of components that name none.
    pub destination: &'r str,
    /// Where progress is shown.
    pub progress: &'r Progress,
}

/// Renders every component's source, in the order of the components.
///
/// # Errors
/// When a path is missing or cannot be read, or a tool is not there; all components' problems together.
pub fn manifests(
    rendering: Rendering<'_>,
    components: &[LoadedComponent],
) -> Result<Vec<Rendered>, Problems> {
    let Rendering { root, catalogue, progress, .. } = rendering;
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
                findings.extend(skipped.iter().map(|skipped| told::skipped(&components[index], skipped)));
                findings.extend(dangling.iter().map(|link| told::dangling(&components[index], link)));
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
    for (index, result) in read.into_iter().chain(by_tools(rendering, components)) {
        match result {
            Ok(file) => add(&mut rendered[index], file, &components[index]),
            Err(Problems(found)) => problems.extend(found),
        }
    }
    if problems.is_empty() { Ok(rendered) } else { Err(Problems(problems)) }
}

fn add(rendered: &mut Rendered, file: Rendered, component: &LoadedComponent) {
    rendered.manifests.extend(file.manifests);
    let about = |finding: Finding| finding.about(&component.component.name);
    rendered.findings.extend(file.findings.into_iter().map(about));
}

/// Renders the components that need a tool, as many at once as allowed.
fn by_tools(
    rendering: Rendering<'_>,
    components: &[LoadedComponent],
) -> Vec<(usize, Result<Rendered, Problems>)> {
    let tooled: Vec<(usize, Tool)> = (0..components.len())
        .filter_map(|index| Some((index, components[index].component.place.tool?)))
        .collect();
    let Some((first, _)) = tooled.first() else { return Vec::new() };
    let tools = match Tools::new(rendering.tools) {
        Ok(tools) => tools,
        Err(problem) => return vec![(*first, Err(problem.into()))],
    };
    let one =
        |(index, tool): &(usize, Tool)| (*index, by_tool(rendering, &components[*index], *tool, &tools));
    // A pool of their own: the number of threads is the number of children at a time.
    let mut rendered: Vec<(usize, Result<Rendered, Problems>)> =
        match rayon::ThreadPoolBuilder::new().num_threads(rendering.tools.jobs.max(1)).build() {
            Ok(pool) => pool.install(|| tooled.par_iter().map(one).collect()),
            Err(_) => tooled.iter().map(one).collect(),
        };
    if let (Some(refusal), Some((_, Ok(first)))) = (
        tools.cache.as_ref().and_then(Cache::refusal),
        rendered.iter_mut().find(|(_, result)| result.is_ok()),
    ) {
        first.findings.push(told::not_kept(refusal));
    }
    rendered
}

fn by_tool(
    rendering: Rendering<'_>,
    component: &LoadedComponent,
    tool: Tool,
    tools: &Tools<'_>,
) -> Result<Rendered, Problems> {
    let (folder, output) = output(rendering, component, tool, tools)?;
    let folder = folder.as_deref();
    let mut rendered = match output {
        Output::Text(text) => made(rendering, component, (tool, folder), &text),
        Output::Remote(remote) => {
            let mut rendered = remote::stand_ins(&remote, component, rendering.catalogue);
            if let Remote::Parts { rest: Some(text), .. } = &remote {
                let rest = template::manifests(text, tool, folder, rendering.catalogue);
                rendered.manifests.extend(rest.manifests);
                rendered.findings.extend(rest.findings);
            }
            rendered
        }
        Output::Failed(ToolError::Missing(program)) => {
            return Err(told::missing(program, tool, component).into());
        }
        Output::Failed(error) => {
            Rendered { findings: vec![told::not_rendered(&error, tool, component)], ..Rendered::default() }
        }
    };
    let name = &component.component.name;
    let ignored = folder.iter().flat_map(|folder| overrides::findings(rendering.root, folder, name));
    rendered.findings.extend(ignored);
    Ok(rendered)
}

/// The folder of a source, if it is in the repo, and what a tool makes of it.
fn output(
    rendering: Rendering<'_>,
    component: &LoadedComponent,
    tool: Tool,
    tools: &Tools<'_>,
) -> Result<(Option<String>, Output), Problems> {
    let Rendering { root, destination, .. } = rendering;
    let plain_chart = ChartSource::default();
    let (folder, settings, base) = match &component.source {
        Source::Chart { base, chart } => {
            (chart.path.as_ref().map(|path| crate::disk::joined(base, path)), &**chart, base.clone())
        }
        Source::Directory(path) | Source::Kustomize(path) => (Some(path.clone()), &plain_chart, path.clone()),
        // They need no tool, so nobody asks.
        Source::Globs { .. } => return Ok((None, Output::Text(String::new()))),
    };
    let output = if let (Tool::Kustomize, Some(folder)) = (tool, &folder) {
        kustomize::build(root, folder, tools)?
    } else {
        let chart = helm::Chart { component, folder: folder.clone(), settings, base, destination };
        helm::template(root, &chart, tools)?
    };
    Ok((folder, output))
}

/// What a tool wrote, and what is odd about it.
fn made(
    Rendering { root, catalogue, .. }: Rendering<'_>,
    component: &LoadedComponent,
    (tool, folder): (Tool, Option<&str>),
    text: &str,
) -> Rendered {
    let mut rendered = template::manifests(text, tool, folder, catalogue);
    // Comments alone are nothing, too; a text that could not be read is told of already.
    let is_nothing = rendered.manifests.is_empty() && rendered.findings.is_empty();
    let chart = folder.filter(|_| tool == Tool::Helm);
    let random = chart.and_then(|folder| repeatable::finding(root, folder));
    let nothing = empty::finding(root, tool, folder, component).filter(|_| is_nothing);
    rendered.findings.extend(random.into_iter().chain(nothing));
    rendered
}

/// The plain manifest files of a component; charts and kustomizations have none.
fn files(root: &Path, component: &LoadedComponent) -> Result<Found, Problems> {
    let origin = &component.source_origin;
    match &component.source {
        Source::Directory(path) => {
            if component.component.place.tool.is_some() {
                return Ok(Found::default());
            }
            checked_directory(root, path, component)?;
            plain::in_directory(root, path)
        }
        Source::Kustomize(path) => checked_directory(root, path, component).map(|()| Found::default()),
        Source::Globs { base, patterns } => plain::by_globs(root, base, patterns, origin),
        Source::Chart { .. } => Ok(Found::default()),
    }
}

fn checked_directory(root: &Path, path: &str, component: &LoadedComponent) -> Result<(), Problems> {
    if crate::disk::is_directory(root, path) {
        return Ok(());
    }
    let message =
        format!("`{path}`, the path of component `{}`, is not a directory", component.component.name);
    Err(Problem::new("missing-source", message)
        .at(&component.source_origin)
        .help("`path` is relative to the descriptor: correct it, or use `manifests` for single files")
        .into())
}
