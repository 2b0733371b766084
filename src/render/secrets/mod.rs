//! What a tool may say that must not be shown: values of charts, and of the charts below them. Looked for when a tool has
//! failed, and only then.

pub mod kustomization;

use std::path::Path;
use std::sync::Arc;

use super::forms::decimal;
use super::redact::Redaction;
use super::sources;
use super::tools::{Call, Tools};
use crate::disk;
use crate::yaml::tree::{self, Node};
use crate::yaml::{self, Limits};

/// Packed charts whose values are asked for.
const MAX_PACKED: usize = 50;
/// Fields of a patch that say where and how, not what.
const PLAIN_FIELDS: &[&str] =
    &["apiVersion", "kind", "name", "namespace", "op", "path", "from", "group", "version", "target"];

/// Values of charts, gathered.
#[derive(Debug, Default)]
pub struct Secrets {
    /// What must not be shown.
    pub redaction: Redaction,
    values: Vec<Node>,
    /// Texts of templates: what they name is no secret.
    known: String,
}

impl Secrets {
    /// Hides a text of values, keys too; of what is no YAML, every line.
    pub fn values(&mut self, text: &str) {
        match documents(text) {
            Some(documents) => {
                for document in &documents {
                    self.redaction.hide(document);
                }
                self.values.extend(documents);
            }
            None => self.lines(text),
        }
    }

    /// Hides every line, and what is assigned in it.
    fn lines(&mut self, text: &str) {
        self.redaction.hide_text(text);
        let assigned = text.lines().flat_map(|line| [line.split_once('='), line.split_once(':')]);
        for (_, value) in assigned.flatten() {
            self.redaction.hide_text(value.trim().trim_matches(['"', '\'']));
        }
    }

    /// Hides what a patch writes, not where.
    pub fn patch(&mut self, text: &str) {
        match documents(text) {
            Some(documents) => documents.iter().for_each(|document| self.patch_node(document)),
            None => self.lines(text),
        }
    }

    /// The same of a patch that was read.
    pub fn patch_node(&mut self, node: &Node) {
        if let Some(text) = node.text() {
            self.redaction.hide_text(text);
        }
        node.items().iter().for_each(|item| self.patch_node(item));
        for (key, value) in node.entries() {
            let is_plain = key.text().is_some_and(|key| PLAIN_FIELDS.contains(&key));
            if !(is_plain && value.text().is_some()) {
                self.patch_node(value);
            }
        }
    }

    /// Hides a file, if it can be read, by one of the above.
    pub fn file(&mut self, root: &Path, file: &str, hide: fn(&mut Self, &str)) {
        let Ok(bytes) = disk::read_bytes(root, file) else { return };
        let text = String::from_utf8_lossy(&bytes);
        hide(self, &text);
        if text.contains(char::REPLACEMENT_CHARACTER) {
            bytes.split(|byte| *byte == b'\n').for_each(|line| self.redaction.hide_text(&decimal(line)));
        }
    }

    /// Hides the values of all charts below a folder; keeps the names of their files.
    pub fn charts(&mut self, root: &Path, folder: &str, tools: &Tools<'_>) {
        let files = sources::files(root, [folder.to_owned()].iter()).unwrap_or_default();
        let mut packed = 0;
        for file in &files {
            let below = file.strip_prefix(folder).unwrap_or(file).trim_start_matches('/');
            let name = file.rsplit('/').next().unwrap_or(file);
            self.redaction.keep(below);
            if name == "Chart.yaml" {
                // Names of charts are no secret, also where values of theirs are under such a key.
                self.known.push_str(&disk::read(root, file).unwrap_or_default());
            } else if below.split('/').any(|part| part == "templates") {
                // Also as the chart is called, which need not be what its folder is called.
                let from = below.find("templates").unwrap_or(0);
                self.redaction.keep(&below[from..]);
                self.known.push_str(&disk::read(root, file).unwrap_or_default());
            } else if is_values(name) {
                self.file(root, file, Self::values);
            } else if ends_in(name, &["tgz"]) && packed < MAX_PACKED {
                packed += 1;
                self.packed(root, file, tools);
            }
        }
    }

    /// The values of a packed chart, as helm unpacks them. Its templates are not seen, so its keys count as named there.
    fn packed(&mut self, root: &Path, file: &str, tools: &Tools<'_>) {
        let arguments = ["show", "values", &format!("./{file}")].map(str::to_owned).to_vec();
        let secrets = Redaction::default;
        let call = Call { program: "helm", arguments, directory: root, redaction: &secrets, input: None };
        let values = tools.run(&call).ok().and_then(|text| documents(&text)).unwrap_or_default();
        for document in &values {
            self.redaction.hide(document);
            self.name_keys(document);
        }
    }

    fn name_keys(&mut self, node: &Node) {
        node.items().iter().for_each(|item| self.name_keys(item));
        for (key, value) in node.entries() {
            self.known.push_str(key.text().unwrap_or_default());
            self.known.push('\n');
            self.name_keys(value);
        }
    }

    /// Everything gathered.
    #[must_use]
    pub fn finish(mut self) -> Redaction {
        for values in &self.values {
            self.redaction.hide_keys(values, &self.known);
        }
        self.redaction.know(&self.known);
        self.redaction
    }
}

fn is_values(name: &str) -> bool {
    name.starts_with("values") && ends_in(name, &["yaml", "yml"])
}

fn ends_in(name: &str, endings: &[&str]) -> bool {
    name.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending))
}

fn documents(text: &str) -> Option<Vec<Node>> {
    let read = |text: String| -> Option<Vec<Node>> {
        let chunks = yaml::split(&Arc::new(text)).ok()?;
        chunks.iter().map(|chunk| tree::parse_chunk(chunk, &Limits::default()).ok()).collect()
    };
    // A manifest is never a list, so lists are only read below a key; a patch of JSON is one.
    read(text.to_owned()).or_else(|| read(format!("list:\n {}", text.replace('\n', "\n "))))
}
