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
            | "tab cannot be used as indentation" => self.shift(line_start(&self.text, at), false),
            "comments must be separated from other tokens by whitespace" => self.shift(at, false),
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

    /// The offset and column in the original text.
    pub(super) fn original(&self, at: usize, column: usize) -> (usize, usize) {
        let Some(last) = self.added[..self.added.partition_point(|added| added.at <= at)].last() else {
            return (at, column);
        };
        let here = last.count.min(at - last.at);
        let same_line = !self.text.as_bytes()[last.at..at].contains(&b'\n');
        (at - last.before - here, if same_line { column.saturating_sub(here) } else { column })
    }

    fn shift(&mut self, line: usize, guessed: bool) -> bool {
        let index = self.added.partition_point(|added| added.at < line);
        let count = match self.added.get_mut(index) {
            Some(added) if added.at == line => {
                let more = added.count;
                if more >= MOST {
                    return false;
                }
                added.count += more;
                more
            }
            _ => {
                self.added.insert(index, Added { at: line, count: STEP, guessed, before: 0 });
                STEP
            }
        };
        self.text.insert_str(line, &" ".repeat(count));
        for later in &mut self.added[index + 1..] {
            later.at += count;
        }
        let mut before = 0;
        for added in &mut self.added {
            added.before = before;
            before += added.count;
        }
        true
    }

    fn shift_quoted(&mut self, start: usize) -> bool {
        let Some(end) = quote_end(self.text.as_bytes(), start) else { return false };
        if !self.careful {
            // From the last line up, so that the offsets of the lines above stay right.
            for line in foresee::lines(&self.text, end).into_iter().rev() {
                self.shift(line, true);
            }
        }
        let lines: Vec<usize> = memchr::memchr_iter(b'\n', &self.text.as_bytes()[start..end])
            .map(|newline| start + newline + 1)
            .collect();
        !lines.is_empty() && lines.into_iter().rev().all(|line| self.shift(line, false))
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
        assert_eq!(repaired.original(13, 8), (5, 0));
        assert_eq!(repaired.original(26, 8), (10, 0));
        assert_eq!(repaired.original(28, 0), (12, 0));
        assert_eq!(repaired.original(3, 3), (3, 3));
        assert!(repaired.repair("invalid indentation", 5));
        assert_eq!(repaired.original(21, 16), (5, 0));
        assert_eq!(repaired.original(34, 8), (10, 0));
    }
}
