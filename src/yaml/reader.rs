//! Follows the structure of a document: what is a key, what a value, which node has an anchor, how deep it
//! goes. It keeps its own stack, so the depth of the input never becomes depth of the call stack.

use yaml_rust2::parser::{Event as Raw, Tag};
use yaml_rust2::scanner::TScalarStyle;

use super::alias::Recording;
use super::keys::{self, OpenKeys, Scope};
use super::outline::{Origin, Shape};
use super::read::Stop;
use super::scalar::{GoValue, go_key, go_value, is_infinite};
use super::source::Source;
use super::tracker::Tracker;
use super::{Chunk, Event, Limits, Mark, Scalar, Sink, YamlError, style, tag};

/// What the innermost open collection waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Expect {
    Key,
    Value,
    MergeValue,
    Item,
}

/// One open mapping or sequence.
pub(super) struct Frame {
    pub(super) expect: Expect,
    anchor: usize,
    /// Length of the recording when the anchored collection began.
    recorded: usize,
    /// Length of the recording when the merge value began.
    pub(super) merge: usize,
    /// Whether it is a sequence in brackets.
    brackets: bool,
    keys: Scope,
}

/// What stands before a node: anchor number (0 for none) and tag.
pub(super) struct Properties {
    anchor: usize,
    tag: Option<Tag>,
}

impl Properties {
    pub(super) const NONE: Self = Self { anchor: 0, tag: None };
}

/// The state of reading one document.
pub(super) struct Reader<'r, S> {
    pub(super) chunk: &'r Chunk,
    pub(super) limits: &'r Limits,
    sink: &'r mut S,
    pub(super) frames: Vec<Frame>,
    keys: OpenKeys,
    pub(super) recording: Recording,
    /// Anchored nodes and merge values that are open.
    pub(super) recorders: usize,
    /// Merge values that are open: their events must not reach the sink yet.
    pub(super) captures: usize,
    pub(super) tracker: Tracker,
    documents: usize,
    /// Whether `\\/` occurs, which YAML 1.2 readers take and Go refuses; the line reader leaves it to yaml-rust2.
    pub(super) slash_escapes: bool,
    /// Events that were dealt with; a repaired text starts with the same ones.
    pub(super) done: usize,
}

impl<'r, S: Sink> Reader<'r, S> {
    pub(super) fn new(chunk: &'r Chunk, limits: &'r Limits, sink: &'r mut S) -> Self {
        let mut tracker = Tracker::new(limits, chunk.start().offset);
        tracker.outline.empty = true;
        Self {
            chunk,
            limits,
            sink,
            frames: Vec::new(),
            keys: OpenKeys::default(),
            recording: Recording::default(),
            recorders: 0,
            captures: 0,
            tracker,
            documents: 0,
            slash_escapes: false,
            done: 0,
        }
    }

    #[inline]
    pub(super) fn take<I: Iterator<Item = char>>(
        &mut self,
        event: Raw,
        mark: Mark,
        source: &mut Source<'_, I>,
    ) -> Result<(), Stop> {
        match event {
            Raw::DocumentStart if self.documents > 0 => {
                Err(YamlError::at(mark, "a second document begins here without `---`").into())
            }
            Raw::DocumentStart => {
                self.documents += 1;
                Ok(())
            }
            Raw::StreamStart | Raw::DocumentEnd | Raw::StreamEnd | Raw::Nothing => Ok(()),
            Raw::Scalar(mut text, style, anchor, tag) => {
                if matches!(style, TScalarStyle::Literal | TScalarStyle::Folded) {
                    self.end_block(&mut text, mark, source)?;
                }
                Ok(self.scalar(&text, style, &Properties { anchor, tag }, mark)?)
            }
            Raw::MappingStart(anchor, tag) => {
                let place = self.mapping_place(mark, source)?;
                Ok(self.mapping(&Properties { anchor, tag }, place)?)
            }
            Raw::SequenceStart(anchor, tag) => Ok(self.sequence(&Properties { anchor, tag }, mark)?),
            Raw::MappingEnd => Ok(self.close(Event::MappingEnd, mark)?),
            Raw::SequenceEnd => Ok(self.close(Event::SequenceEnd, mark)?),
            Raw::Alias(anchor) => Ok(self.alias(anchor, mark)?),
        }
    }

    /// The start of the text and of its document, which nobody asks about.
    pub(super) fn begin_document(&mut self) {
        self.documents = 1;
        self.done = 2;
    }

    pub(super) fn at(&self, mark: Mark) -> usize {
        mark.offset - self.chunk.start().offset
    }

    pub(super) fn scalar(
        &mut self,
        text: &str,
        style: TScalarStyle,
        properties: &Properties,
        mark: Mark,
    ) -> Result<(), YamlError> {
        let expect = self.frames.last().map(|frame| frame.expect);
        if self.slash_escapes && style == TScalarStyle::DoubleQuoted {
            self.refuse_slash_escape(mark)?;
        }
        let (plain, binary) = style::meaning(style, properties.tag.as_ref());
        if let Some(message) = properties.tag.as_ref().and_then(|tag| tag::refusal(tag, text)) {
            return Err(YamlError::at(mark, message));
        }
        match expect {
            None if plain && go_value(text) == GoValue::Null => Ok(()),
            None => Err(not_an_object(mark)),
            Some(Expect::Key) => self.key(text, plain, properties.anchor, mark),
            Some(_) if plain && is_infinite(text) => {
                let message = format!("Argo CD cannot write `{text}` as JSON, put it in quotes");
                Err(YamlError::at(mark, message))
            }
            Some(_) => {
                let origin = Origin {
                    shape: self.shape(text, style, mark),
                    anchored: properties.anchor != 0,
                    tagged: properties.tag.is_some(),
                };
                let scalar = Event::Scalar(Scalar { text, plain, binary });
                self.emit_leaf(scalar, properties.anchor, mark, origin)?;
                self.completed(mark)
            }
        }
    }

