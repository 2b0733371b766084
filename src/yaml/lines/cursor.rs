//! Steps through the lines that hold something; blank lines and comments between them mean nothing.

/// A line that holds more than blanks and a comment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) start: usize,
    /// Where its text ends, before the line break.
    pub(super) end: usize,
    /// Spaces before its content.
    pub(super) indent: usize,
    /// From 0.
    pub(super) number: usize,
    /// Whether a comment stands between it and the line before.
    pub(super) is_after_comment: bool,
}

/// Where reading stands.
pub(super) struct Cursor<'t> {
    text: &'t [u8],
    at: usize,
    number: usize,
    ahead: Option<Line>,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text: text.as_bytes(), at: 0, number: 0, ahead: None }
    }

    pub(super) fn next(&mut self) -> Option<Line> {
        self.peek()?;
        self.ahead.take()
    }

    pub(super) fn peek(&mut self) -> Option<Line> {
        let mut is_after_comment = false;
        while self.ahead.is_none() && self.at < self.text.len() {
            let start = self.at;
            let indent = spaces(&self.text[start..]);
            let content = start + indent;
            let len = memchr::memchr(b'\n', &self.text[content..]);
            let end = len.map_or(self.text.len(), |len| content + len);
            if content < end {
                if self.text[content] == b'#' {
                    is_after_comment = true;
                } else {
                    self.ahead = Some(Line { start, end, indent, number: self.number, is_after_comment });
                }
            }
            self.at = end + usize::from(len.is_some());
            self.number += usize::from(len.is_some());
        }
        self.ahead
    }

    /// Goes to the start of another line.
    pub(super) fn jump(&mut self, at: usize, number: usize) {
        *self = Self { text: self.text, at, number, ahead: None };
    }

    /// Whether the text ends with blanks or a comment and no line break: yaml-rust2 then closes some collections
    /// on that line and some behind it.
    pub(super) fn ends_oddly(&self) -> bool {
        let last = memchr::memrchr(b'\n', self.text).map_or(0, |newline| newline + 1);
        let line = &self.text[last..];
        !line.is_empty() && matches!(line.get(spaces(line)), None | Some(b'#'))
    }

    /// Where yaml-rust2 sees the end of the text: on a line of its own.
    pub(super) fn end(&self) -> (usize, usize) {
        let is_broken = self.text.last().is_none_or(|&last| last == b'\n');
        (self.text.len(), self.number + usize::from(!is_broken))
    }
}

/// How many spaces a text begins with.
pub(super) fn spaces(text: &[u8]) -> usize {
    text.iter().position(|&byte| byte != b' ').unwrap_or(text.len())
}
