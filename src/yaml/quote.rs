//! Writes a string so that every YAML reader gives it back as that string. Quotes more than YAML 1.2 needs,
//! because Go, kustomize and old 1.1 readers each take other words for booleans, numbers and dates.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::scalar::{GoValue, go_value};

/// The string as it may stand as a block key or value: bare where that is safe, double-quoted otherwise.
#[must_use]
pub fn quoted(text: &str) -> Cow<'_, str> {
    if needs_quotes(text) { double_quoted(text).into() } else { text.into() }
}

/// The string in double quotes, valid as YAML and as JSON.
#[must_use]
pub fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            rare if is_unprintable(rare) => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04X}", u32::from(rare));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// Characters that readers refuse, drop or take for a line break.
pub(super) fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn needs_quotes(text: &str) -> bool {
    means_something_else(text) || is_date_or_base_sixty(text) || breaks_syntax(text)
}

fn means_something_else(text: &str) -> bool {
    matches!(text, "<<" | "=") || go_value(text) != GoValue::Text || is_loose_number(text)
}

/// Numbers of other 1.1 readers: Go's integers in any case and with `_` anywhere.
fn is_loose_number(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first))
        && text.contains('_')
        && go_value(&text.replace('_', "")) != GoValue::Text
}

fn is_date_or_base_sixty(text: &str) -> bool {
    let bytes = text.as_bytes();
    let date = bytes.len() >= 6
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && bytes[5].is_ascii_digit();
    date || is_base_sixty(text)
}

fn is_base_sixty(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut parts = unsigned.split(':');
    let first = parts.next().unwrap_or_default();
    let numeric = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    if !first.starts_with(|digit: char| digit.is_ascii_digit()) || !numeric(first) {
        return false;
    }
    let rest: Vec<&str> = parts.collect();
    let Some((last, middle)) = rest.split_last() else { return false };
    let (last, after) = last.split_once('.').unwrap_or((last, ""));
    numeric(after) && middle.iter().copied().chain([last]).all(is_sixtieth)
}

fn is_sixtieth(part: &str) -> bool {
    match part.as_bytes() {
        [one] => one.is_ascii_digit(),
        [ten, one] => (b'0'..=b'5').contains(ten) && one.is_ascii_digit(),
        _ => false,
    }
}

fn breaks_syntax(text: &str) -> bool {
    const INDICATORS: &str = "-?:,[]{}#&*!|>'\"%@`";
    text.starts_with(|first| INDICATORS.contains(first) || first == ' ')
        || text.starts_with("...")
        || text.ends_with([' ', ':'])
        || text.contains(": ")
        || text.contains(" #")
        || text.contains(is_unprintable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_that_read_as_something_else_are_quoted() {
        let words = "y No on TRUE ~ null .inf -.INF .nan << = 0755 0x1F 0XfF 0o17 0b11 1_000 +5 08 1e3 1234e56 .5 \
                     1. 2024-01-02 2024-1 12:30 190:20:30 1:59.5 -a ?b :c ,d [e ]f {g }h #i &j *k !l |m >n 'o \
                     \"p %q @r `s --- ... ...x a: 9223372036854775808";
        for word in words.split_whitespace() {
            assert_eq!(quoted(word), double_quoted(word));
        }
        for text in
            ["", " a", "a ", "a: b", "a #b", "a\tb", "a\nb", "a\rb", "\u{85}", "a\u{2028}", "\u{feff}a"]
        {
            assert_eq!(quoted(text), double_quoted(text), "{text:?}");
        }
    }

    #[test]
    fn ordinary_strings_stay_bare() {
        let words = "a a-b a:b http://x/y#z 1.2.3 v1 a_b 1a x,y a[0] tRUE 1e500 12:60 日本 😀 0b12 apps/v1";
        for word in words.split_whitespace() {
            assert_eq!(quoted(word), word);
        }
        assert_eq!(quoted("two words"), "two words");
    }

    #[test]
    fn double_quotes_hold_anything() {
        assert_eq!(
            double_quoted("a\"\\\n\r\t\u{1}\u{7f}\u{85}\u{feff}😀/"),
            r#""a\"\\\n\r\t\u0001\u007F\u0085\uFEFF😀/""#
        );
    }
}
