//! Sends the events behind aliases and merge keys as if they were written out. A merge value is kept back until
//! it is complete, because Go applies the mappings of a sequence from the last to the first.

use std::ops::Range;

use super::outline::{Origin, Shape};
use super::reader::{Expect, Reader};
use super::scalar::go_key;
use super::{Event, Mark, Scalar, Sink, YamlError};

impl<S: Sink> Reader<'_, S> {
    pub(super) fn alias(&mut self, anchor: usize, mark: Mark) -> Result<(), YamlError> {
        self.tracker.outline.sites.aliases = true;
        let Some(node) = self.recording.anchored(anchor) else {
            return Err(YamlError::at(mark, "an alias refers to the node it stands in"));
        };
        if self.frames.last().is_some_and(|frame| frame.expect == Expect::Key) {
            return self.alias_key(&node, mark);
        }
        if let Some(scalar) = self.recording.scalar_of(&node) {
            // The anchored node may be a key; here it is a value.
            let (text, scalar) = (scalar.text.to_owned(), scalar);
            let event = Event::Scalar(Scalar { text: &text, plain: scalar.plain, binary: scalar.binary });
            let mut at = node.start;
            let original = self.recording.take(&mut at, self.limits)?.mark;
            self.emit(event, original, Origin::REPLAYED)?;
        } else {
            self.replay(node)?;
        }
        self.completed(mark)
    }

    fn alias_key(&mut self, node: &Range<usize>, mark: Mark) -> Result<(), YamlError> {
        let Some(scalar) = self.recording.scalar_of(node) else {
            return Err(YamlError::at(mark, "a key must be a string, not a mapping or a sequence"));
        };
        let text = scalar.text.to_owned();
        let key = if scalar.plain { go_key(&text) } else { Some(text.as_str().into()) };
        let Some(key) = key else { return Err(YamlError::at(mark, "a key is null, give it a name")) };
        self.named(&key, 0, mark, Shape::Elsewhere)
    }

    fn replay(&mut self, events: Range<usize>) -> Result<(), YamlError> {
        let mut at = events.start;
        while at < events.end {
            let replayed = self.recording.take(&mut at, self.limits)?;
            if let Some(event) = replayed.event() {
                self.emit(event, replayed.mark, Origin::REPLAYED)?;
            }
        }
        Ok(())
    }

    pub(super) fn begin_merge(&mut self, mark: Mark) {
        if self.captures == 0 {
            self.tracker.outline.sites.aliases = true;
            self.tracker.merge();
        }
        let start = self.recording.begin_hidden(mark);
        self.recorders += 1;
        self.captures += 1;
        if let Some(frame) = self.frames.last_mut() {
            frame.expect = Expect::MergeValue;
            frame.merge = start;
        }
    }

    pub(super) fn finish_merge(&mut self, start: usize, mark: Mark) -> Result<(), YamlError> {
        self.recorders -= 1;
        self.captures -= 1;
        let value = start..self.recording.len();
        let Some(mappings) = self.recording.merged_mappings(value) else {
            return Err(YamlError::at(mark, "`<<` needs a mapping or a sequence of mappings"));
        };
        self.recording.hide_since(start);
        for mapping in mappings {
            self.replay(mapping)?;
        }
        Ok(())
    }
}
