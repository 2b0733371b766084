//! Rows a trie cannot hold (filters, `..`): run by jsonpath-rust on the one document they are about.

use std::sync::Arc;

use compact_str::{CompactString, ToCompactString};
use jsonpath_rust::query::{QueryRef, js_path_process};
use serde_json::Value;

use crate::catalogue::compiled::Query;
use crate::catalogue::matcher::Capture;
use crate::catalogue::probes::Fact;
use crate::catalogue::{Compiled, ProbeKind};
use crate::hosts;
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
    for query in &compiled.queries {
        for found in js_path_process(&query.path, &json).unwrap_or_default() {
            let place = found.clone().path();
            let value = found.val();
            let named = query.name.as_ref().and_then(|name| path_of(query, name, value));
            let place = named.map_or(place.clone(), |below| place + below.trim_start_matches('$'));
            let seen = capture(query, value, line(&node, &place));
            if query.kind == ProbeKind::Code(Fact::Hosts) {
                captures.extend(hosts_in(value, &seen));
            } else {
                captures.push(seen);
            }
        }
    }
    Ok(captures)
}

/// Where a sub-field stands below the reference.
fn path_of(query: &Query, field: &str, value: &Value) -> Option<String> {
    let (_, path) = query.fields.iter().find(|(known, _)| **known == *field)?;
    js_path_process(path, value).ok()?.into_iter().next().map(QueryRef::path)
}

/// Of a text that may name Services only the hosts are kept.
fn hosts_in<'v>(value: &'v Value, seen: &'v Capture) -> impl Iterator<Item = Capture> + 'v {
    let hosts = value.as_str().map(hosts::in_text).unwrap_or_default();
    hosts.into_iter().map(|host| Capture { value: Some(host.into()), ..seen.clone() })
}

fn capture(query: &Query, value: &Value, line: usize) -> Capture {
    let fields = query.fields.iter().flat_map(|(field, path)| {
        let found = js_path_process(path, value).unwrap_or_default();
        found.into_iter().filter_map(|one| text(one.val())).map(|text| (Arc::clone(field), text))
    });
    Capture {
        kind: query.kind,
        line,
        value: text(value),
        key: CompactString::default(),
        fields: fields.collect(),
    }
}

fn text(value: &Value) -> Option<CompactString> {
    match value {
        Value::String(text) => Some(text.into()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_compact_string()),
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
