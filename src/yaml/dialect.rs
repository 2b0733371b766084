//! Follows the events of yaml-rust2 and finds what it takes and Go's YAML reader refuses or takes for something
//! else: tabs where indentation belongs, line breaks of YAML 1.1, colons and question marks in flow collections.
//!
//! The line reader never takes such text, so this costs only the documents that yaml-rust2 reads.

use yaml_rust2::parser::Event as Raw;
use yaml_rust2::scanner::TScalarStyle;

use super::patch::{line_start, quote_end};

/// What stands at an offset and why Go does not take it.
pub(super) type Refusal = (usize, &'static str);

/// The line breaks of YAML 1.1 that YAML 1.2 takes for ordinary characters.
const ODD_BREAKS: [&str; 3] = ["\u{85}", "\u{2028}", "\u{2029}"];

/// Whether a text holds such a line break.
pub(super) fn has_odd_breaks(text: &str) -> bool {
    ODD_BREAKS.iter().any(|odd| memchr::memmem::find(text.as_bytes(), odd.as_bytes()).is_some())
}

/// An open collection.
#[derive(Clone, Copy)]
struct Frame {
    is_flow: bool,
    is_mapping: bool,
    /// Whether the next node is a key.
    awaits_key: bool,
    /// Where its keys or dashes stand; of a block mapping unknown until its first key.
    column: Option<usize>,
}

/// The last event that stands for text.
#[derive(Clone, Copy)]
enum Last {
    Plain { at: usize },
    Quoted { close: usize },
    Block { at: usize },
    Other { at: usize },
}

/// Looks at the text between the events of one document.
pub(super) struct Dialect<'t> {
    text: &'t str,
    frames: Vec<Frame>,
    last: Last,
    /// Up to where the last scalar was looked through, and whether it ended there.
    seen: usize,
    is_over: bool,
    /// The start of the line that the last suspect stands on, and that suspect.
    line: usize,
    looked: usize,
    /// Where the comment that was found last ends.
    comment_end: usize,
    /// Offsets to look at, the last one first.
    suspects: Vec<usize>,
}

