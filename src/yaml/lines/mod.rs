//! Reads the YAML that nearly every manifest is written in, line by line and many times as fast as yaml-rust2.
//!
//! It sends the events yaml-rust2 would send, and stops before the first thing it is not sure of: `None` in
//! this folder always means "let yaml-rust2 decide". That then reads on behind the events already sent.

mod block;
mod cursor;
mod flow;
mod nest;
mod plain;
mod word;

use std::cell::Cell;

use yaml_rust2::scanner::TScalarStyle;

use super::outline::Shape;
use super::reader::{Properties, Reader};
use super::{Event, Mark, Sink};
use cursor::{Cursor, Line};
use nest::{Nest, Step};
use word::Word;

impl<S: Sink> Reader<'_, S> {
    /// Whether the whole document was read; otherwise `done` says how many events were sent.
    pub(super) fn read_lines(&mut self) -> bool {
        let text = self.chunk.text();
        if self.chunk.begins_inside_line() || memchr::memchr(b'\r', text.as_bytes()).is_some() {
            return false;
        }
        let is_ascii = text.is_ascii();
        if !is_ascii && super::dialect::has_odd_breaks(text) {
            return false;
        }
        let lines = Lines {
            text,
            is_ascii,
            marked: Cell::default(),
            cursor: Cursor::new(text),
            nest: Nest::default(),
            buffer: String::new(),
            flow: Vec::new(),
            reader: self,
        };
        lines.document().is_some()
    }
}

/// The state of reading one document by its lines.
struct Lines<'t, 'r, 'a, S> {
    text: &'t str,
    is_ascii: bool,
    /// The offset marked last, and its column: a long line is counted once.
    marked: Cell<(usize, usize)>,
    cursor: Cursor<'t>,
    nest: Nest,
    /// The value of the scalar of several lines at hand.
    buffer: String,
    /// The tokens of the flow collection at hand.
    flow: Vec<flow::Token<'t>>,
    reader: &'a mut Reader<'r, S>,
}

