//! A label selector as webhooks write it: pairs that must be there, and expressions that must hold.

use crate::catalogue::matcher::Capture;

/// The pairs and expressions of a selector.
#[derive(Debug, Default)]
pub struct LabelSelector<'a> {
    /// Pairs that must be there.
    pub labels: Vec<&'a Capture>,
    /// Expressions that must hold.
    pub expressions: Vec<&'a Capture>,
}

impl LabelSelector<'_> {
    /// Whether it takes whatever there is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.expressions.is_empty()
    }

    /// Whether it takes what carries these labels.
    pub fn takes<'l>(&self, label: impl Fn(&str) -> Option<&'l str>) -> bool {
        let is_there = |wanted: &&Capture| label(&wanted.key) == wanted.value.as_deref();
        let holds = |expression: &&Capture| {
            let seen = label(expression.field("key").unwrap_or_default());
            let listed = seen.is_some_and(|seen| expression.all("values[*]").any(|value| value == seen));
            match expression.field("operator") {
                Some("In") => listed,
                Some("NotIn") => !listed,
                Some("Exists") => seen.is_some(),
                Some("DoesNotExist") => seen.is_none(),
                _ => false,
            }
        };
        self.labels.iter().all(is_there) && self.expressions.iter().all(holds)
    }
}
