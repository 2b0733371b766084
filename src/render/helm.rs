//! A Helm chart → its text, by `helm template` with the arguments Argo CD uses.
//!
//! Inline values travel in a private file: a command line is seen by everybody on the machine and in messages.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::cache::Key;
use super::redact::Redaction;
use super::remote::Remote;
use super::tools::{Call, Tools};
use super::{Output, sources};
use crate::disk;
use crate::load::LoadedComponent;
use crate::load::descriptor::ChartSource;
use crate::problem::{Problem, Problems};
use crate::yaml::Limits;
use crate::yaml::tree;

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
        return Ok(Output::Remote(remote));
    }
    let Remote::Chart { name, repository, version } = &remote else { return Ok(Output::Remote(remote)) };
    let mut source = match repository.strip_prefix("oci://") {
        Some(_) => vec![format!("{}/{name}", repository.trim_end_matches('/'))],
        None => vec![name.clone(), "--repo".to_owned(), repository.clone()],
    };
    source.extend(version.iter().flat_map(|version| ["--version".to_owned(), version.clone()]));
    Ok(run(root, chart, source, &values, tools))
}

fn local(root: &Path, chart: &Chart<'_>, folder: &str, tools: &Tools<'_>) -> Result<Output, Problems> {
    if !disk::exists(root, &disk::joined(folder, "Chart.yaml")) {
        return Err(Problem::new(format!("`{folder}` holds no Chart.yaml"))
            .at(&chart.component.source_origin)
            .help("`chart.path` is relative to the descriptor and names the folder of a chart")
            .into());
    }
    let values = Values::read(root, chart)?;
    let files = sources::files(root, [folder.to_owned()].iter())?;
    let key = match sources::version(tools, ["helm"].into_iter()) {
        Some(version) => {
            let mut key = Key::new(&version);
            for argument in arguments(chart, tools) {
                key.add(argument);
            }
            values.add_to(&mut key);
            sources::add(&mut key, root, &files)?;
            Some(key)
        }
        None => None,
    };
    let cached = key.as_ref().zip(tools.cache.as_ref());
    if let Some(text) = cached.and_then(|(key, cache)| cache.get(key)) {
        return Ok(Output::Text(text));
    }
    let source = vec![if folder.is_empty() { ".".to_owned() } else { folder.to_owned() }];
    let output = run(root, chart, source, &values, tools);
    if let (Output::Text(text), Some((key, cache))) = (&output, cached) {
        cache.put(key, text);
    }
    Ok(output)
}

/// What a descriptor without a path must name.
fn remote(chart: &Chart<'_>) -> Result<Remote, Problems> {
    match (&chart.settings.name, &chart.settings.repo_url) {
        (Some(name), Some(repository)) => Ok(Remote::Chart {
            name: name.clone(),
            repository: repository.clone(),
            version: chart.settings.version.clone(),
        }),
        _ => Err(Problem::new("the chart has neither a `path` nor a `name` with a `repoURL`")
            .at(&chart.component.source_origin)
            .help(
                "name the folder of a chart in the repo, or `repoURL`, `name` and `version` of a remote one",
            )
            .into()),
    }
}

fn run(root: &Path, chart: &Chart<'_>, source: Vec<String>, values: &Values, tools: &Tools<'_>) -> Output {
    let mut words = vec!["template".to_owned()];
    words.extend(source);
    words.extend(arguments(chart, tools));
    for (file, _) in &values.files {
        words.extend(["--values".to_owned(), file.clone()]);
    }
    let inline = match values.inline_file(tools, &chart.component.component.name) {
        Ok(file) => file,
        Err(error) => {
            return Output::Failed(super::tools::ToolError::Broken { command: "helm".to_owned(), error });
        }
    };
    if let Some(file) = &inline {
        words.extend(["--values".to_owned(), file.display().to_string()]);
    }
    let call = Call { program: "helm", arguments: words, directory: root, redaction: &values.redaction };
    match tools.run(&call) {
        Ok(text) => Output::Text(text),
        Err(error) => Output::Failed(error),
    }
}

/// Everything on the command line but the chart and the values.
fn arguments(chart: &Chart<'_>, tools: &Tools<'_>) -> Vec<String> {
    let component = &chart.component.component;
    let release = chart.settings.release_name.as_ref().unwrap_or(&component.name);
    let mut words = vec!["--name-template".to_owned(), release.clone()];
    let namespace =
        if component.namespace.is_empty() { chart.destination } else { component.namespace.as_str() };
    if !namespace.is_empty() {
        words.extend(["--namespace".to_owned(), namespace.to_owned()]);
    }
    if let Some(version) = &tools.options.kube_version {
        words.extend(["--kube-version".to_owned(), version.clone()]);
    }
    for version in &tools.options.api_versions {
        words.extend(["--api-versions".to_owned(), version.clone()]);
    }
    if !chart.settings.skip_crds {
        words.push("--include-crds".to_owned());
    }
    words
}

/// The values of a render: files, then what the descriptor says itself, which wins.
#[derive(Debug, Default)]
struct Values {
    files: Vec<(String, String)>,
    inline: Option<String>,
    redaction: Redaction,
}

impl Values {
    fn read(root: &Path, chart: &Chart<'_>) -> Result<Self, Problems> {
        let mut values = Self::default();
        for file in &chart.settings.value_files {
            let path = disk::joined(&chart.base, file);
            let text = disk::read(root, &path).map_err(|Problems(problems)| {
                let reason = problems.first().map_or(String::new(), |problem| problem.message.clone());
                Problem::new(format!("the value file `{path}` cannot be used: {reason}"))
                    .at(&chart.component.source_origin)
                    .help("value files are relative to the descriptor and lie below the root")
            })?;
            values.hide(&text);
            values.files.push((path, text));
        }
        // A chart's own values may hold secrets too.
        if let Some(folder) = &chart.folder
            && let Ok(Some(text)) = disk::read_optional(root, &disk::joined(folder, "values.yaml"))
        {
            values.hide(&text);
        }
        if !chart.settings.values.is_empty() {
            let text = Value::Object(chart.settings.values.clone()).to_string();
            values.hide(&text);
            values.inline = Some(text);
        }
        Ok(values)
    }

    fn hide(&mut self, text: &str) {
        // What is no YAML is left to helm, whose message says where.
        if let Ok(node) = tree::parse(&Arc::new(text.to_owned()), &Limits::default()) {
            self.redaction.hide(&node);
        }
    }

    fn add_to(&self, key: &mut Key) {
        for (file, text) in &self.files {
            key.add(file);
            key.add(text);
        }
        key.add(self.inline.as_deref().unwrap_or_default());
    }

    fn inline_file(&self, tools: &Tools<'_>, component: &str) -> std::io::Result<Option<PathBuf>> {
        let Some(text) = &self.inline else { return Ok(None) };
        let path = tools.home().join(format!("values-{}.json", component.replace('/', "-")));
        fs::write(&path, text)?;
        Ok(Some(path))
    }
}
