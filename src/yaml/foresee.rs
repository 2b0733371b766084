//! Guesses which quoted scalars further down stand too far left as well, so that one new start repairs them
//! all. It reads lines, not YAML: a guess counts only once the parser has seen it inside a quoted scalar.

use super::patch::{after_keys, header_in, quote_end};

/// The starts of the lines after `from` that continue such scalars, in order.
pub(super) fn lines(text: &str, from: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = next_line(text, from);
    while at < text.len() {
        let end = next_line(text, at);
        let line = text[at..end].trim_end_matches(['\r', '\n']);
        at = match opened_quote(text, at, line) {
            Some(close) => {
                found.extend(continuation(text, at, close));
                next_line(text, close)
            }
            None if header_in(line).is_some() => after_block(text, at, end),
            None => end,
        };
    }
    found
}

fn next_line(text: &str, at: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |newline| at + newline + 1)
}

/// Where the quoted value ends that begins on this line and goes on behind it.
fn opened_quote(text: &str, start: usize, line: &str) -> Option<usize> {
    let value = after_keys(line);
    let value = value + line[value..].len() - line[value..].trim_start().len();
    let quote = line.as_bytes().get(value)?;
    let close = matches!(quote, b'"' | b'\'').then(|| quote_end(text.as_bytes(), start + value)).flatten()?;
    (close >= start + line.len()).then_some(close)
}

/// The lines up to `close`, if any of them stands no further right than the line that begins the scalar.
fn continuation(text: &str, start: usize, close: usize) -> Vec<usize> {
    let margin = spaces(&text[start..]);
    let starts =
        memchr::memchr_iter(b'\n', &text.as_bytes()[start..close]).map(|newline| start + newline + 1);
    let outdented = |line: usize| spaces(&text[line..]) <= margin && !text[line..].starts_with(['\r', '\n']);
    let lines: Vec<usize> = starts.collect();
    if lines.iter().any(|&line| outdented(line)) { lines } else { Vec::new() }
}

/// The first line that may no longer belong to the block scalar below the line at `start`.
fn after_block(text: &str, start: usize, end: usize) -> usize {
    let margin = spaces(&text[start..]);
    let mut at = end;
    while at < text.len() {
        let next = next_line(text, at);
        if !text[at..next].trim().is_empty() && spaces(&text[at..]) <= margin {
            break;
        }
        at = next;
    }
    at
}

fn spaces(text: &str) -> usize {
    text.bytes().take_while(|&byte| byte == b' ').count()
}
