//! Writes a tree as block YAML that Go reads as the same values. Used only where a splice into the source text
//! is not safe; plain scalars keep their text, so no number or boolean is reinterpreted.

use super::quote::{double_quoted, is_unprintable, quoted};
use super::tree::{Node, Value};

/// The document in block style, with LF line ends and a final line break.
pub(super) fn document(node: &Node) -> String {
    let mut out = String::new();
    match &node.value {
        Value::Mapping(entries) if !entries.is_empty() => mapping(&mut out, entries, 0),
        _ => {
            scalar_or_empty(&mut out, node, 0);
            out.push('\n');
        }
    }
    out
}

/// Entries one per line; the cursor stands where the first key goes.
fn mapping(out: &mut String, entries: &[(Node, Node)], indent: usize) {
    for (number, (key, node)) in entries.iter().enumerate() {
        if number > 0 {
            spaces(out, indent);
        }
        out.push_str(&quoted(key.text().unwrap_or_default()));
        out.push(':');
        match &node.value {
            Value::Mapping(inner) if !inner.is_empty() => {
                out.push('\n');
                spaces(out, indent + 2);
                mapping(out, inner, indent + 2);
            }
            Value::Sequence(items) if !items.is_empty() => {
                out.push('\n');
                spaces(out, indent);
                sequence(out, items, indent);
            }
            _ => leaf(out, node, indent),
        }
    }
}

/// Items one per line; the cursor stands where the first dash goes.
fn sequence(out: &mut String, items: &[Node], indent: usize) {
    for (number, node) in items.iter().enumerate() {
        if number > 0 {
            spaces(out, indent);
        }
        out.push('-');
        match &node.value {
            Value::Mapping(inner) if !inner.is_empty() => {
                out.push(' ');
                mapping(out, inner, indent + 2);
            }
            Value::Sequence(inner) if !inner.is_empty() => {
                out.push(' ');
                sequence(out, inner, indent + 2);
            }
            _ => leaf(out, node, indent),
        }
    }
}

/// A scalar or an empty collection after a colon or dash, and the end of the line.
fn leaf(out: &mut String, node: &Node, indent: usize) {
    if !matches!(&node.value, Value::Scalar { text, plain: true, .. } if text.is_empty()) {
        out.push(' ');
        scalar_or_empty(out, node, indent);
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
}

fn scalar_or_empty(out: &mut String, node: &Node, indent: usize) {
    match &node.value {
        Value::Mapping(_) => out.push_str("{}"),
        Value::Sequence(_) => out.push_str("[]"),
        Value::Scalar { text, plain: true, .. } if !text.contains('\n') => out.push_str(text),
        Value::Scalar { text, binary: true, .. } => {
            out.push_str("!!binary ");
            out.push_str(&double_quoted(text));
        }
        Value::Scalar { text, .. } if may_be_literal(text) => literal(out, text, indent + 2),
        Value::Scalar { text, .. } => out.push_str(&quoted(text)),
    }
}

/// Whether every reader gives a literal block back unchanged.
fn may_be_literal(text: &str) -> bool {
    text.contains('\n')
        && !text.starts_with([' ', '\t', '\n'])
        && !text.contains(|character| is_unprintable(character) && !matches!(character, '\n' | '\t'))
}

fn literal(out: &mut String, text: &str, indent: usize) {
    let body = text.trim_end_matches('\n');
    out.push_str(match text.len() - body.len() {
        0 => "|-\n",
        1 => "|\n",
        _ => "|+\n",
    });
    for line in body.split('\n') {
        if !line.is_empty() {
            spaces(out, indent);
        }
        out.push_str(line);
        out.push('\n');
    }
    for _ in body.len() + 1..text.len() {
        out.push('\n');
    }
}

fn spaces(out: &mut String, count: usize) {
    out.extend(std::iter::repeat_n(' ', count));
}
