//! Keeps values out of what tools say: a template may put any of its values into its error message.
//!
//! Tools show a value as it is, or as Go quotes it, or inside JSON or YAML, or as `b64enc` made it for a Secret.

use std::collections::BTreeSet;

use crate::yaml::tree::{Node, Value};

/// Shorter texts are words such as `true` or `dev`, and cutting those out would leave no message.
const SHORTEST_SECRET: usize = 6;

/// Texts that must not be shown.
#[derive(Debug, Default)]
pub struct Redaction(BTreeSet<String>);

impl Redaction {
    /// Hides every scalar of a tree.
    pub fn hide(&mut self, node: &Node) {
        match &node.value {
            Value::Scalar { text, .. } => self.hide_text(text),
            Value::Sequence(items) => items.iter().for_each(|item| self.hide(item)),
            Value::Mapping(entries) => entries.iter().for_each(|(_, value)| self.hide(value)),
        }
    }

    /// Hides a text, and each line of it: messages often show one line.
    pub fn hide_text(&mut self, text: &str) {
        if text.trim().len() >= SHORTEST_SECRET {
            self.0.insert(text.to_owned());
        }
        for line in text.lines().map(str::trim).filter(|line| line.len() >= SHORTEST_SECRET) {
            self.0.insert(line.to_owned());
        }
    }

    /// Hides what another hides, too.
    pub fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The text with `***` where a hidden one stood, in whatever form.
    #[must_use]
    pub fn applied(&self, text: &str) -> String {
        let mut hidden: Vec<String> = self
            .0
            .iter()
            .flat_map(|hidden| forms(hidden))
            .filter(|form| text.contains(form.as_str()))
            .collect();
        // Longest first, so that a part never leaves the rest of a longer one.
        hidden.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        hidden.dedup();
        hidden.iter().fold(text.to_owned(), |text, hidden| text.replace(hidden.as_str(), "***"))
    }
}

/// How a value may be written in a message.
fn forms(value: &str) -> [String; 7] {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_cut_out_whole() {
        let mut redaction = Redaction::default();
        for text in ["hunter2-long", "hunter2", "dev", "line one\nline two"] {
            redaction.hide_text(text);
        }
        assert_eq!(
            redaction.applied("bad: hunter2-long, hunter2 in dev: line two"),
            "bad: ***, *** in dev: ***"
        );
    }

    #[test]
    fn a_value_is_hidden_in_every_form_a_tool_gives_it() {
        for (value, shown) in [
            ("pa\"ss<word>", r#"pa"ss<word>"#),
            ("pa\"ss<word>", r#"pa\"ss<word>"#),
            ("pa\"ss<word>", r#"pa\"ss\u003cword\u003e"#),
            ("tab\there\u{1}x", r"tab\there\x01x"),
            ("tab\there\u{1}x", r"tab\there\u0001x"),
            ("it's mine", "it''s mine"),
            ("secret", "c2VjcmV0"),
            ("secrets", "c2VjcmV0cw"),
            ("secrets!", "c2VjcmV0cyE"),
            ("\u{3ff}\u{3ff}\u{3ff}", "z7/Pv8+/"),
            ("\u{3ff}\u{3ff}\u{3ff}", "z7_Pv8-_"),
            ("line one\nline two\n", "bGluZSBvbmUKbGluZSB0d28K"),
        ] {
            let mut redaction = Redaction::default();
            redaction.hide_text(value);
            assert_eq!(redaction.applied(&format!("bad <{shown}>")), "bad <***>", "{value}");
        }
    }
}
