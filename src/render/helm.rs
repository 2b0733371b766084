//! A Helm chart → its text, by `helm template` with the arguments Argo CD uses.
//!
//! Words of the repo never stand alone on the command line, where one that begins with `-` would be an option: a folder
//! is `./FOLDER`, everything else `--option=WORD`.

use std::path::Path;

use super::absent::{self, Absent};
use super::cache::Key;
use super::dependencies::{self, Copy};
use super::redact::Redaction;
use super::remote::{Remote, RemoteChart};
use super::tools::{Call, Tools};
use super::values::Values;
use super::{Output, sources};
use crate::disk;
use crate::load::LoadedComponent;
use crate::load::descriptor::ChartSource;
use crate::problem::{Problem, Problems};

/// A chart of a component, with everything its render depends on.
#[derive(Debug)]
pub struct Chart<'c> {
    /// The component it is the source of.
    pub component: &'c LoadedComponent,
    /// Folder of the chart in the repo; none when it is remote.
    pub folder: Option<String>,
    /// What the descriptor says of it.
    pub settings: &'c ChartSource,
    /// Directory that value files are relative to.
    pub base: String,
    /// Where it goes, when the component does not say.
    pub destination: &'c str,
}

/// Renders a chart.
///
/// # Errors
/// When a value file or the chart cannot be read; what helm says comes back as [`Output::Failed`].
pub fn template(root: &Path, chart: &Chart<'_>, tools: &Tools<'_>) -> Result<Output, Problems> {
    let remote = match &chart.folder {
        Some(folder) => return local(root, chart, folder, tools),
        None => remote(chart)?,
    };
    // Argo CD could not render it either, so a missing file is told also where nothing is fetched.
    let values = Values::read(root, chart)?;
    if !tools.options.allow_remote {
        return Ok(Output::Remote(Remote::Chart(remote)));
    }
    // Where nothing is: helm would take a folder of the chart's name for the chart.
    let words = [
        remote.words(),
        arguments(chart, tools),
        values.arguments(&std::path::absolute(root).unwrap_or_default()),
    ];
    let secrets = || values.secrets(root, None, tools);
    Ok(run(tools.nowhere(), words.concat(), (&values, &secrets), tools))
}

fn local(root: &Path, chart: &Chart<'_>, folder: &str, tools: &Tools<'_>) -> Result<Output, Problems> {
    if !disk::exists(root, &disk::joined(folder, "Chart.yaml")) {
        return Err(Problem::new("missing-source", format!("`{folder}` holds no Chart.yaml"))
            .at(&chart.component.source_origin)
            .help("`chart.path` is relative to the descriptor and names the folder of a chart")
            .into());
    }
    let parts =
        Parts { folder, built: &dependencies::missing(root, folder), absent: &absent::of(root, folder) };
    if !tools.options.allow_remote {
        let values = Values::read(root, chart)?.merged(root, folder);
        if let Some(remote) = absent::remote(folder, parts.absent, &values, release(chart)) {
            return Ok(Output::Remote(remote));
        }
    }
    let run = || local_run(root, chart, parts, tools);
    sources::kept(tools, || key(root, chart, parts, tools), run)
}

/// What a chart is made of.
#[derive(Clone, Copy)]
struct Parts<'p> {
    folder: &'p str,
    /// Folders of dependencies that are built into it.
    built: &'p [String],
    /// Dependencies that are fetched.
    absent: &'p [Absent],
}

fn local_run(
    root: &Path,
    chart: &Chart<'_>,
    Parts { folder, built, absent }: Parts<'_>,
    tools: &Tools<'_>,
) -> Result<Output, Problems> {
    let values = Values::read(root, chart)?;
    let words = |root: &Path| {
        [vec![disk::argument(folder)], arguments(chart, tools), values.arguments(root)].concat()
    };
    let secrets = || values.secrets(root, Some(folder), tools);
    if built.is_empty() && absent.is_empty() {
        return Ok(run(root, words(Path::new(".")), (&values, &secrets), tools));
    }
    // The chart has the same path in the copy, so that messages are the same too.
    let copy = Copy::make(root, folder, built, tools.home())?;
    if !absent.is_empty()
        && let Err(error) = absent::fetch(absent, &copy.charts(folder)?, tools)?
    {
        return Ok(Output::Failed(error));
    }
    let absolute = std::path::absolute(root).unwrap_or_default();
    Ok(run(copy.root(), words(&absolute), (&values, &secrets), tools))
}

