//! A small YAML file → a typed value, its spanned tree, and the fields its type does not know.
//!
//! The list of known fields comes from the JSON Schema of the same type, so there is one truth for both.

use std::sync::Arc;

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::Value;

use crate::model::{Finding, Level, Origin};
use crate::problem::{Problem, Problems, nearest};
use crate::yaml::tree::{self, Node};
use crate::yaml::{Limits, Mark};

/// A file read into a type, with the tree that knows the places.
pub struct Document<T> {
    /// The file, relative to the root.
    pub file: Arc<str>,
    /// The typed value.
    pub value: T,
    /// The same as a tree with marks.
    pub tree: Node,
}

impl<T: DeserializeOwned> Document<T> {
    /// Parses a file of type `T`.
    ///
    /// # Errors
    /// With line and column when it is no YAML or does not fit the type.
    pub fn parse(file: &Arc<str>, text: &str) -> Result<Self, Problems> {
        let tree = tree::parse(&Arc::new(text.to_owned()), &Limits::default()).map_err(|error| {
            Problem::new(error.message.clone()).at(format!("{file}:{}:{}", error.line, error.column))
        })?;
        // Only the first: the tree has refused a second one, and a bare `---` at the end is none.
        let mut documents = serde_yaml::Deserializer::from_str(text.trim_start_matches('\u{feff}'));
        let value = documents
            .next()
            .map_or_else(|| serde_yaml::from_str(""), T::deserialize)
            .map_err(|error| Problem::from_serde(file, &error))?;
        Ok(Self { file: Arc::clone(file), value, tree })
    }

    /// The place of a field, or of the document.
    #[must_use]
    pub fn origin(&self, path: &[&str]) -> Origin {
        Origin::new(&self.file, self.mark(path).line)
    }

    /// `file:line:column` of a field.
    #[must_use]
    pub fn place(&self, path: &[&str]) -> String {
        let mark = self.mark(path);
        format!("{}:{}:{}", self.file, mark.line, mark.column)
    }

    fn mark(&self, path: &[&str]) -> Mark {
        self.tree.at(path).map_or(self.tree.mark, |node| node.mark)
    }

    /// The text of a scalar field as written.
    #[must_use]
    pub fn text(&self, path: &[&str]) -> Option<&str> {
        self.tree.at(path).and_then(Node::text)
    }

    /// A finding for every field the schema of the type does not know.
    #[must_use]
    pub fn unknown_fields(&self, schema: &Value) -> Vec<Finding> {
        let mut found = Vec::new();
        unknown(&self.tree, schema, schema, &mut |key: &str, mark: Mark, known: Vec<&str>| {
            let finding =
                Finding::new("unknown-field", Level::Warning, format!("`{key}` is not a field known here"))
                    .at(Origin::new(&self.file, mark.line));
            found.push(match nearest(key, known) {
                Some(near) => finding.help(format!("did you mean `{near}`?")),
                None => finding.help("it is kept and ignored"),
            });
        });
        found
    }
}

/// Reads a field whose entries may all be commented out: `dependsOn:` without a value is as good as none.
pub(super) fn null_is_absent<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

impl Problem {
    fn from_serde(file: &str, error: &serde_yaml::Error) -> Self {
        let text = error.to_string();
        match error.location() {
            Some(at) => {
                let cut = text.find(" at line ").unwrap_or(text.len());
                Self::new(&text[..cut]).at(format!("{file}:{}:{}", at.line(), at.column()))
            }
            None => Self::new(text).at(format!("{file}:1:1")),
        }
    }
}

/// Walks tree and schema side by side and reports keys the schema does not list.
fn unknown(node: &Node, schema: &Value, root: &Value, report: &mut impl FnMut(&str, Mark, Vec<&str>)) {
    let schema = deref(schema, root);
    if let Some(below) = schema.get("items") {
        for item in node.items() {
            unknown(item, below, root, report);
        }
    }
    let Some(fields) = schema.get("properties").and_then(Value::as_object) else { return };
    let open = schema.get("additionalProperties").is_some_and(|value| value != &Value::Bool(false));
    for (key, value) in node.entries() {
        let name = key.text().unwrap_or_default();
        match fields.get(name) {
            Some(below) => unknown(value, below, root, report),
            None if open || name.starts_with("x-") || name == "$schema" => {}
            None => report(name, key.mark, fields.keys().map(String::as_str).collect()),
        }
    }
}

/// Follows `$ref` and picks the object or array out of nullable unions.
fn deref<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        return root.pointer(target.trim_start_matches('#')).map_or(schema, |found| deref(found, root));
    }
    let choices = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
    let structured = choices.into_iter().flatten().map(|choice| deref(choice, root));
    structured
        .into_iter()
        .find(|choice| choice.get("properties").is_some() || choice.get("items").is_some())
        .unwrap_or(schema)
}
