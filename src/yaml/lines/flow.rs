//! Flow collections that end on their line and hold short, ordinary scalars.

use std::borrow::Cow;

use yaml_rust2::scanner::TScalarStyle;

use super::cursor::Line;
use super::word::{Word, begins_plain, is_over, trimmed};
use super::{Event, Lines, Properties, Shape, Sink};

/// A part of a flow collection and where it stands.
pub(super) struct Token<'t> {
    at: usize,
    part: Part<'t>,
}

enum Part<'t> {
    Mapping,
    Sequence,
    End { is_sequence: bool },
    Scalar(Cow<'t, str>, TScalarStyle),
}

/// yaml-rust2 stops at 255 levels.
const DEEPEST: usize = 64;

impl<S: Sink> Lines<'_, '_, '_, S> {
    /// The flow collection at `at`, sent only when all of it is understood.
    pub(super) fn flow(&mut self, at: usize, line: Line) -> Option<()> {
        let mut tokens = std::mem::take(&mut self.flow);
        tokens.clear();
        Scan { text: self.text, at, end: line.end, tokens: &mut tokens, open: Vec::new() }.collection()?;
        for Token { at, part } in &tokens {
            let mark = self.mark(*at, line);
            match part {
                Part::Mapping => {
                    self.sent(|reader| reader.mapping(&Properties::NONE, (mark, Shape::FlowMapping)))?;
                }
                Part::Sequence => self.sent(|reader| reader.sequence(&Properties::NONE, mark))?,
                Part::End { is_sequence: true } => {
                    self.sent(|reader| reader.close(Event::SequenceEnd, mark))?;
                }
                Part::End { is_sequence: false } => {
                    self.sent(|reader| reader.close(Event::MappingEnd, mark))?;
                }
                Part::Scalar(text, style) => self.scalar(text, *style, mark)?,
            }
        }
        self.flow = tokens;
        Some(())
    }
}

struct Scan<'t, 'v> {
    text: &'t str,
    at: usize,
    end: usize,
    tokens: &'v mut Vec<Token<'t>>,
    /// Whether each open collection is a sequence.
    open: Vec<bool>,
}

impl<'t> Scan<'t, '_> {
    fn collection(mut self) -> Option<()> {
        loop {
            // A value begins here.
            match self.byte()? {
                first @ (b'[' | b'{') => {
                    self.begin(first == b'[')?;
                    if !self.closes()? {
                        self.key()?;
                        continue;
                    }
                }
                _ => self.scalar()?,
            }
            // A value ended here.
            while self.closes()? {
                if self.open.is_empty() {
                    return is_over(&self.text.as_bytes()[self.at..self.end]).then_some(());
                }
            }
            if self.open.is_empty() {
                return is_over(&self.text.as_bytes()[self.at..self.end]).then_some(());
            }
            self.blanks();
            self.take(b',')?;
            self.blanks();
            self.key()?;
        }
    }

    fn begin(&mut self, is_sequence: bool) -> Option<()> {
        let part = if is_sequence { Part::Sequence } else { Part::Mapping };
        self.tokens.push(Token { at: self.at, part });
        self.open.push(is_sequence);
        self.at += 1;
        self.blanks();
        (self.open.len() <= DEEPEST).then_some(())
    }

    /// Takes the bracket that ends the innermost collection, if it stands here.
    fn closes(&mut self) -> Option<bool> {
        let Some(&is_sequence) = self.open.last() else { return Some(false) };
        let mut at = self.at;
        while self.text.as_bytes()[..self.end].get(at) == Some(&b' ') {
            at += 1;
        }
        let wanted = if is_sequence { b']' } else { b'}' };
        if *self.text.as_bytes()[..self.end].get(at)? != wanted {
            return Some(false);
        }
        self.tokens.push(Token { at, part: Part::End { is_sequence } });
        self.open.pop();
        self.at = at + 1;
        Some(true)
    }

    /// In a mapping, the key and its colon.
    fn key(&mut self) -> Option<()> {
        if self.open.last() == Some(&true) {
            return Some(());
        }
        self.scalar()?;
        let is_merge =
            matches!(self.tokens.last(), Some(Token { part: Part::Scalar(text, _), .. }) if text == "<<");
        if is_merge {
            return None;
        }
        self.take(b':')?;
        self.take(b' ')?;
        self.blanks();
        Some(())
    }

    fn scalar(&mut self) -> Option<()> {
        let at = self.at;
        let (text, style) = match self.byte()? {
            b'"' | b'\'' => {
                let word = Word::quoted(self.text, at, self.end)?;
                self.at = word.after;
                (word.text, word.style)
            }
            _ => (Cow::Borrowed(self.plain()?), TScalarStyle::Plain),
        };
        self.tokens.push(Token { at, part: Part::Scalar(text, style) });
        Some(())
    }

    /// A plain scalar up to a comma, a bracket or a colon that ends a key.
    fn plain(&mut self) -> Option<&'t str> {
        let bytes = &self.text.as_bytes()[..self.end];
        let start = self.at;
        let is_usual =
            |at: usize| bytes.get(at).is_some_and(|&byte| byte > b' ' && !b",[]{}:#\"'?".contains(&byte));
        if !begins_plain(bytes[start], Some(b'a')) || !is_usual(start) {
            return None;
        }
        let mut at = start;
        loop {
            match bytes.get(at)? {
                b':' if !is_usual(at + 1) => break,
                // yaml-rust2 refuses some of these.
                b'-' if bytes.get(at + 1).is_some_and(|next| b",[]{}".contains(next)) => return None,
                b' ' | b':' => {}
                _ if is_usual(at) => {}
                b',' | b']' | b'}' => break,
                _ => return None,
            }
            at += 1;
        }
        self.at = trimmed(bytes, at);
        // A dash alone, or before a blank, begins no scalar.
        let text = &self.text[start..self.at];
        (text != "-" && !text.starts_with("- ")).then_some(text)
    }

    fn take(&mut self, wanted: u8) -> Option<()> {
        (self.byte()? == wanted).then(|| self.at += 1)
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes()[..self.end].get(self.at).copied()
    }

    fn blanks(&mut self) {
        while self.byte() == Some(b' ') {
            self.at += 1;
        }
    }
}
