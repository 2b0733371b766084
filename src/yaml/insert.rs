//! Puts items in front of a list inside a document, by inserting into its text. Where the text is too unusual for
//! that (anchors, empty brackets, lists cut out of others) the document is written anew and the insertion made there.

use serde_json::Value as Json;

use super::patch::{indentation, line_ending, line_start};
use super::tree::{Node, Value, parse_chunk};
use super::{Chunk, Discard, Mark, Outline, YamlError, emit, from_json, read};

/// Items for the front of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepend {
    /// Keys from the root to the mapping that holds the list.
    pub path: Vec<String>,
    /// Key of the list, which is made when it is not there.
    pub key: &'static str,
    /// What to put in front.
    pub items: Vec<Json>,
}

/// The document with the items in front of the list, as a chunk and outline of its own.
///
/// # Errors
/// When the mapping is not there or the list is something else.
pub fn prepend(chunk: &Chunk, outline: &Outline, new: &Prepend) -> Result<(Chunk, Outline), YamlError> {
    let root = parse_chunk(chunk, &outline.limits)?;
    let text = match inserted(chunk, outline, &root, new) {
        Some(text) => text,
        None => rewritten(root, new)?,
    };
    let fresh = Chunk::owned(text, Mark { column: 1, ..chunk.start() }, 0);
    let outline = read(&fresh, &outline.limits, &mut Discard)?;
    Ok((fresh, outline))
}

/// Insertion into the text; `None` where the text is too unusual.
fn inserted(chunk: &Chunk, outline: &Outline, root: &Node, new: &Prepend) -> Option<String> {
    if outline.sites.aliases || outline.sites.merged || chunk.begins_inside_line() {
        return None;
    }
    let text = chunk.text();
    let path: Vec<&str> = new.path.iter().map(String::as_str).collect();
    let holder = root.at(&path)?;
    let place = |mark: Mark| mark.offset.checked_sub(chunk.start().offset).filter(|at| *at < text.len());
    let old = holder.entries().iter().find(|(key, _)| key.text() == Some(new.key));
    if let Some((at, flow)) = in_flow(text, holder, old.map(|(_, list)| list), new, place) {
        return Some(format!("{}{flow}{}", &text[..at], &text[at..]));
    }
    let (at, indent, lines) = if let Some((_, list)) = old {
        let first = place(list.items().first()?.mark)?;
        // The item stands behind its dash; a flow list has none.
        let dash = text[line_start(text, first)..first].rfind('-')? + line_start(text, first);
        let only_blanks = text[dash + 1..first].bytes().all(|byte| byte == b' ');
        let indent = indentation(text, dash).filter(|_| only_blanks && first > dash + 1)?;
        (line_start(text, dash), indent, items_text(&new.items))
    } else {
        let (key, _) = holder.entries().first()?;
        let first = place(key.mark)?;
        let is_key = text[first..].starts_with(key.text().unwrap_or("\0"));
        let indent = indentation(text, first).filter(|_| is_key)?;
        (line_start(text, first), indent, format!("{}:\n{}", new.key, items_text(&new.items)))
    };
    let ending = line_ending(text, at);
    let block: String = lines.lines().map(|line| indented(indent, line, ending)).collect();
    Some(format!("{}{block}{}", &text[..at], &text[at..]))
}

/// Where a list in brackets, or a mapping in braces that lacks it, takes the items, and how they are written there.
fn in_flow(
    text: &str,
    holder: &Node,
    list: Option<&Node>,
    new: &Prepend,
    place: impl Fn(Mark) -> Option<usize>,
) -> Option<(usize, String)> {
    let items: Vec<String> = new.items.iter().map(flow).collect();
    let items = items.join(", ");
    let opened = |node: &Node, bracket: char| {
        place(node.mark).filter(|at| text[*at..].starts_with(bracket)).map(|at| at + bracket.len_utf8())
    };
    match list {
        // Alone in its brackets, an item would need no comma, and a comment may stand there.
        Some(list) => {
            opened(list, '[').filter(|_| !list.items().is_empty()).map(|at| (at, format!("{items}, ")))
        }
        None if holder.entries().is_empty() => None,
        None => opened(holder, '{').map(|at| (at, format!("{}: [{items}], ", new.key))),
    }
}

/// JSON, which is YAML too, with blanks as people write them.
fn flow(value: &Json) -> String {
    let entry = |(key, value): (&String, &Json)| format!("{}: {}", Json::from(key.as_str()), flow(value));
    match value {
        Json::Object(fields) => format!("{{{}}}", fields.iter().map(entry).collect::<Vec<_>>().join(", ")),
        Json::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        scalar => scalar.to_string(),
    }
}

fn indented(indent: &str, line: &str, ending: &str) -> String {
    if line.is_empty() { ending.to_owned() } else { format!("{indent}{line}{ending}") }
}

