//! What the API server takes as keys and values of labels and annotations.

/// Longest name part of a key, and longest value of a label.
const LONGEST: usize = 63;
/// Longest prefix of a key.
const LONGEST_PREFIX: usize = 253;

/// What is wrong with a key of a label or annotation, if anything is.
#[must_use]
pub fn key_fault(key: &str) -> Option<&'static str> {
    let (prefix, name) = key.rsplit_once('/').map_or((None, key), |(prefix, name)| (Some(prefix), name));
    if prefix.is_some_and(|prefix| !is_domain(prefix)) {
        return Some("what stands before its `/` is no domain name");
    }
    if name.is_empty() {
        return Some("it has no name");
    }
    word_fault(name)
}

/// What is wrong with a value of a label, if anything is.
#[must_use]
pub fn value_fault(value: &str) -> Option<&'static str> {
    if value.is_empty() { None } else { word_fault(value) }
}

fn word_fault(word: &str) -> Option<&'static str> {
    let is_inner = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    if word.len() > LONGEST {
        Some("it has more than 63 characters")
    } else if !word.chars().all(is_inner) {
        Some("it may hold only letters, digits, `-`, `_` and `.`")
    } else if !word.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        || !word.ends_with(|letter: char| letter.is_ascii_alphanumeric())
    {
        Some("it must start and end with a letter or digit")
    } else {
        None
    }
}

fn is_domain(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part
                .chars()
                .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-')
    };
    text.len() <= LONGEST_PREFIX && text.split('.').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_are_judged_as_the_api_server_does() {
        let long = "x".repeat(64);
        for (key, fits) in [
            ("app", true),
            ("example.com/rollout-phase", true),
            ("A_b.c", true),
            ("bad key", false),
            ("-a", false),
            ("", false),
            ("example.com/", false),
            ("Example.com/a", false),
            ("a/b/c", false),
            (long.as_str(), false),
        ] {
            assert_eq!(key_fault(key).is_none(), fits, "{key}");
        }
        for (value, fits) in [
            ("", true),
            ("155", true),
            ("two words", false),
            ("a/b", false),
            ("a.", false),
            (long.as_str(), false),
        ] {
            assert_eq!(value_fault(value).is_none(), fits, "{value}");
        }
    }
}
