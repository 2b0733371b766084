//! Charts that a kustomization inflates: kustomize runs helm for them, with words of the repo among its arguments.
//!
//! kustomize checks neither those words nor where a chart lies, and `--enable-helm` is passed on whoever wrote them. So
//! what helm would take for an option, and what lies outside the root, is refused here.

use std::path::Path;
use std::sync::Arc;

use super::remote::{Part, RemoteChart, What};
use crate::disk;
use crate::model::Origin;
use crate::problem::{Problem, Problems};
use crate::yaml::tree::{self, Node};
use crate::yaml::{self, Limits, YamlError};

/// Fields of a kustomization that list charts.
const LISTS: &[&str] = &["helmCharts", "helmChartInflationGenerator"];
/// The kind of a generator that is a chart.
const GENERATOR: &str = "HelmChartInflationGenerator";
/// Fields that hold values, which go to helm in a file.
const VALUES: &[&str] = &["valuesInline", "values"];

/// Fields with files of values; `values` is one where it is no mapping.
const VALUE_FILES: &[&str] = &["valuesFile", "additionalValuesFiles", "values"];

/// What a kustomization says of charts.
#[derive(Debug, Default)]
pub(super) struct Charts {
    /// Whether there is one.
    pub(super) is_any: bool,
    /// Folders that hold them.
    pub(super) homes: Vec<String>,
    /// Those that kustomize would fetch.
    pub(super) remote: Vec<Part>,
    /// What is said of each, with the folder paths in it are relative to.
    pub(super) said: Vec<(String, Node)>,
}

/// Where a chart is said.
#[derive(Debug, Clone, Copy)]
struct Saying<'k> {
    root: &'k Path,
    folder: &'k str,
    file: &'k str,
}

impl Charts {
    /// The charts of one kustomization.
    pub(super) fn of(root: &Path, folder: &str, file: &str, node: &Node) -> Result<Self, Problems> {
        let saying = Saying { root, folder, file };
        let mut charts = Self::default();
        let globals: Vec<&Node> = fields(node, "helmGlobals").collect();
        for chart in LISTS.iter().flat_map(|list| fields(node, list)).flat_map(Node::items) {
            charts.take(saying, chart, &globals)?;
        }
        let mut unclear = Vec::new();
        for generator in fields(node, "generators").flat_map(Node::items) {
            if !charts.take_generator(saying, generator)? {
                unclear.push(generator);
            }
        }
        match unclear.first() {
            Some(generator) if charts.is_any => Err(refused(
                saying,
                generator,
                "nobody can tell which charts this generator makes, and it stands beside charts",
                "list the file of the generator itself",
            )),
            _ => Ok(charts),
        }
    }

    /// A generator may be a chart, written in place or in a file; whether it could be read.
    fn take_generator(&mut self, saying: Saying<'_>, generator: &Node) -> Result<bool, Problems> {
        let Some(text) = generator.text() else { return Ok(false) };
        let path = disk::joined(saying.folder, text);
        let in_place = text.contains('\n');
        let (file, text) = if in_place {
            (saying.file, text.to_owned())
        } else {
            let Ok(text) = disk::read(saying.root, &path) else { return Ok(false) };
            (path.as_str(), text)
        };
        let Ok(documents) = documents(text) else { return Ok(false) };
        for document in &documents {
            if fields(document, "kind").any(|kind| kind.text() == Some(GENERATOR)) {
                self.take(Saying { file, ..saying }, document, &[document])?;
            }
        }
        Ok(true)
    }

    /// One chart; `globals` say in which folder charts are.
    fn take(&mut self, saying: Saying<'_>, chart: &Node, globals: &[&Node]) -> Result<(), Problems> {
        self.is_any = true;
        self.said.push((saying.folder.to_owned(), chart.clone()));
        for (_, value) in chart.entries().iter().filter(|(name, _)| !is_values(name)) {
            checked(saying, value)?;
        }
        let homes: Vec<&str> =
            globals.iter().flat_map(|globals| fields(globals, "chartHome")).filter_map(Node::text).collect();
        let outside = || refused(saying, chart, "the chart lies outside the root", "copy it below the root");
        if homes.iter().any(|home| home.starts_with('/')) {
            return Err(outside());
        }
        let homes = if homes.is_empty() { vec!["charts"] } else { homes };
        let homes: Vec<String> = homes.iter().map(|home| disk::joined(saying.folder, home)).collect();
        let said = Said(chart);
        for name in ["name", "chartName"].iter().flat_map(|field| said.all(field)) {
            // Where kustomize itself looks, and pulls to.
            let below = match (said.version(), said.repository()) {
                (Some(version), Some(_)) => format!("{name}-{version}"),
                _ => String::new(),
            };
            let folders: Vec<String> = homes.iter().map(|home| disk::joined(home, &below)).collect();
            let places: Vec<String> = folders.iter().map(|folder| disk::joined(folder, name)).collect();
            if places.iter().any(|place| place.starts_with("..")) {
                return Err(outside());
            }
            let is_here = places.iter().any(|place| disk::is_directory(saying.root, place));
            // Without a repository kustomize says itself that there is no such chart.
            if let (Some(repository), Some(folder), false) = (said.repository(), folders.first(), is_here) {
                let origin = Origin::new(&Arc::from(saying.file), chart.mark.line);
                let chart = Box::new(said.remote(name, repository, saying));
                self.remote.push(Part { origin, what: What::Chart(chart, folder.clone()) });
            }
        }
        self.homes.extend(homes);
        Ok(())
    }
}

