//! What a tool says → what is shown of it: the same each time, without this machine's paths.

#![expect(clippy::disallowed_methods, reason = "a tool may say where the root really is")]

use std::borrow::Cow;
use std::path::Path;

/// A text of a tool that was run for a root, in which its home is `~`.
#[must_use]
pub fn tidy(text: &str, root: &Path, home: &Path) -> String {
    let text = replaced(text, home, "~");
    let text = std::path::absolute(root).map_or(Cow::Borrowed(&*text), |root| replaced(&text, &root, "."));
    let text = root.canonicalize().map_or(Cow::Borrowed(&*text), |root| replaced(&text, &root, "."));
    let lines: Vec<&str> = text.lines().map(without_stamp).collect();
    lines.join("\n")
}

/// The text with another name for a directory; where that is `.`, what is below it keeps its path from there.
fn replaced<'t>(text: &'t str, directory: &Path, name: &str) -> Cow<'t, str> {
    let directory = directory.to_string_lossy();
    // `/` is part of every path.
    if directory.len() < 2 || !text.contains(&*directory) {
        return Cow::Borrowed(text);
    }
    let is_part = |found: Option<char>| found.is_some_and(|c| c.is_alphanumeric() || "/_-.".contains(c));
    let mut shown = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in text.match_indices(&*directory) {
        let behind = &text[at + directory.len()..];
        let below = behind.strip_prefix('/');
        if is_part(text[..at].chars().next_back()) || (below.is_none() && is_part(behind.chars().next())) {
            continue;
        }
        shown.push_str(&text[from..at]);
        from = text.len() - behind.len();
        match below {
            Some(below) if name == "." => from = text.len() - below.len(),
            _ => shown.push_str(name),
        }
    }
    shown.push_str(&text[from..]);
    Cow::Owned(shown)
}

/// A line without what klog puts before its message (`W1118 20:51:03.123456   12345 file.go:123] `) or slog's time.
fn without_stamp(line: &str) -> &str {
    let mut words = line.split_whitespace();
    let is_level = |word: &str| {
        let rest = word.strip_prefix(['I', 'W', 'E', 'F']);
        rest.is_some_and(|day| day.len() == 4 && day.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_time = |word: &str| word.len() > 8 && word.as_bytes()[2] == b':' && word.as_bytes()[5] == b':';
    if words.next().is_some_and(is_level)
        && words.next().is_some_and(is_time)
        && let Some((_, message)) = line.split_once("] ")
    {
        return message;
    }
    match line.strip_prefix("time=").and_then(|rest| rest.split_once(' ')) {
        Some((_, message)) => message,
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::tidy;

    #[test]
    fn what_differs_each_time_is_left_out() {
        let (root, home) = (Path::new("/srv/repo"), Path::new("/tmp/argocd-ladder-Xy"));
        for (text, expected) in [
            ("W1118 20:51:03.123456   12345 loader.go:123] no file in /srv/repo/apps/a", "no file in apps/a"),
            ("E1118 20:51:03.1 7 x.go:1] a] b\nplain", "a] b\nplain"),
            ("time=2026-11-18T20:51:03Z level=WARN msg=x", "level=WARN msg=x"),
            ("'/srv/repo' is no kustomization", "'.' is no kustomization"),
            ("bad: /tmp/argocd-ladder-Xy/values.yaml", "bad: ~/values.yaml"),
            ("Error: W1118 is no time] x", "Error: W1118 is no time] x"),
            ("/other/srv/repo/a /srv/repository", "/other/srv/repo/a /srv/repository"),
        ] {
            assert_eq!(tidy(text, root, home), expected);
        }
        assert_eq!(tidy("/a/b", Path::new("/"), home), "/a/b");
    }
}
