//! Laws that hold for every document: a splice adds what it should and nothing else, doing it twice changes
//! nothing, lists and streams give back their parts, and no text makes the module panic.

#![expect(clippy::disallowed_methods, reason = "tests read and write files")]

use std::borrow::Cow;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::*;
use super::support::{KEY, document, documents, indented, stream};

fn chunks(text: &str) -> Result<Vec<Chunk>, YamlError> {
    split(&Arc::new(text.to_owned()))
}

fn json_of(chunk: &Chunk) -> Value {
    tree::parse_chunk(chunk, &Limits::default()).unwrap().to_json()
}

fn outline(chunk: &Chunk) -> Outline {
    read(chunk, &Limits::default(), &mut Discard).unwrap()
}

fn annotated(chunk: &Chunk, value: &str) -> String {
    splice(chunk, &outline(chunk), &[Set::Annotation(KEY, value)]).unwrap().to_string()
}

fn with_annotation(mut object: Value, value: &str) -> Value {
    for key in ["metadata", "annotations"] {
        let part = if key == "metadata" { &mut object } else { &mut object["metadata"] };
        if part[key].is_null() {
            part[key] = json!({});
        }
    }
    object["metadata"]["annotations"][KEY] = json!(value);
    object
}

/// A text with a few characters taken out, doubled or put in.
fn mutated() -> impl Strategy<Value = String> {
    let rare = "\t\r\n -:?{}[],&*!|>'\"#%@`.~<\u{feff}\u{85}é0";
    let change =
        (any::<prop::sample::Index>(), 0..4_u8, prop::sample::select(rare.chars().collect::<Vec<_>>()));
    (document(), prop::collection::vec(change, 1..6)).prop_map(|(text, changes)| {
        let mut letters: Vec<char> = text.chars().collect();
        for (index, kind, letter) in changes {
            let at = index.index(letters.len());
            match kind {
                0 if letters.len() > 1 => drop(letters.remove(at)),
                1 => letters.truncate(at.max(1)),
                _ => letters.insert(at, letter),
            }
        }
        letters.into_iter().collect()
    })
}

