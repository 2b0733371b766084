//! Values of a chart nobody rendered → the names of other objects in them, by the catalogue's keys.
//!
//! What is switched off (`enabled: false`) and what is a whole manifest of its own says nothing about the release.

use std::collections::BTreeMap;

use crate::catalogue::rows::Format;
use crate::catalogue::{Catalogue, ValueRow, networks};
use crate::model::Origin;
use crate::yaml::tree::{Node, Value};

/// A name in values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChartName {
    /// The row that reads it.
    pub row: usize,
    /// The name.
    pub name: String,
    /// The namespace, if the values say one.
    pub namespace: Option<String>,
    /// Where it is said.
    pub origin: Origin,
}

/// The release that values are for, as templates in them call it.
#[derive(Debug, Clone, Copy)]
pub struct Release<'r> {
    /// Its name.
    pub name: &'r str,
    /// Its namespace.
    pub namespace: &'r str,
}

/// All names in a tree of values; `origin` turns the line of a value into its place.
pub fn of(
    values: &Node,
    release: Release<'_>,
    catalogue: &Catalogue,
    origin: &dyn Fn(usize) -> Origin,
) -> Vec<ChartName> {
    let mut walk = Walk { catalogue, release, origin, path: Vec::new(), names: Vec::new() };
    walk.node(values, None);
    walk.names
}

/// The name in a value that is given alone, at a path with dots.
pub fn of_parameter(
    (path, text): (&str, &str),
    release: Release<'_>,
    catalogue: &Catalogue,
    origin: Origin,
) -> Option<ChartName> {
    let path: Vec<&str> = path.split('.').map(|key| key.split('[').next().unwrap_or(key)).collect();
    let stands_alone = |row: &usize| catalogue.value(*row).when.is_empty();
    let row = catalogue.value_keys().rows_at(&path).find(stands_alone)?;
    Some(ChartName { row, name: release.said(text)?, namespace: None, origin })
}

impl Release<'_> {
    /// A text as Helm gives it to the chart's templates, where that is known: none with any other template in it.
    fn said(&self, text: &str) -> Option<String> {
        let mut said = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("{{") {
            let (inner, after) = behind.split_once("}}")?;
            said.push_str(before);
            said.push_str(match inner.trim_matches('-').trim().trim_start_matches('$') {
                ".Release.Name" => self.name,
                ".Release.Namespace" => self.namespace,
                _ => return None,
            });
            rest = after;
        }
        said.push_str(rest);
        let is_name =
            !said.is_empty() && said.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b));
        is_name.then_some(said)
    }
}

struct Walk<'w> {
    catalogue: &'w Catalogue,
    release: Release<'w>,
    origin: &'w dyn Fn(usize) -> Origin,
    /// Keys on the way down; items of lists have none.
    path: Vec<&'w str>,
    names: Vec<ChartName>,
}

impl<'w> Walk<'w> {
    /// `beside` is the mapping that holds the last key of the path.
    fn node(&mut self, node: &'w Node, beside: Option<&'w Node>) {
        match &node.value {
            Value::Scalar { text, .. } => self.scalar(node, text, beside),
            Value::Sequence(items) => items.iter().for_each(|item| self.node(item, beside)),
            Value::Mapping(_) if says_nothing(node) => {}
            Value::Mapping(entries) => {
                for (key, value) in entries {
                    let Some(key) = key.text() else { continue };
                    self.path.push(key);
                    self.node(value, Some(node));
                    self.path.pop();
                }
            }
        }
    }

    fn scalar(&mut self, node: &Node, text: &str, beside: Option<&Node>) {
        let Some(beside) = beside else { return };
        let mut rows = self.catalogue.value_keys().rows_at(&self.path);
        let Some(row) = rows.find(|row| holds(self.catalogue.value(*row), beside)) else { return };
        if self.catalogue.value(row).format == Format::Networks {
            let origin = (self.origin)(node.mark.line);
            let network = |(namespace, name)| ChartName { row, name, namespace, origin: origin.clone() };
            return self.names.extend(networks::in_text(text).into_iter().map(network));
        }
        let Some(name) = self.release.said(text) else { return };
        let field = self.catalogue.value(row).namespace.as_deref();
        let namespace = field.and_then(|key| self.release.said(beside.get(key)?.text()?));
        self.names.push(ChartName { row, name, namespace, origin: (self.origin)(node.mark.line) });
    }
}

fn says_nothing(mapping: &Node) -> bool {
    let is_off = mapping.get("enabled").and_then(Node::text) == Some("false");
    is_off || mapping.get("apiVersion").is_some() && mapping.get("kind").is_some()
}

fn holds(row: &ValueRow, beside: &Node) -> bool {
    has_all(&row.when, beside) && !row.unless.iter().any(|condition| has(beside, condition))
}

/// Whether all keys stand in a mapping with these values; `*` stands for any, `a|b` for either.
#[must_use]
pub fn has_all(conditions: &BTreeMap<String, String>, mapping: &Node) -> bool {
    conditions.iter().all(|condition| has(mapping, condition))
}

fn has(mapping: &Node, (key, values): (&String, &String)) -> bool {
    let seen = mapping.get(key).and_then(Node::text);
    seen.is_some_and(|seen| values == "*" || values.split('|').any(|value| value == seen))
}