/// What is said of one chart, by the names of either list.
struct Said<'n>(&'n Node);

impl<'n> Said<'n> {
    fn all(&self, field: &str) -> impl Iterator<Item = &'n str> {
        fields(self.0, field).filter_map(Node::text)
    }

    fn of(&self, one: &str, other: &str) -> Option<&'n str> {
        let last = |field: &str| self.all(field).last();
        last(one).or_else(|| last(other)).filter(|text| !text.is_empty())
    }

    fn version(&self) -> Option<&'n str> {
        self.of("version", "chartVersion")
    }

    fn repository(&self) -> Option<&'n str> {
        self.of("repo", "chartRepoUrl")
    }

    /// The chart, which kustomize would fetch.
    fn remote(&self, name: &str, repository: &str, saying: Saying<'_>) -> RemoteChart {
        let files = VALUE_FILES.iter().flat_map(|field| fields(self.0, field));
        let files = files.flat_map(|one| one.items().iter().chain([one])).filter_map(Node::text);
        let (read, value_files): (Vec<_>, Vec<_>) = files
            .map(|file| (file.to_owned(), values_in(saying, file)))
            .partition(|(_, values)| values.is_some());
        let inline = VALUES.iter().flat_map(|field| fields(self.0, field)).cloned();
        // What stands in the kustomization lies over what is in files.
        let all = read.into_iter().filter_map(|(_, values)| values).chain(inline.filter(is_mapping));
        let values = all.reduce(|mut below, over| {
            below.overlay(&over);
            below
        });
        RemoteChart {
            name: name.to_owned(),
            repository: repository.to_owned(),
            version: self.version().map(str::to_owned),
            release: Some(self.of("releaseName", "").unwrap_or(name).to_owned()),
            namespace: self.of("namespace", "releaseNamespace").map(str::to_owned),
            values: values.and_then(|values| values.to_json().as_object().cloned()).unwrap_or_default(),
            value_files: value_files.into_iter().map(|(file, _)| file).collect(),
            skip_crds: self.of("includeCRDs", "") != Some("true"),
        }
    }
}

/// The values in a file of the repo.
fn values_in(saying: Saying<'_>, file: &str) -> Option<Node> {
    let path = disk::joined(saying.folder, file);
    let text = disk::exists(saying.root, &path).then(|| disk::read(saying.root, &path).ok())??;
    tree::parse(&Arc::new(text), &Limits::default()).ok().filter(is_mapping)
}

fn is_mapping(node: &Node) -> bool {
    !node.entries().is_empty()
}

/// The fields of a name, as Go's JSON reads them: in any case.
fn fields<'n>(node: &'n Node, name: &str) -> impl Iterator<Item = &'n Node> {
    let is_it = move |key: &Node| key.text().is_some_and(|text| text.eq_ignore_ascii_case(name));
    node.entries().iter().filter(move |(key, _)| is_it(key)).map(|(_, value)| value)
}

fn is_values(name: &Node) -> bool {
    name.text().is_some_and(|name| VALUES.contains(&name))
}

fn documents(text: String) -> Result<Vec<Node>, YamlError> {
    let chunks = yaml::split(&Arc::new(text))?;
    chunks.iter().map(|chunk| tree::parse_chunk(chunk, &Limits::default())).collect()
}

/// Refuses words that helm would take for an option.
fn checked(saying: Saying<'_>, node: &Node) -> Result<(), Problems> {
    if node.text().is_some_and(|text| text.trim_start().starts_with('-')) {
        let fact = "a word of a chart begins with `-`, which helm would take for an option";
        return Err(refused(saying, node, fact, "write it without, or among the values"));
    }
    let below = node.items().iter().chain(node.entries().iter().map(|(_, value)| value));
    below.into_iter().try_for_each(|one| checked(saying, one))
}

fn refused(saying: Saying<'_>, node: &Node, fact: &str, help: &str) -> Problems {
    Problem::new("unsafe-chart", fact).at(format!("{}:{}", saying.file, node.mark.line)).help(help).into()
}
