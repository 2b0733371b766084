//! One document as a slice of its file, or as own text where the file's bytes could not be read as they are.
//! Chunks share the file, so ten thousand documents cost ten thousand ranges.

use std::ops::Range;
use std::sync::Arc;

use super::Mark;

/// The text of one document and where it begins in its file.
#[derive(Debug, Clone)]
pub struct Chunk {
    source: Arc<String>,
    range: Range<usize>,
    start: Mark,
    /// Columns that were cut from the left of every line.
    indent: usize,
}

impl Chunk {
    /// A slice of `source`, which is the file itself or the text of another chunk.
    pub(super) fn slice(source: &Arc<String>, range: Range<usize>, start: Mark) -> Self {
        Self { source: Arc::clone(source), range, start, indent: 0 }
    }

    /// Text of its own that stands for what begins at `start` of the file.
    pub(super) fn owned(text: String, start: Mark, indent: usize) -> Self {
        let range = 0..text.len();
        Self { source: text.into(), range, start, indent }
    }

    /// A part of this chunk that begins at `start`.
    pub(super) fn part(&self, range: Range<usize>, start: Mark) -> Self {
        let range = self.range.start + range.start..self.range.start + range.end;
        Self { source: Arc::clone(&self.source), range, start, indent: self.indent }
    }

    /// The text of the document.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.source[self.range.clone()]
    }

    /// The line of the file on which the text begins.
    #[must_use]
    pub fn line(&self) -> usize {
        self.start.line
    }

    /// The place in the file where the text begins.
    #[must_use]
    pub fn start(&self) -> Mark {
        self.start
    }

    /// Whether the text begins behind something else on its line, such as `---`.
    pub(super) fn begins_inside_line(&self) -> bool {
        self.start.column > self.indent + 1
    }

    /// The place in the file of what stands at `at` of the text; it counts the lines, so only for errors.
    pub(super) fn place(&self, at: usize) -> Mark {
        let before = &self.text()[..at];
        let (line, start) = match before.rfind('\n') {
            Some(newline) => (memchr::memchr_iter(b'\n', before.as_bytes()).count(), newline + 1),
            None => (0, 0),
        };
        self.mark(at, line, before[start..].chars().count())
    }

    /// The place in the file of what stands at `at` of the text, on `line` (from 0) and `column` (from 0).
    pub(super) fn mark(&self, at: usize, line: usize, column: usize) -> Mark {
        let before = if line == 0 { self.start.column - 1 } else { self.indent };
        Mark { offset: self.start.offset + at, line: self.start.line + line, column: before + column + 1 }
    }
}
