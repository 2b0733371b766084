//! Text from files → text for terminals and logs: what moves the cursor, colours, or begins a line of its own is shown
//! as an escape, so that a manifest cannot write a message in our name.

use std::borrow::Cow;

/// A text that stays on its line.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, is_unprintable)
}

/// A text of several lines; all but the first are indented, as no message begins.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    let text = escaped(text, |character| character != '\n' && is_unprintable(character));
    let is_indented = text.split('\n').skip(1).all(|line| line.is_empty() || line.starts_with("  "));
    if is_indented { text } else { text.replace('\n', "\n  ").into() }
}

/// The width of a column; a text beyond what a terminal has room for pushes its own line only.
#[must_use]
pub fn width<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    const WIDEST: usize = 80;
    texts.map(|text| line(text).chars().count()).max().unwrap_or(0).min(WIDEST)
}

/// Control characters, and those that turn the direction of what follows or end a line elsewhere.
fn is_unprintable(character: char) -> bool {
    let turns =
        matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}');
    character != '\t' && (character.is_control() || turns)
}

fn escaped(text: &str, is_unprintable: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_unprintable) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_unprintable(character) {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_a_file_can_look_like_a_message_of_ours() {
        for (text, as_line, as_lines) in [
            ("plain – text\t", "plain – text\t", "plain – text\t"),
            ("a\u{1b}[31mb\r", "a\\u{1b}[31mb\\r", "a\\u{1b}[31mb\\r"),
            ("a\nx.yaml:1: error[fake]", "a\\nx.yaml:1: error[fake]", "a\n  x.yaml:1: error[fake]"),
            ("a\n  b", "a\\n  b", "a\n  b"),
            ("\u{9b}31m\u{202e}x\u{7f}", "\\u{9b}31m\\u{202e}x\\u{7f}", "\\u{9b}31m\\u{202e}x\\u{7f}"),
        ] {
            assert_eq!((&*line(text), &*lines(text)), (as_line, as_lines));
        }
    }
}
