//! Cuts a file into documents by its text alone, as Argo CD does, so that a broken document cannot move the
//! borders of the others. What Argo CD would silently lose or refuse is an error here.

use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;

use super::patch::line_ending;
use super::{Chunk, Mark, YamlError, hygiene, json};

/// The documents of a file; those that hold nothing but comments are left out.
///
/// # Errors
/// When the file holds characters that Go refuses, directives, or text after `...`.
pub fn split(file: &Arc<String>) -> Result<Vec<Chunk>, YamlError> {
    hygiene::check(file)?;
    let file = &with_last_line_ended(with_line_feeds(file));
    let begin = if file.starts_with(BOM) { BOM.len_utf8() } else { 0 };
    if let Some(objects) = json::stream(file, begin) {
        return Ok(objects);
    }
    let mut splitter = Splitter { file, line: 1, counted: 0, has_ends: has_document_ends(&file[begin..]) };
    let mut chunks = Vec::new();
    let mut start = begin;
    for separator in separators(file, begin)? {
        splitter.document(start..separator, start == begin, &mut chunks)?;
        start = separator + DASHES;
    }
    splitter.document(start..file.len(), start == begin, &mut chunks)?;
    Ok(chunks)
}

/// The file with old carriage returns as line feeds; Go takes both for line breaks.
fn with_line_feeds(file: &Arc<String>) -> Arc<String> {
    let bytes = file.as_bytes();
    if memchr::memchr_iter(b'\r', bytes).all(|at| bytes.get(at + 1) == Some(&b'\n')) {
        return Arc::clone(file);
    }
    let mut parts = file.split('\r');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push(if part.starts_with('\n') { '\r' } else { '\n' });
        text.push_str(part);
    }
    text.into()
}

const BOM: char = '\u{feff}';
const DASHES: usize = 3;

/// Argo CD ends the last line of what it reads, and a block scalar there with it.
fn with_last_line_ended(file: Arc<String>) -> Arc<String> {
    if file.is_empty() || file.ends_with('\n') {
        return file;
    }
    let mut text = String::with_capacity(file.len() + 2);
    text.push_str(&file);
    text.push_str(line_ending(&file, file.len()));
    text.into()
}

/// The offsets of `---` at the start of a line, with nothing but a comment behind it. Argo CD looks at lines and not at
/// YAML, so that anything else behind the dashes is refused, a mapping (`--- {a: b}`) as well as text inside of quotes.
fn separators(file: &str, begin: usize) -> Result<Vec<usize>, YamlError> {
    let bytes = file.as_bytes();
    let first = file[begin..].starts_with("---").then_some(begin);
    let found = memmem::find_iter(&bytes[begin..], b"\n---").map(move |at| begin + at + 1);
    let separator = |at: usize| {
        let message = "a line that begins with `---` begins a document for Argo CD, and only a comment may \
                       follow the dashes; move what follows to a line of its own, or indent the line";
        let line = &bytes[at + DASHES..];
        let end = memchr::memchr(b'\n', line).unwrap_or(line.len());
        let rest = file[at + DASHES..at + DASHES + end].trim();
        let is_one = rest.is_empty() || rest.starts_with('#');
        if is_one { Ok(at) } else { Err(YamlError::at(hygiene::place(file, at), message)) }
    };
    first.into_iter().chain(found).map(separator).collect()
}

fn ends_word(next: Option<&u8>) -> bool {
    next.is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

fn has_document_ends(text: &str) -> bool {
    text.starts_with("...") || memmem::find(text.as_bytes(), b"\n...").is_some()
}

struct Splitter<'f> {
    file: &'f Arc<String>,
    line: usize,
    /// Up to where `line` has counted.
    counted: usize,
    has_ends: bool,
}

impl Splitter<'_> {
    /// Adds the document in `range`, which begins after its dashes or, for the first, at the file's start.
    fn document(
        &mut self,
        range: Range<usize>,
        bare: bool,
        chunks: &mut Vec<Chunk>,
    ) -> Result<(), YamlError> {
        let range = self.without_end_marker(range)?;
        let mut start = range.start;
        let column = if bare { 0 } else { DASHES };
        if !bare {
            start += blanks(&self.file[range.clone()]);
            start += line_break(&self.file[start..range.end]);
        }
        let own_line = start > range.start && self.file.as_bytes()[start - 1] == b'\n';
        if self.file[start..range.end].starts_with(BOM) {
            start += BOM.len_utf8();
        }
        let Some(content) = first_content(&self.file[start..range.end]) else { return Ok(()) };
        if self.file[start + content..].starts_with('%') && (bare || own_line) {
            let message = "directives (`%YAML`, `%TAG`) are refused by Argo CD, remove the line";
            return Err(YamlError::at(hygiene::place(self.file, start + content), message));
        }
        let before = if bare || own_line { 0 } else { column + (start - range.start) };
        let mark = Mark { offset: start, line: self.line_of(start), column: before + 1 };
        let chunk = Chunk::slice(self.file, start..range.end, mark);
        chunks.push(json::readable(chunk));
        Ok(())
    }

    fn line_of(&mut self, at: usize) -> usize {
        self.line += memchr::memchr_iter(b'\n', &self.file.as_bytes()[self.counted..at]).count();
        self.counted = at;
        self.line
    }

    /// Cuts the document at `...`, behind which only comments may follow.
    fn without_end_marker(&self, range: Range<usize>) -> Result<Range<usize>, YamlError> {
        if !self.has_ends {
            return Ok(range);
        }
        let text = &self.file[range.clone()];
        let at_start = (range.start == 0 || text.starts_with("...")).then_some(0);
        let found = memmem::find_iter(text.as_bytes(), b"\n...").map(|at| at + 1);
        let end = at_start
            .into_iter()
            .chain(found)
            .find(|&at| text[at..].starts_with("...") && ends_word(text.as_bytes().get(at + DASHES)));
        let Some(end) = end else { return Ok(range) };
        let after = &text[end + DASHES..];
        match first_content(after) {
            Some(lost) => {
                let message = "text after `...` would be lost, begin the next document with `---`";
                let at = range.start + end + DASHES + lost;
                Err(YamlError::at(hygiene::place(self.file, at), message))
            }
            None => Ok(range.start..range.start + end),
        }
    }
}

/// What Go trims behind the dashes, up to the end of the line.
fn blanks(text: &str) -> usize {
    let rest = text.trim_start_matches(|next: char| next.is_whitespace() && !matches!(next, '\r' | '\n'));
    text.len() - rest.len()
}

fn line_break(text: &str) -> usize {
    if text.starts_with("\r\n") { 2 } else { usize::from(text.starts_with('\n')) }
}

/// The offset of the first character that is neither blank nor comment.
fn first_content(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start_matches([' ', '\t', '\r', '\n']);
        if !trimmed.is_empty() && !trimmed.starts_with('#') {
            return Some(at + line.len() - trimmed.len());
        }
        at += line.len();
    }
    None
}
