//! Text → the hosts it names, and a host → the Service it means by the cluster's DNS rules.
//!
//! Whole host names only: a word that merely contains a Service's name is no evidence. A bare word counts
//! only behind a scheme, before a port, or in a variable whose name says it holds an address.

pub mod spoken;

use spoken::Says;

/// A Service as a host names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceAddress {
    /// Name of the Service.
    pub name: String,
    /// Its namespace, when the host says so.
    pub namespace: Option<String>,
    /// The port, when the text says so.
    pub port: Option<u16>,
}

/// Hosts in free text: behind `://`, before `:port`, or ending in `.svc…`.
///
/// Only tokens around such a mark are looked at, and each once: texts of megabytes have few marks, or all on one line.
#[must_use]
pub fn in_text(text: &str) -> Vec<String> {
    let mut walk = Walk { text, token_end: 0, searched: 0, in_comment: false };
    let mut hosts: Vec<String> =
        marks(text.as_bytes()).filter_map(|at| walk.token_at(at).and_then(in_token)).collect();
    hosts.extend(spoken::hosts(text));
    hosts.sort();
    hosts.dedup();
    hosts
}

/// Where a host may be, in order: a colon before a slash or digit, or `.svc`.
fn marks(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let is_mark = |at: &usize| bytes.get(at + 1).is_some_and(|next| *next == b'/' || next.is_ascii_digit());
    let mut colons = memchr::memchr_iter(b':', bytes).filter(is_mark).peekable();
    let mut services = memchr::memmem::find_iter(bytes, b".svc").peekable();
    std::iter::from_fn(move || match (colons.peek(), services.peek()) {
        (Some(colon), Some(service)) if service < colon => services.next(),
        (Some(_), _) => colons.next(),
        (None, _) => services.next(),
    })
}

/// What a comment line starts with, in any of the formats config files have.
const COMMENTS: &[&str] = &["#", "//", "<!--", ";", "-- ", "/*", "* ", "*/"];

/// Whether a line is a comment.
#[must_use]
pub fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    COMMENTS.iter().any(|start| line.starts_with(start))
}

/// One pass over a text, from mark to mark.
struct Walk<'t> {
    text: &'t str,
    /// The end of the token seen last.
    token_end: usize,
    /// Up to where `in_comment` is known.
    searched: usize,
    in_comment: bool,
}

impl<'t> Walk<'t> {
    /// The token around a mark, between delimiters; none in a comment, and none where it was seen already.
    fn token_at(&mut self, at: usize) -> Option<&'t str> {
        let after = self.token_end;
        if at < after {
            return None;
        }
        let before = &self.text[after..at];
        let start = before
            .rfind(is_delimiter)
            .map_or(after, |found| after + found + before[found..].chars().next().map_or(1, char::len_utf8));
        self.token_end = self.text[at..].find(is_delimiter).map_or(self.text.len(), |found| at + found);
        (!self.is_comment(at)).then_some(&self.text[start..self.token_end])
    }

    /// Whether a mark stands in a line that starts as a comment, in any of the formats config files have, or behind
    /// one. No token holds a blank, so all marks of a token stand in it or none.
    fn is_comment(&mut self, at: usize) -> bool {
        let from = std::mem::replace(&mut self.searched, at);
        let newline = self.text[from..at].rfind('\n').map(|found| from + found + 1);
        if let Some(start) = newline.or_else(|| (from == 0).then_some(0)) {
            let line = &self.text[start..at];
            self.in_comment = is_comment(line) || line.contains(" #");
        } else {
            let fresh = &self.text.as_bytes()[from - 1..at];
            self.in_comment |= memchr::memmem::find(fresh, b" #").is_some();
        }
        self.in_comment
    }
}

/// Hosts in the value of a variable, where a bare name may be one if the variable's name says so.
#[must_use]
pub fn in_variable(name: &str, value: &str) -> Vec<String> {
    // Texts for people name hosts too.
    if name.to_ascii_lowercase().ends_with(".md") {
        return Vec::new();
    }
    let says = spoken::says(name);
    if says == Says::Other && !value.contains("://") && !value.contains('\n') {
        return Vec::new();
    }
    let found = in_text(value);
    if !found.is_empty() || !is_dns_name(value) {
        return found;
    }
    if value.contains('.') || says == Says::Address { vec![value.to_owned()] } else { Vec::new() }
}

