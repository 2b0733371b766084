//! Finds JSON objects in a file, and rewrites the JSON that YAML readers refuse: tabs between tokens, `\/`
//! and surrogate escapes. Lines stay where they are, so places in the file stay right.

use std::sync::Arc;

use serde::de::IgnoredAny;

use super::{Chunk, Mark};

/// The objects of a file that is a stream of JSON objects, or `None` if it is anything else.
pub(super) fn stream(file: &Arc<String>, begin: usize) -> Option<Vec<Chunk>> {
    let text = &file[begin..];
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let mut chunks = Vec::new();
    let (mut mark, mut counted) = (Mark { offset: begin, line: 1, column: 1 }, 0);
    loop {
        let before = values.byte_offset();
        let start = before + text[before..].len() - text[before..].trim_start().len();
        match values.next() {
            None => return Some(chunks),
            Some(Err(_)) => return None,
            Some(Ok(IgnoredAny)) => {}
        }
        mark = advanced(mark, &text[counted..start]);
        counted = start;
        chunks.push(normal(Chunk::slice(file, begin + start..begin + values.byte_offset(), mark)));
    }
}

/// The place behind a text that begins at `mark`.
fn advanced(mark: Mark, text: &str) -> Mark {
    let newlines = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let last = text.rsplit('\n').next().unwrap_or(text).chars().count();
    let column = if newlines == 0 { mark.column + last } else { last + 1 };
    Mark { offset: mark.offset + text.len(), line: mark.line + newlines, column }
}

/// The chunk itself, or where it is JSON that only JSON readers take, the same JSON as YAML readers take it.
pub(super) fn readable(chunk: Chunk) -> Chunk {
    let text = chunk.text();
    let is_json = text.trim_start().starts_with('{')
        && needs_change(text)
        && serde_json::from_str::<IgnoredAny>(text).is_ok();
    if is_json { normal(chunk) } else { chunk }
}

fn needs_change(json: &str) -> bool {
    memchr::memchr2(b'\t', b'\\', json.as_bytes()).is_some()
}

fn normal(chunk: Chunk) -> Chunk {
    if !needs_change(chunk.text()) {
        return chunk;
    }
    match rewritten(chunk.text()) {
        Some(text) => Chunk::owned(text, chunk.start(), 0),
        None => chunk,
    }
}

/// The JSON with tabs, `\/` and surrogate escapes replaced, or `None` if it has none.
fn rewritten(json: &str) -> Option<String> {
    let mut out = String::with_capacity(json.len());
    let mut changed = false;
    let mut in_string = false;
    let mut rest = json;
    while let Some(at) = rest.find(['"', '\\', '\t']) {
        out.push_str(&rest[..at]);
        let found = &rest[at..];
        let (new, used) = match found.as_bytes()[0] {
            b'"' => {
                in_string = !in_string;
                ("\"".to_owned(), 1)
            }
            b'\t' if in_string => ("\t".to_owned(), 1),
            b'\t' => (" ".to_owned(), 1),
            _ => escape(found),
        };
        changed |= new != found[..used];
        out.push_str(&new);
        rest = &found[used..];
    }
    out.push_str(rest);
    changed.then_some(out)
}

/// The escape at the start of `text` as YAML takes it, and how many bytes it used.
fn escape(text: &str) -> (String, usize) {
    if text.starts_with("\\/") {
        return ("/".to_owned(), 2);
    }
    if let Some(astral) = surrogate_pair(text) {
        return (astral.to_string(), 12);
    }
    let used = 1 + text[1..].chars().next().map_or(0, char::len_utf8);
    (text[..used].to_owned(), used)
}

fn surrogate_pair(text: &str) -> Option<char> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let high = unit(0)?;
    char::decode_utf16([high, unit(6)?]).next()?.ok().filter(|astral| astral.len_utf16() == 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(file: &str) -> Option<Vec<String>> {
        stream(&Arc::new(file.to_owned()), 0)
            .map(|chunks| chunks.iter().map(|chunk| chunk.text().to_owned()).collect())
    }

    #[test]
    fn a_json_stream_gives_its_objects() {
        let found = texts("{\"a\":1}{\"b\":2}\n {\"c\":3}\n").unwrap();
        assert_eq!(found, [r#"{"a":1}"#, r#"{"b":2}"#, r#"{"c":3}"#]);
        assert_eq!(
            stream(&Arc::new("{}\n\n  {}".to_owned()), 0).unwrap()[1].start(),
            Mark { offset: 6, line: 3, column: 3 }
        );
    }

    #[test]
    fn what_is_not_json_is_left_to_yaml() {
        for text in ["{a: b}", "a: b", "{\"a\": 1}\n---\nb: c", "{\"a\": 1} # c", ""] {
            assert_eq!(texts(text), None, "{text}");
        }
    }

    #[test]
    fn json_that_yaml_readers_refuse_is_rewritten_in_its_lines() {
        let found = texts("{\n\t\"a\\/b\": \"\\ud83d\\ude00\\\\/ \\\" \\u00e9\"\n}").unwrap();
        assert_eq!(found, ["{\n \"a/b\": \"😀\\\\/ \\\" \\u00e9\"\n}"]);
    }
}
