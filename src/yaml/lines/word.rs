//! A plain or quoted scalar that ends on its line, and whether a colon makes it a key.

use std::borrow::Cow;

use yaml_rust2::scanner::TScalarStyle;

/// A scalar on one line.
pub(super) struct Word<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) style: TScalarStyle,
    pub(super) is_key: bool,
    /// Behind its colon, or behind the closing quote of a value.
    pub(super) after: usize,
}

/// yaml-rust2 takes nothing longer than 1024 characters for a key.
const LONGEST_KEY: usize = 1000;

impl<'t> Word<'t> {
    /// The scalar at `at` of a line that ends at `end`; nothing but a comment may follow a value.
    pub(super) fn read(text: &'t str, at: usize, end: usize) -> Option<Self> {
        let word = match text.as_bytes()[at] {
            b'"' | b'\'' => Self::quoted(text, at, end)?.placed(text, end)?,
            _ => Self::plain(text, at, end)?,
        };
        (!word.is_key || word.after - at <= LONGEST_KEY).then_some(word)
    }

    fn plain(text: &'t str, at: usize, end: usize) -> Option<Self> {
        let bytes = &text.as_bytes()[..end];
        if !begins_plain(bytes[at], bytes.get(at + 1).copied()) {
            return None;
        }
        let word = |stop: usize, after, is_key| {
            let text = Cow::Borrowed(&text[at..stop]);
            Self { text, style: TScalarStyle::Plain, is_key, after }
        };
        for found in memchr::memchr3_iter(b':', b'#', b'\t', &bytes[at..]) {
            let found = at + found;
            match bytes[found] {
                b':' if matches!(bytes.get(found + 1), None | Some(b' ')) => {
                    // Blanks before the colon are allowed, and rare.
                    return (bytes[found - 1] != b' ').then(|| word(found, found + 1, true));
                }
                b'#' if bytes[found - 1] == b' ' => {
                    return Some(word(trimmed(bytes, found), found, false));
                }
                b'\t' => return None,
                _ => {}
            }
        }
        Some(word(trimmed(bytes, end), end, false))
    }

    /// The quoted scalar at `at`, whatever follows it.
    pub(super) fn quoted(text: &'t str, at: usize, end: usize) -> Option<Self> {
        let bytes = &text.as_bytes()[..end];
        let (style, escape) = match bytes[at] {
            b'"' => (TScalarStyle::DoubleQuoted, b'\\'),
            _ => (TScalarStyle::SingleQuoted, b'\''),
        };
        let close = super::super::patch::quote_end(bytes, at)?;
        let inside = &text[at + 1..close];
        if memchr::memchr(b'\t', inside.as_bytes()).is_some() {
            return None;
        }
        let text = if memchr::memchr(escape, inside.as_bytes()).is_none() {
            Cow::Borrowed(inside)
        } else if escape == b'\\' {
            Cow::Owned(unescaped(inside)?)
        } else {
            Cow::Owned(inside.replace("''", "'"))
        };
        Some(Self { text, style, is_key: false, after: close + 1 })
    }

    /// The quoted scalar with what follows it taken into account, as outside of flow collections.
    fn placed(mut self, text: &str, end: usize) -> Option<Self> {
        let rest = &text.as_bytes()[self.after..end];
        if rest.first() == Some(&b':') {
            self.is_key = true;
            self.after += 1;
            return matches!(rest.get(1), None | Some(b' ')).then_some(self);
        }
        is_over(rest).then_some(self)
    }
}

/// Whether only blanks or a comment are left of a line.
pub(super) fn is_over(rest: &[u8]) -> bool {
    match rest.iter().position(|&byte| byte != b' ') {
        None => true,
        Some(blanks) => blanks > 0 && rest[blanks] == b'#',
    }
}

/// The first characters of plain scalars that need no second thought.
pub(super) fn begins_plain(first: u8, second: Option<u8>) -> bool {
    match first {
        b'-' => second.is_some_and(|second| !matches!(second, b' ' | b'\t')),
        b'_' | b'/' | b'.' | b'(' | b'~' | b'=' | b'$' | b'+' | b'<' | b'^' | b'\\' | b';' | b')' => true,
        other => other.is_ascii_alphanumeric() || other >= 0x80,
    }
}

/// Where the text before `end` ends without its last spaces.
pub(super) fn trimmed(bytes: &[u8], end: usize) -> usize {
    bytes[..end].iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1)
}

/// The text with the escapes that occur in manifests resolved.
fn unescaped(inside: &str) -> Option<String> {
    let mut out = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        out.push(match rest.as_bytes().get(at + 1)? {
            b'n' => '\n',
            b't' => '\t',
            b'"' => '"',
            b'\\' => '\\',
            _ => return None,
        });
        rest = &rest[at + 2..];
    }
    out.push_str(rest);
    Some(out)
}
