//! Runs the check of every row of the catalogue. Flux's CEL of a row asks for the same signs in the same order: what is on
//! its way, what failed, what is ready; and neither passes an object without a status.

use serde_json::{Value, json};

use super::row::script;
use super::tests::health;
use crate::catalogue::rows::Sign;
use crate::catalogue::{Catalogue, ReadyRow, Rows};

/// Lets a status show a sign; `with` is the status of its condition, where not the sign's own.
fn show(status: &mut Value, sign: &Sign, with: Option<&str>) {
    match sign {
        Sign::Condition { condition, status: own } => {
            let all = &mut status["conditions"];
            let mut list = all.as_array().cloned().unwrap_or_default();
            list.retain(|one| one["type"] != **condition);
            list.push(json!({"type": condition, "status": with.unwrap_or(own)}));
            *all = json!(list);
        }
        Sign::Field { field, is } => {
            let mut place = &mut *status;
            for key in field.split('.') {
                place = &mut place[key];
            }
            *place = match with {
                Some(_) => json!("else"),
                None => is.first().cloned().unwrap_or(json!("something")),
            };
        }
    }
}

fn object(status: &Value) -> Value {
    json!({"metadata": {"generation": 2}, "status": status})
}

fn checked(row: &ReadyRow, object: &Value) -> String {
    health(&script("Kind", row), object).0
}

#[test]
fn every_row_tells_ready_from_not_ready() {
    let catalogue = Catalogue::new(&Rows::default()).unwrap();
    let rows = catalogue.ready_rows();
    assert!(rows.len() > 40, "the rows are read");
    for (group, kind, row) in rows.into_iter().filter(|(_, _, row)| !row.ready.is_empty()) {
        let mut ready = json!({"observedGeneration": 2});
        row.ready.iter().for_each(|sign| show(&mut ready, sign, None));
        let is = |status: &Value, expected: &str, case: &str| {
            assert_eq!(checked(row, &object(status)), expected, "{group}/{kind}: {case}");
        };
        is(&ready, "Healthy", "every sign shows");
        is(&json!(null), "Progressing", "no status");
        is(&json!({}), "Progressing", "an empty status");
        let mut older = ready.clone();
        older["observedGeneration"] = json!(1);
        is(&older, "Progressing", "an old report");
        for sign in &row.ready {
            let mut without = ready.clone();
            show(&mut without, sign, Some("Unknown"));
            is(&without, "Progressing", "one sign is missing");
        }
        for (signs, expected) in [(&row.in_progress, "Progressing"), (&row.failed, "Degraded")] {
            for sign in signs {
                let mut with = ready.clone();
                show(&mut with, sign, None);
                is(&with, expected, "a sign against it shows");
            }
        }
    }
}

#[test]
fn values_are_compared_as_they_are() {
    for (case, row, status, expected) in [
        ("a boolean", "[{field: made, is: [true]}]", json!({"made": true}), "Healthy"),
        ("a boolean is no text", "[{field: made, is: [true]}]", json!({"made": "true"}), "Progressing"),
        ("a number", "[{field: n, is: [1, 2]}]", json!({"n": 2}), "Healthy"),
        ("any value", "[{field: a.b}]", json!({"a": {"b": "x"}}), "Healthy"),
        ("an empty value", "[{field: a.b}]", json!({"a": {"b": ""}}), "Progressing"),
        ("a value on the way", "[{field: a.b}]", json!({"a": "b"}), "Progressing"),
        (
            "quotes and breaks",
            r#"[{field: m, is: ["it's \"so\"\\\n"]}]"#,
            json!({"m": "it's \"so\"\\\n"}),
            "Healthy",
        ),
    ] {
        let row: ReadyRow = serde_yaml::from_str(&format!("{{group: a.b, kind: C, ready: {row}}}")).unwrap();
        assert_eq!(checked(&row, &json!({"status": status})), expected, "{case}");
    }
}
