//! Plain scalars of several lines, as older generators write descriptions.

use super::cursor::Line;
use super::word::{Word, trimmed};
use super::{Lines, Mark, Sink};

impl<S: Sink> Lines<'_, '_, '_, S> {
    /// The plain scalar that begins with `word` at the end of `line` and goes on below.
    pub(super) fn plain_lines(&mut self, word: &Word<'_>, mark: Mark, line: Line) -> Option<()> {
        if word.after != line.end {
            return None;
        }
        let mut value = std::mem::take(&mut self.buffer);
        value.push_str(&word.text);
        let (indent, mut last) = (self.nest.indent(), line.number);
        while let Some(next) = self.cursor.peek().filter(|next| next.indent > indent) {
            let blanks = next.number - last - 1;
            value.push_str(if blanks == 0 { " " } else { "" });
            value.extend(std::iter::repeat_n('\n', blanks));
            value.push_str(continued(self.text, next)?);
            last = next.number;
            self.cursor.next();
        }
        if self.goes_on() {
            return None;
        }
        self.scalar(&value, word.style, mark)?;
        value.clear();
        self.buffer = value;
        Some(())
    }
}

/// The part of a plain scalar on a further line, unless a comment or a colon ends it there.
fn continued(text: &str, line: Line) -> Option<&str> {
    let bytes = &text.as_bytes()[..line.end];
    let start = line.start + line.indent;
    let ends = |at: usize| match bytes[at] {
        b':' => matches!(bytes.get(at + 1), None | Some(b' ')),
        b'#' => bytes[at - 1] == b' ',
        _ => true,
    };
    let mut found = memchr::memchr3_iter(b':', b'#', b'\t', &bytes[start..]);
    let is_whole = !line.is_after_comment && !found.any(|at| ends(start + at));
    is_whole.then(|| &text[start..trimmed(bytes, line.end)])
}
