//! A spanned tree beside the JSON Schema of the type it is read into: keys nobody knows, and the value that does not fit.
//!
//! serde knows that a value does not fit, but not always where, and says so in Rust's words.

use serde_json::Value;

use crate::problem::{nearest, suggestion};
use crate::yaml::Mark;
use crate::yaml::tree::{self, Node};

/// A value that its schema does not allow.
#[derive(Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Where it stands.
    pub mark: Mark,
    /// The fact.
    pub message: String,
    /// The edit that helps.
    pub help: Option<String>,
}

/// A key that its schema does not list.
#[derive(Debug)]
pub struct UnknownKey<'a> {
    /// The key.
    pub key: &'a str,
    /// Where it stands.
    pub mark: Mark,
    /// The keys there are.
    pub known: Vec<&'a str>,
}

/// The longest text of a value that a message shows.
const SHOWN: usize = 40;

/// The first value that does not fit, in the order of the text.
#[must_use]
pub fn misfit(node: &Node, schema: &Value) -> Option<Misfit> {
    Shape { root: schema }.check(node, schema, "")
}

/// Every key that the schema does not list.
#[must_use]
pub fn unknown_keys<'a>(node: &'a Node, schema: &'a Value) -> Vec<UnknownKey<'a>> {
    let mut found = Vec::new();
    Shape { root: schema }.unknown(node, schema, &mut found);
    found
}

#[derive(Clone, Copy)]
struct Shape<'s> {
    root: &'s Value,
}

impl<'s> Shape<'s> {
    /// What a value may be: references followed, unions taken apart, null left out.
    fn choices(self, schema: &'s Value) -> Vec<&'s Value> {
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let found = self.root.pointer(target.trim_start_matches('#'));
            return found.map(|found| self.choices(found)).unwrap_or_default();
        }
        match schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array) {
            Some(union) => union.iter().flat_map(|choice| self.choices(choice)).collect(),
            None if schema.get("type").is_some_and(|kind| kind == "null") => Vec::new(),
            None => vec![schema],
        }
    }

    fn check(self, node: &Node, schema: &'s Value, path: &str) -> Option<Misfit> {
        let choices = self.choices(schema);
        if node.is_null() {
            return path.is_empty().then(|| missing_field(node, schema, path)).flatten();
        }
        if choices.is_empty() {
            return None;
        }
        let mut deeper = None;
        for choice in choices.iter().filter(|choice| fits(node, choice, choices.len() > 1)) {
            let misfit = self.check_below(node, choice, path)?;
            deeper = deeper.or(Some(misfit));
        }
        deeper.or_else(|| too_large(node, &choices, path)).or_else(|| Some(wrong_value(node, &choices, path)))
    }

    /// The entries of a mapping or list that is right by itself.
    fn check_below(self, node: &Node, schema: &'s Value, path: &str) -> Option<Misfit> {
        let item = |(number, item): (usize, &Node)| {
            schema.get("items").and_then(|below| self.check(item, below, &format!("{path}[{number}]")))
        };
        let field = |(key, value): &(Node, Node)| {
            let key = key.text().unwrap_or_default();
            let named = schema.get("properties").and_then(|fields| fields.get(key));
            let below = named.or_else(|| schema.get("additionalProperties"))?;
            let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
            self.check(value, below, &path)
        };
        let wrong = node.items().iter().enumerate().find_map(item);
        wrong.or_else(|| missing_field(node, schema, path)).or_else(|| node.entries().iter().find_map(field))
    }

    fn unknown<'a>(self, node: &'a Node, schema: &'s Value, found: &mut Vec<UnknownKey<'a>>)
    where
        's: 'a,
    {
        let entries =
            |schema: &'s Value| schema.get("additionalProperties").filter(|below| below.is_object());
        let structured = |choice: &&&'s Value| {
            choice.get("properties").or(choice.get("items")).is_some() || entries(choice).is_some()
        };
        let choices = self.choices(schema);
        let Some(schema) = choices.iter().find(structured) else { return };
        if let Some(below) = schema.get("items") {
            node.items().iter().for_each(|item| self.unknown(item, below, found));
        }
        if let (None, Some(below)) = (schema.get("properties"), entries(schema)) {
            node.entries().iter().for_each(|(_, value)| self.unknown(value, below, found));
        }
        let Some(fields) = schema.get("properties").and_then(Value::as_object) else { return };
        let open = schema.get("additionalProperties").is_some_and(|value| value != &Value::Bool(false));
        for (key, value) in node.entries() {
            let name = key.text().unwrap_or_default();
            match fields.get(name) {
                Some(below) => self.unknown(value, below, found),
                None if open || name.starts_with("x-") || name == "$schema" => {}
                None => {
                    let known = fields.keys().map(String::as_str).collect();
                    found.push(UnknownKey { key: name, mark: key.mark, known });
                }
            }
        }
    }
}

