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
    let end = quote_end(text.as_bytes(), at)?;
    (!text[at..end].contains(['\n', '\r'])).then_some(at..end + 1)
}

/// The offset of the quote that ends the scalar at `start`, on whatever line.
pub(super) fn quote_end(bytes: &[u8], start: usize) -> Option<usize> {
    let quote = *bytes.get(start)?;
    let mut at = start + 1;
    loop {
        match *bytes.get(at)? {
            b'\\' if quote == b'"' => at += 2,
            b'\'' if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') => at += 2,
            byte if byte == quote => return Some(at),
            _ => at += 1,
        }
    }
}

/// The text of the key at `at` as it is written, quotes included, and the offset after its colon; `None` for
/// keys that are not followed by a colon on their line (`? ` keys).
pub(super) fn key_source(text: &str, at: usize) -> Option<(&str, usize)> {
    let bytes = text.as_bytes();
    let end = match bytes.get(at)? {
        b'"' | b'\'' => quoted_range(text, at)?.end,
        _ => plain_key_end(bytes, at)?,
    };
    let colon = end + bytes[end..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let key = text[at..end].trim_end_matches([' ', '\t']);
    (bytes.get(colon) == Some(&b':') && !key.is_empty()).then_some((key, colon + 1))
}

/// The text of the key at `at` without its quotes; `None` also for keys with escapes.
pub(super) fn key_text(text: &str, at: usize) -> Option<&str> {
    let (source, _) = key_source(text, at)?;
    let (escape, inner) = match source.as_bytes() {
        [b'"', .., b'"'] => ('\\', &source[1..source.len() - 1]),
        [b'\'', .., b'\''] => ('\'', &source[1..source.len() - 1]),
        _ => return Some(source),
    };
    (!inner.contains(escape)).then_some(inner)
}

fn plain_key_end(bytes: &[u8], at: usize) -> Option<usize> {
    let line =
        bytes[at..].iter().position(|byte| matches!(byte, b'\n' | b'\r')).map_or(bytes.len(), |n| at + n);
    (at..line).find(|&colon| {
        bytes[colon] == b':' && bytes.get(colon + 1).is_none_or(|next| b" \t\r\n".contains(next))
    })
}

/// Whether the last block scalar of a text is empty and drops the blank lines after it; `at` is its header then.
pub(super) fn ends_with_empty_block(text: &str, at: usize) -> bool {
    if indentation(text, at).is_some() || !text[at..].starts_with(['|', '>']) {
        return false;
    }
    let (header, rest) = text[at..].split_once('\n').unwrap_or((&text[at..], ""));
    let is_kept = header.split('#').next().is_some_and(|header| header.contains('+')) && rest.contains('\n');
    rest.trim().is_empty() && !is_kept
}

/// The offset behind the `|` or `>` of the block scalar whose content begins at `content`, and its indicators.
pub(super) fn block_header(text: &str, content: usize) -> Option<(usize, &str)> {
    let body = line_start(text, content);
    let mut start = line_start(text, body.checked_sub(1)?);
    while text[start..body].trim().is_empty() {
        start = line_start(text, start.checked_sub(1)?);
    }
    let line = text[start..body].lines().next()?;
    let after = header_in(line)? + 1;
    let indicators = &line[after..];
    let len = indicators.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-')).count();
    Some((start + after, &indicators[..len]))
}

/// The offset of the `|` or `>` that ends the line, apart from its indicators and a comment.
pub(super) fn header_in(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let from = after_keys(line);
    (from..line.len()).find(|&at| {
        let starts = matches!(bytes[at], b'|' | b'>') && (at == 0 || matches!(bytes[at - 1], b' ' | b'\t'));
        starts && is_header_end(&line[at + 1..])
    })
}

/// Whether nothing but indicators and a comment follow.
fn is_header_end(rest: &str) -> bool {
    let is_indicator = |indicator: char| indicator.is_ascii_digit() || "+-".contains(indicator);
    let after = rest.trim_start_matches(is_indicator).trim_start();
    after.is_empty() || after.starts_with('#')
}

/// The offset after the dashes and the key of a line.
pub(super) fn after_keys(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mut at = 0;
    while bytes.get(at) == Some(&b' ')
        || (matches!(bytes.get(at), Some(b'-' | b'?')) && bytes.get(at + 1) == Some(&b' '))
    {
        at += 1;
    }
    key_source(line, at).map_or(at, |(_, after)| after)
}
