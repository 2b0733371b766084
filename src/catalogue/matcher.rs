//! Walks a document's events down the trie of its kind and keeps what the probes ask for.
//!
//! Below fields nobody asks for the set of trie nodes is empty, so a large CRD schema costs nothing here.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use compact_str::CompactString;

use super::compiled::{Compiled, ProbeKind};
use super::probes::Fact;
use crate::hosts;
use crate::yaml::{Event, Mark, Scalar, Sink, scalar};

/// What one probe saw once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// What asked.
    pub kind: ProbeKind,
    /// Line of the node.
    pub line: usize,
    /// Its text, when it is a scalar.
    pub value: Option<CompactString>,
    /// The field name a trailing wildcard stood for.
    pub key: CompactString,
    /// Sub-fields by their path, several for lists.
    pub fields: Vec<(Arc<str>, CompactString)>,
}

impl Capture {
    /// The first value of a sub-field.
    #[must_use]
    pub fn field(&self, path: &str) -> Option<&str> {
        self.fields.iter().find(|(name, _)| &**name == path).map(|(_, value)| value.as_str())
    }

    /// All values of a sub-field.
    pub fn all<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a str> {
        self.fields.iter().filter(move |(name, _)| &**name == path).map(|(_, value)| value.as_str())
    }
}

/// A mapping or sequence on the way down.
struct Container {
    /// Its trie nodes are `active[start..end]`.
    start: usize,
    end: usize,
    is_sequence: bool,
    /// How many captures it opened.
    opened: usize,
}

/// The sink that fills captures.
pub struct Matcher<'c> {
    compiled: &'c Compiled,
    active: Vec<u32>,
    containers: Vec<Container>,
    key: CompactString,
    open: Vec<(u32, Capture)>,
    /// What was seen, in document order.
    pub captures: Vec<Capture>,
}

impl<'c> Matcher<'c> {
    /// A matcher for one document.
    #[must_use]
    pub fn new(compiled: &'c Compiled) -> Self {
        Self {
            compiled,
            active: Vec::new(),
            containers: Vec::new(),
            key: CompactString::default(),
            open: Vec::new(),
            captures: Vec::new(),
        }
    }

    /// Puts the trie nodes of the child called `name` on the stack (any name for items of a sequence).
    fn descend(&mut self, name: Option<&str>) {
        let Some(top) = self.containers.last() else {
            self.active.push(0);
            return;
        };
        let (start, end) = (top.start, top.end);
        self.active.truncate(end);
        for position in start..end {
            let node = &self.compiled.nodes[self.active[position] as usize];
            if let Some(name) = name
                && let Some((_, child)) = node.names.iter().find(|(known, _)| &**known == name)
            {
                self.active.push(*child);
            }
            if let Some(child) = node.any {
                self.active.push(child);
                self.key.clear();
                self.key.push_str(name.unwrap_or_default());
            }
        }
    }

    /// Where the nodes of the value now coming start.
    fn child_start(&mut self) -> usize {
        match self.containers.last() {
            None => {
                self.descend(None);
                0
            }
            Some(top) if top.is_sequence => {
                let start = top.end;
                self.descend(None);
                start
            }
            Some(top) => top.end,
        }
    }

    fn enter(&mut self, is_sequence: bool, mark: Mark) {
        let start = self.child_start();
        let end = self.active.len();
        let mut opened = 0;
        for position in start..end {
            for probe in &self.compiled.nodes[self.active[position] as usize].opens {
                self.open.push((*probe, self.capture(*probe, None, mark)));
                opened += 1;
            }
        }
        self.containers.push(Container { start, end, is_sequence, opened });
    }

    fn leave(&mut self) {
        let Some(container) = self.containers.pop() else { return };
        for _ in 0..container.opened {
            match self.open.pop() {
                Some((_, capture)) if capture.kind == ProbeKind::Code(Fact::Env) => self.keep_env(&capture),
                Some((_, mut capture)) => {
                    capture.fields.shrink_to_fit();
                    self.captures.push(capture);
                }
                None => {}
            }
        }
        self.active.truncate(container.start);
    }

