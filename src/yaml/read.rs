//! Turns the text of a document into events with places in the file, and into its outline. Text that Go takes
//! and yaml-rust2 does not is repaired in a copy and read again from the start, past the events already sent.

use yaml_rust2::parser::{Event as Raw, Parser};

use super::dialect::Dialect;
use super::outline::Offset;
use super::reader::Reader;
use super::repair::Repaired;
use super::source::Source;
use super::{Chunk, Limits, Mark, Outline, Sink, YamlError};

/// Sends the events of a document to `sink` and says what else is worth knowing about it.
///
/// # Errors
/// When the text is not YAML, not an object, or larger than the limits allow.
pub fn read<S: Sink>(chunk: &Chunk, limits: &Limits, sink: &mut S) -> Result<Outline, YamlError> {
    let len = chunk.text().len();
    let most = limits.max_document_bytes.min(Offset::MAX);
    if len > most {
        let message = format!("document of {len} bytes is larger than {most}");
        return Err(YamlError::at(chunk.start(), message));
    }
    let mut reader = Reader::new(chunk, limits, sink);
    if reader.read_lines() { Ok(reader.tracker.outline) } else { read_on(reader) }
}

/// Reads what is left of a document with yaml-rust2.
pub(super) fn read_on<S: Sink>(mut reader: Reader<'_, S>) -> Result<Outline, YamlError> {
    let chunk = reader.chunk;
    reader.slash_escapes = memchr::memmem::find(chunk.text().as_bytes(), b"\\/").is_some();
    let len = chunk.text().len();
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

impl<S: Sink> Reader<'_, S> {
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
        let mut dialect = Dialect::new(self.chunk.text());
        let mut number = 0;
        loop {
            let (event, mark) = source.next()?;
            if let Err((at, message)) = dialect.event(&event, self.at(mark)) {
                return Err(YamlError::at(self.chunk.place(at), message).into());
            }
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
}