/// Whether a value is of the kind a schema asks for; what it holds is another matter. Where several kinds are allowed, a
/// number or a switch is no text.
fn fits(node: &Node, schema: &Value, is_one_of_several: bool) -> bool {
    if let Some(words) = words(schema) {
        return node.text().is_some_and(|text| words.contains(&text));
    }
    let kinds = schema
        .get("type")
        .map_or(&[][..], |kind| kind.as_array().map_or(std::slice::from_ref(kind), Vec::as_slice));
    let is_other = matches!(node.plain_value(), Some(Value::Number(_) | Value::Bool(_)));
    let mut kinds_of_text = kinds
        .iter()
        .filter_map(Value::as_str)
        .filter(|kind| *kind != "string" || !(is_one_of_several && is_other));
    kinds.is_empty() || kinds_of_text.any(|kind| is_kind(node, kind, schema))
}

fn is_kind(node: &Node, kind: &str, schema: &Value) -> bool {
    let least = schema.get("minimum").and_then(Value::as_i64).unwrap_or(i64::MIN);
    match (kind, node.plain_value()) {
        ("object", _) => matches!(node.value, tree::Value::Mapping(_)),
        ("array", _) => matches!(node.value, tree::Value::Sequence(_)),
        // Any scalar has a text, and the text is what is read.
        ("string", _) => node.text().is_some(),
        ("integer", Some(Value::Number(number))) => {
            number.as_i64().is_some_and(|number| number >= least && number <= most(schema))
        }
        ("number", Some(Value::Number(_))) | ("boolean", Some(Value::Bool(_))) => true,
        _ => false,
    }
}

/// The largest number of a schema's format.
fn most(schema: &Value) -> i64 {
    match schema.get("format").and_then(Value::as_str) {
        Some("uint32") => u32::MAX.into(),
        _ => i64::MAX,
    }
}

fn too_large(node: &Node, choices: &[&Value], path: &str) -> Option<Misfit> {
    let number = node.plain_value().and_then(|value| value.as_i64())?;
    let most =
        choices.iter().filter(|choice| choice.get("format").is_some()).map(|choice| most(choice)).max()?;
    let message = format!("`{path}` is {}, more than {most}", shown(node, path));
    (number > most).then_some(Misfit { mark: node.mark, message, help: None })
}

/// The words of an enumeration.
fn words(schema: &Value) -> Option<Vec<&str>> {
    let listed = schema.get("enum").and_then(Value::as_array);
    let single = schema.get("const").map(std::slice::from_ref);
    listed.map(Vec::as_slice).or(single).map(|words| words.iter().filter_map(Value::as_str).collect())
}

fn missing_field(node: &Node, schema: &Value, path: &str) -> Option<Misfit> {
    let required = schema.get("required").and_then(Value::as_array)?;
    let missing = required.iter().filter_map(Value::as_str).find(|field| node.get(field).is_none())?;
    let of = if path.is_empty() { String::new() } else { format!(" in `{path}`") };
    let near = nearest(missing, node.entries().iter().filter_map(|(key, _)| key.text()));
    let help =
        near.map_or(format!("add `{missing}`"), |near| format!("is `{near}` meant to be `{missing}`?"));
    Some(Misfit { mark: node.mark, message: format!("`{missing}` is missing{of}"), help: Some(help) })
}

fn wrong_value(node: &Node, choices: &[&Value], path: &str) -> Misfit {
    let name = if path.is_empty() { "the document".to_owned() } else { format!("`{path}`") };
    let known: Vec<&str> = choices.iter().filter_map(|choice| words(choice)).flatten().collect();
    if let (Some(text), false) = (node.text(), known.is_empty()) {
        let message = format!("{name} cannot be {}", shown(node, path));
        return Misfit { mark: node.mark, message, help: Some(suggestion(text, known)) };
    }
    let mut takes: Vec<String> = choices.iter().filter_map(|choice| taken(choice)).collect();
    takes.dedup();
    let message = format!("{name} is {}, not {}", shown(node, path), takes.join(" or "));
    Misfit { mark: node.mark, message, help: None }
}

/// The key below which charts have their values, and values may be secrets.
const PRIVATE: &str = "values";

/// What is said of a value: its text, unless that may hold a secret. A text of several lines is somebody's whole file.
fn shown(node: &Node, path: &str) -> String {
    let tree::Value::Scalar { text, plain, .. } = &node.value else {
        let is_list = matches!(node.value, tree::Value::Sequence(_));
        return if is_list { "a list" } else { "a mapping" }.to_owned();
    };
    if path.split(['.', '[']).any(|key| key == PRIVATE) || text.trim_end().contains('\n') {
        return "a text".to_owned();
    }
    let quote = if *plain { "" } else { "\"" };
    let cut = if text.chars().count() > SHOWN { "…" } else { "" };
    format!("`{quote}{}{cut}{quote}`", text.chars().take(SHOWN).collect::<String>())
}

