//! What is wrong with a row, built in or a user's: a row that would silently do nothing, or something else, is refused.

use std::collections::BTreeMap;

use super::compiled::{self, CompileError, sub_path};
use super::rows::{EdgeRow, Format, MakesRow, NamespaceRule, ValueRow};
use crate::model::Reason;
use crate::problem::suggestion;

/// Why a row is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WrongRow {
    /// Keys inside the row that lead to what is wrong.
    pub keys: Vec<String>,
    /// The fact.
    pub message: String,
    /// The edit that helps.
    pub help: String,
}

/// Sub-fields that mean something to a row that names an object.
const NAMING: &[&str] = &["name", "kind", "group", "apiVersion", "namespace"];

/// Sub-fields that mean something to a row that makes one.
const MAKING: &[&str] = &["name", "namespace"];

impl EdgeRow {
    /// Checks that the row can do what it says.
    ///
    /// # Errors
    /// When a path does not parse, or a word means nothing.
    pub fn check(&self) -> Result<(), WrongRow> {
        path(&self.path)?;
        fields(&self.fields, NAMING)?;
        conditions(&self.when, &self.unless)?;
        namespace(&self.namespace)?;
        reason(&self.reason)?;
        if !self.matches.pod_spec && self.matches.kinds.is_empty() {
            return Err(wrong(&["match"], "the row is about no kind", "add `kind`, or `podSpec: true`"));
        }
        if self.existence && self.format == Format::Address {
            let help = "leave `existence` out, or name the object instead of its address";
            return Err(wrong(&["existence"], "an address that nobody answers is no finding", help));
        }
        if self.to.kind.is_empty() && !self.fields.contains_key("kind") {
            let help = "add `to: {kind: …}`, or `kind` under `fields`";
            return Err(wrong(&["to"], "the row does not say which kind it names", help));
        }
        Ok(())
    }
}

impl MakesRow {
    /// Checks that the row can do what it says.
    ///
    /// # Errors
    /// When a path does not parse, or a word means nothing.
    pub fn check(&self) -> Result<(), WrongRow> {
        if let Some(own) = &self.path {
            path(own)?;
        }
        fields(&self.fields, MAKING)?;
        conditions(&self.when, &self.unless)?;
        namespace(&self.namespace)?;
        if self.matches.kinds.is_empty() {
            return Err(wrong(&["match"], "the row is about no kind", "add `kind`"));
        }
        if self.makes.kind.is_empty() {
            return Err(wrong(&["makes"], "the row does not say which kind is made", "add `kind`"));
        }
        Ok(())
    }
}

impl ValueRow {
    /// Checks that the row can do what it says.
    ///
    /// # Errors
    /// When it reads no key, names no kind, or a word means nothing.
    pub fn check(&self) -> Result<(), WrongRow> {
        reason(&self.reason)?;
        if self.keys.is_empty() || self.keys.iter().any(|key| key.split('.').any(str::is_empty)) {
            return Err(wrong(
                &["keys"],
                "the row reads no key",
                "write it like `existingSecret` or `secretRef.name`",
            ));
        }
        if self.to.kind.is_empty() {
            return Err(wrong(&["to"], "the row does not say which kind it names", "add `to: {kind: …}`"));
        }
        Ok(())
    }
}

fn reason(reason: &Reason) -> Result<(), WrongRow> {
    if is_kebab(reason.as_str()) {
        return Ok(());
    }
    let message = format!("`{reason}` is no id of a rule");
    Err(wrong(&["reason"], message, "write it in lower case with dashes, like `shop-secret`"))
}

fn wrong(keys: &[&str], message: impl Into<String>, help: impl Into<String>) -> WrongRow {
    WrongRow {
        keys: keys.iter().map(|key| (*key).to_owned()).collect(),
        message: message.into(),
        help: help.into(),
    }
}

fn path(path: &str) -> Result<(), WrongRow> {
    let unclear =
        |error: CompileError| wrong(&["path"], error.to_string(), "write it like `$.spec.items[*].ref.name`");
    compiled::check(path).map_err(unclear)
}

