//! Keeps values out of what tools say: a template may put any of its values into its error message.

use std::collections::BTreeSet;
use std::ops::Range;

use super::authored;
use super::forms::forms;
use crate::yaml::tree::{Node, Value};

/// Shorter texts are words such as `true` or `dev`, and cutting those out would leave no message.
const SHORTEST_SECRET: usize = 6;
/// Go's YAML shows this much of a longer text, then dots.
const SHORTENED: (usize, usize) = (10, 7);
/// What stands in place of a hidden text.
const HIDDEN: &str = "***";

/// Words that the messages of helm, kustomize and Go's templates are made of: a value that is one tells nobody anything.
const WORDS: &[&str] = &[
    "accumulating",
    "accumulation",
    "argument",
    "arguments",
    "bases",
    "builtin",
    "calling",
    "cannot",
    "chart",
    "charts",
    "command",
    "components",
    "configuring",
    "configuration",
    "convert",
    "converting",
    "default",
    "defined",
    "dependencies",
    "directory",
    "document",
    "evaluate",
    "evaluating",
    "executing",
    "execution",
    "expected",
    "failed",
    "failure",
    "function",
    "generator",
    "gotpl",
    "include",
    "input",
    "interface",
    "invalid",
    "kustomization",
    "kustomize",
    "loading",
    "manifest",
    "manifests",
    "mapping",
    "marshal",
    "merging",
    "missing",
    "namespace",
    "object",
    "operand",
    "parameter",
    "parse",
    "parsing",
    "patches",
    "pointer",
    "reading",
    "release",
    "render",
    "rendering",
    "required",
    "resource",
    "resources",
    "schema",
    "string",
    "target",
    "template",
    "templates",
    "transformer",
    "trouble",
    "undefined",
    "unexpected",
    "unknown",
    "unmarshal",
    "unmarshaling",
    "values",
    "variable",
    "version",
];

/// Texts that must not be shown.
#[derive(Debug, Clone, Default)]
pub struct Redaction {
    hidden: BTreeSet<String>,
    kept: Vec<String>,
    known: BTreeSet<String>,
}

impl Redaction {
    /// Hides every scalar of a tree.
    pub fn hide(&mut self, node: &Node) {
        match &node.value {
            Value::Scalar { text, .. } => self.hide_text(text),
            Value::Sequence(items) => items.iter().for_each(|item| self.hide(item)),
            Value::Mapping(entries) => entries.iter().for_each(|(_, value)| self.hide(value)),
        }
    }

    /// Hides the keys of a tree, but for those that stand in a text anyway.
    pub fn hide_keys(&mut self, node: &Node, known: &str) {
        node.items().iter().for_each(|item| self.hide_keys(item, known));
        for (key, value) in node.entries() {
            if let Some(key) = key.text().filter(|key| !known.contains(key)) {
                self.hide_text(key);
            }
            self.hide_keys(value, known);
        }
    }

    /// Hides a text, and each line of it: messages often show one line, or how one begins.
    pub fn hide_text(&mut self, text: &str) {
        for part in std::iter::once(text).chain(text.lines().map(str::trim)) {
            if part.trim().len() < SHORTEST_SECRET {
                continue;
            }
            self.hidden.insert(part.to_owned());
            if let Some(start) = part.get(..SHORTENED.1).filter(|_| part.len() > SHORTENED.0) {
                self.hidden.insert(format!("{start}..."));
            }
        }
    }

    /// Hides what another hides, too.
    pub fn append(&mut self, other: Self) {
        self.hidden.extend(other.hidden);
        self.kept.extend(other.kept);
        self.known.extend(other.known);
    }

    /// Knows a text, such as that of a template: its words may be shown in what a template says itself.
    pub fn know(&mut self, text: &str) {
        self.known.extend(authored::words(text).map(|word| text[word].to_owned()));
    }

    /// Keeps a text that is no secret, such as the path of a template, although a value may be part of it.
    pub fn keep(&mut self, text: &str) {
        self.kept.push(text.to_owned());
    }