/// What a schema takes, in the words of YAML's users.
fn taken(schema: &Value) -> Option<String> {
    let kind = schema.get("type")?;
    let kind = kind.as_str().or_else(|| kind.as_array()?.first()?.as_str())?;
    let words = match kind {
        "object" => "a mapping",
        "array" => "a list",
        "string" => "a text",
        "boolean" => "`true` or `false`",
        "integer" if schema.get("minimum").is_some_and(|least| least == 0) => "a whole number from 0 up",
        "integer" => "a whole number",
        "number" => "a number",
        _ => return None,
    };
    Some(words.to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use schemars::schema_for;
    use serde_json::json;

    use super::*;
    use crate::disk;
    use crate::load::descriptor::Descriptor;
    use crate::load::settings::LadderFile;
    use crate::yaml::Limits;

    fn message(text: &str) -> Option<String> {
        let schema = json!({
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": {"type": "string"},
                "retries": {"type": ["integer", "null"], "minimum": 0, "format": "uint32"},
                "flag": {"type": "boolean"},
                "gate": {"anyOf": [{"$ref": "#/$defs/Gate"}, {"type": "null"}]},
                "waits": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/Wait"}]}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "values": {"type": "object"},
                "dev": {"type": "object", "properties": {"values": {"type": "object"}}},
                "free": true
            },
            "$defs": {
                "Gate": {"oneOf": [{"const": "ready"}, {"enum": ["present"]}]},
                "Wait": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
            }
        });
        let tree = tree::parse(&Arc::new(text.to_owned()), &Limits::default()).unwrap();
        let misfit = misfit(&tree, &schema)?;
        let help = misfit.help.map(|help| format!("; {help}")).unwrap_or_default();
        Some(format!("{}:{}: {}{help}", misfit.mark.line, misfit.mark.column, misfit.message))
    }

    #[test]
    fn a_value_that_does_not_fit_is_told_with_its_place() {
        for (text, expected) in [
            ("name: a\nretries: many", "2:10: `retries` is `many`, not a whole number from 0 up"),
            ("name: a\nretries: 5000000000", "2:10: `retries` is `5000000000`, more than 4294967295"),
            ("name: a\nretries: -1", "2:10: `retries` is `-1`, not a whole number from 0 up"),
            ("name: a\nflag: \"true\"", "2:7: `flag` is `\"true\"`, not `true` or `false`"),
            ("name: a\ngate: raedy", "2:7: `gate` cannot be `raedy`; did you mean `ready`?"),
            ("name: a\nwaits: b", "2:8: `waits` is `b`, not a list"),
            ("name: a\nwaits:\n- b\n- [c]", "4:3: `waits[1]` is a list, not a text or a mapping"),
            (
                "name: a\nwaits: [{nmae: b}]",
                "2:9: `name` is missing in `waits[0]`; is `nmae` meant to be `name`?",
            ),
            ("name: a\nlabels: {b: {}}", "2:13: `labels.b` is a mapping, not a text"),
            ("name: a\nvalues: canary", "2:9: `values` is a text, not a mapping"),
            ("name: a\nvalues: |\n  p: canary", "3:3: `values` is a text, not a mapping"),
            ("name: a\ndev: {values: 12345678}", "2:15: `dev.values` is a text, not a mapping"),
            ("name: a\nlabels: |\n  p: canary\n  q: r", "3:3: `labels` is a text, not a mapping"),
            ("# nothing", "1:1: `name` is missing; add `name`"),
            ("retries: 1", "1:1: `name` is missing; add `name`"),
        ] {
            assert_eq!(message(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_fits_is_left_alone() {
        for text in [
            "name: 5",
            "name: a\nretries: null\ngate: present\nwaits: [b, {name: c}]\nlabels: {b: 1}\nfree: [{}]",
            "name: a\nunknown: {}",
        ] {
            assert_eq!(message(text), None, "{text}");
        }
    }

    /// A schema that is narrower than its type would underline good files in editors, and put errors in wrong places.
    #[test]
    fn every_file_that_is_read_fits_its_schema() {
        let component = schema_for!(Descriptor).to_value();
        let ladder = schema_for!(LadderFile).to_value();
        let mut seen = 0;
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let files = ["examples", "tests/cases"]
            .into_iter()
            .flat_map(|folder| disk::files_below(root, folder).unwrap());
        for file in files.filter(|file| !file.contains("/reject/")) {
            let schema = match file.rsplit('/').next() {
                Some("component.yaml") => &component,
                Some("ladder.yaml") => &ladder,
                _ => continue,
            };
            let text = Arc::new(disk::read(root, &file).unwrap());
            let Ok(tree) = tree::parse(&text, &Limits::default()) else { continue };
            assert_eq!(misfit(&tree, schema), None, "{file}");
            seen += 1;
        }
        assert!(seen > 300, "{seen}");
    }
}
