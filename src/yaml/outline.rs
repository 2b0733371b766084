//! What the later steps ask about a document besides its events: where metadata and its annotations stand,
//! whether it is a list, what Argo CD would refuse. Offsets only, so that many outlines fit in memory.

use super::chunk::Chunk;
use super::{Limits, Mark};

/// What is worth knowing about a document besides its events.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    /// Whether the document holds nothing (comments or null only).
    pub empty: bool,
    /// Whether it is encrypted by SOPS (`sops.mac`): any change would break its checksum.
    pub opaque: bool,
    /// Whether the top-level `items` is a sequence, which Argo CD replaces by its items.
    pub items: bool,
    /// Keys that their mapping already had; Go takes the last.
    pub duplicate_keys: Vec<(String, Mark)>,
    /// Values of other types than Kubernetes has them: annotations, labels, names, `kind` and `apiVersion`.
    pub misfits: Vec<Misfit>,
    pub(super) sites: Sites,
    pub(super) limits: Limits,
}

impl Outline {
    /// Whether it has `metadata`.
    #[must_use]
    pub fn has_metadata(&self) -> bool {
        self.sites.metadata.is_some()
    }

    /// The line of the file on which `metadata.namespace` stands; it counts the lines.
    #[must_use]
    pub fn namespace_line(&self, chunk: &Chunk) -> Option<usize> {
        let before = chunk.text().get(..self.sites.namespace?.key.get())?;
        Some(chunk.line() + memchr::memchr_iter(b'\n', before.as_bytes()).count())
    }

    /// Whether Argo CD drops the object as an empty list: `items` is null, and there is neither `spec` nor `status`.
    #[must_use]
    pub fn is_null_list(&self) -> bool {
        self.sites.is_null_list
    }

    /// Whether a key may have got another value later, itself or by a merge, so that events went by that do not count.
    #[must_use]
    pub fn may_have_replaced(&self) -> bool {
        !self.duplicate_keys.is_empty() || self.sites.aliases
    }
}

/// A value of another type than Kubernetes has there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The path of the field.
    pub path: String,
    /// Where the value stands.
    pub mark: Mark,
    /// What is wrong about it.
    pub wrong: Wrong,
}

/// What is wrong about the type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// A number or a boolean where a string is needed.
    NotString,
    /// A mapping or a sequence where a string is needed.
    Collection,
    /// Anything else where a mapping is needed.
    NotMapping,
}

/// Where a splice may go.
#[derive(Debug, Clone, Default)]
pub(super) struct Sites {
    pub(super) root: Site,
    pub(super) metadata: Option<Site>,
    pub(super) annotations: Option<Site>,
    pub(super) namespace: Option<Site>,
    pub(super) entries: Vec<Entry>,
    pub(super) items: Vec<Item>,
    pub(super) items_end: usize,
    /// Whether the document uses aliases or merge keys at all.
    pub(super) aliases: bool,
    /// Whether the top-level `items` is null and there is neither `spec` nor `status`.
    pub(super) is_null_list: bool,
    /// Whether root, metadata or annotations get keys from elsewhere.
    pub(super) merged: bool,
}

/// An offset in the text of a chunk; there are many, so they are short.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Offset(u32);

impl Offset {
    /// Texts that reach further are refused before anyone asks for offsets in them.
    pub(super) const MAX: usize = u32::MAX as usize;

    #[expect(clippy::cast_possible_truncation, reason = "texts are no longer than `MAX`")]
    pub(super) fn new(at: usize) -> Self {
        Self(at as u32)
    }

    pub(super) fn get(self) -> usize {
        self.0 as usize
    }
}

/// A value that a splice may change.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Site {
    pub(super) key: Offset,
    pub(super) value: Offset,
    pub(super) shape: Shape,
    /// The first key, where the value is a mapping that has one.
    pub(super) first: Option<Offset>,
    pub(super) anchored: bool,
    pub(super) tagged: bool,
}

/// One annotation; the hash stands for the key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) key_hash: u64,
    pub(super) site: Site,
}

/// One item of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) mark: Mark,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) shape: Shape,
}

/// What stands at a site.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Shape {
    /// Nothing yet, or something that came out of an alias.
    #[default]
    Elsewhere,
    /// A plain null of this many bytes.
    Null(u8),
    /// An empty string.
    EmptyText,
    /// A plain scalar of this many bytes on one line.
    Plain(u32),
    /// A scalar in quotes.
    Quoted,
    /// A block scalar, or a plain scalar of several lines.
    Lines,
    FlowMapping,
    /// One pair of a flow sequence, without braces of its own.
    FlowPair,
    BlockMapping,
    Sequence,
}

/// How an event came about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    pub(super) shape: Shape,
    pub(super) anchored: bool,
    pub(super) tagged: bool,
}

impl Origin {
    pub(super) const REPLAYED: Self = Self { shape: Shape::Elsewhere, anchored: false, tagged: false };
}
