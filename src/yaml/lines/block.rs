//! Block scalars: `|` and `>` with the lines below them, without indentation numbers.

use yaml_rust2::scanner::TScalarStyle;

use super::cursor::{Line, spaces};
use super::{Lines, Sink};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Strip,
    Clip,
    Keep,
}

impl<S: Sink> Lines<'_, '_, '_, S> {
    /// The block scalar whose header is the rest of the line from `at`.
    pub(super) fn block(&mut self, at: usize, line: Line) -> Option<()> {
        let (style, chomping) = header(&self.text.as_bytes()[at..line.end])?;
        let mut body = Body::begin(self.text, line, self.nest.indent(), std::mem::take(&mut self.buffer))?;
        let mark = self.reader.chunk.mark(body.at, body.number, body.indent);
        body.read(style == TScalarStyle::Folded)?;
        body.chomp(chomping);
        self.cursor.jump(body.at, body.number);
        let mut value = body.value;
        if self.cursor.peek().is_none() {
            self.reader.end_last_block(&mut value, mark);
        }
        self.scalar(&value, style, mark)?;
        self.buffer = value;
        self.buffer.clear();
        Some(())
    }
}

fn header(text: &[u8]) -> Option<(TScalarStyle, Chomping)> {
    let style = if text[0] == b'|' { TScalarStyle::Literal } else { TScalarStyle::Folded };
    let (chomping, rest) = match text.get(1) {
        Some(b'-') => (Chomping::Strip, &text[2..]),
        Some(b'+') => (Chomping::Keep, &text[2..]),
        _ => (Chomping::Clip, &text[1..]),
    };
    rest.iter().all(|&byte| byte == b' ').then_some((style, chomping))
}

/// The lines of a block scalar.
struct Body<'t> {
    text: &'t [u8],
    /// Where reading stands: on content, then on the line behind the scalar.
    at: usize,
    number: usize,
    indent: usize,
    value: String,
    source: &'t str,
    /// Empty lines since the last content.
    blanks: usize,
    /// Whether the last content ends with a line break.
    is_broken: bool,
}

impl<'t> Body<'t> {
    /// The body below a header, if it has content further right than `parent`.
    fn begin(source: &'t str, header: Line, parent: usize, value: String) -> Option<Self> {
        let text = source.as_bytes();
        let (mut at, mut blanks, mut widest) = (header.end + 1, 0, 0);
        loop {
            let indent = spaces(text.get(at..)?);
            let first = *text.get(at + indent)?;
            at += indent;
            if first != b'\n' {
                let number = header.number + 1 + blanks;
                let fits = indent > parent && indent >= widest && first != b'\t';
                return fits.then_some(Self {
                    text,
                    at,
                    number,
                    indent,
                    value,
                    source,
                    blanks,
                    is_broken: false,
                });
            }
            widest = widest.max(indent);
            blanks += 1;
            at += 1;
        }
    }

    fn read(&mut self, folds: bool) -> Option<()> {
        let mut after_indented = false;
        loop {
            let len = memchr::memchr(b'\n', &self.text[self.at..]);
            let end = len.map_or(self.text.len(), |len| self.at + len);
            let is_indented = matches!(self.text[self.at], b' ' | b'\t');
            if folds && self.is_broken && !after_indented && !is_indented {
                self.value.push_str(if self.blanks == 0 { " " } else { "" });
            } else if self.is_broken {
                self.value.push('\n');
            }
            self.push_blanks();
            after_indented = is_indented;
            self.value.push_str(&self.source[self.at..end]);
            self.is_broken = len.is_some();
            self.at = end + usize::from(self.is_broken);
            self.number += usize::from(self.is_broken);
            if !self.is_broken || !self.skip_to_content()? {
                return Some(());
            }
        }
    }

    /// Goes over empty lines, and says whether content of this scalar follows.
    fn skip_to_content(&mut self) -> Option<bool> {
        loop {
            let line = &self.text[self.at..];
            let blank = spaces(&line[..line.len().min(self.indent)]);
            match line.get(blank) {
                // A last line of blanks has rules of its own.
                None => return (blank == 0).then_some(false),
                Some(b'\n') => {
                    self.blanks += 1;
                    self.number += 1;
                    self.at += blank + 1;
                }
                Some(_) if blank == self.indent => {
                    self.at += blank;
                    return Some(true);
                }
                // A repair may turn these tabs into spaces, and the line into content.
                Some(b'\t') => return None,
                Some(_) => return Some(false),
            }
        }
    }

    fn chomp(&mut self, chomping: Chomping) {
        if chomping != Chomping::Strip {
            // yaml-rust2 makes up the line break at the end of the text.
            self.value.push('\n');
        }
        if chomping == Chomping::Keep {
            self.push_blanks();
        }
    }

    fn push_blanks(&mut self) {
        self.value.extend(std::iter::repeat_n('\n', std::mem::take(&mut self.blanks)));
    }
}
