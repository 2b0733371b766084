//! What a template says itself, by `fail` or `required`, or by what it gave to a function that could not: values may be in
//! there in any form, also in one that no list of values shows. So only words that stand in templates are shown of it.

use std::ops::Range;

/// How helm announces what `fail` and `required` say; the place follows.
const SAID: &str = "execution error at (";
/// What helm says behind it.
const BEHIND: &str = "\n\nUse --debug";
/// What Go says of a function that could not; what it was given stands in quotes.
const CALLED: &str = "error calling ";
/// The folder of templates in a path.
const TEMPLATES: &str = "templates/";
/// What quotes.
const QUOTES: [char; 2] = ['"', '`'];

/// The words of a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_part = |c: char| c.is_alphanumeric() || JOINS.contains(&c);
    let mut from = 0;
    std::iter::from_fn(move || {
        let begin = from + text[from..].find(is_part)?;
        let end = text[begin..].find(|c| !is_part(c)).map_or(text.len(), |length| begin + length);
        from = end;
        Some(trimmed(text, begin..end))
    })
    .filter(|word| !word.is_empty())
}

/// Characters that join parts to one word, and end none.
const JOINS: [char; 4] = ['_', '-', '.', '/'];

fn trimmed(text: &str, word: Range<usize>) -> Range<usize> {
    let whole = &text[word.clone()];
    let begin = whole.len() - whole.trim_start_matches(JOINS).len();
    let length = whole.trim_matches(JOINS).len();
    word.start + begin..word.start + begin + length
}

/// Words in what templates say that nobody knows. Nothing is told of a template that was not seen, as in a packed chart.
pub(super) fn unknown(
    text: &str,
    is_known: &dyn Fn(&str) -> bool,
    is_template: &dyn Fn(&str) -> bool,
) -> Vec<Range<usize>> {
    let mut said = Vec::new();
    for (at, _) in text.match_indices(SAID) {
        let Some((place, message)) = text[at + SAID.len()..].split_once("): ") else { continue };
        if is_seen(place, is_template) {
            let begin = text.len() - message.len();
            said.push(begin..message.find(BEHIND).map_or(text.len(), |length| begin + length));
        }
    }
    if let Some(at) = text.find(CALLED).filter(|at| is_seen(&text[..*at], is_template)) {
        said.extend(quoted(text, at));
    }
    let is_unknown =
        |word: &Range<usize>| !is_known(&text[word.clone()]) && !is_seen(&text[word.clone()], is_template);
    let within = |part: Range<usize>| {
        words(&text[part.clone()]).map(move |word| part.start + word.start..part.start + word.end)
    };
    said.into_iter().flat_map(within).filter(is_unknown).collect()
}

/// Whether a text names a template that was seen.
fn is_seen(text: &str, is_template: &dyn Fn(&str) -> bool) -> bool {
    text.match_indices(TEMPLATES).any(|(at, _)| {
        let path = &text[at..];
        let end = path.find(|c: char| c.is_whitespace() || "\":)".contains(c)).unwrap_or(path.len());
        is_template(&path[..end])
    })
}

/// The quoted parts of a text from a place on.
fn quoted(text: &str, from: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut open = from;
    while let Some(begin) = text[open..].find(QUOTES).map(|at| open + at + 1) {
        let quote = &text[begin - 1..begin];
        let Some(length) = text[begin..].find(quote) else { break };
        parts.push(begin..begin + length);
        open = begin + length + 1;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with each unknown word as `?`.
    fn shown(text: &str, known: &str) -> String {
        let is_known = |word: &str| words(known).any(|one| &known[one] == word);
        let is_template = |path: &str| path == "templates/x.yaml";
        let mut unknown = unknown(text, &is_known, &is_template);
        unknown.sort_by_key(|word| std::cmp::Reverse(word.start));
        unknown.into_iter().fold(text.to_owned(), |mut shown, word| {
            shown.replace_range(word, "?");
            shown
        })
    }

    #[test]
    fn only_words_of_templates_are_shown_of_what_a_template_says() {
        let known = r#"{{ fail (printf "set web.port, not: %s" (upper .Values.password)) }}"#;
        for (text, expected) in [
            (
                "Error: execution error at (web/templates/x.yaml:1:3): set web.port, not: HUNTER2",
                "Error: execution error at (web/templates/x.yaml:1:3): set web.port, not: ?",
            ),
            (
                "execution error at (web/charts/a/templates/x.yaml:1:3): not: a-1 b\n\nUse --debug flag",
                "execution error at (web/charts/a/templates/x.yaml:1:3): not: ? ?\n\nUse --debug flag",
            ),
            (
                "execution error at (web/charts/packed/templates/y.yaml:1:3): say more",
                "execution error at (web/charts/packed/templates/y.yaml:1:3): say more",
            ),
            (
                "executing \"web/templates/x.yaml\" at <x>: error calling tpl: no template \"hunter\" in \"set\": bad `x y`",
                "executing \"web/templates/x.yaml\" at <x>: error calling tpl: no template \"?\" in \"set\": bad `? ?`",
            ),
            (
                "Error: found \"hunter\" in web/templates/x.yaml",
                "Error: found \"hunter\" in web/templates/x.yaml",
            ),
            ("error calling \"", "error calling \""),
        ] {
            assert_eq!(shown(text, known), expected);
        }
    }

    #[test]
    fn a_word_has_no_ends_of_sentences() {
        let text = "a-b.c. (d/e) é-- _x";
        assert_eq!(words(text).map(|word| &text[word]).collect::<Vec<_>>(), ["a-b.c", "d/e", "é", "x"]);
    }
}
