//! Rows a trie cannot hold (filters, `..`): run by jsonpath-rust on the one document they are about.

use std::sync::Arc;

use jsonpath_rust::JsonPath;
use serde_json::Value;

use crate::catalogue::Compiled;
use crate::catalogue::compiled::{Probe, sub_path};
use crate::catalogue::matcher::Capture;
use crate::yaml::tree::{self, Node};
use crate::yaml::{Chunk, Limits, YamlError};

/// What the queries of a kind see in a document.
///
/// # Errors
/// When the document cannot be read as a tree.
pub fn captures(chunk: &Chunk, compiled: &Compiled, limits: &Limits) -> Result<Vec<Capture>, YamlError> {
    let node = tree::parse_chunk(chunk, limits)?;
    let json = node.to_json();
    let mut captures = Vec::new();
    for (probe, path) in &compiled.queries {
        for found in json.query_with_path(path).unwrap_or_default() {
            let place = found.clone().path();
            captures.push(capture(probe, found.val(), line(&node, &place)));
        }
    }
    Ok(captures)
}

fn capture(probe: &Probe, value: &Value, line: usize) -> Capture {
    let fields = probe.fields.iter().flat_map(|field| {
        let path = sub_path(field);
        let texts: Vec<String> =
            value.query(&path).unwrap_or_default().into_iter().filter_map(text).collect();
        texts.into_iter().map(|text| (Arc::clone(field), text))
    });
    Capture { kind: probe.kind, line, value: text(value), key: String::new(), fields: fields.collect() }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        _ => None,
    }
}

/// The line of a normalised path such as `$['spec']['items'][0]`.
fn line(root: &Node, path: &str) -> usize {
    let parts: Vec<&str> = path
        .trim_start_matches('$')
        .split(['[', ']'])
        .filter(|part| !part.is_empty())
        .map(|part| part.trim_matches('\''))
        .collect();
    root.at(&parts).map_or(root.mark.line, |node| node.mark.line)
}
