//! The tags of YAML that promise a type: Go refuses a value that is of another one.

use yaml_rust2::parser::Tag;

use super::scalar::{GoValue, go_value};

const CORE: &str = "tag:yaml.org,2002:";

/// What is wrong about a scalar with a tag.
pub(super) fn refusal(tag: &Tag, text: &str) -> Option<String> {
    let whole = format!("{}{}", tag.handle, tag.suffix);
    let name = whole.strip_prefix(CORE)?;
    let value = go_value(text);
    let fits = match name {
        "int" => matches!(value, GoValue::Int(_) | GoValue::Uint(_)),
        "float" => matches!(value, GoValue::Int(_) | GoValue::Uint(_) | GoValue::Float(_)),
        "bool" => matches!(value, GoValue::Bool(_)),
        "null" => value == GoValue::Null,
        "binary" => is_base64(text),
        "timestamp" => begins_date(text),
        _ => true,
    };
    (!fits).then(|| format!("the value is no `!!{name}`, as its tag says"))
}

/// As Go reads it: padded, and with line breaks anywhere.
fn is_base64(text: &str) -> bool {
    let bytes = || text.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r'));
    let len = bytes().count();
    let padding = text.trim_end_matches(['\n', '\r']);
    let padding = padding.len() - padding.trim_end_matches('=').len();
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    len.is_multiple_of(4) && padding <= 2 && padding < len.max(1) && bytes().take(len - padding).all(is_digit)
}

fn begins_date(text: &str) -> bool {
    let (year, rest) = text.split_at_checked(4).unwrap_or_default();
    year.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_must_be_what_its_tag_says() {
        let rows = [
            ("int", "5 -0x1f 0b1 18446744073709551615", "foo 5.0 1e3 yes ~"),
            ("float", "5 1.5 .5 1e3 1_0.5", "foo yes ~"),
            ("bool", "yes true off", "5 foo"),
            ("null", "~ null", "foo 0"),
            ("binary", "aGk= aGkh gA==", "### aGk aGk=aGk= ==== ~"),
            ("timestamp", "2020-01-01 2020-1-1T00:00:00Z", "foo 20-1-1"),
            ("str", "5 foo", ""),
            ("map", "foo", ""),
        ];
        for (name, good, bad) in rows {
            let tag = Tag { handle: CORE.to_owned(), suffix: name.to_owned() };
            for text in good.split_whitespace() {
                assert_eq!(refusal(&tag, text), None, "{name} {text}");
            }
            for text in bad.split_whitespace() {
                assert!(refusal(&tag, text).is_some(), "{name} {text}");
            }
        }
        let own = Tag { handle: "!".to_owned(), suffix: "int".to_owned() };
        assert_eq!(refusal(&own, "foo"), None);
    }
}
