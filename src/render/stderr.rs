//! What a tool says → what is shown of it: the same each time, without this machine's paths.

#![expect(clippy::disallowed_methods, reason = "a tool may say where the root really is")]

use std::borrow::Cow;
use std::path::Path;

/// Digits from which on a number in a name is one that was drawn.
const LOT: usize = 6;

/// A text of a tool that was run for a root, in which its home is `~`.
#[must_use]
pub fn tidy(text: &str, root: &Path, home: &Path) -> String {
    let text = replaced(text, home, "~");
    let text = std::path::absolute(root).map_or(Cow::Borrowed(&*text), |root| replaced(&text, &root, "."));
    let text = root.canonicalize().map_or(Cow::Borrowed(&*text), |root| replaced(&text, &root, "."));
    let lines: Vec<Cow<'_, str>> = text.lines().map(|line| without_lots(without_stamp(line))).collect();
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
        None => without_date(line),
    }
}

/// A line without what Go's own log puts before it (`2026/11/18 20:51:03 `).
fn without_date(line: &str) -> &str {
    let is_shape = |at: usize, byte: u8| match at {
        4 | 7 => byte == b'/',
        10 | 19 => byte == b' ',
        13 | 16 => byte == b':',
        _ => byte.is_ascii_digit(),
    };
    match line.split_at_checked(20) {
        Some((date, message)) if date.bytes().enumerate().all(|(at, byte)| is_shape(at, byte)) => message,
        _ => line,
    }
}

/// A line in which long numbers of names below the home are `*`: tools draw lots for them.
fn without_lots(line: &str) -> Cow<'_, str> {
    if !line.contains("~/") {
        return Cow::Borrowed(line);
    }
    let mut shown = String::with_capacity(line.len());
    for (number, part) in line.split("~/").enumerate() {
        let end = part.find(|c: char| c.is_whitespace() || "'\"`,:]".contains(c)).unwrap_or(part.len());
        let (path, rest) = if number == 0 { ("", part) } else { part.split_at(end) };
        shown.push_str(if number == 0 { "" } else { "~/" });
        for piece in path.split_inclusive(|c: char| !c.is_ascii_digit()) {
            let digits = piece.bytes().take_while(u8::is_ascii_digit).count();
            shown.push_str(if digits < LOT { piece } else { "*" });
            shown.push_str(if digits < LOT { "" } else { &piece[digits..] });
        }
        shown.push_str(rest);
    }
    Cow::Owned(shown)
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
            ("2026/11/18 20:51:03 Warning: x", "Warning: x"),
            ("2026/11/18 is no time", "2026/11/18 is no time"),
            (
                "'helm x -f /tmp/argocd-ladder-Xy/kustomize-helm-225126658/c1.yaml -f a/123456789'",
                "'helm x -f ~/kustomize-helm-*/c1.yaml -f a/123456789'",
            ),
            ("Error: W1118 is no time] x", "Error: W1118 is no time] x"),
            ("/other/srv/repo/a /srv/repository", "/other/srv/repo/a /srv/repository"),
        ] {
            assert_eq!(tidy(text, root, home), expected);
        }
        assert_eq!(tidy("/a/b", Path::new("/"), home), "/a/b");
    }
}
