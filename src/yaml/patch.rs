//! Small looks into the text of a document: where a quoted scalar ends, what stands after a key, which line
//! ending is used. Each answers `None` where the text is not plain enough to be sure.

use std::ops::Range;

/// The start of the line that holds `at`.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |newline| newline + 1)
}

/// The line ending in use at `at`.
pub(super) fn line_ending(text: &str, at: usize) -> &'static str {
    let bytes = text.as_bytes();
    let newline =
        memchr::memchr(b'\n', &bytes[at..]).map(|found| found + at).or_else(|| memchr::memrchr(b'\n', bytes));
    match newline {
        Some(newline) if newline > 0 && bytes[newline - 1] == b'\r' => "\r\n",
        _ => "\n",
    }
}

/// The spaces before `at`, if nothing else precedes it on its line.
pub(super) fn indentation(text: &str, at: usize) -> Option<&str> {
    let before = &text[line_start(text, at)..at];
    before.bytes().all(|byte| byte == b' ').then_some(before)
}

/// The range of the quoted scalar at `at`, quotes included, if it ends on its line.
pub(super) fn quoted_range(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let quote = *bytes.get(at)?;
    let mut next = at + 1;
    loop {
        match *bytes.get(next)? {
            b'\n' | b'\r' => return None,
            b'\\' if quote == b'"' => next += 2,
            b'\'' if quote == b'\'' && bytes.get(next + 1) == Some(&b'\'') => next += 2,
            byte if byte == quote => return Some(at..next + 1),
            _ => next += 1,
        }
    }
}

/// The text of the key at `at` and the offset after its colon; `None` for keys with escapes and `? ` keys.
pub(super) fn key_at(text: &str, at: usize) -> Option<(&str, usize)> {
    let bytes = text.as_bytes();
    let (key, end) = if matches!(bytes.get(at)?, b'"' | b'\'') {
        let range = quoted_range(text, at)?;
        (&text[range.start + 1..range.end - 1], range.end)
    } else {
        let end = plain_key_end(bytes, at)?;
        (text[at..end].trim_end_matches([' ', '\t']), end)
    };
    let colon = end + bytes[end..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let odd = bytes[at] == b'"' && key.contains('\\') || bytes[at] == b'\'' && key.contains('\'');
    (bytes.get(colon) == Some(&b':') && !odd).then_some((key, colon + 1))
}

fn plain_key_end(bytes: &[u8], at: usize) -> Option<usize> {
    let line =
        bytes[at..].iter().position(|byte| matches!(byte, b'\n' | b'\r')).map_or(bytes.len(), |n| at + n);
    (at..line).find(|&colon| {
        bytes[colon] == b':' && bytes.get(colon + 1).is_none_or(|next| b" \t\r\n,[]{}".contains(next))
    })
}

/// Whether the block scalar whose content begins at `content` runs up to the end of the text.
pub(super) fn reaches_end(text: &str, content: usize) -> bool {
    let last = line_start(text, text.len());
    let indent = |line: usize| text[line..].bytes().take_while(|&byte| byte == b' ').count();
    if last <= line_start(text, content) {
        return content < text.len() && last == line_start(text, content) && !is_header(text, content);
    }
    let needed = content - line_start(text, content);
    indent(last) >= needed && last + indent(last) < text.len()
}

fn is_header(text: &str, at: usize) -> bool {
    text[at..].starts_with(['|', '>']) && indentation(text, at).is_none()
}

/// What to replace, and by what, so that the block scalar with content at `content` drops its last line break.
pub(super) fn strip_indicator(text: &str, content: usize) -> Option<(Range<usize>, &'static str)> {
    let body = line_start(text, content);
    let mut start = line_start(text, body.checked_sub(1)?);
    while text[start..body].trim().is_empty() {
        start = line_start(text, start.checked_sub(1)?);
    }
    let line = text[start..body].lines().next()?;
    let header = header_in(line)?;
    let indicators: &str = &line[header + 1..];
    let len = indicators.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-')).count();
    let at = start + header + 1;
    match indicators[..len].find(['+', '-']) {
        Some(sign) if indicators.as_bytes()[sign] == b'-' => None,
        Some(sign) => Some((at + sign..at + sign + 1, "-")),
        None => Some((at + len..at + len, "-")),
    }
}

/// The offset of the `|` or `>` that ends the line, apart from its indicators and a comment.
fn header_in(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let from = after_keys(line);
    (from..line.len()).find(|&at| {
        let starts = matches!(bytes[at], b'|' | b'>') && (at == 0 || matches!(bytes[at - 1], b' ' | b'\t'));
        let rest = line.get(at + 1..).unwrap_or_default();
        let after =
            rest.trim_start_matches(|indicator: char| indicator.is_ascii_digit() || "+-".contains(indicator));
        let comment = after.starts_with([' ', '\t']) && after.trim_start().starts_with('#');
        starts && (after.trim().is_empty() || comment)
    })
}

/// The offset after the dashes and the key of a line.
fn after_keys(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mut at = 0;
    while bytes.get(at) == Some(&b' ')
        || (matches!(bytes.get(at), Some(b'-' | b'?')) && bytes.get(at + 1) == Some(&b' '))
    {
        at += 1;
    }
    key_at(line, at).map_or(at, |(_, after)| after)
}