impl<'t> Dialect<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut suspects = leading_tabs(text);
        if !text.is_ascii() {
            let odd =
                |odd: &str| memchr::memmem::find_iter(text.as_bytes(), odd.as_bytes()).collect::<Vec<_>>();
            suspects.extend(ODD_BREAKS.iter().flat_map(|found| odd(found)));
        }
        suspects.sort_unstable_by(|a, b| b.cmp(a));
        let last = Last::Other { at: 0 };
        Self {
            text,
            frames: Vec::new(),
            last,
            seen: 0,
            is_over: false,
            line: 0,
            looked: 0,
            comment_end: 0,
            suspects,
        }
    }

    /// Takes an event that stands at `at`.
    pub(super) fn event(&mut self, event: &Raw, at: usize) -> Result<(), Refusal> {
        match event {
            Raw::StreamStart | Raw::DocumentStart | Raw::Nothing => Ok(()),
            Raw::DocumentEnd | Raw::StreamEnd => self.settle(self.text.len()),
            Raw::MappingStart(..) => self.open(at, true),
            Raw::SequenceStart(..) => self.open(at, false),
            Raw::MappingEnd | Raw::SequenceEnd => {
                self.settle(at)?;
                let frame = self.frames.pop();
                self.node_ends();
                if frame.is_some_and(|frame| frame.is_flow) && self.text[at..].starts_with(['}', ']']) {
                    self.last = Last::Other { at };
                }
                Ok(())
            }
            Raw::Alias(_) => {
                self.settle(at)?;
                self.place_first_key(at);
                self.node_ends();
                self.last = Last::Other { at };
                Ok(())
            }
            Raw::Scalar(text, style, ..) => self.scalar(text, *style, at),
        }
    }

    fn open(&mut self, at: usize, is_mapping: bool) -> Result<(), Refusal> {
        let bracket = if is_mapping { '{' } else { '[' };
        let is_bracket = self.text[at..].starts_with(bracket);
        let mut frame = Frame { is_flow: self.in_flow(), is_mapping, awaits_key: is_mapping, column: None };
        if !frame.is_flow && !is_mapping {
            frame.column = self.column_of_sequence(at, is_bracket);
        }
        frame.is_flow |= is_bracket && frame.column.is_none();
        if frame.is_flow && is_bracket {
            self.settle(at)?;
            self.last = Last::Other { at };
        }
        self.frames.push(frame);
        Ok(())
    }

    /// The column of a block sequence. yaml-rust2 places one without indentation of its own at its first item.
    fn column_of_sequence(&self, at: usize, is_bracket: bool) -> Option<usize> {
        let before = &self.text[line_start(self.text, at)..at];
        let in_mapping = self.frames.last().is_some_and(|parent| parent.is_mapping);
        if in_mapping && before.trim_end().ends_with('-') {
            return self.indent();
        }
        (!is_bracket).then_some(before.len())
    }

    /// The column of the innermost block collection.
    fn indent(&self) -> Option<usize> {
        self.frames.iter().rev().find_map(|frame| frame.column)
    }

    fn place_first_key(&mut self, at: usize) {
        if let Some(frame) = self.frames.last_mut()
            && frame.is_mapping
            && !frame.is_flow
            && frame.column.is_none()
        {
            frame.column = Some(at - line_start(self.text, at));
        }
    }

    fn scalar(&mut self, value: &str, style: TScalarStyle, at: usize) -> Result<(), Refusal> {
        self.settle(at)?;
        let is_flow_key = self.in_flow() && self.frames.last().is_some_and(|frame| frame.awaits_key);
        self.node_ends();
        if style == TScalarStyle::Plain && value.is_empty() {
            return Ok(());
        }
        if is_flow_key && self.key_of_several_lines(style, at) {
            return Err((at, "a key and its colon must stand on one line"));
        }
        self.place_first_key(at);
        self.last = match style {
            TScalarStyle::Plain => Last::Plain { at },
            // An empty one has no column of its own.
            TScalarStyle::Literal | TScalarStyle::Folded if value.bytes().all(|byte| byte == b'\n') => {
                Last::Other { at }
            }
            TScalarStyle::Literal | TScalarStyle::Folded => Last::Block { at },
            _ => Last::Quoted { close: quote_end(self.text.as_bytes(), at).unwrap_or(at) },
        };
        (self.seen, self.is_over) = (at, false);
        let is_key = matches!(self.last, Last::Quoted { close } if self.is_key(close));
        match style {
            TScalarStyle::DoubleQuoted if is_key && value.contains('\u{85}') => {
                Err((at, "U+0085 in a key is refused by Argo CD, remove it"))
            }
            TScalarStyle::Literal | TScalarStyle::Folded if self.in_flow() => {
                Err((at, "a block scalar inside of brackets is refused by Argo CD, put the value in quotes"))
            }
            TScalarStyle::Plain if self.in_flow() => self.plain_in_flow(value, at),
            TScalarStyle::DoubleQuoted if value.contains(is_lost_when_unescaped) => {
                Err((at, "the escape of a control character is refused by Argo CD, remove it"))
            }
            _ => Ok(()),
        }
    }

    fn node_ends(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.awaits_key = frame.is_mapping && !frame.awaits_key;
        }
    }

    /// Whether a line break stands between the start of a key in brackets and its colon.
    fn key_of_several_lines(&self, style: TScalarStyle, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        let from = if style == TScalarStyle::Plain {
            at
        } else {
            quote_end(bytes, at).map_or(bytes.len(), |close| close + 1)
        };
        let is_end = |&end: &usize| match bytes[end] {
            b',' | b'[' | b']' | b'{' | b'}' => true,
            b':' => from > at || bytes.get(end + 1).is_none_or(|next| b" \t\r\n,[]{}".contains(next)),
            _ => false,
        };
        let end = (from..bytes.len()).find(is_end);
        let is_explicit = self.text[..at].trim_end().ends_with('?');
        !is_explicit
            && end.is_some_and(|end| bytes[end] == b':' && memchr::memchr(b'\n', &bytes[at..end]).is_some())
    }

    fn in_flow(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.is_flow)
    }

    fn plain_in_flow(&self, value: &str, at: usize) -> Result<(), Refusal> {
        let next = self.text[at..].strip_prefix(value).and_then(|rest| rest.strip_prefix(':'));
        if value.contains('?') {
            Err((at, "a `?` inside of brackets is refused by Argo CD, put the value in quotes"))
        } else if value.starts_with([':', '|', '>']) {
            Err((at, "this beginning of a value in brackets is refused by Argo CD, put the value in quotes"))
        } else if next.is_some_and(|next| next.starts_with([',', '[', ']', '{', '}'])) {
            Err((at, "Argo CD takes the `:` for a part of the word, put a space behind it"))
        } else {
            Ok(())
        }
    }

    /// Judges what stands before `end` and behind the last event.
    fn settle(&mut self, end: usize) -> Result<(), Refusal> {
        while let Some(&at) = self.suspects.last().filter(|&&at| at < end) {
            self.suspects.pop();
            let newline = memchr::memrchr(b'\n', &self.text.as_bytes()[self.looked..at]);
            self.line = newline.map_or(self.line, |newline| self.looked + newline + 1);
            self.looked = at;
            let (fits, message) = if self.text.as_bytes()[at] == b'\t' {
                (self.may_be_tab(at), "a tab cannot be indentation, write spaces")
            } else {
                (
                    self.may_be_break(at),
                    "Argo CD takes this character for a line break, write it as an escape",
                )
            };
            if !fits {
                return Err((at, message));
            }
        }
        Ok(())
    }

    /// Whether Go takes a tab before the content of a line; what it does not like depends on the token before.
    fn may_be_tab(&mut self, at: usize) -> bool {
        let start = self.line;
        let column = indentation(&self.text[start..]);
        let last = self.last;
        match last {
            Last::Quoted { close } if at < close => true,
            Last::Block { at: content } => {
                self.block_goes_on(content, start) && column >= self.column(content)
            }
            Last::Plain { at: word } if start > word && self.plain_goes_on(at) => {
                self.indent().map_or(0, |indent| indent + 1) <= column
            }
            _ => self.in_flow(),
        }
    }

    /// Whether a line break of YAML 1.1 changes nothing: inside of quotes, or before nothing but a comment.
    fn may_be_break(&mut self, at: usize) -> bool {
        let width = self.text[at..].chars().next().map_or(1, char::len_utf8);
        let line = self.text[at + width..].split(['\n', '\u{85}', '\u{2028}', '\u{2029}']).next();
        let rest = line.unwrap_or_default().trim_end_matches('\r');
        let after = rest.trim_start_matches(' ');
        let last = self.last;
        match last {
            Last::Quoted { close } if at < close => !self.is_key(close),
            Last::Block { at: content } if self.block_goes_on(content, self.line) => {
                at > content && (after.is_empty() || rest.len() - after.len() >= self.column(content))
            }
            Last::Plain { at: from }
            | Last::Block { at: from }
            | Last::Quoted { close: from }
            | Last::Other { at: from } => {
                self.in_comment(from, at) && (after.is_empty() || after.starts_with('#'))
            }
        }
    }

    fn is_key(&self, close: usize) -> bool {
        self.text.get(close + 1..).unwrap_or_default().trim_start_matches([' ', '\t']).starts_with(':')
    }

    fn column(&self, at: usize) -> usize {
        at - line_start(self.text, at)
    }

    /// Whether the block scalar with content at `content` reaches the line at `start`.
    fn block_goes_on(&mut self, content: usize, start: usize) -> bool {
        let column = self.column(content);
        let inside = |line: &str| line.trim_matches([' ', '\r']).is_empty() || indentation(line) >= column;
        let from = if self.seen == content { line_start(self.text, content) } else { self.seen };
        if start > from {
            self.is_over |= !self.text[from..start].lines().all(inside);
            self.seen = start;
        }
        !self.is_over
    }

    /// Whether the plain scalar that came last reaches `end`.
    fn plain_goes_on(&mut self, end: usize) -> bool {
        let bytes = self.text.as_bytes();
        let in_flow = self.in_flow();
        let ends = |at: usize| match bytes[at] {
            b':' => bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace),
            b'#' => at > 0 && bytes[at - 1].is_ascii_whitespace(),
            b',' | b'[' | b']' | b'{' | b'}' => in_flow,
            _ => false,
        };
        self.is_over |= (self.seen..end).any(ends);
        self.seen = self.seen.max(end);
        !self.is_over
    }

    /// Whether a comment begins between `from` and `at` and reaches `at`.
    fn in_comment(&mut self, from: usize, at: usize) -> bool {
        if at < self.comment_end {
            return true;
        }
        let line = self.line;
        let begins = |found: usize| match self.text[line..line + found].chars().next_back() {
            Some(before) => before.is_whitespace(),
            None => true,
        };
        let start = line.max(from);
        let is_found = self.text[start..at].match_indices('#').any(|(found, _)| begins(start - line + found));
        if is_found {
            let bytes = self.text.as_bytes();
            self.comment_end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |len| at + len);
        }
        is_found
    }
}

fn indentation(line: &str) -> usize {
    line.bytes().take_while(|&byte| byte == b' ').count()
}

/// The first tab of every line that has nothing but spaces and indicators before it.
fn leading_tabs(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some(tab) = memchr::memchr(b'\t', &bytes[from..]).map(|tab| from + tab) {
        let start = from + memchr::memrchr(b'\n', &bytes[from..tab]).map_or(0, |newline| newline + 1);
        if is_indentation(&bytes[start..tab]) {
            found.push(tab);
        }
        from = memchr::memchr(b'\n', &bytes[tab..]).map_or(bytes.len(), |newline| tab + newline + 1);
    }
    found
}

fn is_indentation(before: &[u8]) -> bool {
    let ends = |at: usize| before.get(at + 1).is_none_or(|&next| next == b' ');
    before.iter().enumerate().all(|(at, byte)| match byte {
        b' ' => true,
        b'-' | b'?' | b':' => ends(at),
        _ => false,
    })
}

/// Argo CD writes what it read and reads that again, where these characters may not stand as they are.
fn is_lost_when_unescaped(character: char) -> bool {
    matches!(character, '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}')
}
