//! The values of a chart's render: files, then what the descriptor says itself, which wins.
//!
//! Inline values go through standard input: a command line is seen by everybody on the machine and in messages, and a
//! file would outlive a run that is killed.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::cache::Key;
use super::helm::Chart;
use super::redact::Redaction;
use super::secrets::Secrets;
use super::tools::Tools;
use crate::disk;
use crate::problem::{Problem, Problems};
use crate::yaml::Limits;
use crate::yaml::tree;

/// The values of a render.
#[derive(Debug, Default)]
pub struct Values {
    files: Vec<(String, String)>,
    /// What the descriptor says itself.
    pub inline: Option<String>,
}

impl Values {
    /// Reads the values of a chart.
    ///
    /// # Errors
    /// When a value file cannot be read.
    pub fn read(root: &Path, chart: &Chart<'_>) -> Result<Self, Problems> {
        let mut values = Self::default();
        for file in &chart.settings.value_files {
            if file.contains("://") {
                let message =
                    format!("the value file `{file}` is not in the repo, and values are never fetched");
                return Err(Problem::new("unreadable-file", message)
                    .at(&chart.component.source_origin)
                    .help("copy it into the repo and name the copy")
                    .into());
            }
            let path = disk::joined(&chart.base, file);
            let text = disk::read(root, &path).map_err(|Problems(problems)| {
                let reason = problems.first().map_or(String::new(), |problem| problem.message.clone());
                Problem::new("unreadable-file", format!("the value file `{path}` cannot be used: {reason}"))
                    .at(&chart.component.source_origin)
                    .help("value files are relative to the descriptor and lie below the root")
            })?;
            values.files.push((path, text));
        }
        if !chart.settings.values.is_empty() {
            values.inline = Some(Value::Object(chart.settings.values.clone()).to_string());
        }
        Ok(values)
    }

    /// The values a chart in the repo would see, as far as they can be read: what cannot is told by helm.
    #[must_use]
    pub fn merged(&self, root: &Path, folder: &str) -> Value {
        let defaults = disk::read(root, &disk::joined(folder, "values.yaml")).unwrap_or_default();
        let texts =
            std::iter::once(&defaults).chain(self.files.iter().map(|(_, text)| text)).chain(&self.inline);
        let read = texts.filter_map(|text| tree::parse(&Arc::new(text.clone()), &Limits::default()).ok());
        let merged = read.reduce(|mut below, over| {
            below.overlay(&over);
            below
        });
        merged.map_or(Value::Null, |values| values.to_json())
    }

    /// What of them, and of the defaults of a chart and of those below it, messages must not show.
    #[must_use]
    pub fn secrets(&self, root: &Path, folder: Option<&str>, tools: &Tools<'_>) -> Redaction {
        let mut secrets = Secrets::default();
        self.files.iter().for_each(|(_, text)| secrets.values(text));
        self.inline.iter().for_each(|text| secrets.values(text));
        if let Some(folder) = folder {
            secrets.charts(root, folder, tools);
        }
        secrets.finish()
    }

    /// Adds them to the key of a render.
    pub fn add_to(&self, key: &mut Key) {
        for (file, text) in &self.files {
            key.add(file);
            key.add(text);
        }
        key.add(self.inline.as_deref().unwrap_or_default());
    }

    /// What helm is told of them; `root` is how the root is called where helm runs.
    #[must_use]
    pub fn arguments(&self, root: &Path) -> Vec<String> {
        let files = self.files.iter().map(|(file, _)| one_of_a_list(&root.join(file).to_string_lossy()));
        let inline = self.inline.iter().map(|_| "-".to_owned());
        files.chain(inline).map(|file| format!("--values={file}")).collect()
    }
}

/// helm reads a list of files there, in the quoting of CSV: a comma would make two files of one, the second anywhere.
fn one_of_a_list(file: &str) -> String {
    if file.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", file.replace('"', "\"\""))
    } else {
        file.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::one_of_a_list;

    #[test]
    fn a_value_file_stays_one_file() {
        for (file, expected) in [
            ("./a/values.yaml", "./a/values.yaml"),
            ("./a,/etc/passwd", "\"./a,/etc/passwd\""),
            ("./a\"b", "\"./a\"\"b\""),
        ] {
            assert_eq!(one_of_a_list(file), expected);
        }
    }
}
