//! JSON → block YAML, for objects that are made here rather than read.

use serde_json::Value as Json;

use super::Mark;
use super::emit;
use super::tree::{Node, Value};

/// The value as one document in block style; strings that read as something else are quoted.
#[must_use]
pub fn from_json(value: &Json) -> String {
    emit::document(&node(value))
}

pub(super) fn node(value: &Json) -> Node {
    let plain = |text: String| Value::Scalar { text, plain: true, binary: false };
    let value = match value {
        Json::Null => plain("null".to_owned()),
        Json::Bool(truth) => plain(truth.to_string()),
        Json::Number(number) => plain(number.to_string()),
        Json::String(text) => text_value(text),
        Json::Array(items) => Value::Sequence(items.iter().map(node).collect()),
        Json::Object(entries) => Value::Mapping(
            entries
                .iter()
                .map(|(key, value)| (Node { mark: Mark::default(), value: text_value(key) }, node(value)))
                .collect(),
        ),
    };
    Node { mark: Mark::default(), value }
}

fn text_value(text: &str) -> Value {
    Value::Scalar { text: text.to_owned(), plain: false, binary: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn strings_stay_strings_and_the_rest_stays_what_it_is() {
        let value = json!({
            "wave": "10", "on": true, "none": null, "list": [{"a": 1.5}, []], "empty": {}, "y": "no",
            "lines": "a\nb\n", "odd": "a: b",
        });
        let text = from_json(&value);
        assert_eq!(
            text,
            "wave: \"10\"\n\"on\": true\nnone: null\nlist:\n- a: 1.5\n- []\nempty: {}\n\"y\": \"no\"\nlines: |\n  a\n  b\nodd: \"a: b\"\n"
        );
        assert_eq!(serde_yaml::from_str::<Json>(&text).unwrap(), value);
    }
}
