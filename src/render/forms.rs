//! Tools show a value as it is, or as Go quotes it, or inside JSON or YAML, or as `b64enc` made it for a Secret.

use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD, Engine};

/// How a value may be written in a message.
pub(super) fn forms(value: &str) -> [String; 7] {
    let json = escaped(value, json_escape);
    [
        value.to_owned(),
        escaped(value, go_escape),
        escaped(value, |char| html_escape(char).or_else(|| json_escape(char))),
        json,
        value.replace('\'', "''"),
        // Without the filling, which may or may not follow.
        BASE64_STANDARD_NO_PAD.encode(value),
        BASE64_URL_SAFE_NO_PAD.encode(value),
    ]
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
