//! Rows of one kind folded into a trie of field names, so that one walk over the events serves them all.
//!
//! Only names and wildcards fit a trie; rows with filters or `..` keep their query and are run by
//! jsonpath-rust on that document alone.

use std::sync::Arc;

use jsonpath_rust::parser::model::{JpQuery, Segment, Selector};
use jsonpath_rust::parser::parse_json_path;

use super::probes::Fact;

/// A path that is no `JSONPath`.
#[derive(Debug, thiserror::Error)]
#[error("`{path}` is not a JSONPath")]
pub struct CompileError {
    /// The text as written.
    pub path: String,
}

/// What a capture belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProbeKind {
    /// A row of the edge catalogue.
    Edge(usize),
    /// A row that says what is made.
    Makes(usize),
    /// A fact that code asks for.
    Code(Fact),
}

/// One path and the sub-fields read with it.
#[derive(Debug)]
pub struct Probe {
    /// What it belongs to.
    pub kind: ProbeKind,
    /// Sub-field paths, in the order of their indices.
    pub fields: Vec<Arc<str>>,
    /// Which of them says the name of what is referred to: its line is that of the reference.
    pub name: Option<u32>,
    /// Whether the path ends in a wildcard, so that the name it stood for is of interest.
    pub wants_key: bool,
}

/// A path that needs a tree, parsed once.
#[derive(Debug)]
pub struct Query {
    /// What it belongs to.
    pub kind: ProbeKind,
    /// The path.
    pub path: JpQuery,
    /// Sub-fields with their paths.
    pub fields: Vec<(Arc<str>, JpQuery)>,
    /// The one that says the name of what is referred to: its line is that of the reference.
    pub name: Option<Arc<str>>,
}

/// One field name on the way to a probe.
#[derive(Debug, Default)]
pub struct TrieNode {
    /// Children by name.
    pub names: Vec<(Box<str>, u32)>,
    /// Child for every name and index.
    pub any: Option<u32>,
    /// Probes whose reference is this node.
    pub opens: Vec<u32>,
    /// Sub-fields of an open probe.
    pub fields: Vec<(u32, u32)>,
}

/// The matcher of one kind.
#[derive(Debug)]
pub struct Compiled {
    /// Node 0 is the root of the document.
    pub nodes: Vec<TrieNode>,
    /// Probes in the trie.
    pub probes: Vec<Probe>,
    /// Probes that need a tree: their query runs on the document alone.
    pub queries: Vec<Query>,
}

impl Default for Compiled {
    fn default() -> Self {
        Self { nodes: vec![TrieNode::default()], probes: Vec::new(), queries: Vec::new() }
    }
}

/// A step the trie can take.
enum Step {
    Name(String),
    Any,
}

/// Checks that a path is a `JSONPath`.
///
/// # Errors
/// When it is not.
pub fn check(path: &str) -> Result<(), CompileError> {
    parse(path).map(|_| ())
}

fn parse(path: &str) -> Result<JpQuery, CompileError> {
    parse_json_path(path).map_err(|_| CompileError { path: path.to_owned() })
}

/// The steps of a plain path; none when it needs a tree.
fn steps(query: &JpQuery) -> Option<Vec<Step>> {
    query
        .segments
        .iter()
        .map(|segment| match segment {
            Segment::Selector(Selector::Name(name)) => Some(Step::Name(unquoted(name).to_owned())),
            Segment::Selector(Selector::Wildcard) => Some(Step::Any),
            _ => None,
        })
        .collect()
}

/// The steps of a sub-field, none for the reference itself.
fn steps_below(field: &str) -> Option<Vec<Step>> {
    if field.is_empty() {
        return Some(Vec::new());
    }
    parse(&sub_path(field)).ok().and_then(|query| steps(&query))
}

/// jsonpath-rust keeps the quotes of `['a.b']`.
fn unquoted(name: &str) -> &str {
    let inner = |quote| name.strip_prefix(quote).and_then(|rest: &str| rest.strip_suffix(quote));
    inner('\'').or_else(|| inner('"')).unwrap_or(name)
}

impl Compiled {
    /// Adds a path with its sub-fields; built-in and user paths were checked before.
    pub fn add<'f>(&mut self, kind: ProbeKind, path: &str, fields: impl IntoIterator<Item = &'f str>) {
        self.add_reference(kind, path, fields, None);
    }

    /// The same, with the sub-field that says the name of what is referred to.
    pub fn add_reference<'f>(
        &mut self,
        kind: ProbeKind,
        path: &str,
        fields: impl IntoIterator<Item = &'f str>,
        name: Option<&str>,
    ) {
        let fields: Vec<Arc<str>> = fields.into_iter().map(Arc::from).collect();
        let Ok(query) = parse(path) else { return };
        let below: Option<Vec<Vec<Step>>> = fields.iter().map(|field| steps_below(field)).collect();
        let (Some(way), Some(below)) = (steps(&query), below) else {
            let fields = fields
                .into_iter()
                .filter_map(|field| parse(&sub_path(&field)).ok().map(|path| (field, path)));
            let name = name.filter(|name| !name.is_empty()).map(Arc::from);
            self.queries.push(Query { kind, path: query, fields: fields.collect(), name });
            return;
        };
        let probe = index(self.probes.len());
        let end = self.walk(0, &way);
        self.nodes[end].opens.push(probe);
        for (number, below) in below.iter().enumerate() {
            let leaf = self.walk(end, below);
            self.nodes[leaf].fields.push((probe, index(number)));
        }
        let wants_key = matches!(way.last(), Some(Step::Any));
        let name = name.and_then(|name| fields.iter().position(|field| **field == *name)).map(index);
        self.probes.push(Probe { kind, fields, name, wants_key });
    }

    fn walk(&mut self, from: usize, way: &[Step]) -> usize {
        way.iter().fold(from, |node, step| match step {
            Step::Any => self.any_child(node),
            Step::Name(name) => self.named_child(node, name),
        })
    }

    fn any_child(&mut self, node: usize) -> usize {
        if let Some(child) = self.nodes[node].any {
            return child as usize;
        }
        let child = self.push();
        self.nodes[node].any = Some(index(child));
        child
    }

    fn named_child(&mut self, node: usize, name: &str) -> usize {
        if let Some((_, child)) = self.nodes[node].names.iter().find(|(known, _)| &**known == name) {
            return *child as usize;
        }
        let child = self.push();
        self.nodes[node].names.push((name.into(), index(child)));
        child
    }

    fn push(&mut self) -> usize {
        self.nodes.push(TrieNode::default());
        self.nodes.len() - 1
    }
}

/// A sub-field as a path of its own; `['a.b']` is one key that holds dots.
#[must_use]
pub fn sub_path(field: &str) -> String {
    if field.starts_with('[') { format!("${field}") } else { format!("$.{field}") }
}

fn index(number: usize) -> u32 {
    u32::try_from(number).expect("a catalogue has fewer than four billion fields")
}