/// `- ` items of a block list at column 0.
fn items_text(items: &[Json]) -> String {
    let text = from_json(&serde_json::json!({ "list": items }));
    text.split_once('\n').map_or(String::new(), |(_, items)| items.to_owned())
}

fn rewritten(mut root: Node, new: &Prepend) -> Result<String, YamlError> {
    let mark = root.mark;
    let not_there = || YamlError::at(mark, format!("`{}` is not there", new.path.join(".")));
    let mut holder = &mut root;
    for step in &new.path {
        let Value::Mapping(entries) = &mut holder.value else { return Err(not_there()) };
        let found = entries.iter_mut().find(|(key, _)| key.text() == Some(step.as_str()));
        holder = &mut found.ok_or_else(not_there)?.1;
    }
    let Value::Mapping(entries) = &mut holder.value else { return Err(not_there()) };
    let mut items: Vec<Node> = new.items.iter().map(super::fresh::node).collect();
    match entries.iter_mut().find(|(key, _)| key.text() == Some(new.key)) {
        Some((_, list)) if list.is_null() => list.value = Value::Sequence(items),
        Some((_, list)) => match &mut list.value {
            Value::Sequence(old) => {
                items.append(old);
                *old = items;
            }
            _ => return Err(YamlError::at(list.mark, format!("`{}` is no list", new.key))),
        },
        None => {
            let key = Value::Scalar { text: new.key.to_owned(), plain: false, binary: false };
            entries.insert(0, (Node { mark, value: key }, Node { mark, value: Value::Sequence(items) }));
        }
    }
    Ok(emit::document(&root))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::yaml::{Limits, split};

    fn result(text: &str) -> String {
        let chunk = split(&Arc::new(text.to_owned())).unwrap().remove(0);
        let outline = read(&chunk, &Limits::default(), &mut Discard).unwrap();
        let new = Prepend {
            path: vec!["spec".to_owned()],
            key: "initContainers",
            items: vec![json!({"name": "w", "args": ["a: b"], "script": "x\ny\n"})],
        };
        prepend(&chunk, &outline, &new).unwrap().0.text().to_owned()
    }

    const FLOW: &str = r#"{"name": "w", "args": ["a: b"], "script": "x\ny\n"}"#;

    #[test]
    fn items_go_into_the_text_and_nothing_else_changes() {
        let item = "- name: w\n  args:\n  - \"a: b\"\n  script: |\n    x\n    y\n";
        let at = |indent: &str| item.lines().map(|line| format!("{indent}{line}\n")).collect::<String>();
        for (before, after) in [
            ("spec:\n  a: 1 # kept\n", format!("spec:\n  initContainers:\n{}  a: 1 # kept\n", at("  "))),
            (
                "spec:\n  initContainers: # mine\n    # first\n    - name: old\n  b: 'x'\n",
                format!(
                    "spec:\n  initContainers: # mine\n    # first\n{}    - name: old\n  b: 'x'\n",
                    at("    ")
                ),
            ),
            (
                "spec:\n  initContainers:\n  - name: old\n",
                format!("spec:\n  initContainers:\n{}  - name: old\n", at("  ")),
            ),
            (
                "spec:\n  initContainers: [ # mine\n    {name: old}, # first\n  ]\n",
                format!("spec:\n  initContainers: [{FLOW},  # mine\n    {{name: old}}, # first\n  ]\n"),
            ),
            (
                "spec: {a: 1, # kept\n  b: 2}\n",
                format!("spec: {{initContainers: [{FLOW}], a: 1, # kept\n  b: 2}}\n"),
            ),
        ] {
            assert_eq!(result(before), after);
        }
    }

    #[test]
    fn unusual_texts_are_written_anew_with_the_same_meaning() {
        for before in [
            "spec: {a: 1, initContainers: [{name: old}]}\n",
            "spec:\n  initContainers: [{name: old}]\n",
            "spec:\n  a: &x {b: 1}\n  c: *x\n  initContainers:\n  - name: old\n",
            "{\"spec\": {\"a\": 1}}\n",
            "spec:\n  initContainers: []\n  a: yes\n",
            "spec:\n  initContainers:\n  a: 1\n",
        ] {
            let after: Json = serde_yaml::from_str(&result(before)).unwrap();
            let mut expected: Json = serde_yaml::from_str::<serde_yaml::Value>(before)
                .map(|value| serde_json::to_value(value).unwrap())
                .unwrap();
            let old = expected["spec"]["initContainers"].as_array().cloned().unwrap_or_default();
            let item = json!({"name": "w", "args": ["a: b"], "script": "x\ny\n"});
            expected["spec"]["initContainers"] = [vec![item], old].concat().into();
            assert_eq!(after, expected, "{before}");
        }
    }
}
