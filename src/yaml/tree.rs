//! Builds a tree from the events of a small document: descriptors, settings, and manifests that rows with
//! filters look into. A key that comes twice is kept once, with its last value, as Go does.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Chunk, Discard, Event, Limits, Mark, Scalar, Sink, YamlError, read, scalar, split};

/// Deepest tree that is built, whatever the limits say: trees are walked and dropped by recursion.
const MAX_DEPTH: usize = 1000;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Where the value begins.
    pub mark: Mark,
    /// The value.
    pub value: Value,
}

/// The three shapes of YAML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A string, number, boolean or null.
    Scalar {
        /// The text without quotes.
        text: String,
        /// Whether YAML 1.1 may read it as something else than a string.
        plain: bool,
        /// Whether the text is base64 by its tag.
        binary: bool,
    },
    /// Keys and values in the order of the text.
    Mapping(Vec<(Node, Node)>),
    /// Values in order.
    Sequence(Vec<Node>),
}

/// The tree of the one document of a text; a text without document is null.
///
/// # Errors
/// When the text cannot be read or holds more than one document.
pub fn parse(text: &Arc<String>, limits: &Limits) -> Result<Node, YamlError> {
    let chunks = split(text)?;
    match chunks.as_slice() {
        [] => Ok(Node::null(Mark { offset: 0, line: 1, column: 1 })),
        [chunk] => parse_chunk(chunk, limits),
        [_, second, ..] => Err(YamlError::at(second.start(), "a second document, only one is expected here")),
    }
}

/// The tree of the one document of a text that says no key twice.
///
/// # Errors
/// As [`parse`], and when a mapping has a key twice.
pub fn parse_unique(text: &Arc<String>, limits: &Limits) -> Result<Node, YamlError> {
    let tree = parse(text, limits)?;
    for chunk in split(text)? {
        let outline = read(&chunk, limits, &mut Discard)?;
        if let Some((key, mark)) = outline.duplicate_keys.first() {
            return Err(YamlError::at(*mark, format!("`{key}` is there twice, delete one of the two")));
        }
    }
    Ok(tree)
}

/// The tree of a document; an empty document is null.
///
/// # Errors
/// When the document cannot be read.
pub fn parse_chunk(chunk: &Chunk, limits: &Limits) -> Result<Node, YamlError> {
    let limits = Limits { max_depth: limits.max_depth.min(MAX_DEPTH), ..*limits };
    let mut builder = Builder::default();
    read(chunk, &limits, &mut builder)?;
    Ok(builder.root.unwrap_or_else(|| Node::null(chunk.start())))
}

impl Node {
    fn null(mark: Mark) -> Self {
        Self { mark, value: Value::Scalar { text: String::new(), plain: true, binary: false } }
    }

    /// The value of a key, if this is a mapping that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entries().iter().find(|(name, _)| name.text() == Some(key)).map(|(_, value)| value)
    }

    /// The value at the end of a path of keys; a number picks from a sequence.
    #[must_use]
    pub fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, step| match &node.value {
            Value::Sequence(items) => step.parse::<usize>().ok().and_then(|index| items.get(index)),
            _ => node.get(step),
        })
    }

    /// The text of a scalar.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The text of a scalar that Go reads as a string.
    #[must_use]
    pub fn string(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, plain, .. } if scalar::is_string(text, *plain) => Some(text),
            _ => None,
        }
    }

    /// Whether Go reads the value as null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, plain: true, .. } if scalar::go_value(text) == scalar::GoValue::Null)
    }

    /// The entries of a mapping, none for anything else.
    #[must_use]
    pub fn entries(&self) -> &[(Self, Self)] {
        match &self.value {
            Value::Mapping(entries) => entries,
            _ => &[],
        }
    }

    /// The items of a sequence, none for anything else.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        match &self.value {
            Value::Sequence(items) => items,
            _ => &[],
        }
    }

    /// Lays another tree over this one, key by key; null takes a key away. Marks stay where they were.
    pub fn overlay(&mut self, over: &Self) {
        let mark = self.mark;
        let (Value::Mapping(own), Value::Mapping(new)) = (&mut self.value, &over.value) else {
            self.value = over.clone().marked(mark).value;
            return;
        };
        for (key, value) in new {
            let at = own.iter().position(|(name, _)| name.text() == key.text());
            match at {
                Some(at) if value.is_null() => {
                    own.remove(at);
                }
                Some(at) => own[at].1.overlay(value),
                None if value.is_null() => {}
                None => own.push((key.clone().marked(mark), value.clone().marked(mark))),
            }
        }
    }

    /// Lays another tree over the value at the end of a path of keys, which is made where it is missing.
    pub fn overlay_at(&mut self, path: &[&str], over: &Self) {
        let whole = path.iter().rev().fold(over.clone(), |value, key| {
            let key = Value::Scalar { text: (*key).to_owned(), plain: false, binary: false };
            Self {
                mark: value.mark,
                value: Value::Mapping(vec![(Self { mark: value.mark, value: key }, value)]),
            }
        });
        self.overlay(&whole);
    }

    fn marked(mut self, mark: Mark) -> Self {
        self.mark = mark;
        self.value = match self.value {
            Value::Mapping(entries) => Value::Mapping(
                entries.into_iter().map(|(key, value)| (key.marked(mark), value.marked(mark))).collect(),
            ),
            Value::Sequence(items) => {
                Value::Sequence(items.into_iter().map(|item| item.marked(mark)).collect())
            }
            scalar @ Value::Scalar { .. } => scalar,
        };
        self
    }

    /// A plain scalar as `serde_yaml` reads it.
    #[must_use]
    pub fn plain_value(&self) -> Option<serde_json::Value> {
        match &self.value {
            Value::Scalar { text, plain: true, .. } => serde_yaml::from_str(text).ok(),
            _ => None,
        }
    }

    /// Sends the events of the tree: those of its text without what a later key replaced.
    pub fn send<S: Sink>(&self, sink: &mut S) {
        match &self.value {
            Value::Scalar { text, plain, binary } => {
                sink.event(Event::Scalar(Scalar { text, plain: *plain, binary: *binary }), self.mark);
            }
            Value::Mapping(entries) => {
                sink.event(Event::MappingStart, self.mark);
                for (key, value) in entries {
                    sink.event(Event::Key(key.text().unwrap_or_default()), key.mark);
                    value.send(sink);
                }
                sink.event(Event::MappingEnd, self.mark);
            }
            Value::Sequence(items) => {
                sink.event(Event::SequenceStart, self.mark);
                for item in items {
                    item.send(sink);
                }
                sink.event(Event::SequenceEnd, self.mark);
            }
        }
    }

    /// The tree as YAML on one line. Plain scalars that could be more than text stay plain, so a reader sees in them
    /// what it would have seen in the file.
    #[must_use]
    pub fn to_flow(&self) -> String {
        let entry = |(key, value): &(Self, Self)| {
            format!("{}: {}", quoted(key.text().unwrap_or_default()), value.to_flow())
        };
        match &self.value {
            Value::Scalar { text, plain: true, .. } if text.is_empty() => "null".to_owned(),
            Value::Scalar { text, plain: true, .. } if text.bytes().all(is_of_numbers) => text.clone(),
            Value::Scalar { text, .. } => quoted(text),
            Value::Sequence(items) => {
                format!("[{}]", items.iter().map(Self::to_flow).collect::<Vec<_>>().join(", "))
            }
            Value::Mapping(entries) => {
                format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// The tree as JSON, scalars resolved as Go does.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Scalar { text, plain, .. } => scalar::to_json(text, *plain),
            Value::Sequence(items) => items.iter().map(Self::to_json).collect(),
            Value::Mapping(entries) => serde_json::Value::Object(
                entries
                    .iter()
                    .map(|(key, value)| (key.text().unwrap_or_default().to_owned(), value.to_json()))
                    .collect(),
            ),
        }
    }
}

