//! A Dockerfile as data: its stages and their steps, as far as the files of this repository use them.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};

/// One `FROM` and what follows it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Stage {
    /// The name after `AS`; the last stage needs none.
    pub(crate) name: String,
    pub(crate) steps: Vec<Step>,
}

/// One instruction, with the arguments of the build filled in.
#[derive(Debug, PartialEq)]
pub(crate) enum Step {
    /// A variable of the build alone.
    Argument(String, String),
    Environment(String, String),
    Folder(String),
    Copy {
        stage: Option<String>,
        sources: Vec<String>,
        target: String,
    },
    Run(String),
    User(String),
    Entry(Vec<String>),
}

/// Reads the stages; an instruction that this file does not know is an error.
pub(crate) fn stages(text: &str) -> Result<Vec<Stage>> {
    let mut arguments = BTreeMap::new();
    let mut stages: Vec<Stage> = Vec::new();
    for line in instructions(text) {
        let (word, rest) = line.split_once(' ').context("an instruction has arguments")?;
        let rest = rest.trim();
        match (word, stages.last_mut()) {
            ("FROM", _) => {
                let words: Vec<&str> = rest.split_whitespace().collect();
                let [image, name @ ..] = words.as_slice() else { bail!("FROM names an image") };
                if filled(image, &arguments).contains("${") {
                    bail!("{line}: an argument has no default");
                }
                let name = name.get(1).copied().unwrap_or_default().to_owned();
                stages.push(Stage { name, steps: Vec::new() });
            }
            ("ARG", None) => arguments.extend(assignments(rest)?),
            (word, Some(stage)) => stage.steps.extend(steps(word, rest)?),
            _ => bail!("{word} stands before the first FROM"),
        }
    }
    Ok(stages)
}

fn steps(word: &str, rest: &str) -> Result<Vec<Step>> {
    Ok(match word {
        "ARG" => assignments(rest)?.into_iter().map(|(name, value)| Step::Argument(name, value)).collect(),
        "ENV" => assignments(rest)?.into_iter().map(|(name, value)| Step::Environment(name, value)).collect(),
        "WORKDIR" => vec![Step::Folder(rest.to_owned())],
        "COPY" => vec![copy(rest)?],
        "RUN" => vec![Step::Run(rest.to_owned())],
        "USER" => vec![Step::User(rest.to_owned())],
        "ENTRYPOINT" => vec![Step::Entry(serde_json::from_str(rest).context("ENTRYPOINT is a JSON list")?)],
        other => bail!("no step is known for {other}"),
    })
}

/// Lines without comments, continued ones joined.
fn instructions(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    let joined = lines.join("\n").replace("\\\n", "");
    joined.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

/// `NAME=value NAME="value with blanks"`.
fn assignments(text: &str) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=').with_context(|| format!("{text}: NAME=value"))?;
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').context("a quote is closed")?,
            None => after.split_once(' ').unwrap_or((after, "")),
        };
        found.push((name.to_owned(), value.to_owned()));
        rest = after.trim_start();
    }
    Ok(found)
}

fn copy(text: &str) -> Result<Step> {
    let (stage, text) = match text.strip_prefix("--from=") {
        Some(from) => from.split_once(' ').map(|(stage, rest)| (Some(stage.to_owned()), rest)),
        None => Some((None, text)),
    }
    .context("COPY has a source")?;
    let mut sources: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let target = sources.pop().filter(|_| !sources.is_empty()).context("COPY has a source and a target")?;
    Ok(Step::Copy { stage, sources, target })
}

fn filled(text: &str, values: &BTreeMap<String, String>) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("${{{name}}}"), value))
}