/// The key of a render, from what lies on the disk now.
fn key(
    root: &Path,
    chart: &Chart<'_>,
    Parts { folder, built, absent }: Parts<'_>,
    tools: &Tools<'_>,
) -> Result<Option<Key>, Problems> {
    // Links are checked whether or not the result is kept.
    let files = sources::files(root, std::iter::once(&folder.to_owned()).chain(built))?;
    // A repository may give something else tomorrow.
    if !absent.is_empty() {
        return Ok(None);
    }
    let Some(version) = sources::version(tools, ["helm"].into_iter()) else { return Ok(None) };
    let mut key = Key::new(&version);
    for argument in arguments(chart, tools) {
        key.add(argument);
    }
    Values::read(root, chart)?.add_to(&mut key);
    Ok(sources::added(key, root, &files))
}

/// What a descriptor without a path must name.
fn remote(chart: &Chart<'_>) -> Result<RemoteChart, Problems> {
    let (Some(name), Some(repository)) = (&chart.settings.name, &chart.settings.repo_url) else {
        return Err(Problem::new(
            "missing-source",
            "the chart has neither a `path` nor a `name` with a `repoURL`",
        )
        .at(&chart.component.source_origin)
        .help("name the folder of a chart in the repo, or `repoURL`, `name` and `version` of a remote one")
        .into());
    };
    let version = &chart.settings.version;
    // They also stand in the command that is offered for vendoring.
    checked(chart, "name", name, &['-', '.', '/'])?;
    checked(chart, "repoURL", repository, &['-'])?;
    checked(chart, "version", version.as_deref().unwrap_or_default(), &['-'])?;
    Ok(RemoteChart {
        name: name.clone(),
        repository: repository.clone(),
        version: version.clone(),
        release: chart.settings.release_name.clone(),
        namespace: None,
        values: chart.settings.values.clone(),
        value_files: chart.settings.value_files.clone(),
        skip_crds: chart.settings.skip_crds,
    })
}

/// Refuses a name that helm would take for an option or for a path of this machine, in the terms of the descriptor.
fn checked(chart: &Chart<'_>, field: &str, word: &str, forbidden: &[char]) -> Result<(), Problem> {
    if !word.starts_with(forbidden) {
        return Ok(());
    }
    Err(Problem::new("invalid-value", format!("`{word}` cannot be the `{field}` of a chart"))
        .at(&chart.component.source_origin)
        .help("name a chart of a repository; the folder of one in the repo is `chart.path`"))
}

fn run(
    directory: &Path,
    words: Vec<String>,
    (values, redaction): (&Values, &dyn Fn() -> Redaction),
    tools: &Tools<'_>,
) -> Output {
    let call = Call {
        program: "helm",
        arguments: [vec!["template".to_owned()], words].concat(),
        directory,
        redaction,
        input: values.inline.as_deref(),
    };
    match tools.run(&call) {
        Ok(text) => Output::Text(text),
        Err(error) => Output::Failed(error),
    }
}

/// The name of the chart's release.
fn release<'c>(chart: &Chart<'c>) -> &'c str {
    chart.settings.release_name.as_ref().unwrap_or(&chart.component.component.name)
}

/// Everything on the command line but the chart and the values.
fn arguments(chart: &Chart<'_>, tools: &Tools<'_>) -> Vec<String> {
    let component = &chart.component.component;
    let mut words = vec![format!("--name-template={}", release(chart))];
    let namespace =
        if component.namespace.is_empty() { chart.destination } else { component.namespace.as_str() };
    if !namespace.is_empty() {
        words.push(format!("--namespace={namespace}"));
    }
    words.extend(tools.options.kube_version.iter().map(|version| format!("--kube-version={version}")));
    words.extend(tools.options.api_versions.iter().map(|version| format!("--api-versions={version}")));
    if !chart.settings.skip_crds {
        words.push("--include-crds".to_owned());
    }
    words
}
