//! Turns manifest text into documents, events and spliced text; text comes first, so bytes that nobody
//! asked to change leave as they came. yaml-rust2 only tells where things are, it never writes.

mod alias;
mod chunk;
mod dialect;
mod emit;
mod expand;
mod foresee;
mod fresh;
mod hygiene;
mod insert;
mod items;
mod json;
mod keys;
mod lines;
mod locate;
mod outline;
mod patch;
mod plan;
pub mod quote;
mod read;
mod reader;
mod repair;
pub mod scalar;
mod source;
mod splice;
mod split;
mod style;
mod tag;
mod tracker;
pub mod tree;

#[cfg(test)]
mod tests;

pub use chunk::Chunk;
pub use fresh::from_json;
pub use insert::{Prepend, prepend};
pub use items::items;
pub use outline::{Misfit, Outline, Wrong};
pub use read::read;
pub use splice::{Set, Spliced, splice};
pub use split::split;

/// What a document may cost before it is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Levels of mappings and sequences inside each other.
    pub max_depth: usize,
    /// Events that aliases and merge keys may replay in one document.
    pub max_alias_events: usize,
    /// Bytes of one document, and bytes that its aliases may replay.
    pub max_document_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_depth: 200, max_alias_events: 100_000, max_document_bytes: 32 << 20 }
    }
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Mark {
    /// Byte offset in the file; inside a re-indented list item it is only near.
    pub offset: usize,
    /// Line in the file, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// Why a text could not be read or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct YamlError {
    /// Line in the file, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong, in lower case, without the place.
    pub message: String,
}

impl YamlError {
    fn at(mark: Mark, message: impl Into<String>) -> Self {
        Self { line: mark.line, column: mark.column, message: message.into() }
    }
}

/// One step through a document, aliases and merge keys already expanded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// A mapping begins.
    MappingStart,
    /// The innermost mapping ends.
    MappingEnd,
    /// A sequence begins.
    SequenceStart,
    /// The innermost sequence ends.
    SequenceEnd,
    /// A key of the innermost mapping, spelled as Go spells it (`010` is `8`).
    Key(&'a str),
    /// A value or a list item.
    Scalar(Scalar<'a>),
}

/// The text of a value and what it may mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scalar<'a> {
    /// The text without quotes and indentation.
    pub text: &'a str,
    /// Whether YAML 1.1 may read it as something else than a string.
    pub plain: bool,
    /// Whether the tag `!!binary` says that the text is base64.
    pub binary: bool,
}

/// Takes the events of a document.
pub trait Sink {
    /// Takes one event; `mark` is where it stands, or where the anchored original stands.
    fn event(&mut self, event: Event<'_>, mark: Mark);
}

/// Takes the events and keeps none, for callers that only want the outline.
#[derive(Debug, Default, Clone, Copy)]
pub struct Discard;

impl Sink for Discard {
    fn event(&mut self, _: Event<'_>, _: Mark) {}
}
