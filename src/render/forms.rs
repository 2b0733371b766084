//! Tools show a value as it is, or as Go quotes it, or inside JSON or YAML, or as `b64enc` made it for a Secret.

/// How a value may be written in a message.
pub(super) fn forms(value: &str) -> [String; 7] {
    let json = escaped(value, json_escape);
    [
        value.to_owned(),
        escaped(value, go_escape),
        escaped(value, |char| html_escape(char).or_else(|| json_escape(char))),
        json,
        value.replace('\'', "''"),
        base64(value.as_bytes(), *b"+/"),
        base64(value.as_bytes(), *b"-_"),
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

/// Base64 with the last two digits given, without the filling, which may or may not follow.
fn base64(bytes: &[u8], last: [u8; 2]) -> String {
    let digits: Vec<u8> = (b'A'..=b'Z').chain(b'a'..=b'z').chain(b'0'..=b'9').chain(last).collect();
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | usize::from(three.get(at).copied().unwrap_or(0)));
        for at in 0..=three.len() {
            text.push(char::from(digits[bits >> (18 - 6 * at) & 63]));
        }
    }
    text
}
