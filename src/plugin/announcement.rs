//! The parameters as Argo CD's user interface shows them, with what the repo at hand has to choose from.

use serde::Serialize;

/// A parameter as Argo CD's user interface shows it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Announcement {
    name: &'static str,
    title: &'static str,
    tooltip: String,
    collection_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    string: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    array: Option<Vec<String>>,
}

/// What a repo has to choose from.
#[derive(Debug, Default)]
pub struct Choices {
    /// Words for `target`.
    pub targets: Vec<String>,
    /// Its components.
    pub components: Vec<String>,
    /// Its rungs.
    pub rungs: Vec<String>,
    /// Its environments.
    pub environments: Vec<String>,
}

/// The parameters with what a repo has to choose from.
#[must_use]
pub fn announcements(choices: &Choices) -> Vec<Announcement> {
    let one = |name, title, tooltip: String, default| Announcement {
        name,
        title,
        tooltip,
        collection_type: "string",
        string: Some(default),
        array: None,
    };
    vec![
        one("target", "Target", format!("What to write: {}", named(&choices.targets)), "manifests"),
        Announcement {
            name: "component",
            title: "Components",
            tooltip: format!("Only these components: {}", named(&choices.components)),
            collection_type: "array",
            string: None,
            array: Some(Vec::new()),
        },
        one(
            "environment",
            "Environment",
            format!("Only components of this environment: {}", named(&choices.environments)),
            "",
        ),
        one(
            "phases",
            "Phases",
            format!("Only these rungs, as `A-B` or one of: {}", named(&choices.rungs)),
            "",
        ),
        one(
            "waves",
            "Waves",
            "How waves are numbered: banded, dense; empty as ladder.yaml says".to_owned(),
            "",
        ),
        one("allow-empty", "Allow empty", "`true` accepts a result without any manifest".to_owned(), "false"),
    ]
}

fn named(words: &[String]) -> String {
    if words.is_empty() { "there are none here".to_owned() } else { words.join(", ") }
}