/// Whether numbers, booleans and nulls may hold this byte; a plain scalar with any other is a string.
fn is_of_numbers(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'+' | b'-' | b'~')
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Mappings up to this size look for a repeated key in a row.
const SMALL: usize = 16;

enum Open {
    Mapping { mark: Mark, entries: Vec<(Node, Node)>, key: Option<Node>, index: HashMap<String, usize> },
    Sequence { mark: Mark, items: Vec<Node> },
}

/// Builds a tree from events.
#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Option<Node>,
}

impl Sink for Builder {
    fn event(&mut self, event: Event<'_>, mark: Mark) {
        match event {
            Event::MappingStart => {
                self.open.push(Open::Mapping { mark, entries: Vec::new(), key: None, index: HashMap::new() });
            }
            Event::SequenceStart => self.open.push(Open::Sequence { mark, items: Vec::new() }),
            Event::MappingEnd | Event::SequenceEnd => match self.open.pop() {
                Some(Open::Mapping { mark, entries, .. }) => {
                    self.add(Node { mark, value: Value::Mapping(entries) });
                }
                Some(Open::Sequence { mark, items }) => {
                    self.add(Node { mark, value: Value::Sequence(items) });
                }
                None => {}
            },
            Event::Key(text) => {
                if let Some(Open::Mapping { key, .. }) = self.open.last_mut() {
                    let value = Value::Scalar { text: text.to_owned(), plain: false, binary: false };
                    *key = Some(Node { mark, value });
                }
            }
            Event::Scalar(scalar) => {
                let text = scalar.text.to_owned();
                let value = Value::Scalar { text, plain: scalar.plain, binary: scalar.binary };
                self.add(Node { mark, value });
            }
        }
    }
}

impl Builder {
    fn add(&mut self, node: Node) {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::Sequence { items, .. }) => items.push(node),
            Some(Open::Mapping { entries, key, index, .. }) => {
                let Some(key) = key.take() else { return };
                match position(entries, index, &key) {
                    Some(at) => entries[at] = (key, node),
                    None => entries.push((key, node)),
                }
            }
        }
    }
}

/// Where the mapping already has the key; otherwise notes that it will be the last entry.
fn position(entries: &[(Node, Node)], index: &mut HashMap<String, usize>, key: &Node) -> Option<usize> {
    if entries.len() < SMALL {
        return entries.iter().position(|(other, _)| other.text() == key.text());
    }
    if index.is_empty() {
        let texts = entries.iter().map(|(other, _)| other.text().unwrap_or_default().to_owned());
        index.extend(texts.enumerate().map(|(at, text)| (text, at)));
    }
    let text = key.text().unwrap_or_default();
    let known = index.get(text).copied();
    if known.is_none() {
        index.insert(text.to_owned(), entries.len());
    }
    known
}
