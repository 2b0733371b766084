//! What a kind reports when it is ready → the CEL expressions of Flux's `healthCheckExprs`.
//!
//! An expression that meets a missing field is an error, which Flux takes for "not yet": nothing here can pass an
//! object that has no status.

use serde_json::Value;

use crate::catalogue::ReadyRow;
use crate::catalogue::rows::Sign;

/// The keys of a check, each with its expression.
pub(super) fn expressions(row: &ReadyRow) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    for (key, signs, between) in [
        ("inProgress", &row.in_progress, " || "),
        ("failed", &row.failed, " || "),
        ("current", &row.ready, " && "),
    ] {
        if !signs.is_empty() {
            all.push((key, signs.iter().map(shown).collect::<Vec<_>>().join(between)));
        }
    }
    all
}

fn shown(sign: &Sign) -> String {
    match sign {
        Sign::Condition { condition, status } => format!(
            "has(status.conditions) && status.conditions.exists(c, c.type == {} && c.status == {})",
            text(condition),
            text(status)
        ),
        Sign::Field { field, is } if is.is_empty() => format!("{} && status.{field} != ''", there(field)),
        Sign::Field { field, is } => {
            let values: Vec<String> = is.iter().map(literal).collect();
            format!("{} && status.{field} in [{}]", there(field), values.join(", "))
        }
    }
}

/// Guards of every step to a field below `status`.
fn there(field: &str) -> String {
    let ends = field.match_indices('.').map(|(end, _)| end).chain([field.len()]);
    ends.map(|end| format!("has(status.{})", &field[..end])).collect::<Vec<_>>().join(" && ")
}

fn literal(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), text)
}

fn text(value: &str) -> String {
    format!("'{}'", value.replace('\\', "\\\\").replace('\'', "\\'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(row: &str) -> Vec<(&'static str, String)> {
        expressions(&serde_yaml::from_str(row).unwrap())
    }

    #[test]
    fn signs_become_expressions_that_need_a_status() {
        for (row, expected) in [
            (
                "{group: a.b, kind: C, ready: [{condition: Ready}], inProgress: [{condition: Issuing}]}",
                vec![
                    (
                        "inProgress",
                        "has(status.conditions) && status.conditions.exists(c, c.type == 'Issuing' && c.status == 'True')",
                    ),
                    (
                        "current",
                        "has(status.conditions) && status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')",
                    ),
                ],
            ),
            (
                "{group: a.b, kind: C, ready: [{field: a.phase, is: [Up, it's]}], failed: [{condition: S, status: 'False'}]}",
                vec![
                    (
                        "failed",
                        "has(status.conditions) && status.conditions.exists(c, c.type == 'S' && c.status == 'False')",
                    ),
                    ("current", "has(status.a) && has(status.a.phase) && status.a.phase in ['Up', 'it\\'s']"),
                ],
            ),
            (
                "{group: a.b, kind: C, ready: [{field: made, is: [true]}, {field: node}]}",
                vec![(
                    "current",
                    "has(status.made) && status.made in [true] && has(status.node) && status.node != ''",
                )],
            ),
        ] {
            let expected: Vec<_> = expected.into_iter().map(|(key, text)| (key, text.to_owned())).collect();
            assert_eq!(of(row), expected);
        }
    }
}