    fn key(&mut self, text: &str, plain: bool, anchor: usize, mark: Mark) -> Result<(), YamlError> {
        if plain && text == "<<" {
            self.begin_merge(mark);
            return Ok(());
        }
        let key = if plain { go_key(text) } else { Some(text.into()) };
        let Some(key) = key else { return Err(YamlError::at(mark, "a key is null, give it a name")) };
        self.named(&key, anchor, mark, Shape::Quoted)
    }

    pub(super) fn named(
        &mut self,
        key: &str,
        anchor: usize,
        mark: Mark,
        shape: Shape,
    ) -> Result<(), YamlError> {
        if let Some(message) = keys::refusal(key) {
            return Err(YamlError::at(mark, message));
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.expect = Expect::Value;
            if !self.keys.insert(&mut frame.keys, key) {
                self.tracker.outline.duplicate_keys.push((key.to_owned(), mark));
            }
        }
        let origin = Origin { shape, anchored: anchor != 0, tagged: false };
        self.emit_leaf(Event::Key(key), anchor, mark, origin)
    }

    fn emit_leaf(
        &mut self,
        event: Event<'_>,
        anchor: usize,
        mark: Mark,
        origin: Origin,
    ) -> Result<(), YamlError> {
        if anchor == 0 {
            return self.emit(event, mark, origin);
        }
        self.recorders += 1;
        let start = self.recording.len();
        self.emit(event, mark, origin)?;
        self.recording.close_anchor(anchor, start);
        self.recorders -= 1;
        Ok(())
    }

    #[inline]
    pub(super) fn emit(&mut self, event: Event<'_>, mark: Mark, origin: Origin) -> Result<(), YamlError> {
        if self.recorders > 0 {
            self.recording.push(event, mark);
        }
        if self.captures == 0 {
            self.tracker.track(event, mark, origin);
            if self.tracker.depth() > self.limits.max_depth {
                return Err(self.too_deep(mark));
            }
            self.sink.event(event, mark);
        }
        Ok(())
    }

    fn too_deep(&self, mark: Mark) -> YamlError {
        YamlError::at(mark, format!("nesting is deeper than {} levels", self.limits.max_depth))
    }

    pub(super) fn mapping(
        &mut self,
        properties: &Properties,
        (mark, shape): (Mark, Shape),
    ) -> Result<(), YamlError> {
        let behind_dashes = mark.line == self.chunk.line() && self.chunk.begins_inside_line();
        if self.frames.is_empty() && shape == Shape::BlockMapping && behind_dashes {
            let message = "a mapping cannot begin on the line of `---`, put it on the next";
            return Err(YamlError::at(mark, message));
        }
        self.tracker.outline.empty = false;
        self.open(Event::MappingStart, properties, mark, shape)
    }

    pub(super) fn sequence(&mut self, properties: &Properties, mark: Mark) -> Result<(), YamlError> {
        if self.frames.is_empty() {
            return Err(not_an_object(mark));
        }
        self.open(Event::SequenceStart, properties, mark, Shape::Sequence)
    }

    fn open(
        &mut self,
        event: Event<'_>,
        properties: &Properties,
        mark: Mark,
        shape: Shape,
    ) -> Result<(), YamlError> {
        if self.frames.last().is_some_and(|frame| frame.expect == Expect::Key) {
            return Err(YamlError::at(mark, "a key must be a string, not a mapping or a sequence"));
        }
        if self.frames.len() >= self.limits.max_depth {
            return Err(self.too_deep(mark));
        }
        let anchor = properties.anchor;
        self.frames.push(Frame {
            expect: if event == Event::MappingStart { Expect::Key } else { Expect::Item },
            anchor,
            recorded: self.recording.len(),
            merge: 0,
            brackets: event == Event::SequenceStart && self.chunk.text()[self.at(mark)..].starts_with('['),
            keys: self.keys.open(),
        });
        self.recorders += usize::from(anchor != 0);
        self.emit(event, mark, Origin { shape, anchored: anchor != 0, tagged: properties.tag.is_some() })
    }

    /// Whether the innermost collection is a sequence in brackets.
    pub(super) fn is_in_brackets(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.brackets)
    }

    pub(super) fn close(&mut self, event: Event<'_>, mark: Mark) -> Result<(), YamlError> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        self.keys.close(&frame.keys);
        self.emit(event, mark, Origin::REPLAYED)?;
        if frame.anchor != 0 {
            self.recorders -= 1;
            self.recording.close_anchor(frame.anchor, frame.recorded);
        }
        self.completed(mark)
    }

    /// A whole node went by; the collection around it moves on.
    pub(super) fn completed(&mut self, mark: Mark) -> Result<(), YamlError> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        match frame.expect {
            Expect::Value => frame.expect = Expect::Key,
            Expect::MergeValue => {
                frame.expect = Expect::Key;
                let start = frame.merge;
                return self.finish_merge(start, mark);
            }
            Expect::Key | Expect::Item => {}
        }
        Ok(())
    }
}

fn not_an_object(mark: Mark) -> YamlError {
    YamlError::at(mark, "the document is no mapping of keys to values")
}
