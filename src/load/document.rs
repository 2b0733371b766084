//! A small YAML file → a typed value, its spanned tree, and the fields its type does not know.
//!
//! The list of known fields comes from the JSON Schema of the same type, so there is one truth for both.

use std::sync::Arc;

use schemars::{JsonSchema, schema_for};
use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::Value;

use super::shape::{self, Misfit, UnknownKey};
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

impl<T: DeserializeOwned + JsonSchema> Document<T> {
    /// Parses a file of type `T`.
    ///
    /// # Errors
    /// With line and column when it is no YAML, says a key twice or does not fit the type.
    pub fn parse(file: &Arc<str>, text: &str) -> Result<Self, Problems> {
        let tree = tree::parse_unique(&Arc::new(text.to_owned()), &Limits::default()).map_err(|error| {
            Problem::new("invalid-yaml", error.message.clone())
                .at(format!("{file}:{}:{}", error.line, error.column))
        })?;
        let value = typed(&tree).map_err(|misfit| {
            let place = format!("{file}:{}:{}", misfit.mark.line, misfit.mark.column);
            let problem = Problem::new("invalid-value", misfit.message).at(place);
            misfit.help.into_iter().fold(problem, Problem::help)
        })?;
        Ok(Self { file: Arc::clone(file), value, tree })
    }

    /// Reads the type again from a tree that was changed.
    ///
    /// # Errors
    /// With what does not fit any more; its mark may be that of the value it replaced.
    pub fn retype(&mut self) -> Result<(), Misfit> {
        self.value = typed(&self.tree)?;
        Ok(())
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

    /// `file:line:column` of a field, or of the innermost one above it that is written.
    #[must_use]
    pub fn nearest_place(&self, path: &[&str]) -> String {
        let written = (0..=path.len()).rev().find(|length| self.tree.at(&path[..*length]).is_some());
        self.place(&path[..written.unwrap_or(0)])
    }

    fn mark(&self, path: &[&str]) -> Mark {
        self.tree.at(path).map_or(self.tree.mark, |node| node.mark)
    }

    /// Whether a field is there.
    #[must_use]
    pub fn has(&self, path: &[&str]) -> bool {
        self.tree.at(path).is_some()
    }

    /// The text of a scalar field as written.
    #[must_use]
    pub fn text(&self, path: &[&str]) -> Option<&str> {
        self.tree.at(path).and_then(Node::text)
    }

    /// A finding for every field the schema of the type does not know.
    #[must_use]
    pub fn unknown_fields(&self, schema: &Value) -> Vec<Finding> {
        let told = |unknown: UnknownKey<'_>| {
            let message = format!("`{}` is not a field known here", unknown.key);
            let help = match nearest(unknown.key, unknown.known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "it is kept and ignored".to_owned(),
            };
            let origin = Origin::new(&self.file, unknown.mark.line);
            Finding::new("unknown-field", Level::Warning, message).at(origin).help(help)
        };
        shape::unknown_keys(&self.tree, schema).into_iter().map(told).collect()
    }
}

/// The tree, with what aliases and merge keys bring, as its type.
fn typed<T: DeserializeOwned + JsonSchema>(tree: &Node) -> Result<T, Misfit> {
    // A file of comments alone is as good as one without fields.
    let text = if tree.is_null() { "{}".to_owned() } else { tree.to_flow() };
    serde_yaml::from_str(&text).map_err(|error| {
        let told = Misfit { mark: tree.mark, message: error.to_string(), help: None };
        shape::misfit(tree, schema_for!(T).as_value()).unwrap_or(told)
    })
}

/// Reads a field whose entries may all be commented out: `dependsOn:` without a value is as good as none.
pub(super) fn null_is_absent<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
