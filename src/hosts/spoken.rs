//! Hosts as commands and settings speak of them: the words around a name say that it is one.
//!
//! `--db-host=pg`, `nc -z pg 5432`, `-h pg -p 5432`, `host=pg port=5432`, `host: pg`. Whole words only; anything else
//! between them means something else.

use super::{is_comment, is_dns_name};

/// Last words of variables whose value is an address.
const ADDRESS_WORDS: &[&str] = &[
    "HOST",
    "HOSTS",
    "HOSTNAME",
    "HOSTNAMES",
    "ADDR",
    "ADDRS",
    "ADDRESS",
    "ADDRESSES",
    "ENDPOINT",
    "ENDPOINTS",
    "SERVER",
    "SERVERS",
    "URL",
    "URLS",
    "URI",
    "URIS",
    "BROKER",
    "BROKERS",
    "DSN",
    "PGHOST",
    "DBHOST",
];

/// Words behind one of those that only say which of several addresses it is.
const WHICH: &[&str] = &["INTERNAL", "PRIMARY", "MASTER", "REPLICA", "READ", "WRITE", "RO", "RW"];

/// Last words of variables whose value is anything but an address, however it looks.
const OTHER_WORDS: &[&str] = &[
    "CLASS",
    "CLIENT",
    "DIR",
    "DRIVER",
    "FILE",
    "IMAGE",
    "KEY",
    "KIND",
    "LABEL",
    "LOGGER",
    "MODE",
    "MODULE",
    "NAME",
    "NAMESPACE",
    "OPTS",
    "PACKAGE",
    "PASSWORD",
    "PATH",
    "PREFIX",
    "REALM",
    "REPOSITORY",
    "TAG",
    "TOPIC",
    "TYPE",
    "USER",
    "USERNAME",
    "VERSION",
];

/// What a variable's name says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// It is an address.
    Address,
    /// It is none.
    Other,
    /// Nothing.
    Nothing,
}

/// What the last word of a name says, split at `_`, `-`, `.` and where a capital follows a small letter.
#[must_use]
pub fn says(name: &str) -> Says {
    let words = words(name);
    let mut last =
        words.iter().rev().map(String::as_str).skip_while(|word| word.is_empty() || WHICH.contains(word));
    let last = last.next().or(words.last().map(String::as_str)).unwrap_or_default();
    if ADDRESS_WORDS.contains(&last) {
        Says::Address
    } else if OTHER_WORDS.contains(&last) {
        Says::Other
    } else {
        Says::Nothing
    }
}

/// The words of a name in capitals, without the numbers that count them.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        let starts = before.is_ascii_lowercase() && letter.is_ascii_uppercase();
        if matches!(letter, '_' | '-' | '.') || starts {
            words.push(String::new());
        }
        if letter.is_ascii_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.push(letter.to_ascii_uppercase());
        }
        before = letter;
    }
    words
}

/// Hosts that the words of a text say, with the port where they say one.
#[must_use]
pub fn hosts(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let has = |word: &[u8]| memchr::memmem::find(bytes, word).is_some();
    if !(has(b"host") || has(b"HOST") || has(b"Host") || has(b"nc ") || has(b"-h ")) {
        return Vec::new();
    }
    text.lines().filter(|line| !is_comment(line)).flat_map(in_line).collect()
}

fn in_line(line: &str) -> Vec<String> {
    let words: Vec<&str> =
        line.split(|c: char| c.is_whitespace() || c == ';').filter(|w| !w.is_empty()).collect();
    let mut found = by_option(&words);
    found.extend(by_netcat(&words));
    found.extend(by_setting(&words));
    found
}

/// `-h HOST -p PORT` in either order, and `--…host HOST`.
fn by_option(words: &[&str]) -> Vec<String> {
    let value = |option: &str| {
        words.iter().position(|word| *word == option).and_then(|at| words.get(at + 1)).copied()
    };
    let short = value("-h")
        .zip(value("-p").and_then(|port| port.parse().ok()))
        .and_then(|(host, port)| named(host, port));
    let long = words.windows(2).filter_map(|pair| {
        let name = pair[0].strip_prefix("--").filter(|name| !name.contains('='))?;
        (says(name) == Says::Address && is_dns_name(pair[1])).then(|| pair[1].to_owned())
    });
    short.into_iter().chain(long).collect()
}

