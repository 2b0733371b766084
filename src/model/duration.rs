//! Lengths of time as Flux's CRD takes them: `90s`, `5m`, `1h30m`, `10m0s`, `500ms`.

use std::time::Duration;

/// Units by spelling, longest spelling first so that `ms` is not read as `m`.
const UNITS: &[(&str, f64)] = &[("ms", 0.001), ("h", 3600.0), ("m", 60.0), ("s", 1.0)];

/// Nothing takes longer than ten years; sums of such lengths fit every type that counts them.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// What a message says of a text that is no length of time.
#[must_use]
pub fn help(text: &str) -> &'static str {
    match seconds(text) {
        Some(_) => "write no more than ten years, `87600h`",
        None => "write it like `90s` or `5m`",
    }
}

/// The length a text means, if it is one of at most ten years.
#[must_use]
pub fn parse(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds(text)?).ok().filter(|length| *length <= LONGEST)
}

fn seconds(text: &str) -> Option<f64> {
    let mut rest = text;
    let mut seconds = 0.0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|character: char| !character.is_ascii_digit() && character != '.')?;
        let (whole, fraction) = rest[..digits].split_once('.').unwrap_or((&rest[..digits], "0"));
        if whole.is_empty() || fraction.is_empty() {
            return None;
        }
        let number: f64 = rest[..digits].parse().ok()?;
        let (unit, factor) = UNITS.iter().find(|(unit, _)| rest[digits..].starts_with(unit))?;
        seconds += number * factor;
        rest = &rest[digits + unit.len()..];
    }
    Some(seconds)
}

/// Whether Argo CD reads it: whole seconds, or what Go's `time.ParseDuration` takes.
#[must_use]
pub fn is_known_to_go(text: &str) -> bool {
    let bare = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_digit = |letter: char| letter.is_ascii_digit();
    if !bare.is_empty() && bare.chars().all(is_digit) {
        return true;
    }
    let mut rest = bare;
    while let Some(at) = rest.find(|letter: char| !is_digit(letter) && letter != '.') {
        let (number, behind) = rest.split_at(at);
        let unit =
            ["ns", "us", "µs", "μs", "ms", "s", "m", "h"].into_iter().find(|unit| behind.starts_with(unit));
        let Some(unit) = unit.filter(|_| number.contains(is_digit) && number.matches('.').count() < 2) else {
            return false;
        };
        rest = &behind[unit.len()..];
    }
    !bare.is_empty() && rest.is_empty()
}

/// The shortest text for a length: `5m`, `1m30s`, `0s`.
#[must_use]
pub fn text(length: Duration) -> String {
    let seconds = length.as_secs() + u64::from(length.subsec_millis() >= 500);
    let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")];
    let text: String = parts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, unit)| format!("{number}{unit}"))
        .collect();
    if text.is_empty() { "0s".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_and_written_as_go_does() {
        for (written, seconds, shown) in [
            ("90s", 90.0, "1m30s"),
            ("5m", 300.0, "5m"),
            ("10m0s", 600.0, "10m"),
            ("1h30m", 5400.0, "1h30m"),
            ("1.5m", 90.0, "1m30s"),
            ("500ms", 0.5, "1s"),
            ("0s", 0.0, "0s"),
        ] {
            let length = parse(written).unwrap();
            assert_eq!((length.as_secs_f64(), text(length).as_str()), (seconds, shown), "{written}");
        }
        for wrong in [
            "",
            "5",
            "m",
            "5 m",
            "-5m",
            "5x",
            "1..2m",
            "five",
            ".5m",
            "5.m",
            " 5m",
            "5m ",
            "87601h",
            "5000000000000000h",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        assert_eq!(parse("87600h"), Some(LONGEST));
    }

    #[test]
    fn argo_cd_reads_seconds_and_the_lengths_of_go() {
        for (text, known) in [
            ("5", true),
            ("-5", true),
            ("2m", true),
            ("1h30m", true),
            ("1.5h", true),
            (".5s", true),
            ("100us", true),
            ("7 weeks", false),
            ("2d", false),
            ("m", false),
            ("1.2.3s", false),
            ("5m3", false),
            ("", false),
        ] {
            assert_eq!(is_known_to_go(text), known, "{text}");
        }
    }
}