    /// The text with `***` where a hidden one stood, in whatever form.
    #[must_use]
    pub fn applied(&self, text: &str) -> String {
        let kept = self.kept_in(text);
        let is_kept =
            |found: &Range<usize>| kept.iter().any(|kept| kept.start <= found.start && found.end <= kept.end);
        let matches = |form: String| {
            let length = form.len();
            text.match_indices(form.as_str()).map(|(at, _)| at..at + length).collect::<Vec<_>>()
        };
        let forms = self.hidden.iter().flat_map(|hidden| forms(hidden));
        let is_known = |word: &str| self.known.contains(word) || WORDS.contains(&word);
        let is_template = |path: &str| self.kept.iter().any(|kept| kept == path);
        let made = authored::unknown(text, &is_known, &is_template);
        let found = forms.flat_map(matches).filter(|found| !is_kept(found));
        let mut found: Vec<Range<usize>> = found.chain(made).collect();
        found.sort_by_key(|found| (found.start, std::cmp::Reverse(found.end)));
        let mut shown = String::with_capacity(text.len());
        let mut from = 0;
        for found in found {
            if found.start >= from {
                shown.push_str(&text[from..found.start]);
                shown.push_str(HIDDEN);
            }
            // What overlaps the end of another is part of the same hidden place.
            from = from.max(found.end);
        }
        shown.push_str(&text[from..]);
        shown
    }

    /// Where texts that are kept stand.
    fn kept_in(&self, text: &str) -> Vec<Range<usize>> {
        let kept = self.kept.iter().map(String::as_str).chain(WORDS.iter().copied());
        let is_part =
            |found: Option<char>| found.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
        kept.flat_map(|kept| text.match_indices(kept).map(|(at, kept)| at..at + kept.len()))
            .filter(|found| {
                let (before, behind) =
                    (text[..found.start].chars().next_back(), text[found.end..].chars().next());
                !is_part(before) && !is_part(behind)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::yaml::Limits;
    use crate::yaml::tree;

    #[test]
    fn values_are_cut_out_whole() {
        let mut redaction = Redaction::default();
        for text in ["hunter2-long", "hunter2", "dev", "line one\nline two", "long-overlap", "overlapping"] {
            redaction.hide_text(text);
        }
        for (text, expected) in [
            ("bad: hunter2-long, hunter2 in dev: line two", "bad: ***, *** in dev: ***"),
            ("cannot unmarshal !!str `hunter2...` into map", "cannot unmarshal !!str `***` into map"),
            ("long-overlapping.", "***."),
        ] {
            assert_eq!(redaction.applied(text), expected);
        }
    }

    #[test]
    fn a_message_stays_one_although_values_are_its_words() {
        let mut redaction = Redaction::default();
        redaction.keep("templates/deployment.yaml");
        for text in ["template", "templates", "deployment", "template hunter"] {
            redaction.hide_text(text);
        }
        for (text, expected) in [
            (
                "template: web/templates/deployment.yaml:1:3: bad",
                "template: web/templates/deployment.yaml:1:3: bad",
            ),
            ("bad: template hunter", "bad: ***"),
            ("bad: xtemplate and deployment", "bad: x*** and ***"),
        ] {
            assert_eq!(redaction.applied(text), expected);
        }
    }

    #[test]
    fn keys_are_hidden_unless_templates_name_them() {
        let text = Arc::new("password: {canary-key: 1}\nlist: [{other-key: x}]\n".to_owned());
        let node = tree::parse(&text, &Limits::default()).unwrap();
        let mut redaction = Redaction::default();
        redaction.hide_keys(&node, "{{ .Values.password }}");
        assert_eq!(redaction.applied("password canary-key other-key"), "password *** ***");
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
            ("8812345600", "8,812,345,600"),
        ] {
            let mut redaction = Redaction::default();
            redaction.hide_text(value);
            assert_eq!(redaction.applied(&format!("bad <{shown}>")), "bad <***>", "{value}");
        }
        let mut redaction = Redaction::default();
        redaction.hide_text("8812345600");
        assert_eq!(redaction.applied("8.8123456e+09 8.8123456×10⁰⁹ 8.81234"), "***e+09 ***×10⁰⁹ 8.81234");
    }
}
