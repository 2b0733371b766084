//! Keeps the events of anchored nodes so that aliases and merge keys can replay them. Only anchored parts are
//! kept, already expanded, so replaying needs no recursion and costs what it prints.

use std::ops::Range;
use std::rc::Rc;

use super::{Event, Limits, Mark, Scalar, YamlError};

/// An event that owns its text.
#[derive(Clone)]
enum Kept {
    MappingStart,
    MappingEnd,
    SequenceStart,
    SequenceEnd,
    Key(Rc<str>),
    Scalar {
        text: Rc<str>,
        plain: bool,
        binary: bool,
    },
    /// The next events were kept only to be merged; replaying leaves them out.
    Skip(usize),
}

/// One event taken from the recording, cheap to hold while more is recorded.
#[derive(Clone)]
pub(super) struct Replayed {
    kept: Kept,
    pub(super) mark: Mark,
}

impl Replayed {
    pub(super) fn event(&self) -> Option<Event<'_>> {
        Some(match &self.kept {
            Kept::MappingStart => Event::MappingStart,
            Kept::MappingEnd => Event::MappingEnd,
            Kept::SequenceStart => Event::SequenceStart,
            Kept::SequenceEnd => Event::SequenceEnd,
            Kept::Key(key) => Event::Key(key),
            Kept::Scalar { text, plain, binary } => {
                Event::Scalar(Scalar { text, plain: *plain, binary: *binary })
            }
            Kept::Skip(_) => return None,
        })
    }
}

/// The events of anchored nodes and of merge values.
#[derive(Default)]
pub(super) struct Recording {
    events: Vec<Replayed>,
    anchors: Vec<Option<Range<usize>>>,
    replayed_events: usize,
    replayed_bytes: usize,
}

impl Recording {
    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    pub(super) fn push(&mut self, event: Event<'_>, mark: Mark) {
        let kept = match event {
            Event::MappingStart => Kept::MappingStart,
            Event::MappingEnd => Kept::MappingEnd,
            Event::SequenceStart => Kept::SequenceStart,
            Event::SequenceEnd => Kept::SequenceEnd,
            Event::Key(key) => Kept::Key(key.into()),
            Event::Scalar(scalar) => {
                Kept::Scalar { text: scalar.text.into(), plain: scalar.plain, binary: scalar.binary }
            }
        };
        self.events.push(Replayed { kept, mark });
    }

    /// Names everything recorded since `start` as the node of `anchor`.
    pub(super) fn close_anchor(&mut self, anchor: usize, start: usize) {
        if self.anchors.len() <= anchor {
            self.anchors.resize(anchor + 1, None);
        }
        self.anchors[anchor] = Some(start..self.events.len());
    }

    /// The node of an anchor, or `None` while that node is still open.
    pub(super) fn anchored(&self, anchor: usize) -> Option<Range<usize>> {
        self.anchors.get(anchor).cloned().flatten()
    }

    /// Leaves room for hiding what follows; the answer goes to `hide_since`.
    pub(super) fn begin_hidden(&mut self, mark: Mark) -> usize {
        self.events.push(Replayed { kept: Kept::Skip(0), mark });
        self.events.len()
    }

    /// Hides everything since `start` from later replays.
    pub(super) fn hide_since(&mut self, start: usize) {
        self.events[start - 1].kept = Kept::Skip(self.events.len() - start);
    }

    /// The event at `*at`, moving `*at` to the next one; hidden parts are jumped over.
    pub(super) fn take(&mut self, at: &mut usize, limits: &Limits) -> Result<Replayed, YamlError> {
        let taken = self.events[*at].clone();
        *at += 1;
        self.replayed_events += 1;
        match &taken.kept {
            Kept::Skip(hidden) => *at += hidden,
            Kept::Key(text) | Kept::Scalar { text, .. } => self.replayed_bytes += text.len(),
            _ => {}
        }
        if self.replayed_events > limits.max_alias_events || self.replayed_bytes > limits.max_document_bytes {
            let most = limits.max_alias_events;
            let message = format!("aliases expand to more than {most} events, write the values out");
            return Err(YamlError::at(taken.mark, message));
        }
        Ok(taken)
    }

    /// The one scalar of a node, if it is one; a key that was anchored counts.
    pub(super) fn scalar_of(&self, node: &Range<usize>) -> Option<Scalar<'_>> {
        if node.len() != 1 {
            return None;
        }
        match &self.events[node.start].kept {
            Kept::Key(text) => Some(Scalar { text, plain: false, binary: false }),
            Kept::Scalar { text, plain, binary } => Some(Scalar { text, plain: *plain, binary: *binary }),
            _ => None,
        }
    }

    /// The insides of the mappings that a merge value names, in the order in which Go applies them.
    pub(super) fn merged_mappings(&self, value: Range<usize>) -> Option<Vec<Range<usize>>> {
        let mut mappings = match self.events.get(value.start)?.kept {
            Kept::MappingStart => self.children(value)?,
            Kept::SequenceStart => self.children(value.start + 1..value.end - 1)?,
            _ => return None,
        };
        mappings.reverse();
        Some(mappings)
    }

    fn children(&self, inside: Range<usize>) -> Option<Vec<Range<usize>>> {
        let mut found = Vec::new();
        let (mut at, mut depth, mut start) = (inside.start, 0_usize, inside.start);
        while at < inside.end {
            match &self.events[at].kept {
                Kept::MappingStart | Kept::SequenceStart => {
                    if depth == 0 {
                        start = at + 1;
                        matches!(self.events[at].kept, Kept::MappingStart).then_some(())?;
                    }
                    depth += 1;
                }
                Kept::MappingEnd | Kept::SequenceEnd => {
                    depth -= 1;
                    if depth == 0 {
                        found.push(start..at);
                    }
                }
                Kept::Skip(hidden) => at += hidden,
                Kept::Key(_) | Kept::Scalar { .. } if depth == 0 => return None,
                Kept::Key(_) | Kept::Scalar { .. } => {}
            }
            at += 1;
        }
        Some(found)
    }
}
