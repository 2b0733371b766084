//! Says what Go's YAML 1.1 reader makes of a plain scalar. Kubernetes sees Go's answer, so YAML 1.2 rules would
//! get `yes`, `0755` and `1234e56` wrong.

use std::borrow::Cow;

use serde_json::Value;

/// What a plain scalar means to Go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GoValue {
    /// Nothing: empty, `~` or `null`.
    Null,
    /// `true`, `yes`, `on`, `y` and their opposites.
    Bool(bool),
    /// A whole number that fits 64 bits with sign.
    Int(i64),
    /// A whole number that only fits 64 bits without sign.
    Uint(u64),
    /// Any other number, `.inf` and `.nan` among them.
    Float(f64),
    /// The text itself.
    Text,
}

/// Resolves a plain scalar as Go does.
#[must_use]
pub fn go_value(text: &str) -> GoValue {
    let Some(&first) = text.as_bytes().first() else { return GoValue::Null };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => word(text),
        b'.' => infinity(text).or_else(|| fraction(text)).map_or(GoValue::Text, GoValue::Float),
        b'+' | b'-' | b'0'..=b'9' => number(text),
        _ => GoValue::Text,
    }
}

fn word(text: &str) -> GoValue {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            GoValue::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            GoValue::Bool(false)
        }
        "~" | "null" | "Null" | "NULL" => GoValue::Null,
        _ => GoValue::Text,
    }
}

