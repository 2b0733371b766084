//! What the later steps ask about a document besides its events: where metadata and its annotations stand,
//! whether it is a list, what Argo CD would refuse. Offsets only, so that many outlines fit in memory.

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
    /// Paths of annotations, labels and names whose value is not a string for Go.
    pub non_string_values: Vec<(String, Mark)>,
    pub(super) sites: Sites,
    pub(super) limits: Limits,
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
    /// Whether root, metadata or annotations get keys from elsewhere.
    pub(super) merged: bool,
    /// Offset of the content of a block scalar that the end of the text cuts off without a line break.
    pub(super) cut_block: Option<usize>,
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
