//! What a kind reports when it is ready → the Lua that Argo CD runs; `target/flux_cel.rs` says the same in CEL.
//!
//! Argo CD runs the checks of `argocd-cm` without Lua's string library: only what is always there may be used.

use serde_json::Value;

use crate::catalogue::ReadyRow;
use crate::catalogue::rows::Sign;

/// What every check begins with: the generation its controller has seen, and the words the signs are written in.
const START: &str = include_str!("row.lua");

/// The check of a kind.
pub(super) fn script(kind: &str, row: &ReadyRow) -> String {
    let mut text = format!("-- Health of {kind}, by the fields that say so.\n{START}");
    for (signs, between, status, message) in [
        (&row.in_progress, "or", "Progressing", "it is on its way"),
        (&row.failed, "or", "Degraded", "it has failed"),
        (&row.ready, "and", "Healthy", ""),
    ] {
        if signs.is_empty() {
            continue;
        }
        let all: Vec<String> = signs.iter().map(shown).collect();
        let all = all.join(&format!(" {between} "));
        text +=
            &format!("if {all} then\n  return {{ status = \"{status}\", message = \"{message}\" }}\nend\n");
    }
    text + "return hs\n"
}

fn shown(sign: &Sign) -> String {
    match sign {
        Sign::Condition { condition, status } => format!("says({}, {})", quoted(condition), quoted(status)),
        Sign::Field { field, is } if is.is_empty() => {
            let value = value_of(field);
            format!("({value} ~= nil and {value} ~= \"\")")
        }
        Sign::Field { field, is } => {
            let values: Vec<String> = is.iter().map(literal).collect();
            format!("is_one_of({}, {{ {} }})", value_of(field), values.join(", "))
        }
    }
}

fn value_of(field: &str) -> String {
    let keys: Vec<String> = field.split('.').map(quoted).collect();
    format!("field({{ {} }})", keys.join(", "))
}

/// Lua has no literal for a list or mapping that equals another, and no field is null: such a value fits nothing.
fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => "{}".to_owned(),
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            c if c.is_ascii_control() => quoted.push_str(&format!("\\{:03}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
