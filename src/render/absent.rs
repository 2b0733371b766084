//! Dependencies of a chart that are in repositories and not in its `charts/`: helm does without none of them, not even one
//! that is switched off.

use std::path::Path;

use serde_json::Value;

use super::dependencies::{Dependency, LOCAL, is_vendored, locked, named};
use super::redact::Redaction;
use super::remote::{Remote, RemoteChart};
use super::tools::{Call, ToolError, Tools};
use crate::model::Origin;
use crate::problem::{Problem, Problems};
use crate::yaml::tree::Node;

/// A dependency of a repository.
#[derive(Debug)]
pub struct Absent {
    origin: Origin,
    name: String,
    repository: String,
    /// The one that was locked, else what is asked for.
    version: Option<String>,
    node: Node,
}

/// Those that a chart misses.
#[must_use]
pub fn of(root: &Path, folder: &str) -> Vec<Absent> {
    let field = |node: &Node, name: &str| node.get(name).and_then(Node::text).map(str::to_owned);
    let is_remote = |address: &String| !address.is_empty() && !address.starts_with(LOCAL);
    let locked = locked(root, folder);
    let read = |Dependency { origin, node }: Dependency| {
        let (name, repository) = (field(&node, "name")?, field(&node, "repository").filter(is_remote)?);
        if is_vendored(root, folder, &name) {
            return None;
        }
        let is_it = |lock: &&Node| field(lock, "name").as_ref() == Some(&name);
        let lock = locked.iter().find(is_it).and_then(|lock| field(lock, "version"));
        let version = lock.or_else(|| field(&node, "version"));
        Some(Absent { origin, name, repository, version, node })
    };
    named(root, folder).filter_map(read).collect()
}

/// What stands in for a chart that misses some, with the values and under the release it would get.
#[must_use]
pub fn remote(folder: &str, absent: &[Absent], values: &Value, release: &str) -> Option<Remote> {
    let origin = absent.first()?.origin.clone();
    let charts = absent.iter().filter(|one| one.is_on(values)).map(|one| RemoteChart {
        release: Some(release.to_owned()),
        values: values.get(one.key()).and_then(Value::as_object).cloned().unwrap_or_default(),
        ..one.chart()
    });
    let mut names: Vec<String> = absent.iter().map(|one| one.name.clone()).collect();
    names.dedup();
    Some(Remote::Dependencies { chart: folder.to_owned(), origin, names, charts: charts.collect() })
}

/// Fetches them into a folder, as `helm dependency build` does; that command knows no repository that was not added.
///
/// # Errors
/// When a name could be an option; the inner one when helm cannot.
pub fn fetch(absent: &[Absent], into: &Path, tools: &Tools<'_>) -> Result<Result<(), ToolError>, Problems> {
    for one in absent {
        let chart = one.chart();
        if chart.name.starts_with(['-', '.', '/']) || chart.repository.starts_with('-') {
            let fact = format!("`{}` cannot be the name or address of a chart", one.name);
            return Err(Problem::new("unsafe-chart", fact).at(&one.origin).into());
        }
        let mut arguments = vec!["pull".to_owned()];
        arguments.extend(chart.words());
        arguments.push("--destination=.".to_owned());
        let secrets = Redaction::default;
        let call = Call { program: "helm", arguments, directory: into, redaction: &secrets, input: None };
        if let Err(error) = tools.run(&call) {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}

impl Absent {
    fn chart(&self) -> RemoteChart {
        RemoteChart {
            name: self.name.clone(),
            repository: self.repository.clone(),
            version: self.version.clone(),
            ..RemoteChart::default()
        }
    }

    /// The key of its values.
    fn key(&self) -> &str {
        self.node.get("alias").and_then(Node::text).unwrap_or(&self.name)
    }

    /// Whether values switch it on, as helm decides (chart/v2/util/dependencies.go): the first condition that is there
    /// counts, else the tags, of which one is enough.
    fn is_on(&self, values: &Value) -> bool {
        let at = |path: &str| path.trim().split('.').try_fold(values, |value, key| value.get(key))?.as_bool();
        let condition = self.node.get("condition").and_then(Node::text).unwrap_or_default();
        if let Some(said) = condition.split(',').find_map(at) {
            return said;
        }
        let tags = self.node.get("tags").map_or(&[][..], Node::items).iter().filter_map(Node::text);
        let said: Vec<bool> = tags.filter_map(|tag| values.get("tags")?.get(tag)?.as_bool()).collect();
        said.is_empty() || said.contains(&true)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::yaml::Limits;
    use crate::yaml::tree;

    #[test]
    fn the_first_condition_that_is_there_decides_and_tags_where_there_is_none() {
        for (dependency, values, expected) in [
            ("{name: a}", json!({}), true),
            ("{name: a, condition: a.on}", json!({"a": {"on": false}}), false),
            ("{name: a, condition: a.on}", json!({"a": {"on": "no"}}), true),
            ("{name: a, condition: 'x.on, a.on'}", json!({"a": {"on": false}}), false),
            ("{name: a, condition: 'x.on,a.on'}", json!({"x": {"on": true}, "a": {"on": false}}), true),
            ("{name: a, tags: [t, u]}", json!({"tags": {"t": false}}), false),
            ("{name: a, tags: [t, u]}", json!({"tags": {"t": false, "u": true}}), true),
            ("{name: a, tags: [t], condition: a.on}", json!({"tags": {"t": false}, "a": {"on": true}}), true),
        ] {
            let node = tree::parse(&std::sync::Arc::new(dependency.to_owned()), &Limits::default()).unwrap();
            let origin = Origin::new(&std::sync::Arc::from("Chart.yaml"), 1);
            let (name, repository) = ("a".to_owned(), "https://example.com".to_owned());
            let one = Absent { origin, name, repository, version: None, node };
            assert_eq!(one.is_on(&values), expected, "{dependency} {values}");
        }
    }
}
