//! Makes text readable that Go's reader takes and yaml-rust2 refuses: flow and quoted lines that stand too far
//! left, tabs after a colon or inside flow. Spaces are added only where they mean nothing, and places stay true.

use std::ops::Range;

use super::foresee;
use super::patch::{line_start, quote_end};

/// A text with spaces added, and where they are.
#[derive(Debug, Clone, Default)]
pub(super) struct Repaired {
    pub(super) text: String,
    /// By offset in `text`.
    added: Vec<Added>,
    /// Whether a guess was wrong, so that no more are made.
    careful: bool,
}

/// Spaces at the start of a line, or before a comment.
#[derive(Debug, Clone, Copy)]
struct Added {
    at: usize,
    count: usize,
    /// The line they stand on, from 0.
    line: usize,
    /// Whether this line was only guessed to need them.
    guessed: bool,
    /// Spaces added on earlier lines.
    before: usize,
}

const STEP: usize = 8;
/// No indentation is that deep; more spaces would not help.
const MOST: usize = 1024;

impl Repaired {
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// Whether something could be done about `complaint`, which yaml-rust2 makes at offset `at`.
    pub(super) fn repair(&mut self, complaint: &str, at: usize) -> bool {
        match complaint {
            "invalid indentation"
            | "invalid indentation in flow construct"
            | "tab cannot be used as indentation" => self.shift(&[line_start(&self.text, at)], false),
            "comments must be separated from other tokens by whitespace" => self.shift(&[at], false),
            "invalid indentation in quoted scalar" => self.shift_quoted(at),
            "':' must be followed by a valid YAML whitespace" => self.blank(at..at),
            "tabs disallowed within this context (block indentation)" => {
                let start = line_start(&self.text, at);
                is_flow(&self.text[..start], &self.text[at..]) && self.blank(start..at)
            }
            _ => false,
        }
    }

    /// Starts again from the original text, without guessing; whether there was any guess to take back.
    pub(super) fn take_back(&mut self, original: &str) -> bool {
        let guessed = self.added.iter().any(|added| added.guessed);
        if guessed {
            *self = Self { careful: true, ..Self::new(original) };
        }
        guessed
    }

    /// Whether spaces were added on a guess between two offsets.
    pub(super) fn guessed_in(&self, range: Range<usize>) -> bool {
        let first = self.added.partition_point(|added| added.at < range.start);
        self.added[first..].iter().take_while(|added| added.at < range.end).any(|added| added.guessed)
    }

    /// The offset and column in the original text of what stands on `line` (from 0) of the repaired text.
    pub(super) fn original(&self, at: usize, line: usize, column: usize) -> (usize, usize) {
        let Some(last) = self.added[..self.added.partition_point(|added| added.at <= at)].last() else {
            return (at, column);
        };
        let here = last.count.min(at - last.at);
        (at - last.before - here, if last.line == line { column.saturating_sub(here) } else { column })
    }

    fn shift_quoted(&mut self, start: usize) -> bool {
        let Some(end) = quote_end(self.text.as_bytes(), start) else { return false };
        if !self.careful {
            // First, so that the offsets of the lines above stay right.
            let lines = foresee::lines(&self.text, end);
            self.shift(&lines, true);
        }
        let lines: Vec<usize> = memchr::memchr_iter(b'\n', &self.text.as_bytes()[start..end])
            .map(|newline| start + newline + 1)
            .collect();
        !lines.is_empty() && self.shift(&lines, false)
    }

    /// Puts spaces at some offsets, which are in order; where there are some already, as many again.
    fn shift(&mut self, places: &[usize], guessed: bool) -> bool {
        let full = |added: &Added| added.count >= MOST && places.binary_search(&added.at).is_ok();
        if self.added.iter().any(full) {
            return false;
        }
        let old_text = std::mem::take(&mut self.text);
        let mut old = std::mem::take(&mut self.added).into_iter().peekable();
        let (mut copied, mut line) = (0, 0);
        for &place in places {
            let grown = self.text.len() - copied;
            while let Some(earlier) = old.next_if(|added| added.at < place) {
                self.added.push(Added { at: earlier.at + grown, ..earlier });
            }
            line += memchr::memchr_iter(b'\n', &old_text.as_bytes()[copied..place]).count();
            self.text.push_str(&old_text[copied..place]);
            copied = place;
            let (count, more) =
                old.next_if(|added| added.at == place).map_or((STEP, STEP), |a| (2 * a.count, a.count));
            self.added.push(Added { at: place + grown, count, line, guessed, before: 0 });
            self.text.extend(std::iter::repeat_n(' ', more));
        }
        let grown = self.text.len() - copied;
        self.text.push_str(&old_text[copied..]);
        self.added.extend(old.map(|later| Added { at: later.at + grown, ..later }));
        let mut before = 0;
        for added in &mut self.added {
            added.before = before;
            before += added.count;
        }
        true
    }

    /// Makes tabs to spaces: those in the range, or for an empty range the one before it.
    fn blank(&mut self, range: Range<usize>) -> bool {
        let start = if range.is_empty() { range.start.saturating_sub(1) } else { range.start };
        let old = &self.text[start..range.end];
        if !old.contains('\t') {
            return false;
        }
        let new = old.replace('\t', " ");
        self.text.replace_range(start..range.end, &new);
        true
    }
}

/// Whether what stands before and after a line's indentation shows that it is inside brackets.
fn is_flow(before: &str, after: &str) -> bool {
    let last = before.lines().rev().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
    let code = last.map(|line| line.split(" #").next().unwrap_or(line).trim_end());
    code.is_some_and(|code| code.ends_with(['{', '[', ','])) || after.starts_with(['}', ']', ','])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_original() {
        let mut repaired = Repaired::new("a: {\nb: c\n}\nd: e\n");
        assert!(repaired.repair("invalid indentation", 5));
        assert!(repaired.repair("invalid indentation", 18));
        assert_eq!(repaired.text, "a: {\n        b: c\n        }\nd: e\n");
        assert_eq!(repaired.original(13, 1, 8), (5, 0));
        assert_eq!(repaired.original(26, 2, 8), (10, 0));
        assert_eq!(repaired.original(28, 3, 0), (12, 0));
        assert_eq!(repaired.original(3, 0, 3), (3, 3));
        assert!(repaired.repair("invalid indentation", 5));
        assert_eq!(repaired.original(21, 1, 16), (5, 0));
        assert_eq!(repaired.original(34, 2, 8), (10, 0));
    }
}