    fn keep_env(&mut self, variable: &Capture) {
        let (name, value) = (variable.field("name").unwrap_or_default(), variable.field("value"));
        for host in value.map(|text| hosts::in_variable(name, text)).unwrap_or_default() {
            let kind = ProbeKind::Code(Fact::Hosts);
            self.captures.push(Capture {
                kind,
                value: Some(host.into()),
                fields: Vec::new(),
                ..variable.clone()
            });
        }
    }

    fn capture(&self, probe: u32, value: Option<CompactString>, mark: Mark) -> Capture {
        let probe = &self.compiled.probes[probe as usize];
        let key = if probe.wants_key { self.key.clone() } else { CompactString::default() };
        Capture { kind: probe.kind, line: mark.line, value, key, fields: Vec::new() }
    }

    fn scalar(&mut self, value: &Scalar<'_>, mark: Mark) {
        let start = self.child_start();
        let end = self.active.len();
        if start < end
            && let Some(text) = read_by_go(value)
        {
            for position in start..end {
                self.keep(self.active[position] as usize, text, mark);
            }
        }
        self.active.truncate(start);
    }

    fn keep(&mut self, node: usize, text: &str, mark: Mark) {
        let compiled = self.compiled;
        for probe in &compiled.nodes[node].opens {
            // A key of a ConfigMap or Secret is the name of a variable to whoever takes all of it.
            let found = match compiled.probes[*probe as usize].kind {
                ProbeKind::Code(Fact::Hosts)
                    if !self.key.is_empty() && compiled.probes[*probe as usize].wants_key =>
                {
                    hosts::in_variable(&self.key, text)
                }
                ProbeKind::Code(Fact::Hosts) => hosts::in_argument(text),
                ProbeKind::Code(Fact::EncodedHosts) => {
                    decoded(text).map(|text| hosts::in_variable(&self.key, &text)).unwrap_or_default()
                }
                _ => {
                    self.captures.push(self.capture(*probe, Some(text.into()), mark));
                    continue;
                }
            };
            for host in found {
                let kind = ProbeKind::Code(Fact::Hosts);
                self.captures.push(Capture { kind, ..self.capture(*probe, Some(host.into()), mark) });
            }
        }
        for (probe, field) in &compiled.nodes[node].fields {
            let asked = &compiled.probes[*probe as usize];
            let name = Arc::clone(&asked.fields[*field as usize]);
            if let Some((_, capture)) = self.open.iter_mut().rev().find(|(open, _)| open == probe) {
                if asked.name == Some(*field) && capture.field(&name).is_none() {
                    capture.line = mark.line;
                }
                capture.fields.push((name, text.into()));
            }
        }
    }
}

/// Base64 as a Secret may hold it, whether or not its end is filled up.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The text that is encoded; none where the bytes are no text or the code is broken.
fn decoded(code: &str) -> Option<String> {
    let code: String = code.split_whitespace().collect();
    String::from_utf8(BASE64.decode(code).ok()?).ok()
}

/// The text of a scalar as Go reads it: none for null, and every spelling of a boolean as one.
fn read_by_go<'t>(value: &Scalar<'t>) -> Option<&'t str> {
    if !value.plain {
        return Some(value.text);
    }
    match scalar::go_value(value.text) {
        scalar::GoValue::Null => None,
        scalar::GoValue::Bool(true) => Some("true"),
        scalar::GoValue::Bool(false) => Some("false"),
        _ => Some(value.text),
    }
}

impl Sink for Matcher<'_> {
    fn event(&mut self, event: Event<'_>, mark: Mark) {
        match event {
            Event::MappingStart => self.enter(false, mark),
            Event::SequenceStart => self.enter(true, mark),
            Event::MappingEnd | Event::SequenceEnd => self.leave(),
            Event::Key(name) => {
                if self.containers.last().is_some_and(|top| top.start < top.end) {
                    self.descend(Some(name));
                }
            }
            Event::Scalar(value) => self.scalar(&value, mark),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn only_whole_texts_come_out_of_base64() {
        for (code, expected) in [
            ("aHR0cDovL2RiLmE6ODA=", Some("http://db.a:80")),
            ("YQ==", Some("a")),
            ("YQ", Some("a")),
            ("YW\nJj", Some("abc")),
            ("", Some("")),
            ("/////w==", None),
            ("a{{b}}", None),
        ] {
            assert_eq!(decoded(code).as_deref(), expected, "{code}");
        }
    }
}