impl<S: Sink> Lines<'_, '_, '_, S> {
    fn document(mut self) -> Option<()> {
        self.cursor.peek()?;
        self.reader.begin_document();
        while let Some(line) = self.cursor.next() {
            self.line(line)?;
        }
        if self.cursor.ends_oddly() {
            return None;
        }
        let (at, number) = self.cursor.end();
        let end = self.reader.chunk.mark(at, number, 0);
        self.finish_value(end)?;
        self.close_down_to(0, end)
    }

    fn line(&mut self, line: Line) -> Option<()> {
        let at = line.start + line.indent;
        let bytes = self.text.as_bytes();
        let is_marker = line.indent == 0 && matches!(bytes.get(at..at + 3), Some(b"---" | b"..."));
        if is_marker {
            return None;
        }
        if bytes[at] == b'-' && bytes.get(at + 1) == Some(&b' ') {
            return self.dash(line, at);
        }
        let key = Word::read(self.text, at, line.end)?;
        if !key.is_key {
            return None;
        }
        let step = self.nest.step(line.indent, false)?;
        let mark = self.mark(at, line);
        self.settle(&step, mark)?;
        if step.opens {
            self.open_mapping(line.indent, mark)?;
        }
        self.entry(&key, mark, line)
    }

    /// A line that begins with a dash.
    fn dash(&mut self, line: Line, at: usize) -> Option<()> {
        let step = self.nest.step(line.indent, true)?;
        let content = self.item_after(at, line)?;
        let dash = self.mark(at, line);
        self.settle(&step, dash)?;
        if step.opens {
            // Without indentation of its own, a sequence has no token; yaml-rust2 places it at its first item.
            let begin = if step.is_indentless { self.mark(content, line) } else { dash };
            self.open_sequence(line.indent, step.is_indentless, begin)?;
        }
        self.item(line, content)
    }

    /// The item at `at`, behind its dash.
    fn item(&mut self, line: Line, mut at: usize) -> Option<()> {
        let bytes = self.text.as_bytes();
        while bytes[at] == b'-' && bytes.get(at + 1) == Some(&b' ') {
            let content = self.item_after(at, line)?;
            let dash = self.mark(at, line);
            self.open_sequence(at - line.start, false, dash)?;
            at = content;
        }
        if matches!(bytes[at], b'|' | b'>' | b'[' | b'{') {
            return self.node(at, line);
        }
        let word = Word::read(self.text, at, line.end)?;
        let mark = self.mark(at, line);
        if !word.is_key {
            return self.value(&word, mark, line);
        }
        self.open_mapping(at - line.start, mark)?;
        self.entry(&word, mark, line)
    }

    /// A key and what stands behind it on its line.
    fn entry(&mut self, key: &Word<'_>, mark: Mark, line: Line) -> Option<()> {
        if key.text == "<<" {
            return None;
        }
        self.scalar(&key.text, key.style, mark)?;
        let Some(value) = self.content_after(key.after, line) else {
            self.nest.awaits_value = true;
            return Some(());
        };
        self.node(value, line)
    }

    /// A whole value or item that begins at `at`.
    fn node(&mut self, at: usize, line: Line) -> Option<()> {
        match self.text.as_bytes()[at] {
            b'|' | b'>' => return self.block(at, line),
            b'[' | b'{' => return self.flow(at, line),
            _ => {}
        }
        let word = Word::read(self.text, at, line.end)?;
        let mark = self.mark(at, line);
        self.value(&word, mark, line)
    }

    fn value(&mut self, word: &Word<'_>, mark: Mark, line: Line) -> Option<()> {
        if word.is_key {
            return None;
        }
        if word.style == TScalarStyle::Plain && self.goes_on() {
            return self.plain_lines(word, mark, line);
        }
        self.scalar(&word.text, word.style, mark)
    }

    /// Whether the next line may belong to a plain scalar on this one.
    fn goes_on(&mut self) -> bool {
        let indent = self.nest.indent();
        let bytes = self.text.as_bytes();
        self.cursor
            .peek()
            .is_some_and(|next| next.indent > indent || bytes[next.start + next.indent] == b'\t')
    }

    /// The offset of the item behind the dash at `at`; tabs between them would move the marks.
    fn item_after(&self, at: usize, line: Line) -> Option<usize> {
        self.content_after(at + 1, line).filter(|&content| self.text.as_bytes()[content] != b'\t')
    }

    /// The offset of what follows on the line, unless that is nothing or a comment.
    fn content_after(&self, from: usize, line: Line) -> Option<usize> {
        let rest = &self.text.as_bytes()[from..line.end];
        let at = from + rest.iter().position(|&byte| byte != b' ')?;
        (self.text.as_bytes()[at] != b'#').then_some(at)
    }

    /// Closes what ends before this line, a key that got no value first.
    fn settle(&mut self, step: &Step, mark: Mark) -> Option<()> {
        if step.ends_value {
            self.finish_value(mark)?;
        }
        self.nest.awaits_value = false;
        self.close_down_to(step.keep, mark)
    }

    fn finish_value(&mut self, mark: Mark) -> Option<()> {
        if std::mem::take(&mut self.nest.awaits_value) {
            self.scalar("", TScalarStyle::Plain, mark)?;
        }
        Some(())
    }

    fn close_down_to(&mut self, keep: usize, mark: Mark) -> Option<()> {
        while self.nest.depth() > keep {
            let event = if self.nest.close() { Event::SequenceEnd } else { Event::MappingEnd };
            self.sent(|reader| reader.close(event, mark))?;
        }
        Some(())
    }

    fn open_mapping(&mut self, indent: usize, mark: Mark) -> Option<()> {
        self.nest.open_mapping(indent);
        self.sent(|reader| reader.mapping(&Properties::NONE, (mark, Shape::BlockMapping)))
    }

    fn open_sequence(&mut self, indent: usize, is_indentless: bool, mark: Mark) -> Option<()> {
        self.nest.open_sequence(indent, is_indentless);
        self.sent(|reader| reader.sequence(&Properties::NONE, mark))
    }

    fn scalar(&mut self, text: &str, style: TScalarStyle, mark: Mark) -> Option<()> {
        self.sent(|reader| reader.scalar(text, style, &Properties::NONE, mark))
    }

    /// Sends one event and counts it. One that the reader refuses is left to yaml-rust2, which may have met a
    /// mistake in the text before it.
    fn sent(&mut self, send: impl FnOnce(&mut Reader<'_, S>) -> Result<(), super::YamlError>) -> Option<()> {
        send(self.reader).ok()?;
        self.reader.done += 1;
        Some(())
    }

    fn mark(&self, at: usize, line: Line) -> Mark {
        let column = if self.is_ascii { at - line.start } else { self.characters(at, line) };
        self.reader.chunk.mark(at, line.number, column)
    }

    /// How many characters stand before `at` on its line.
    fn characters(&self, at: usize, line: Line) -> usize {
        let (from, before) = match self.marked.get() {
            last if (line.start..=at).contains(&last.0) => last,
            _ => (line.start, 0),
        };
        let column = before + self.text[from..at].chars().count();
        self.marked.set((at, column));
        column
    }
}
