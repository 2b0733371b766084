//! Keeps values out of what tools say: a template may put any of its values into its error message.

use crate::yaml::tree::{Node, Value};

/// Shorter texts are words such as `true` or `dev`, and cutting those out would leave no message.
const SHORTEST_SECRET: usize = 6;

/// Texts that must not be shown.
#[derive(Debug, Default)]
pub struct Redaction(Vec<String>);

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
        for line in text.lines().map(str::trim).filter(|line| line.len() >= SHORTEST_SECRET) {
            self.0.push(line.to_owned());
        }
    }

    /// The text with `***` where a hidden one stood.
    #[must_use]
    pub fn applied(&self, text: &str) -> String {
        // Longest first, so that a part never leaves the rest of a longer one.
        let mut hidden: Vec<&String> =
            self.0.iter().filter(|hidden| text.contains(hidden.as_str())).collect();
        hidden.sort_by_key(|hidden| std::cmp::Reverse(hidden.len()));
        hidden.iter().fold(text.to_owned(), |text, hidden| text.replace(hidden.as_str(), "***"))
    }
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
}