/// Reads and splices whatever can be read; what was spliced must be readable.
fn exercise(text: &str) -> Result<(), TestCaseError> {
    let Ok(found) = chunks(text) else { return Ok(()) };
    for chunk in found {
        let Ok(outline) = read(&chunk, &Limits::default(), &mut Discard) else { continue };
        let _ = items(&chunk, &outline, &Limits::default());
        if let Ok(spliced) = splice(&chunk, &outline, &[Set::Namespace("ns"), Set::Annotation(KEY, "5")]) {
            let spliced = spliced.to_string();
            let again = chunks(&spliced);
            prop_assert!(again.is_ok(), "{text:?}\n{spliced}\n{again:?}");
            for part in again.unwrap() {
                let reread = read(&part, &Limits::default(), &mut Discard);
                prop_assert!(reread.is_ok(), "{text:?}\n{spliced}\n{reread:?}");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_splice_adds_the_annotation_and_nothing_else(text in document(), value in "[ -~é😀\n]{0,12}") {
        for chunk in chunks(&text).unwrap() {
            let spliced = annotated(&chunk, &value);
            let after = chunks(&spliced).unwrap();
            prop_assert_eq!(after.len(), 1);
            prop_assert_eq!(json_of(&after[0]), with_annotation(json_of(&chunk), &value), "{}", spliced);
            prop_assert_eq!(annotated(&after[0], &value), spliced.clone(), "twice");
            prop_assert!(spliced.ends_with('\n') && !spliced.starts_with("---"));
        }
    }

    #[test]
    fn bytes_outside_the_splice_never_change(text in document()) {
        for chunk in chunks(&text).unwrap() {
            let outline = outline(&chunk);
            let spliced = splice(&chunk, &outline, &[Set::Annotation(KEY, "5")]).unwrap();
            let borrowed: Vec<&str> = spliced
                .pieces()
                .iter()
                .filter_map(|piece| if let Cow::Borrowed(old) = piece { Some(*old) } else { None })
                .collect();
            if borrowed.is_empty() {
                continue;
            }
            let mut rest = chunk.text();
            for old in borrowed {
                let Some((gap, after)) = rest.split_once(old) else {
                    prop_assert!(rest.is_empty() && old.trim().is_empty(), "{:?} is new", old);
                    continue;
                };
                prop_assert!(!gap.contains('\n'), "{:?} lost", gap);
                rest = after;
            }
            prop_assert_eq!(rest.trim_matches(' '), "");
        }
    }

    #[test]
    fn the_documents_of_a_stream_are_found(texts in stream(), bom: bool) {
        let bodies: Vec<&str> = texts.iter().map(|text| text.trim_end_matches('\n')).collect();
        let whole = format!("{}---\n{}\n", if bom { "\u{feff}" } else { "" }, bodies.join("\n---\n"));
        let found = chunks(&whole).unwrap();
        prop_assert_eq!(found.len(), texts.len());
        for (chunk, text) in found.iter().zip(&texts) {
            let alone = chunks(&format!("{}\n", text.trim_end_matches('\n'))).unwrap();
            prop_assert_eq!(json_of(chunk), json_of(&alone[0]));
            let before = whole[..chunk.start().offset].replace("\r\n", "\n");
            let line = before.matches(['\r', '\n']).count() + 1;
            prop_assert_eq!(chunk.line(), line);
        }
    }

    #[test]
    fn the_items_of_a_list_read_as_they_did_alone(texts in stream(), indent in 0..3_usize) {
        let mut list = "kind: List\nitems:\n".to_owned();
        let mut alone = Vec::new();
        for text in &texts {
            let text = text.replace("\r\n", "\n").replace('\r', "\n");
            let text = format!("{}\n", text.trim_end_matches('\n'));
            let Ok(found) = chunks(&text) else { continue };
            alone.push(json_of(&found[0]));
            let moved = indented(found[0].text(), &" ".repeat(indent + 2));
            list.extend([&" ".repeat(indent), "-\n", moved.trim_end_matches('\n'), "\n"]);
        }
        let whole = chunks(&list).unwrap();
        let found = items(&whole[0], &outline(&whole[0]), &Limits::default()).unwrap();
        prop_assert_eq!(found.iter().map(json_of).collect::<Vec<_>>(), alone, "{}", list);
    }

    #[test]
    fn a_document_written_anew_means_the_same(text in document()) {
        for chunk in chunks(&text).unwrap() {
            let root = tree::parse_chunk(&chunk, &Limits::default()).unwrap();
            let fresh = emit::document(&root);
            prop_assert_eq!(json_of(&chunks(&fresh).unwrap()[0]), root.to_json(), "{}", fresh);
        }
    }

    #[test]
    fn a_quoted_string_reads_as_itself(key in "\\PC{1,8}|[ -~]{1,6}", value in any::<String>()) {
        let text = format!("{}: {}\n", quote::quoted(&key), quote::quoted(&value));
        let found = json_of(&chunks(&text).unwrap()[0]);
        prop_assert_eq!(found, json!({ key: value }), "{}", text);
    }

    #[test]
    fn no_text_makes_the_module_panic(text in mutated()) {
        exercise(&text)?;
    }

    #[test]
    fn no_soup_of_indicators_makes_the_module_panic(text in "[-?:,\\[\\]{}#&*!|>'\"%@` \t\r\na0~<.\u{feff}é]{0,60}") {
        exercise(&text)?;
        exercise(&format!("metadata:\n {text}"))?;
    }
}

/// Writes what this module makes of many documents, for a program that asks another YAML reader the same:
/// one JSON object per line with the document, its value, and the document with the annotation set to `5`.
#[test]
fn cases_are_written_for_other_readers() {
    let Some(path) = std::env::var_os("YAML_CASES") else { return };
    let mut lines = String::new();
    for chunk in documents(20_000).iter().flat_map(|text| chunks(text).unwrap()) {
        let case = json!({"text": chunk.text(), "value": json_of(&chunk), "spliced": annotated(&chunk, "5")});
        lines.push_str(&case.to_string());
        lines.push('\n');
    }
    std::fs::write(path, lines).unwrap();
}
