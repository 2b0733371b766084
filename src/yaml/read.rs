//! Turns the text of a document into events with places in the file, and into its outline. Pulls from
//! yaml-rust2 and keeps its own stack, so the depth of the input never becomes depth of the call stack.

use yaml_rust2::parser::{Event as Raw, Parser, Tag};
use yaml_rust2::scanner::TScalarStyle;

use super::alias::Recording;
use super::keys::{OpenKeys, Scope};
use super::outline::{Origin, Outline, Shape};
use super::repair::Repaired;
use super::scalar::{GoValue, go_key, go_value};
use super::source::Source;
use super::tracker::Tracker;
use super::{Chunk, Event, Limits, Mark, Scalar, Sink, YamlError, patch, patch::Tail};

/// Sends the events of a document to `sink` and says what else is worth knowing about it.
///
/// # Errors
/// When the text is not YAML, not an object, or larger than the limits allow.
pub fn read<S: Sink>(chunk: &Chunk, limits: &Limits, sink: &mut S) -> Result<Outline, YamlError> {
    let len = chunk.text().len();
    if len > limits.max_document_bytes {
        let message = format!("document of {len} bytes is larger than {}", limits.max_document_bytes);
        return Err(YamlError::at(chunk.start(), message));
    }
    let mut reader = Reader::new(chunk, limits, sink);
    let mut repaired: Option<Repaired> = None;
    let mut spent = 0;
    loop {
        let stop = match reader.attempt(repaired.as_ref()) {
            Ok(()) => return Ok(reader.tracker.outline),
            Err(Stop::Refused(error)) => return Err(error),
            Err(stop) => stop,
        };
        spent += repaired.as_ref().map_or(len, |repaired| repaired.text.len()) + REPAIR_COST;
        let text = repaired.get_or_insert_with(|| Repaired::new(chunk.text()));
        let again = match &stop {
            Stop::Syntax { complaint, at, .. } => text.repair(complaint, *at) || text.take_back(chunk.text()),
            _ => text.take_back(chunk.text()),
        };
        if spent > REPAIR_BYTES.max(4 * len) || !again {
            return Err(stop.into_error());
        }
    }
}

/// Bytes that may be read again because of repairs: every repair starts over.
const REPAIR_BYTES: usize = 32 << 20;
/// What starting over costs besides the bytes.
const REPAIR_COST: usize = 4096;

/// Why reading came to an end before the document did.
pub(super) enum Stop {
    /// The document is not acceptable.
    Refused(YamlError),
    /// yaml-rust2 complained at a place in the file, and at an offset of the text it was given.
    Syntax { mark: Mark, complaint: String, at: usize },
    /// A repair was guessed wrong, as seen at this place.
    WrongGuess(Mark),
}

impl Stop {
    fn into_error(self) -> YamlError {
        match self {
            Self::Refused(error) => error,
            Self::Syntax { mark, complaint, .. } => YamlError::at(mark, complaint.to_lowercase()),
            Self::WrongGuess(mark) => YamlError::at(mark, "lines of a quoted text stand too far left"),
        }
    }
}

impl From<YamlError> for Stop {
    fn from(error: YamlError) -> Self {
        Self::Refused(error)
    }
}

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
    keys: Scope,
}

/// What stands before a node: anchor number (0 for none) and tag.
struct Properties {
    anchor: usize,
    tag: Option<Tag>,
}

/// The state of reading one document.
pub(super) struct Reader<'r, S> {
    chunk: &'r Chunk,
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
    /// Whether `\\/` occurs, which YAML 1.2 readers take and Go refuses.
    slash_escapes: bool,
    /// Events that were dealt with; a repaired text starts with the same ones.
    done: usize,
}

