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
use program::Oracle;

const WAVE: &str = "1550";
const GENERATED: usize = 3_000;

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

#[test]
fn go_reads_the_same_and_the_annotation() {
    let mut texts = documents::documents(GENERATED);
    let mut files = Vec::new();
    manifests(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"), &mut files);
    texts.extend(files.iter().map(|file| fs::read_to_string(file).unwrap()));
    let pairs: Vec<(String, String)> = texts.iter().flat_map(|text| spliced(text)).collect();
    let question = |text: &String| json!({"text": text});
    let oracle = Oracle::build();
    let before =
        oracle.answers("yaml", &pairs.iter().map(|(before, _)| question(before)).collect::<Vec<_>>());
    let after = oracle.answers("yaml", &pairs.iter().map(|(_, after)| question(after)).collect::<Vec<_>>());
    let mut compared = 0;
    for (((text, changed), before), after) in pairs.iter().zip(&before).zip(&after) {
        // What Go refuses before nobody could apply anyway.
        let Some(object) = before.get("json").filter(|object| object.is_object()) else { continue };
        assert_eq!(
            after.get("json"),
            Some(&with_annotation(object.clone())),
            "{text}\n=== became\n{changed}\n{after}"
        );
        compared += 1;
    }
    assert!(compared > GENERATED / 2, "only {compared} of {} documents were compared", pairs.len());
}
