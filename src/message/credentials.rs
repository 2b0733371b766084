//! Addresses in messages: whatever signs somebody in is taken out of them.
//!
//! Every [`Problem`](crate::problem::Problem) and [`Finding`](crate::model::Finding) passes through here, whoever wrote
//! the address: a descriptor, a kustomization, or a tool in its own words.

use std::borrow::Cow;
use std::ops::Range;

/// Parameters of an address that say what to fetch, not who asks.
const PLAIN_PARAMETERS: &[&str] =
    &["ref", "version", "timeout", "submodules", "depth", "archive", "checksum", "path"];
/// A user name that everybody has.
const EVERYBODY: &str = "git";
/// What stands in place of a parameter's value.
const HIDDEN: &str = "***";

/// A text whose addresses carry no user, password, or token.
#[must_use]
pub fn without_credentials(text: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'@', b'?', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let users = text.match_indices('@').filter_map(|(at, _)| Some((user(text, at)?, "")));
    let parameters = text.match_indices('?').flat_map(|(at, _)| parameters(text, at));
    let mut hidden: Vec<(Range<usize>, &str)> = users.chain(parameters).collect();
    if hidden.is_empty() {
        return Cow::Borrowed(text);
    }
    // Of two that begin together (a password may hold an `@`) the longer one is it.
    hidden.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut shown = String::with_capacity(text.len());
    let mut from = 0;
    for (range, instead) in hidden {
        if range.start >= from {
            shown.push_str(&text[from..range.start]);
            shown.push_str(instead);
            from = range.end;
        }
    }
    shown.push_str(&text[from..]);
    Cow::Owned(shown)
}

fn ends_a_word(character: char) -> bool {
    character.is_whitespace() || matches!(character, '"' | '`' | '<' | '>')
}

/// `user:password@` up to an `@`: in an address with a scheme, or as ssh has it.
fn user(text: &str, at: usize) -> Option<Range<usize>> {
    let before = &text[..at];
    let breaks = |character: char| ends_a_word(character) || character == '/';
    let start =
        before.rfind(breaks).map_or(0, |last| last + before[last..].chars().next().map_or(1, char::len_utf8));
    let user = &before[start..];
    let is_credential = if before[..start].ends_with("://") {
        user != EVERYBODY
    } else {
        user.contains(':') && begins_with_host(&text[at + 1..])
    };
    is_credential.then_some(start..at + 1)
}

/// Whether a text begins as `host.example:path` or `host.example/path` does; a digest or a path in JSON does not.
fn begins_with_host(text: &str) -> bool {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '-').unwrap_or(text.len());
    let host = &text[..end];
    host.contains('.') && !host.starts_with('.') && text[end..].starts_with([':', '/'])
}

/// The values of the parameters behind a `?` that may sign somebody in.
fn parameters(text: &str, at: usize) -> Vec<(Range<usize>, &'static str)> {
    let start = text[..at].rfind(ends_a_word).map_or(0, |last| last + 1);
    if !text.as_bytes()[start..at].contains(&b'/') {
        return Vec::new();
    }
    // An address that a shell would misread stands in quotes.
    let ends = |character| ends_a_word(character) || character == '\'';
    let end = text[at..].find(ends).map_or(text.len(), |length| at + length);
    let mut found = Vec::new();
    let mut from = at + 1;
    for part in text[from..end].split('&') {
        let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
        if let Some((name, _)) = part.split_once('=').filter(|(name, _)| is_name(name))
            && !PLAIN_PARAMETERS.contains(&name)
        {
            found.push((from + name.len() + 1..from + part.len(), HIDDEN));
        }
        from += part.len() + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::without_credentials;

    #[test]
    fn who_signs_in_is_not_shown() {
        for (text, expected) in [
            ("https://user:token@example.com/x", "https://example.com/x"),
            (
                "build 'https://example.com/x?ref=v1&sshkey=a' > b",
                "build 'https://example.com/x?ref=v1&sshkey=***' > b",
            ),
            ("from `https://token@example.com/x`", "from `https://example.com/x`"),
            ("https://user:p@ss@example.com/x", "https://example.com/x"),
            ("git::https://u:t@example.com/x//y?ref=v1", "git::https://example.com/x//y?ref=v1"),
            ("oci://u:t@r.example.com/x and http://t@a.b/", "oci://r.example.com/x and http://a.b/"),
            ("user:token@example.com:org/repo", "example.com:org/repo"),
            ("--repo=https://u:t@example.com", "--repo=https://example.com"),
            (
                "https://example.com/x?ref=v1&token=t&sshkey=k",
                "https://example.com/x?ref=v1&token=***&sshkey=***",
            ),
        ] {
            assert_eq!(without_credentials(text), expected);
        }
    }

    #[test]
    fn what_signs_nobody_in_stays() {
        for text in [
            "ssh://git@example.com/org/repo",
            "git@example.com:org/repo",
            "image r.example.com/x:v1@sha256:0123",
            "$.spec.items[?(@.name=='a:b')]",
            "did you mean `a/b`?",
            "https://example.com/a@v1",
            "ä: user@example",
        ] {
            assert_eq!(without_credentials(text), text);
        }
    }
}
