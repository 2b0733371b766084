//! Pulls events from yaml-rust2 and says where in the file each stands. yaml-rust2 counts characters of the
//! text it was given, which may be a repaired copy; here that becomes bytes of the file.

use yaml_rust2::parser::{Event as Raw, Parser};
use yaml_rust2::scanner::{Marker, ScanError};

use super::locate::Locator;
use super::read::Stop;
use super::repair::Repaired;
use super::{Chunk, Mark, YamlError};

/// The parser of one document, or of its repaired text.
pub(super) struct Source<'t, I> {
    parser: Parser<I>,
    locator: Locator<'t>,
    chunk: &'t Chunk,
    repaired: Option<&'t Repaired>,
}

impl<'t, I: Iterator<Item = char>> Source<'t, I> {
    pub(super) fn new(parser: Parser<I>, chunk: &'t Chunk, repaired: Option<&'t Repaired>) -> Self {
        let text = repaired.map_or(chunk.text(), |repaired| &repaired.text);
        Self { parser, locator: Locator::new(text, text.is_ascii()), chunk, repaired }
    }

    #[inline]
    pub(super) fn next(&mut self) -> Result<(Raw, Mark), Stop> {
        match self.parser.next_token() {
            Ok((event, marker)) => Ok((event, self.mark(marker))),
            Err(error) => Err(self.complaint(&error)),
        }
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
        let at = self.locator.offset(marker.index());
        let (at, column) = match self.repaired {
            None => (at, marker.col()),
            Some(repaired) => repaired.original(at, marker.col()),
        };
        self.chunk.mark(at, marker.line() - 1, column)
    }

    fn complaint(&mut self, error: &ScanError) -> Stop {
        let mark = self.mark(*error.marker());
        let at = self.locator.offset(error.marker().index());
        Stop::Syntax { mark, complaint: error.info().to_owned(), at }
    }
}