fn fields(fields: &BTreeMap<String, String>, known: &[&str]) -> Result<(), WrongRow> {
    for (key, path) in fields {
        if !known.contains(&key.as_str()) {
            let message = format!("`{key}` is no sub-field a row reads");
            return Err(wrong(&["fields", key], message, suggestion(key, known.iter().copied())));
        }
        sub_field(path, &["fields", key])?;
    }
    Ok(())
}

fn conditions(when: &BTreeMap<String, String>, unless: &BTreeMap<String, String>) -> Result<(), WrongRow> {
    let both = when.keys().map(|path| ("when", path)).chain(unless.keys().map(|path| ("unless", path)));
    for (list, path) in both {
        sub_field(path, &[list, path])?;
    }
    Ok(())
}

/// A path below the reference; the empty one is the reference itself.
fn sub_field(path: &str, keys: &[&str]) -> Result<(), WrongRow> {
    if path.is_empty() || compiled::check(&sub_path(path)).is_ok() {
        return Ok(());
    }
    Err(wrong(keys, format!("`{path}` is no path below the reference"), "write it like `ref.name`"))
}

fn namespace(rule: &NamespaceRule) -> Result<(), WrongRow> {
    let NamespaceRule::Unknown(text) = rule else { return Ok(()) };
    let known = ["same", "cluster", "field", "scoped", "fixed:NAME", "operator:NAME"];
    Err(wrong(&["namespace"], format!("`{text}` says no namespace"), suggestion(text, known)))
}

fn is_kebab(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalogue::{Catalogue, Rows};

    #[test]
    fn every_built_in_row_can_do_what_it_says() {
        let catalogue = Catalogue::new(&Rows::default()).unwrap();
        for row in catalogue.edges() {
            row.check().unwrap_or_else(|error| panic!("{row:?}: {error}"));
        }
        for row in catalogue.values() {
            row.check().unwrap_or_else(|error| panic!("{row:?}: {error}"));
        }
        for row in catalogue.makes_rows() {
            row.check().unwrap_or_else(|error| panic!("{row:?}: {error}"));
        }
    }

    #[test]
    fn a_row_of_values_that_would_do_nothing_is_refused() {
        for (key, value) in [
            ("keys", json!([])),
            ("keys", json!(["a..b"])),
            ("to", json!({"group": "x.io"})),
            ("reason", json!("Shop Secret")),
        ] {
            let mut row = json!({"keys": ["shopSecret"], "to": {"kind": "Secret"}, "reason": "shop-secret"});
            let right: ValueRow = serde_json::from_value(row.clone()).unwrap();
            assert_eq!(right.check(), Ok(()));
            row[key] = value;
            let row: ValueRow = serde_json::from_value(row).unwrap();
            assert_eq!(row.check().unwrap_err().keys, [key]);
        }
    }

    #[test]
    fn a_row_that_would_do_nothing_is_refused_where_it_says_so() {
        for (key, value, keys) in [
            ("path", json!("$.spec["), "path"),
            ("fields", json!({"name": "a..["}), "fields name"),
            ("fields", json!({"nmae": "a"}), "fields nmae"),
            ("when", json!({"a[": "x"}), "when a["),
            ("namespace", json!("smae"), "namespace"),
            ("namespace", json!("fixed:"), "namespace"),
            ("reason", json!("Shop Secret"), "reason"),
            ("match", json!({"group": "x.io"}), "match"),
            ("to", json!({}), "to"),
            ("format", json!("address"), "existence"),
        ] {
            let mut row = json!({
                "match": {"group": "x.io", "kind": "X"}, "path": "$.spec.ref", "to": {"kind": "Secret"},
                "existence": true, "fields": {"name": "names[0].name"}, "reason": "x-secret", "namespace": "fixed:x",
            });
            let right: EdgeRow = serde_json::from_value(row.clone()).unwrap();
            assert_eq!(right.check(), Ok(()));
            row[key] = value;
            let row: EdgeRow = serde_json::from_value(row).unwrap();
            assert_eq!(row.check().unwrap_err().keys.join(" "), keys);
        }
    }
}
