//! Tools show a value as it is, or as Go quotes it, or inside JSON or YAML, or as `b64enc` made it for a Secret.

use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD, Engine};

/// Digits from which on a number may be shown in another way than it was written.
const LONG_NUMBER: usize = 7;

/// How a value may be written in a message.
pub(super) fn forms(value: &str) -> impl Iterator<Item = String> {
    let json = escaped(value, json_escape);
    let texts = [
        value.to_owned(),
        escaped(value, go_escape),
        escaped(value, |char| html_escape(char).or_else(|| json_escape(char))),
        json,
        value.replace('\'', "''"),
        // Without the filling, which may or may not follow.
        BASE64_STANDARD_NO_PAD.encode(value),
        BASE64_URL_SAFE_NO_PAD.encode(value),
    ];
    texts.into_iter().chain(rewritten(value))
}

/// A long number with its digits in groups, and as helm shows it once it has been a float; the power of ten follows.
fn rewritten(number: &str) -> Vec<String> {
    let digits = number.trim_start_matches('-');
    if digits.len() < LONG_NUMBER || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let (first, rest) = digits.split_at(1);
    let fraction = rest.trim_end_matches('0');
    // With fewer digits it could be any number.
    let is_long = fraction.len() + 1 >= LONG_NUMBER;
    [grouped(digits)].into_iter().chain(is_long.then(|| format!("{first}.{fraction}"))).collect()
}

fn grouped(digits: &str) -> String {
    let (first, rest) = digits.split_at((digits.len() - 1) % 3 + 1);
    let mut text = first.to_owned();
    for group in rest.as_bytes().chunks(3) {
        text.push(',');
        text.extend(group.iter().map(|digit| char::from(*digit)));
    }
    text
}

/// What Go's `%v` makes of bytes, which kustomize shows of a line that is no text.
pub(super) fn decimal(bytes: &[u8]) -> String {
    bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(" ")
}

fn escaped(value: &str, escape: fn(char) -> Option<String>) -> String {
    value.chars().map(|char| escape(char).unwrap_or_else(|| char.to_string())).collect()
}

/// What Go's `%q` makes of a character that it does not leave (strconv/quote.go).
fn go_escape(char: char) -> Option<String> {
    Some(match char {
        '\x07' => "\\a".to_owned(),
        '\x08' => "\\b".to_owned(),
        '\x0b' => "\\v".to_owned(),
        '\x0c' => "\\f".to_owned(),
        '"' | '\\' | '\n' | '\r' | '\t' => return common_escape(char),
        _ if char.is_ascii_control() => format!("\\x{:02x}", u32::from(char)),
        _ => return None,
    })
}

fn json_escape(char: char) -> Option<String> {
    match char {
        '\x08' => Some("\\b".to_owned()),
        '\x0c' => Some("\\f".to_owned()),
        _ => common_escape(char)
            .or_else(|| (u32::from(char) < 0x20).then(|| format!("\\u{:04x}", u32::from(char)))),
    }
}

/// What Go's JSON escapes besides, for browsers (encoding/json/encode.go).
fn html_escape(char: char) -> Option<String> {
    matches!(char, '<' | '>' | '&' | '\u{2028}' | '\u{2029}').then(|| format!("\\u{:04x}", u32::from(char)))
}

fn common_escape(char: char) -> Option<String> {
    let escape = match char {
        '"' => "\\\"",
        '\\' => "\\\\",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        _ => return None,
    };
    Some(escape.to_owned())
}
