//! The line reader against yaml-rust2: whatever the text, both give the same events with the same marks, the
//! same outline and the same error.

#![expect(clippy::disallowed_methods, reason = "tests read and write files")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use super::super::read::read_on;
use super::super::reader::Reader;
use super::super::*;
use super::support::document;
use super::texts::{self, Texts};

#[derive(Default)]
struct Log(Vec<String>);

impl Sink for Log {
    fn event(&mut self, event: Event<'_>, mark: Mark) {
        let Mark { offset, line, column } = mark;
        self.0.push(format!("{offset} {line}:{column} {event:?}"));
    }
}

type Outcome = Result<(Vec<String>, String), YamlError>;

fn outcome(chunk: &Chunk, with_lines: bool) -> (Outcome, bool) {
    let limits = Limits { max_depth: 40, ..Limits::default() };
    let mut log = Log::default();
    let mut reader = Reader::new(chunk, &limits, &mut log);
    let whole = with_lines && reader.read_lines();
    let outline = if whole { Ok(reader.tracker.outline) } else { read_on(reader) };
    (outline.map(|outline| (log.0, format!("{outline:?}"))), whole)
}

/// Bytes that the line reader read to the end, of all that can be read; panics where the two disagree.
fn compare(text: &str) -> (usize, usize) {
    let Ok(chunks) = split(&Arc::new(text.to_owned())) else { return (0, 0) };
    let (mut whole, mut all) = (0, 0);
    for chunk in chunks {
        let (expected, _) = outcome(&chunk, false);
        let (found, by_lines) = outcome(&chunk, true);
        assert_eq!(found, expected, "by lines: {by_lines}\n{:?}\n{0}", chunk.text());
        all += if expected.is_ok() { chunk.text().len() } else { 0 };
        whole += if by_lines { chunk.text().len() } else { 0 };
    }
    (whole, all)
}

fn cases(usual: usize) -> usize {
    std::env::var("LADDER_LINE_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

#[test]
fn generated_documents_read_alike_and_mostly_by_lines() {
    let mut texts = Texts::new(1);
    let (mut whole, mut all) = (0, 0);
    for _ in 0..cases(2000) {
        let (by_lines, bytes) = compare(&texts.document());
        whole += by_lines;
        all += bytes;
    }
    assert!(whole * 2 > all, "{whole} of {all} bytes by lines");
}

#[test]
fn changed_documents_read_alike() {
    let mut texts = Texts::new(2);
    for _ in 0..cases(12_000) {
        let text = texts.document();
        compare(&texts.changed(&text));
    }
}

#[test]
fn lines_put_together_at_random_read_alike() {
    let mut texts = Texts::new(3);
    for _ in 0..cases(12_000) {
        compare(&texts.scraps());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn nasty_documents_read_alike(text in document()) {
        compare(&text);
    }
}

#[test]
fn every_yaml_file_of_the_repository_reads_alike_and_mostly_by_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut files, mut whole, mut all) = (0, 0, 0);
    let mut open = vec![root.join("examples"), root.join("tests"), root.join("src")];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|ending| ending == "yaml")
            && let Ok(text) = fs::read_to_string(&path)
        {
            let (by_lines, bytes) = compare(&text);
            let mut texts = Texts::new(files);
            for _ in 0..3 {
                compare(&texts.changed(&text));
            }
            whole += by_lines;
            all += bytes;
            files += 1;
        }
    }
    assert!(files > 100, "only {files} files");
    assert!(whole * 10 > all * 8, "{whole} of {all} bytes by lines");
}

#[test]
fn what_the_line_reader_takes_and_leaves() {
    for (text, by_lines) in texts::BORDERS {
        let mut found = split(&Arc::new((*text).to_owned())).unwrap();
        let chunk = found.remove(0);
        assert_eq!(outcome(&chunk, true).1, *by_lines, "{text:?}");
        compare(text);
    }
}
