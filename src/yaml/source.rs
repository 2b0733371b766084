//! Pulls events from yaml-rust2 and says where in the file each stands. yaml-rust2 counts in the text it was
//! given, which may be a repaired copy; here that becomes bytes of the file.

use yaml_rust2::parser::{Event as Raw, Parser};
use yaml_rust2::scanner::{Marker, ScanError, TScalarStyle};

use super::locate::Locator;
use super::patch::quote_end;
use super::read::Stop;
use super::repair::Repaired;
use super::{Chunk, Mark, YamlError};

/// The parser of one document, or of its repaired text.
pub(super) struct Source<'t, I> {
    parser: Parser<I>,
    /// For ASCII text none is needed: there yaml-rust2's index is the offset.
    locator: Option<Locator<'t>>,
    len: usize,
    chunk: &'t Chunk,
    repaired: Option<&'t Repaired>,
    /// Up to where no guess of the repair was wrong.
    verified: usize,
}

impl<'t, I: Iterator<Item = char>> Source<'t, I> {
    pub(super) fn new(parser: Parser<I>, chunk: &'t Chunk, repaired: Option<&'t Repaired>) -> Self {
        let text = repaired.map_or(chunk.text(), |repaired| &repaired.text);
        let locator = (!text.is_ascii()).then(|| Locator::new(text));
        Self { parser, locator, len: text.len(), chunk, repaired, verified: 0 }
    }

    #[inline]
    pub(super) fn next(&mut self) -> Result<(Raw, Mark), Stop> {
        match self.parser.next_token() {
            Ok((event, marker)) => {
                if let Some(repaired) = self.repaired {
                    self.verify(repaired, &event, marker)?;
                }
                Ok((event, self.mark(marker)))
            }
            Err(error) => Err(self.complaint(&error)),
        }
    }

    /// Makes sure that no guess of the repair lies outside of quoted scalars, up to the event after this one.
    fn verify(&mut self, repaired: &Repaired, event: &Raw, marker: Marker) -> Result<(), Stop> {
        let at = self.offset(marker);
        let quoted =
            matches!(event, Raw::Scalar(_, TScalarStyle::SingleQuoted | TScalarStyle::DoubleQuoted, ..));
        let end = if quoted { quote_end(repaired.text.as_bytes(), at).unwrap_or(at) } else { at };
        let next = match self.parser.peek() {
            Ok((_, next)) => *next,
            Err(error) => return Err(self.complaint(&error)),
        };
        let next = self.offset(next);
        if repaired.guessed_in(self.verified..at) || repaired.guessed_in(end..next) {
            return Err(Stop::WrongGuess(self.mark(marker)));
        }
        self.verified = self.verified.max(end).max(next);
        Ok(())
    }

    /// The event after this one and where it stands.
    pub(super) fn peek(&mut self) -> Result<(&Raw, Mark), Stop> {
        let marker = match self.parser.peek() {
            Ok((_, marker)) => *marker,
            Err(error) => return Err(self.complaint(&error)),
        };
        let mark = self.mark(marker);
        match self.parser.peek() {
            Ok((event, _)) => Ok((event, mark)),
            Err(error) => Err(Stop::Refused(YamlError::at(mark, error.info()))),
        }
    }

    #[inline]
    fn mark(&mut self, marker: Marker) -> Mark {
        let at = self.offset(marker);
        let (at, column) = match self.repaired {
            None => (at, marker.col()),
            Some(repaired) => repaired.original(at, marker.line() - 1, marker.col()),
        };
        self.chunk.mark(at, marker.line() - 1, column)
    }

    #[inline]
    fn offset(&mut self, marker: Marker) -> usize {
        match &mut self.locator {
            None => marker.index().min(self.len),
            Some(locator) => locator.offset(marker.line() - 1, marker.col()),
        }
    }

    fn complaint(&mut self, error: &ScanError) -> Stop {
        let mark = self.mark(*error.marker());
        let at = self.offset(*error.marker());
        Stop::Syntax { mark, complaint: error.info().to_owned(), at }
    }
}
