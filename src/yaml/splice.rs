//! Sets annotations and namespaces by inserting into the text of a document. Where the text is too unusual for
//! that, the document is written anew from its events and the same insertion is made there.

use std::borrow::Cow;
use std::fmt;

use super::patch::line_ending;
use super::plan::{Patch, Plan};
use super::tree::{Node, Value, parse_chunk};
use super::{Chunk, Discard, Mark, Outline, YamlError, emit, read};

/// One thing to set in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set<'a> {
    /// The annotation of this key gets this value.
    Annotation(&'a str, &'a str),
    /// `metadata.namespace`, where the object has none.
    Namespace(&'a str),
}

/// A document with its changes, as pieces of the old text and new pieces between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spliced<'c> {
    pieces: Vec<Cow<'c, str>>,
}

impl Spliced<'_> {
    /// The same with text of its own, for when the old text goes away.
    #[must_use]
    pub fn owned(&self) -> Spliced<'static> {
        Spliced { pieces: vec![Cow::Owned(self.to_string())] }
    }

    /// The text in order; together the pieces end with a line break.
    #[must_use]
    pub fn pieces(&self) -> &[Cow<'_, str>] {
        &self.pieces
    }

    /// The length of the whole text in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len()).sum()
    }

    /// Whether there is no text at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Display for Spliced<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| out.write_str(piece))
    }
}

/// Sets what `edits` say and leaves every other byte as it was; encrypted documents stay as they are.
///
/// # Errors
/// When metadata or its annotations are not mappings.
pub fn splice<'c>(chunk: &'c Chunk, outline: &Outline, edits: &[Set<'_>]) -> Result<Spliced<'c>, YamlError> {
    let text = chunk.text();
    if outline.opaque || outline.empty || edits.is_empty() {
        return Ok(apply(text, Vec::new()));
    }
    match Plan::new(text, &outline.sites).patches(edits) {
        Some(patches) => Ok(apply(text, patches)),
        None => rewrite(chunk, outline, edits),
    }
}

fn apply(text: &str, mut patches: Vec<Patch>) -> Spliced<'_> {
    patches.sort_by_key(|patch| patch.range.start);
    let mut pieces = Vec::with_capacity(2 * patches.len() + 2);
    let mut done = 0;
    for patch in patches {
        pieces.push(Cow::Borrowed(&text[done..patch.range.start]));
        pieces.push(Cow::Owned(patch.text));
        done = patch.range.end;
    }
    pieces.push(Cow::Borrowed(&text[done..]));
    if !text.ends_with('\n') {
        pieces.push(Cow::Borrowed(line_ending(text, text.len())));
    }
    pieces.retain(|piece| !piece.is_empty());
    Spliced { pieces }
}

/// Writes the document anew, without what is about to be set, and splices that.
fn rewrite<'c>(chunk: &Chunk, outline: &Outline, edits: &[Set<'_>]) -> Result<Spliced<'c>, YamlError> {
    let mut root = parse_chunk(chunk, &outline.limits)?;
    drop_edited(&mut root, edits)?;
    let fresh = Chunk::owned(emit::document(&root), Mark { column: 1, ..chunk.start() }, 0);
    let outline = read(&fresh, &outline.limits, &mut Discard)?;
    let Some(patches) = Plan::new(fresh.text(), &outline.sites).patches(edits) else {
        return Err(YamlError::at(
            chunk.start(),
            "cannot set an annotation here, write `metadata` in block style",
        ));
    };
    let text = apply(fresh.text(), patches).to_string();
    Ok(Spliced { pieces: vec![Cow::Owned(text)] })
}

fn drop_edited(root: &mut Node, edits: &[Set<'_>]) -> Result<(), YamlError> {
    let Some(metadata) = entries_of(root, "metadata")? else { return Ok(()) };
    if edits.iter().any(|edit| matches!(edit, Set::Namespace(_))) {
        metadata.retain(|(key, value)| {
            key.text() != Some("namespace") || value.text() != Some("") && !value.is_null()
        });
    }
    let Some((_, annotations)) = metadata.iter_mut().find(|(key, _)| key.text() == Some("annotations"))
    else {
        return Ok(());
    };
    if let Some(entries) = mapping_entries(annotations, "metadata.annotations")? {
        let is_set = |name: Option<&str>| {
            edits.iter().any(|edit| matches!(edit, Set::Annotation(key, _) if Some(*key) == name))
        };
        entries.retain(|(key, _)| !is_set(key.text()));
    }
    Ok(())
}

fn entries_of<'n>(root: &'n mut Node, name: &str) -> Result<Option<&'n mut Vec<(Node, Node)>>, YamlError> {
    let Value::Mapping(entries) = &mut root.value else { return Ok(None) };
    match entries.iter_mut().find(|(key, _)| key.text() == Some(name)) {
        Some((_, node)) => mapping_entries(node, name),
        None => Ok(None),
    }
}

fn mapping_entries<'n>(
    node: &'n mut Node,
    path: &str,
) -> Result<Option<&'n mut Vec<(Node, Node)>>, YamlError> {
    if node.is_null() {
        return Ok(None);
    }
    let mark = node.mark;
    match &mut node.value {
        Value::Mapping(entries) => Ok(Some(entries)),
        _ => Err(YamlError::at(mark, format!("`{path}` is not a mapping"))),
    }
}
