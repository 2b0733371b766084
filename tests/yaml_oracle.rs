//! What Go's own YAML parser reads after a splice is what it read before, plus the annotation.
//! Nasty generated documents and every manifest of the examples go through `sigs.k8s.io/yaml`, before and after.

#![expect(clippy::disallowed_methods, reason = "tests read files and start programs")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

#[path = "support/documents.rs"]
mod documents;
#[path = "oracle/program.rs"]
mod program;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use argocd_ladder::yaml::{self, Chunk, Discard, Limits, Set};
use serde_json::{Value, json};

use documents::KEY;
use fastrand::Rng;
use program::Oracle;

const WAVE: &str = "1550";
const GENERATED: usize = 3_000;
const MUTATED: usize = 10_000;

/// What a mutation puts somewhere: the marks of YAML and the characters that its versions disagree on.
const BITS: &[&str] = &[
    "\t",
    "\n\t\n",
    "\n  \t# c\n",
    "\"",
    "'",
    "\n",
    "\n\n",
    " ",
    "  ",
    "- ",
    "-\t",
    "#",
    " # c",
    "*a",
    "|",
    ">-",
    "|+\n",
    "{",
    "}",
    "[",
    "]",
    ",",
    ": ",
    ":",
    "?",
    "? ",
    "~",
    "null",
    "\n---\n",
    "\n---x\n",
    "\n-----BEGIN\n",
    "---",
    "\u{85}",
    "\u{2028}",
    "\u{2029} ",
    "\u{a0}",
    "\u{feff}",
    "é",
    "\\",
    "\\u007f",
    "\\x85",
    "\\u2028",
    "%",
    "@",
    "`",
    "=",
    ".inf",
    "-.nan",
    "5",
    "yes",
    "kind: 5\n",
    "{a:b}",
    "[a?b]",
    "{a:{b: c}}",
    "\n    \t",
    "<<: ",
];

/// The objects of a text, before and after the splice.
fn spliced(text: &str) -> Vec<(String, String)> {
    let chunks = yaml::split(&Arc::new(text.to_owned())).unwrap_or_default();
    chunks.iter().flat_map(|chunk| splice_chunk(chunk, true)).collect()
}

fn splice_chunk(chunk: &Chunk, may_be_list: bool) -> Vec<(String, String)> {
    let limits = Limits::default();
    let Ok(outline) = yaml::read(chunk, &limits, &mut Discard) else { return Vec::new() };
    if outline.items && may_be_list {
        let items = yaml::items(chunk, &outline, &limits).unwrap_or_default();
        return items.iter().flat_map(|item| splice_chunk(item, false)).collect();
    }
    if outline.empty || outline.opaque {
        return Vec::new();
    }
    let after = yaml::splice(chunk, &outline, &[Set::Annotation(KEY, WAVE)]);
    after.map(|after| (chunk.text().to_owned(), after.to_string())).into_iter().collect()
}

fn manifests(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            manifests(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "yaml") {
            found.push(path);
        }
    }
}

fn with_annotation(mut object: Value) -> Value {
    let metadata = &mut object["metadata"];
    if metadata.is_null() {
        *metadata = json!({});
    }
    if metadata["annotations"].is_null() {
        metadata["annotations"] = json!({});
    }
    metadata["annotations"][KEY] = json!(WAVE);
    object
}

/// The text with a few changes at random places.
fn mutated(text: &str, random: &mut Rng) -> String {
    let mut text = text.to_owned();
    for _ in 0..random.usize(1..4) {
        let place = boundary(&text, random.usize(0..=text.len()));
        if random.usize(0..6) == 0 {
            let end = boundary(&text, text.len().min(place + random.usize(1..4)));
            text.replace_range(place..end, "");
        } else {
            text.insert_str(place, BITS[random.usize(0..BITS.len())]);
        }
    }
    text
}

fn boundary(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

fn has_odd_anchor(text: &str) -> bool {
    let name = |(at, _): (usize, &str)| text[at + 1..].split([' ', '\t', '\r', '\n', ',', ']', '}']).next();
    text.match_indices('&')
        .filter_map(name)
        .any(|name| !name.chars().all(char::is_alphanumeric) || name.is_empty())
}

fn cases(usual: usize) -> usize {
    std::env::var("LADDER_ORACLE_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

#[test]
fn what_is_accepted_go_accepts() {
    let mut random = Rng::with_seed(7);
    let texts = documents::documents(GENERATED);
    let count = cases(MUTATED);
    let documents = (0..count).flat_map(|number| {
        let text = mutated(&texts[number % texts.len()], &mut random);
        spliced(&text).into_iter().map(move |(_, after)| (text.clone(), after))
    });
    let streams: Vec<(String, String)> = documents.collect();
    let questions: Vec<Value> = streams.iter().map(|(_, after)| json!({"text": after})).collect();
    let answers = Oracle::build().answers("split", &questions);
    let refused: Vec<String> = streams
        .iter()
        .zip(&answers)
        .filter_map(|((text, _), answer)| Some((answer["error"].as_str()?, text)))
        // Whether it is an object at all is not asked here, and nobody writes anchors with punctuation.
        .filter(|(error, text)| !error.contains("Object 'Kind' is missing") && !has_odd_anchor(text))
        .map(|(error, text)| format!("{error}\n{text:?}"))
        .collect();
    assert!(streams.len() > count / 4, "only {} of {count} texts were accepted", streams.len());
    assert!(
        refused.is_empty(),
        "{} of {}\n{}",
        refused.len(),
        streams.len(),
        refused[..refused.len().min(40)].join("\n")
    );
}

#[test]
fn go_reads_the_same_and_the_annotation() {
    let mut texts = documents::documents(GENERATED);
    let mut files = Vec::new();
    manifests(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"), &mut files);
    texts.extend(files.iter().map(|file| fs::read_to_string(file).unwrap()));
    let pairs: Vec<(String, String)> = texts.iter().flat_map(|text| spliced(text)).collect();
    let question = |text: &String| json!({"text": text});
    let oracle = Oracle::build();
    // As a stream, for Argo CD ends the last line and a block scalar with it before it parses.
    let before =
        oracle.answers("split", &pairs.iter().map(|(before, _)| question(before)).collect::<Vec<_>>());
    let after = oracle.answers("split", &pairs.iter().map(|(_, after)| question(after)).collect::<Vec<_>>());
    let mut compared = 0;
    for (((text, changed), before), after) in pairs.iter().zip(&before).zip(&after) {
        // What Go refuses before nobody could apply anyway.
        let Some(object) = before.pointer("/objects/0").filter(|object| object.is_object()) else { continue };
        assert_eq!(
            after.pointer("/objects/0"),
            Some(&with_annotation(object.clone())),
            "{text}\n=== became\n{changed}\n{after}"
        );
        compared += 1;
    }
    assert!(compared > GENERATED / 2, "only {compared} of {} documents were compared", pairs.len());
}
