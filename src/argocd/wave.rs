//! Annotations to the sync wave. A wave that is no integer is not an error: Argo CD then takes Helm's weight, else 0,
//! also for objects that are no Helm hooks.

use super::names::{HELM_WEIGHT, WAVE};
use super::{Annotations, annotation};

/// The wave Argo CD puts an object with these annotations into.
#[must_use]
pub fn wave(annotations: &Annotations) -> i64 {
    [WAVE, HELM_WEIGHT].into_iter().find_map(|key| parse_wave(annotation(annotations, key)?)).unwrap_or(0)
}

/// A wave as Go's `strconv.Atoi` reads it: sign and decimal digits, nothing else.
#[must_use]
pub fn parse_wave(text: &str) -> Option<i64> {
    // Rust's integer grammar is the same.
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_is_read_as_go_reads_an_integer() {
        for (text, expected) in [
            ("1", Some(1)),
            ("-5", Some(-5)),
            ("+5", Some(5)),
            ("007", Some(7)),
            ("-0", Some(0)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("", None),
            ("+", None),
            ("-", None),
            ("--1", None),
            (" 5", None),
            ("5 ", None),
            ("5.0", None),
            ("0x5", None),
            ("1_0", None),
            ("1e1", None),
            ("٣", None),
        ] {
            assert_eq!(parse_wave(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_wave_annotation_counts_then_the_helm_weight_then_zero() {
        for (wave_text, weight_text, expected) in [
            (None, None, 0),
            (Some("1"), None, 1),
            (None, Some("1"), 1),
            (Some("2"), Some("3"), 2),
            (Some("x"), Some("3"), 3),
            (Some(""), Some("3"), 3),
            (Some("x"), Some("y"), 0),
            (Some("x"), None, 0),
        ] {
            let annotations: Vec<_> = [(WAVE, wave_text), (HELM_WEIGHT, weight_text)]
                .into_iter()
                .filter_map(|(key, value)| Some((key.to_owned(), value?.to_owned())))
                .collect();
            assert_eq!(wave(&annotations), expected, "{annotations:?}");
        }
    }
}