impl<'r, S: Sink> Reader<'r, S> {
    fn new(chunk: &'r Chunk, limits: &'r Limits, sink: &'r mut S) -> Self {
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
            slash_escapes: memchr::memmem::find(chunk.text().as_bytes(), b"\\/").is_some(),
            done: 0,
        }
    }

    /// Reads the text, or its repaired copy from where the last attempt came to.
    fn attempt(&mut self, repaired: Option<&Repaired>) -> Result<(), Stop> {
        let text = repaired.map_or(self.chunk.text(), |repaired| &repaired.text);
        if text.is_ascii() {
            let parser = Parser::new(text.bytes().map(char::from));
            self.run(&mut Source::new(parser, self.chunk, repaired))
        } else {
            self.run(&mut Source::new(Parser::new(text.chars()), self.chunk, repaired))
        }
    }

    fn run<I: Iterator<Item = char>>(&mut self, source: &mut Source<'_, I>) -> Result<(), Stop> {
        let skipped = self.done;
        let mut number = 0;
        loop {
            let (event, mark) = source.next()?;
            let last = event == Raw::StreamEnd;
            number += 1;
            if number > skipped {
                self.take(event, mark, source)?;
                self.done = number;
            }
            if last {
                return Ok(());
            }
        }
    }

    #[inline]
    fn take<I: Iterator<Item = char>>(
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

    fn at(&self, mark: Mark) -> usize {
        mark.offset - self.chunk.start().offset
    }

    fn scalar(
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
        let (plain, binary) = meaning(style, properties.tag.as_ref());
        match expect {
            None if plain && go_value(text) == GoValue::Null => Ok(()),
            None => Err(not_an_object(mark)),
            Some(Expect::Key) => self.key(text, plain, properties.anchor, mark),
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

    /// Go makes up no line break for a block scalar at the end of the text, yaml-rust2 does.
    fn end_block<I: Iterator<Item = char>>(
        &mut self,
        text: &mut String,
        mark: Mark,
        source: &mut Source<'_, I>,
    ) -> Result<(), Stop> {
        let (_, next) = source.peek()?;
        let whole = self.chunk.text();
        let at = self.at(mark);
        if text.starts_with('\t') && self.tab_begins_block(at) {
            let message =
                "a block text that begins with a tab is refused by Argo CD, write `|2` for its indentation";
            return Err(YamlError::at(mark, message).into());
        }
        if !whole[self.at(next)..].trim().is_empty() {
            return Ok(());
        }
        let blank = text.bytes().all(|byte| byte == b'\n');
        match patch::tail(whole, at) {
            Tail::Empty { kept: false } => text.clear(),
            Tail::Cut | Tail::Indentation if blank => {}
            tail @ (Tail::Cut | Tail::Indentation) => {
                text.truncate(text.strip_suffix('\n').map_or(text.len(), str::len));
                self.tracker.outline.sites.cut_block = (tail == Tail::Cut).then_some(at);
            }
            _ => {}
        }
        Ok(())
    }

    fn tab_begins_block(&self, at: usize) -> bool {
        let digit = |indicators: &str| indicators.contains(|indicator: char| indicator.is_ascii_digit());
        patch::block_header(self.chunk.text(), at).is_some_and(|(_, indicators)| !digit(indicators))
    }

    fn refuse_slash_escape(&self, mark: Mark) -> Result<(), YamlError> {
        let text = self.chunk.text();
        let start = self.at(mark);
        let end = patch::quote_end(text.as_bytes(), start).unwrap_or(text.len());
        let mut escapes = text[start..end].char_indices().filter(|&(_, letter)| letter == '\\');
        let mut after = 0;
        while let Some((at, _)) = escapes.find(|&(at, _)| at >= after) {
            if text[start + at..].starts_with("\\/") {
                return Err(YamlError::at(mark, "the escape `\\/` is refused by Argo CD, write `/`"));
            }
            after = at + 2;
        }
        Ok(())
    }

    /// Where a mapping begins and how; yaml-rust2 places a block mapping at the colon of its first key.
    fn mapping_place<I: Iterator<Item = char>>(
        &mut self,
        mark: Mark,
        source: &mut Source<'_, I>,
    ) -> Result<(Mark, Shape), Stop> {
        if self.chunk.text()[self.at(mark)..].starts_with('{') {
            return Ok((mark, Shape::FlowMapping));
        }
        match source.peek()? {
            (Raw::Scalar(..) | Raw::Alias(_), first) => Ok((first, Shape::BlockMapping)),
            _ => Ok((mark, Shape::BlockMapping)),
        }
    }

    /// How a scalar is written, as far as a splice may want to know.
    fn shape(&self, text: &str, style: TScalarStyle, mark: Mark) -> Shape {
        if !self.tracker.is_watched() {
            return Shape::Lines;
        }
        match style {
            TScalarStyle::Plain => match go_value(text) {
                GoValue::Null => Shape::Null(u8::try_from(text.len()).unwrap_or(u8::MAX)),
                _ if self.chunk.text()[self.at(mark)..].starts_with(text) => {
                    u32::try_from(text.len()).map_or(Shape::Lines, Shape::Plain)
                }
                _ => Shape::Lines,
            },
            TScalarStyle::SingleQuoted | TScalarStyle::DoubleQuoted if text.is_empty() => Shape::EmptyText,
            TScalarStyle::SingleQuoted | TScalarStyle::DoubleQuoted => Shape::Quoted,
            TScalarStyle::Literal | TScalarStyle::Folded => Shape::Lines,
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

    fn mapping(&mut self, properties: &Properties, (mark, shape): (Mark, Shape)) -> Result<(), YamlError> {
        let behind_dashes = mark.line == self.chunk.line() && self.chunk.begins_inside_line();
        if self.frames.is_empty() && shape == Shape::BlockMapping && behind_dashes {
            let message = "a mapping cannot begin on the line of `---`, put it on the next";
            return Err(YamlError::at(mark, message));
        }
        self.tracker.outline.empty = false;
        self.open(Event::MappingStart, properties, mark, shape)
    }

    fn sequence(&mut self, properties: &Properties, mark: Mark) -> Result<(), YamlError> {
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
            keys: self.keys.open(),
        });
        self.recorders += usize::from(anchor != 0);
        self.emit(event, mark, Origin { shape, anchored: anchor != 0, tagged: properties.tag.is_some() })
    }

    fn close(&mut self, event: Event<'_>, mark: Mark) -> Result<(), YamlError> {
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
    YamlError::at(mark, "the document is not an object, a manifest is a mapping of keys to values")
}

/// Whether a scalar is subject to type resolution, and whether it is base64.
fn meaning(style: TScalarStyle, tag: Option<&Tag>) -> (bool, bool) {
    let Some(tag) = tag else { return (style == TScalarStyle::Plain, false) };
    if tag.handle != "tag:yaml.org,2002:" {
        return (false, false);
    }
    (matches!(tag.suffix.as_str(), "int" | "float" | "bool" | "null" | "merge"), tag.suffix == "binary")
}