fn infinity(text: &str) -> Option<f64> {
    match text {
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Some(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => Some(f64::NAN),
        _ => None,
    }
}

/// Whether a plain scalar is a number that JSON cannot hold, so that Go refuses it.
pub(super) fn is_infinite(text: &str) -> bool {
    matches!(text.len(), 4 | 5) && infinity(text).is_some()
}

fn number(text: &str) -> GoValue {
    if let Some(infinite) = infinity(text) {
        return GoValue::Float(infinite);
    }
    let digits: Cow<'_, str> =
        if text.contains('_') { text.replace('_', "").into() } else { Cow::Borrowed(text) };
    integer(&digits).or_else(|| fraction(&digits).map(GoValue::Float)).unwrap_or(GoValue::Text)
}

fn integer(text: &str) -> Option<GoValue> {
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (radix, digits) = based(unsigned);
    if digits.is_empty() || !digits.bytes().all(|digit| char::from(digit).is_digit(radix)) {
        return None;
    }
    let size = u64::from_str_radix(digits, radix).ok()?;
    if negative {
        return 0i64.checked_sub_unsigned(size).map(GoValue::Int);
    }
    match i64::try_from(size) {
        Ok(int) => Some(GoValue::Int(int)),
        // Go's unsigned reader takes no sign.
        Err(_) => (!text.starts_with('+')).then_some(GoValue::Uint(size)),
    }
}

fn based(unsigned: &str) -> (u32, &str) {
    let bytes = unsigned.as_bytes();
    match (bytes.first(), bytes.get(1)) {
        (Some(b'0'), Some(b'x' | b'X')) => (16, &unsigned[2..]),
        (Some(b'0'), Some(b'o' | b'O')) => (8, &unsigned[2..]),
        (Some(b'0'), Some(b'b' | b'B')) => (2, &unsigned[2..]),
        (Some(b'0'), Some(_)) => (8, &unsigned[1..]),
        _ => (10, unsigned),
    }
}

fn fraction(text: &str) -> Option<f64> {
    if !is_decimal(text) {
        return None;
    }
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// Whether the text is a decimal number, with or without fraction and exponent.
pub(super) fn is_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mantissa_fits = match mantissa.split_once('.') {
        Some(("", after)) => digits(after),
        Some((before, after)) => digits(before) && (after.is_empty() || digits(after)),
        None => digits(mantissa),
    };
    mantissa_fits && exponent.is_none_or(|part| digits(part.strip_prefix(['-', '+']).unwrap_or(part)))
}

/// Whether Go reads the scalar as a string.
#[must_use]
pub fn is_string(text: &str, plain: bool) -> bool {
    !plain || go_value(text) == GoValue::Text
}

/// The scalar as JSON; what JSON cannot hold (`.inf`, `.nan`) stays text.
#[must_use]
pub fn to_json(text: &str, plain: bool) -> Value {
    if !plain {
        return Value::from(text);
    }
    match go_value(text) {
        GoValue::Null => Value::Null,
        GoValue::Bool(value) => Value::from(value),
        GoValue::Int(value) => Value::from(value),
        GoValue::Uint(value) => Value::from(value),
        GoValue::Float(value) => float_to_json(text, value),
        GoValue::Text => Value::from(text),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
fn float_to_json(text: &str, value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e18 {
        return Value::from(value as i64);
    }
    serde_json::Number::from_f64(value).map_or_else(|| Value::from(text), Value::Number)
}

/// The key that Go makes of a plain key, or `None` where it would refuse it (null).
#[expect(clippy::cast_possible_truncation, reason = "Go prints float keys with 32 bits")]
pub(super) fn go_key(text: &str) -> Option<Cow<'_, str>> {
    match go_value(text) {
        GoValue::Null => None,
        GoValue::Bool(value) => Some(if value { "true" } else { "false" }.into()),
        GoValue::Int(value) => Some(value.to_string().into()),
        GoValue::Uint(value) => Some(value.to_string().into()),
        GoValue::Float(value) if value.is_finite() => Some((value as f32).to_string().into()),
        GoValue::Float(_) | GoValue::Text => Some(text.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_row_of_the_dialect_table_resolves_as_go_does() {
        let truths = "y Y yes Yes YES on On ON true True TRUE";
        let lies = "n N no No NO off Off OFF false False FALSE";
        let texts = "1e500 1.2.3 0b12 0o8 1e Infinity NaN tRUE 12:30 190:20:30 2024-01-02 \
                     2024-01-02T03:04:05Z = 1,000 << a -- +- . .. -. 0x yES nULL ~a 1__x";
        let rows = [(truths, json!(true)), (lies, json!(false)), ("~ null Null NULL", json!(null))];
        for (words, value) in rows {
            for word in words.split(' ') {
                assert_eq!(to_json(word, true), value, "{word}");
            }
        }
        for text in texts.split_whitespace() {
            assert_eq!(to_json(text, true), json!(text));
            assert!(is_string(text, true), "{text}");
        }
        assert_eq!(to_json("", true), json!(null));
    }

    #[test]
    fn numbers_resolve_as_go_does() {
        let rows = [
            ("0755", json!(493)),
            ("-0755", json!(-493)),
            ("0o755", json!(493)),
            ("0x1F", json!(31)),
            ("0X1f", json!(31)),
            ("0b101", json!(5)),
            ("-0b101", json!(-5)),
            ("1_000", json!(1000)),
            ("+5", json!(5)),
            ("0", json!(0)),
            ("08", json!(8)),
            ("0123456789", json!(123_456_789)),
            ("1e3", json!(1000)),
            ("12345e6", json!(12_345_000_000_u64)),
            ("1234e56", json!(1234e56)),
            (".5", json!(0.5)),
            ("1.", json!(1)),
            ("1.20", json!(1.2)),
            ("9223372036854775807", json!(i64::MAX)),
            ("-9223372036854775808", json!(i64::MIN)),
            ("9223372036854775808", json!(9_223_372_036_854_775_808_u64)),
            ("18446744073709551616", json!(18_446_744_073_709_551_616.0)),
        ];
        for (text, value) in rows {
            assert_eq!(to_json(text, true), value, "{text}");
            assert_eq!(to_json(text, false), json!(text));
            assert!(!is_string(text, true));
        }
        assert_eq!(go_value(".inf"), GoValue::Float(f64::INFINITY));
        assert_eq!(go_value("-.INF"), GoValue::Float(f64::NEG_INFINITY));
        assert!(matches!(go_value(".nan"), GoValue::Float(nan) if nan.is_nan()));
    }

    #[test]
    fn keys_are_rendered_as_go_renders_them() {
        let rows =
            [("010", "8"), ("1.10", "1.1"), ("0x10", "16"), ("1e3", "1000"), ("y", "true"), ("name", "name")];
        for (text, key) in rows {
            assert_eq!(go_key(text).as_deref(), Some(key));
        }
        assert_eq!(go_key("~"), None);
    }
}