/// Hosts in an argument of a command: one of the form `--name=value` is a variable too.
#[must_use]
pub fn in_argument(text: &str) -> Vec<String> {
    match text.split_once('=') {
        Some((name, value)) if name.starts_with('-') && !text.contains(char::is_whitespace) => {
            in_variable(name.trim_start_matches('-'), value)
        }
        _ => in_variable("", text),
    }
}

/// The Service an address (URL, host or host:port) means; none for IPs and outside hosts.
#[must_use]
pub fn service(address: &str) -> Option<ServiceAddress> {
    let (host, port) = split_port(authority(address));
    let host = host.strip_suffix('.').unwrap_or(host);
    if !is_dns_name(host) || host == "localhost" {
        return None;
    }
    let labels: Vec<&str> = host.split('.').collect();
    let (name, namespace) = match labels.iter().position(|label| *label == "svc") {
        Some(svc @ 2..) if is_here(&labels[svc + 1..]) => (labels[svc - 2], Some(labels[svc - 1])),
        None if labels.len() == 1 => (labels[0], None),
        None if labels.len() == 2 => (labels[0], Some(labels[1])),
        _ => return None,
    };
    Some(ServiceAddress { name: name.to_owned(), namespace: namespace.map(str::to_owned), port })
}

/// Whether what follows `svc` is this cluster's zone, or that of the Services clusters share.
fn is_here(zone: &[&str]) -> bool {
    matches!(zone, [] | ["cluster" | "clusterset", "local"])
}

/// The headless Service of a pod's own host, as in `db-0.db` or `db-0.db.data`: a `StatefulSet` numbers its pods.
#[must_use]
pub fn service_of_pod(address: &str) -> Option<ServiceAddress> {
    let (host, port) = split_port(authority(address));
    let mut labels = host.split('.');
    let is_pod = labels.next()?.rsplit_once('-').is_some_and(|(name, number)| {
        !name.is_empty() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    let (name, namespace, rest) = (labels.next()?, labels.next(), labels.next());
    (is_pod && rest.is_none() && is_dns_name(host)).then(|| ServiceAddress {
        name: name.to_owned(),
        namespace: namespace.map(str::to_owned),
        port,
    })
}

fn is_delimiter(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '"' | '\'' | '`' | ',' | ';' | '=' | '(' | ')' | '<' | '>' | '{' | '}' | '|' | '[' | ']'
        )
}

fn in_token(token: &str) -> Option<String> {
    if token.contains("://") {
        let host = authority(token);
        return is_dns_name(split_port(host).0).then(|| host.to_owned());
    }
    let head = token.split('/').next().unwrap_or_default();
    let head = head.rsplit('@').next().unwrap_or(head);
    let (host, port) = split_port(head);
    let named = is_dns_name(host) && (port.is_some() || host.split('.').skip(2).any(|label| label == "svc"));
    named.then(|| head.to_owned())
}

/// `scheme://user:password@host:port/path` → `host:port`.
fn authority(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
    rest.rsplit('@').next().unwrap_or(rest)
}

fn split_port(host: &str) -> (&str, Option<u16>) {
    match host.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') => match port.parse() {
            Ok(port) => (name, Some(port)),
            Err(_) => (host, None),
        },
        _ => (host, None),
    }
}

