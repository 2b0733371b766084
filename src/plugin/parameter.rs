//! One entry of `ARGOCD_APP_PARAMETERS`. Argo CD writes texts, lists and maps of texts; whoever tries the plugin by hand
//! may write anything.

use serde::Deserialize;
use serde_json::Value;

use super::{INTERNAL_NAMES, NAMES, listed, unknown};
use crate::problem::Problem;

/// One entry.
#[derive(Debug, Deserialize)]
pub(super) struct Parameter {
    /// Its name.
    pub(super) name: String,
    string: Option<Value>,
    array: Option<Value>,
    map: Option<Value>,
}

impl Parameter {
    /// Its values.
    pub(super) fn values(&self) -> Result<Vec<String>, Problem> {
        let Self { name, string, array, map } = self;
        if !NAMES.iter().chain(INTERNAL_NAMES).any(|known| *known == name) {
            return Err(unknown(name));
        }
        match (string, array, map) {
            (_, _, Some(_)) => {
                Err(self.invalid("is a map").help("give it as `string`, or `component` as `array`"))
            }
            (Some(_), Some(_), None) => {
                Err(self.invalid("is both a text and a list").help("keep one of `string` and `array`"))
            }
            (None, Some(Value::Array(items)), None) => {
                items.iter().map(|item| Ok(self.text(item, "array: [\"...\"]")?.trim().to_owned())).collect()
            }
            (None, Some(other), None) => {
                let fact = format!("is {}, not a list", shape(other));
                Err(self.invalid(&fact).help("write `array: [\"...\"]`"))
            }
            (Some(text), None, None) => Ok(written(name, self.text(text, "string: \"...\"")?)),
            (None, None, None) => Ok(written(name, "")),
        }
    }

    fn text<'v>(&self, value: &'v Value, form: &str) -> Result<&'v str, Problem> {
        let fact = || self.invalid(&format!("is {}, not a text", shape(value)));
        value.as_str().ok_or_else(|| fact().help(format!("put it in quotes: `{form}`")))
    }

    fn invalid(&self, fact: &str) -> Problem {
        Problem::new("invalid-parameter", format!("parameter `{}` {fact}", self.name))
    }
}

/// The values of one text: several components are told apart by commas, which no other parameter is cut at.
pub(super) fn written(name: &str, text: &str) -> Vec<String> {
    if name == "component" { listed(text) } else { vec![text.trim().to_owned()] }
}

fn shape(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}