/// `nc -z HOST PORT`, with whatever options between.
fn by_netcat(words: &[&str]) -> Vec<String> {
    let calls = words.iter().enumerate().filter(|(_, word)| word.rsplit('/').next() == Some("nc"));
    calls
        .filter_map(|(at, _)| {
            let mut rest = words[at + 1..].iter().skip_while(|word| word.starts_with('-') || is_number(word));
            named(rest.next()?, rest.next()?.parse().ok()?)
        })
        .collect()
}

/// `host=HOST port=PORT`, `--…host=HOST`, and `host: HOST` on a line of its own.
fn by_setting(words: &[&str]) -> Vec<String> {
    let unquoted = |word: &str| word.trim_matches(|c| c == '"' || c == '\'').to_owned();
    if let [key, value] = words
        && let Some(key) = key.strip_suffix(':')
    {
        let value = unquoted(value);
        return Vec::from_iter((says(key) == Says::Address && is_dns_name(&value)).then_some(value));
    }
    let settings = words.iter().filter_map(|word| word.split_once('='));
    let port = settings.clone().find_map(|(key, value)| value.parse::<u16>().ok().filter(|_| key == "port"));
    let mut found = Vec::new();
    for (key, value) in settings {
        let (name, value) = (key.trim_start_matches('-'), unquoted(value));
        if says(name) == Says::Address && is_dns_name(&value) {
            let port = port.filter(|_| key == "host");
            found.push(port.map_or(value.clone(), |port| format!("{value}:{port}")));
        }
    }
    found
}

fn named(host: &str, port: u16) -> Option<String> {
    is_dns_name(host).then(|| format!("{host}:{port}"))
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_of_a_name_decides() {
        for (name, expected) in [
            ("DB_HOST", Says::Address),
            ("dbHost", Says::Address),
            ("db.host", Says::Address),
            ("DB_HOST_1", Says::Address),
            ("DATABASE_URL_INTERNAL", Says::Address),
            ("KAFKA_BOOTSTRAP_SERVERS", Says::Address),
            ("PGHOST", Says::Address),
            ("SERVER_NAME", Says::Other),
            ("SECURITY_REALM", Says::Other),
            ("GHOST_DB_CLIENT", Says::Other),
            ("CURL_OPTS", Says::Other),
            ("MY_HOST_LABEL", Says::Other),
            ("DB_SERVER_TYPE", Says::Other),
            ("HOSTNAME_OVERRIDE", Says::Nothing),
            ("GHOST", Says::Nothing),
            ("CACHE", Says::Nothing),
            ("", Says::Nothing),
        ] {
            assert_eq!(says(name), expected, "{name}");
        }
    }

    #[test]
    fn words_around_a_name_say_that_it_is_a_host() {
        for (text, expected) in [
            ("until nc -z redis.cache 6379; do sleep 1; done", "redis.cache:6379"),
            ("nc -w 2 -z redis 6379", "redis:6379"),
            ("pg_isready -h postgres -p 5432", "postgres:5432"),
            ("pg_isready -p 5432 -h postgres", "postgres:5432"),
            ("df -h data", ""),
            ("nc -l 8080", ""),
            ("--db-host=postgres", "postgres"),
            ("serve --db-host postgres --name web", "postgres"),
            ("--image=postgres", ""),
            ("host=postgres port=5432 user=x", "postgres:5432"),
            ("db:\n  host: postgres\n  port: 5432", "postgres"),
            ("db:\n  host: \"postgres\"", "postgres"),
            ("# host: postgres", ""),
            ("the host: postgres is here", ""),
            ("hostname: web", "web"),
            ("server_name web", ""),
        ] {
            assert_eq!(hosts(text).join(" "), expected, "{text}");
        }
    }
}