/// Labels of letters, digits and dashes, the first one starting with a letter.
#[must_use]
pub fn is_dns_name(host: &str) -> bool {
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let host = host.strip_suffix('.').unwrap_or(host);
    host.starts_with(|c: char| c.is_ascii_lowercase()) && host.len() <= 253 && host.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_hosts_are_found() {
        for (text, expected) in [
            ("http://vault.vault.svc:8200/v1/sys", "vault.vault.svc:8200"),
            ("postgres://user:pw@db-rw.data:5432/app?sslmode=off", "db-rw.data:5432"),
            ("kafka-0.kafka:9092,kafka-1.kafka:9092", "kafka-0.kafka:9092 kafka-1.kafka:9092"),
            ("user:pw@tcp(mysql:3306)/db", "mysql:3306"),
            ("jdbc:postgresql://db:5432/x", "db:5432"),
            ("level=info redis cache", ""),
            ("see vault.vault.svc.cluster.local for more", "vault.vault.svc.cluster.local"),
            ("12:30", ""),
            ("10.0.0.1:80", ""),
            ("until nc -z redis 6379", "redis:6379"),
            ("; http://web\n-- http://web\n/* http://web */\n * http://web", ""),
            ("--upstream=http://web", "web"),
            ("Http://UPPER:80", ""),
            ("# http://old:80\nurl: http://db:80 # not http://other:80", "db:80"),
            ("  // redis:6379\n<!-- http://web -->", ""),
        ] {
            assert_eq!(in_text(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn one_long_line_is_read_as_many_short_ones() {
        let long: String =
            (0..300).map(|n| format!("{{\"url\":\"http://svc-{n}.ns:80/a:1/b:2\"}},")).collect();
        let short = long.replace("},", "},\n");
        assert_eq!(in_text(&long).len(), 300);
        assert_eq!(in_text(&long), in_text(&short));
        assert_eq!(in_text(&format!("{long} # {long}")), in_text(&short));
        assert_eq!(in_text(&format!("# {long}")), Vec::<String>::new());
    }

    #[test]
    fn no_part_of_a_text_is_walked_twice() {
        let text = "a:1:2".repeat(500);
        let mut walk = Walk { text: &text, token_end: 0, searched: 0, in_comment: false };
        let tokens = marks(text.as_bytes()).filter_map(|at| walk.token_at(at));
        assert_eq!(tokens.map(str::len).sum::<usize>(), text.len());
    }

    #[test]
    fn a_bare_word_needs_a_variable_that_says_address() {
        assert_eq!(in_variable("DB_HOST", "postgres"), ["postgres"]);
        assert_eq!(in_variable("CACHE_DRIVER", "redis"), Vec::<String>::new());
        assert_eq!(in_variable("CACHE", "redis.cache"), ["redis.cache"]);
        assert_eq!(in_argument("--db-host=postgres"), ["postgres"]);
        assert_eq!(in_argument("--image=postgres:5432"), Vec::<String>::new());
        assert_eq!(in_variable("APP_MODULE", "redis.cache"), Vec::<String>::new());
        assert_eq!(in_variable("IMAGE", "web:80"), Vec::<String>::new());
        assert_eq!(in_variable("README.md", "see http://web"), Vec::<String>::new());
        assert_eq!(in_variable("SERVER_NAME", "web"), Vec::<String>::new());
    }

    #[test]
    fn hosts_of_numbered_pods_mean_their_headless_service() {
        for (host, expected) in [
            ("kafka-0.kafka:9092", Some(("kafka", None))),
            ("kafka-12.brokers.data", Some(("brokers", Some("data")))),
            ("kafka.kafka", None),
            ("kafka-0", None),
            ("web-1.example.co.uk", None),
        ] {
            let found = service_of_pod(host);
            let seen = found.as_ref().map(|s| (s.name.as_str(), s.namespace.as_deref()));
            assert_eq!(seen, expected, "{host}");
        }
    }

    #[test]
    fn hosts_mean_services_by_dns_rules() {
        for (host, expected) in [
            ("vault", Some(("vault", None, None))),
            ("vault.secrets", Some(("vault", Some("secrets"), None))),
            ("https://vault.secrets.svc:8200", Some(("vault", Some("secrets"), Some(8200)))),
            ("vault-0.vault.secrets.svc.cluster.local", Some(("vault", Some("secrets"), None))),
            ("vault.example.com", None),
            ("10.1.2.3", None),
            ("a.svc", None),
            ("localhost:80", None),
            ("vault.secrets.svc.other.domain", None),
            ("vault.secrets.svc.clusterset.local", Some(("vault", Some("secrets"), None))),
        ] {
            let found = service(host);
            let seen = found.as_ref().map(|s| (s.name.as_str(), s.namespace.as_deref(), s.port));
            assert_eq!(seen, expected, "{host}");
        }
    }
}
