//! Charts that may come out differently each time: an Application of one is out of sync after every refresh.
//!
//! Argo CD asks the plugin again and compares with what is in the cluster, so a password made anew is rolled out anew.

use std::path::Path;
use std::sync::Arc;

use super::sources;
use crate::disk;
use crate::model::{Finding, Level, Origin};

/// Functions of templates that give something else each time. `derivePassword` is not among them: the same words give
/// the same password.
const FUNCTIONS: &[&str] = &[
    "randAlphaNum",
    "randAlpha",
    "randNumeric",
    "randAscii",
    "randBytes",
    "randInt",
    "shuffle",
    "uuidv4",
    "now",
    "ago",
    "bcrypt",
    "htpasswd",
    "encryptAES",
    "genPrivateKey",
    "genCA",
    "genCAWithKey",
    "genSelfSignedCert",
    "genSelfSignedCertWithKey",
    "genSignedCert",
    "genSignedCertWithKey",
];

/// The finding about a chart whose templates call such a function, at the first place that does.
#[must_use]
pub fn finding(root: &Path, folder: &str) -> Option<Finding> {
    // What cannot be listed or read is told by the render.
    let files = sources::files(root, [folder.to_owned()].iter()).ok()?;
    let templates = files.iter().filter(|file| is_template(file.strip_prefix(folder).unwrap_or(file)));
    let mut calls = templates.filter_map(|file| {
        let text = disk::read(root, file).ok()?;
        let (line, function) = first_call(&text)?;
        Some((file, line, function))
    });
    let (file, line, function) = calls.next()?;
    let others = match calls.count() {
        0 => String::new(),
        1 => ", as does one more template".to_owned(),
        number => format!(", as do {number} more templates"),
    };
    let message = format!("`{function}` may give something else at each render{others}");
    let finding = Finding::new("render-not-repeatable", Level::Warning, message);
    Some(finding.at(Origin::new(&Arc::from(file.as_str()), line)).help(
        "set the value it stands in for, or make the object once (a Job, an ExternalSecret): Argo CD would roll out a new one after every refresh",
    ))
}

fn is_template(path: &str) -> bool {
    path.split('/').any(|part| part == "templates")
}

/// The line of the first call inside `{{ }}`, comments and texts left out.
fn first_call(text: &str) -> Option<(usize, &'static str)> {
    let mut from = 0;
    while let Some(begin) = text[from..].find("{{").map(|at| from + at + 2) {
        let end = text[begin..].find("}}").map_or(text.len(), |at| begin + at);
        let action = &text[begin..end];
        if let Some((at, function)) = called(action) {
            return Some((1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..begin + at]).count(), function));
        }
        from = end;
    }
    None
}

fn called(action: &str) -> Option<(usize, &'static str)> {
    if action.trim_start_matches('-').trim_start().starts_with("/*") {
        return None;
    }
    let mut quote = None;
    let mut start = None;
    for (at, character) in action.char_indices().chain([(action.len(), ' ')]) {
        match quote {
            Some(open) if character == open => quote = None,
            None if matches!(character, '"' | '`' | '\'') => quote = Some(character),
            // A field such as `.now` is no function.
            None if character.is_alphanumeric() || matches!(character, '_' | '.' | '$') => {
                start.get_or_insert(at);
                continue;
            }
            Some(_) | None => {}
        }
        let word = start.take().map(|start| (start, &action[start..at]));
        if let Some((start, word)) = word
            && let Some(function) = FUNCTIONS.iter().find(|function| **function == word)
        {
            return Some((start, function));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::first_call;

    #[test]
    fn calls_are_found_where_they_stand() {
        for (text, expected) in [
            ("a: {{ randAlphaNum 10 | quote }}", Some((1, "randAlphaNum"))),
            ("a: 1\nb: {{- .Values.p | default (randAlpha 5) -}}", Some((2, "randAlpha"))),
            ("{{ $ca := genCA \"x\" 365 }}", Some((1, "genCA"))),
            ("{{ if\n now }}", Some((2, "now"))),
            ("a: now", None),
            ("{{ .Values.now }} {{ $now }}", None),
            ("{{/* now */}} {{- /* now */ -}}", None),
            ("{{ \"now\" }} {{ derivePassword 1 \"long\" \"m\" \"u\" \"s\" }}", None),
            ("{{ nowhere }}", None),
        ] {
            assert_eq!(first_call(text), expected, "{text}");
        }
    }
}
