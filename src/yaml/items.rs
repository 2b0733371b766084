//! Takes the objects out of a `List`, each as a document of its own with its lines still those of the file.
//! Block items are moved to the left, flow items are slices; items with aliases are written anew.

use super::outline::{Item, Shape};
use super::patch::{indentation, line_start};
use super::tree::{Node, Value, parse_chunk};
use super::{Chunk, Limits, Mark, Outline, YamlError, emit};

/// The objects of the top-level `items`, in order; none if the document is not a list.
///
/// # Errors
/// When an item is not an object.
pub fn items(chunk: &Chunk, outline: &Outline, limits: &Limits) -> Result<Vec<Chunk>, YamlError> {
    if !outline.items {
        return Ok(Vec::new());
    }
    let sites = &outline.sites;
    let mut emitted = Emitted { chunk, limits, root: None };
    let mut found = Vec::with_capacity(sites.items.len());
    for (number, item) in sites.items.iter().enumerate() {
        let next = sites.items.get(number + 1).map_or(sites.items_end, |next| next.start);
        let taken = if sites.aliases { None } else { taken(chunk, item, next) };
        found.push(match taken {
            Some(part) => part,
            None => emitted.item(number, item)?,
        });
    }
    Ok(found)
}

fn taken(chunk: &Chunk, item: &Item, next: usize) -> Option<Chunk> {
    match item.shape {
        Shape::FlowMapping => Some(chunk.part(item.start..item.end + 1, item.mark)),
        Shape::BlockMapping => moved_left(chunk, item, next),
        _ => None,
    }
}

/// The lines of a block item with its own indentation taken away, if every line has it.
fn moved_left(chunk: &Chunk, item: &Item, next: usize) -> Option<Chunk> {
    let text = chunk.text();
    let start = line_start(text, item.start);
    let indent = item.start - start;
    if indentation(text, item.start).is_none() && !is_dash(&text[start..item.start]) {
        return None;
    }
    let end = if text[next..].trim().is_empty() { text.len() } else { line_start(text, next) };
    let mut lines = text.get(item.start..end)?.split_inclusive('\n');
    let mut out = String::with_capacity(end - start);
    out.push_str(lines.next()?);
    for line in lines {
        out.push_str(without_indent(line, indent)?);
    }
    Some(Chunk::owned(out, item.mark, item.mark.column - 1))
}

fn is_dash(before: &str) -> bool {
    before.trim_matches(' ') == "-" && before.ends_with(' ')
}

fn without_indent(line: &str, indent: usize) -> Option<&str> {
    let spaces = line.bytes().take_while(|&byte| byte == b' ').count();
    if spaces >= indent {
        return Some(&line[indent..]);
    }
    // Blank lines and comments may stand further left.
    let rest = &line[spaces..];
    (rest.starts_with(['#', '\r', '\n']) || rest.is_empty()).then_some(rest)
}

/// The items as written from the tree of the list, which is built only when one needs it.
struct Emitted<'c> {
    chunk: &'c Chunk,
    limits: &'c Limits,
    root: Option<Node>,
}

impl Emitted<'_> {
    fn item(&mut self, number: usize, item: &Item) -> Result<Chunk, YamlError> {
        if self.root.is_none() {
            self.root = Some(parse_chunk(self.chunk, self.limits)?);
        }
        let node =
            self.root.as_ref().and_then(|root| root.get("items")).and_then(|list| list.items().get(number));
        match node {
            Some(node) if matches!(node.value, Value::Mapping(_)) => {
                Ok(Chunk::owned(emit::document(node), Mark { column: 1, ..node.mark }, 0))
            }
            _ => Err(YamlError::at(item.mark, format!("item {} of the list is not an object", number + 1))),
        }
    }
}
