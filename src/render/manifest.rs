//! A manifest file → its objects: text, outline for the splice, and the facts the catalogue asks for.
//!
//! The matcher depends on the kind, which may stand behind other fields. A scan for `kind:` at the start of a
//! line guesses it; a document that turns out to be another kind is read once more.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use compact_str::{CompactString, format_compact};

use super::Rendered;
use crate::argocd::names::{DELETE_POLICIES, HELM_HOOK, HELM_HOOKS, HOOK, HOOKS};
use crate::argocd::{self, HookUse, WAVE};
use crate::catalogue::matcher::{Capture, Matcher};
use crate::catalogue::probes::Fact;
use crate::catalogue::{Catalogue, Compiled, ProbeKind};
use crate::disk;
use crate::model::{Finding, Level, Origin};
use crate::problem::{Problems, nearest};
use crate::yaml::tree::Node;
use crate::yaml::{self, Chunk, Limits, Misfit, Outline, Prepend, Wrong, YamlError};

/// Parts of the annotations worth keeping: they order things.
const ORDERING: &[&str] = &[
    "argocd.argoproj.io/",
    "helm.sh/",
    "config.kubernetes.io/depends-on",
    "kapp.k14s.io/change-",
    "is-default-class",
    "kubernetes.io/ingress.class",
];

/// One object as text, with what was read from it.
#[derive(Debug)]
pub struct Manifest {
    /// The file it came from.
    pub file: Arc<str>,
    /// Line it starts on.
    pub line: usize,
    /// Its text.
    pub chunk: Chunk,
    /// Where its text may be spliced.
    pub outline: Box<Outline>,
    /// `apiVersion` without the version.
    pub group: CompactString,
    /// `kind`.
    pub kind: CompactString,
    /// `metadata.name`, or `metadata.generateName` with a trailing `*`.
    pub name: CompactString,
    /// `metadata.namespace` as written.
    pub namespace: Option<CompactString>,
    /// The annotations that order things.
    pub annotations: Vec<(String, String)>,
    /// Lines of the annotations that order things.
    annotation_lines: Vec<(String, usize)>,
    /// What rows and code asked for.
    pub captures: Vec<Capture>,
    /// What the descriptor adds; few have any.
    pub added: Option<Box<Added>>,
}

/// What a descriptor adds to an object besides its wave.
#[derive(Debug, Default)]
pub struct Added {
    /// Annotations.
    pub annotations: Vec<(&'static str, String)>,
    /// The wave it must have.
    pub wave: Option<i64>,
    /// Lists that get items in front.
    pub lists: Vec<Prepend>,
}

impl Manifest {
    /// The captures of a fact.
    pub fn facts(&self, fact: Fact) -> impl Iterator<Item = &Capture> {
        self.captures.iter().filter(move |capture| capture.kind == ProbeKind::Code(fact))
    }

    /// The first value of a fact.
    #[must_use]
    pub fn fact(&self, fact: Fact) -> Option<&str> {
        self.facts(fact).next().and_then(|capture| capture.value.as_deref())
    }

    /// Adds an annotation, over one that is there.
    pub fn add_annotation(&mut self, key: &'static str, value: String) {
        self.annotations.retain(|(name, _)| name != key);
        self.annotations.push((key.to_owned(), value.clone()));
        self.added.get_or_insert_default().annotations.push((key, value));
    }

    /// The object as a tree; none where its text cannot be one.
    #[must_use]
    pub fn tree(&self) -> Option<Node> {
        yaml::tree::parse_chunk(&self.chunk, &Limits::default()).ok()
    }

    /// Whether the object carries all these labels.
    #[must_use]
    pub fn has_labels(&self, labels: &BTreeMap<String, String>) -> bool {
        if labels.is_empty() {
            return true;
        }
        let Some(tree) = self.tree() else { return false };
        let label = |key: &str| tree.at(&["metadata", "labels", key]).and_then(Node::text);
        labels.iter().all(|(key, value)| label(key) == Some(value))
    }

    /// The value of an annotation.
    #[must_use]
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.annotations.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

impl Manifest {
    /// The line of an annotation, or of the object when it has none.
    #[must_use]
    pub fn annotation_line(&self, key: &str) -> usize {
        let lines = self.annotation_lines.iter().rev();
        lines.clone().find(|(name, _)| name == key).map_or(self.line, |(_, line)| *line)
    }

    /// The line of `metadata.namespace`, or of the object when it has none.
    #[must_use]
    pub fn namespace_line(&self) -> usize {
        self.outline.namespace_line(&self.chunk).unwrap_or(self.line)
    }
}

/// Reads a file's objects; a bad document is a finding, a bad file a problem.
///
/// # Errors
/// When the file cannot be read.
pub fn from_file(root: &Path, path: &str, catalogue: &Catalogue) -> Result<Rendered, Problems> {
    let file: Arc<str> = Arc::from(path);
    let text = disk::read(root, path)?;
    if !may_hold_manifests(&text) {
        let message = "the file holds no `apiVersion` and `kind`, so it is no manifest and is left out";
        let finding = Finding::new("not-a-manifest", Level::Info, message).at(Origin::new(&file, 1));
        return Ok(Rendered { findings: vec![finding], ..Rendered::default() });
    }
    Ok(from_text(&file, &Arc::new(text), catalogue))
}

/// Argo CD looks for these words too before it takes a file of a directory for manifests. An object whose `apiVersion`
/// or `kind` was forgotten or misspelt still looks like one, and must not get lost.
fn may_hold_manifests(text: &str) -> bool {
    let has = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    let has_line = |word: &str| text.lines().any(|line| line.starts_with(word));
    has("kind") && has("apiVersion")
        || has_line("metadata:") && (has_line("kind:") || has_line("apiVersion:"))
}

/// Reads the objects of a text.
#[must_use]
pub fn from_text(file: &Arc<str>, text: &Arc<String>, catalogue: &Catalogue) -> Rendered {
    let mut reader = Reader { file, catalogue, limits: Limits::default(), rendered: Rendered::default() };
    match yaml::split(text) {
        Ok(chunks) => {
            reader.rendered.manifests.reserve_exact(chunks.len());
            for chunk in chunks {
                reader.document(chunk, true);
            }
        }
        Err(error) => reader.invalid(&error, text),
    }
    reader.rendered
}

struct Reader<'a> {
    file: &'a Arc<str>,
    catalogue: &'a Catalogue,
    limits: Limits,
    rendered: Rendered,
}

impl Reader<'_> {
    fn document(&mut self, chunk: Chunk, may_be_list: bool) {
        match self.read(&chunk) {
            Err(error) => self.invalid(&error, chunk.text()),
            Ok((outline, _)) if outline.empty => {}
            Ok((outline, _)) if outline.items && may_be_list => {
                match yaml::items(&chunk, &outline, &self.limits) {
                    Ok(items) => items.into_iter().for_each(|item| self.document(item, false)),
                    Err(error) => self.invalid(&error, chunk.text()),
                }
            }
            Ok((outline, captures)) => self.object(chunk, outline, captures, !may_be_list),
        }
    }

    fn read(&self, chunk: &Chunk) -> Result<(Outline, Vec<Capture>), YamlError> {
        let (group, kind) = guessed_kind(chunk.text());
        let compiled = self.catalogue.compiled(group, kind);
        let (outline, captures) = self.walk(chunk, &compiled)?;
        let (real_group, real_kind) = real_kind(&captures);
        if (real_group, real_kind) == (group, kind) || outline.items || outline.empty {
            return Ok((outline, captures));
        }
        let compiled = self.catalogue.compiled(real_group, real_kind);
        self.walk(chunk, &compiled)
    }

    fn walk(&self, chunk: &Chunk, compiled: &Compiled) -> Result<(Outline, Vec<Capture>), YamlError> {
        let mut matcher = Matcher::new(compiled);
        let outline = yaml::read(chunk, &self.limits, &mut matcher)?;
        let mut captures = matcher.captures;
        if outline.may_have_replaced() {
            let mut matcher = Matcher::new(compiled);
            yaml::tree::parse_chunk(chunk, &self.limits)?.send(&mut matcher);
            captures = matcher.captures;
        }
        if !compiled.queries.is_empty() && !outline.empty {
            captures.extend(super::query::captures(chunk, compiled, &self.limits)?);
        }
        Ok((outline, captures))
    }

    fn object(&mut self, chunk: Chunk, outline: Outline, captures: Vec<Capture>, is_item: bool) {
        let has_version = captures.iter().any(|capture| capture.kind == ProbeKind::Code(Fact::ApiVersion));
        let manifest = manifest(self.file, chunk, outline, captures);
        if manifest.kind.is_empty() {
            return self.without_kind(&manifest, is_item || has_version || manifest.outline.has_metadata());
        }
        if manifest.outline.is_null_list() && manifest.name.is_empty() && manifest.kind.ends_with("List") {
            return;
        }
        self.outline_findings(&manifest);
        self.annotation_findings(&manifest);
        match unusable(&manifest, has_version, is_item) {
            Some((rule, message)) => {
                self.finding(Finding::new(rule, Level::Error, message), manifest.line);
            }
            None => self.rendered.manifests.push(manifest),
        }
    }

    /// A document without `kind`: an object that would get lost, or nothing that was ever meant as one.
    fn without_kind(&mut self, manifest: &Manifest, is_object: bool) {
        if !is_object {
            let message = "a document without `apiVersion` and `kind` is no manifest and is left out";
            self.finding(Finding::new("not-a-manifest", Level::Warning, message), manifest.line);
            return;
        }
        let message = "an object without `kind` is refused by Argo CD";
        let tree = yaml::tree::parse_chunk(&manifest.chunk, &self.limits).ok();
        let keys: Vec<&str> = tree.iter().flat_map(Node::entries).filter_map(|(key, _)| key.text()).collect();
        let misspelt = nearest("kind", keys.into_iter().filter(|key| *key != "kind"));
        let help = match misspelt {
            Some(key) => format!("rename `{key}` to `kind`"),
            None => "say what it is: `kind: ConfigMap`, for example".to_owned(),
        };
        self.finding(Finding::new("missing-kind", Level::Error, message).help(help), manifest.line);
    }

    fn outline_findings(&mut self, manifest: &Manifest) {
        for (key, mark) in &manifest.outline.duplicate_keys {
            let message = format!("`{key}` stands twice in one mapping; the last one counts");
            let finding =
                Finding::new("duplicate-key", Level::Warning, message).help("delete one of the two");
            self.finding(finding, mark.line);
        }
        for Misfit { path, mark, wrong } in &manifest.outline.misfits {
            let (needed, help) = match wrong {
                Wrong::NotString => ("a string", "put the value in quotes"),
                Wrong::Collection => {
                    ("a string", "write it as one text, for example `|` and the lines below it")
                }
                Wrong::NotMapping => ("a mapping", "write `key: value` lines below it, or remove it"),
            };
            let message = format!("`{path}` is not {needed}; Argo CD refuses such a manifest");
            self.finding(Finding::new("non-string-value", Level::Error, message).help(help), mark.line);
        }
    }

    fn annotation_findings(&mut self, manifest: &Manifest) {
        let line = manifest.annotation_line(WAVE);
        if let Some(text) = manifest.annotation(WAVE)
            && argocd::parse_wave(text).is_none()
        {
            let message = format!("wave `{text}` is no integer; Argo CD falls back to the Helm weight or 0");
            self.finding(Finding::new("invalid-wave", Level::Warning, message), line);
        }
        if argocd::hooks(&manifest.annotations) == HookUse::Ignored {
            self.ignored_hook(manifest);
        }
        for (key, word) in argocd::ignored_words(&manifest.annotations) {
            let known = if key == argocd::HOOK { HOOKS } else { DELETE_POLICIES };
            let message = format!("Argo CD knows no `{word}` in `{key}` and passes over it");
            let finding = Finding::new("hook-word-ignored", Level::Info, message)
                .help(crate::problem::suggestion(word, known.iter().copied()));
            self.finding(finding, manifest.annotation_line(key));
        }
    }

    fn ignored_hook(&mut self, manifest: &Manifest) {
        let (key, words, known, whose) = if let Some(words) = manifest.annotation(HOOK) {
            (HOOK, words, HOOKS, "none of Argo CD's")
        } else {
            let words = manifest.annotation(HELM_HOOK).unwrap_or_default();
            (HELM_HOOK, words, HELM_HOOKS, "neither Helm's nor Argo CD's")
        };
        let is_known = |word: &str| known.contains(&word.trim());
        let lost =
            |whose| format!("hook `{words}` is {whose}, so `{}` would never be applied", manifest.name);
        let finding = if key == HELM_HOOK && words.split(',').all(is_known) {
            Finding::new("unknown-hook", Level::Info, lost("none of Argo CD's"))
                .help("Helm runs it, Argo CD does not")
        } else {
            Finding::new("unknown-hook", Level::Error, lost(whose))
                .help(crate::problem::suggestion(words, known.iter().copied()))
        };
        self.finding(finding, manifest.annotation_line(key));
    }

    fn invalid(&mut self, error: &YamlError, text: &str) {
        let message = format!("invalid YAML at column {}: {}", error.column, error.message);
        let finding = Finding::new("invalid-yaml", Level::Error, message);
        let templated = text.contains("{{") && text.contains("}}");
        let help = "this looks like a template: render its chart first, or leave the file out";
        self.finding(if templated { finding.help(help) } else { finding }, error.line);
    }

    fn finding(&mut self, finding: Finding, line: usize) {
        self.rendered.findings.push(finding.at(Origin::new(self.file, line)));
    }
}

/// Why an object cannot be applied, if so.
fn unusable(manifest: &Manifest, has_version: bool, is_item: bool) -> Option<(&'static str, String)> {
    let kind = &manifest.kind;
    let is_list = manifest.name.is_empty() && kind.ends_with("List");
    let (rule, missing) = if manifest.outline.is_null_list() {
        return Some(("null-items", format!("Argo CD drops a {kind} whose `items` is null")));
    } else if is_item && manifest.outline.items && is_list {
        return Some(("nested-list", format!("a {kind} inside a List is not expanded by Argo CD")));
    } else if !has_version {
        ("missing-api-version", "`apiVersion`")
    } else if is_list {
        ("missing-name", "a list of `items`")
    } else if manifest.name.is_empty() {
        ("missing-name", "`metadata.name`")
    } else {
        return None;
    };
    Some((rule, format!("a {kind} without {missing} cannot be applied")))
}

/// Group and kind as lines at column 0 say; empty when they do not.
fn guessed_kind(text: &str) -> (&str, &str) {
    let field = |name: &str| {
        let mut rest = text;
        loop {
            let at = memchr::memmem::find(rest.as_bytes(), name.as_bytes())?;
            if at == 0 || rest.as_bytes()[at - 1] == b'\n' {
                let line = rest[at + name.len()..].lines().next().unwrap_or_default();
                return Some(line.split(" #").next().unwrap_or_default().trim().trim_matches(['"', '\'']));
            }
            rest = &rest[at + name.len()..];
        }
    };
    let kind = field("kind:").unwrap_or_default();
    (group_of(field("apiVersion:").unwrap_or_default()), kind)
}

fn real_kind(captures: &[Capture]) -> (&str, &str) {
    let value = |fact| {
        let mut all = captures.iter().rev().filter(|capture| capture.kind == ProbeKind::Code(fact));
        all.find_map(|capture| capture.value.as_deref()).unwrap_or_default()
    };
    (group_of(value(Fact::ApiVersion)), value(Fact::Kind))
}

/// `apps/v1` → `apps`, `v1` → the core group.
fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

fn manifest(file: &Arc<str>, chunk: Chunk, outline: Outline, captures: Vec<Capture>) -> Manifest {
    let (group, kind) = real_kind(&captures);
    let mut manifest = Manifest {
        file: Arc::clone(file),
        line: start_line(&captures).unwrap_or(chunk.line()),
        group: group.into(),
        kind: kind.into(),
        chunk,
        outline: Box::new(outline),
        name: CompactString::default(),
        namespace: None,
        annotations: Vec::new(),
        annotation_lines: Vec::new(),
        captures: Vec::new(),
        added: None,
    };
    // In the memory they already have.
    manifest.captures = captures.into_iter().filter_map(|capture| manifest.take(capture)).collect();
    manifest.captures.shrink_to_fit();
    manifest
}

/// Comments and `---` before an object are not its start.
fn start_line(captures: &[Capture]) -> Option<usize> {
    let is_head = |capture: &&Capture| matches!(capture.kind, ProbeKind::Code(Fact::ApiVersion | Fact::Kind));
    captures.iter().filter(is_head).map(|capture| capture.line).min()
}

impl Manifest {
    /// Takes what is a field of its own; anything else stays a capture.
    fn take(&mut self, capture: Capture) -> Option<Capture> {
        let Capture { kind: ProbeKind::Code(fact), value: Some(_), .. } = &capture else {
            return Some(capture);
        };
        let fact = *fact;
        match (fact, capture) {
            (Fact::Name, Capture { value: Some(value), .. }) => self.name = value,
            (Fact::GenerateName, Capture { value: Some(value), .. }) if self.name.is_empty() => {
                self.name = format_compact!("{value}*");
            }
            (Fact::Namespace, Capture { value, .. }) => {
                self.namespace = value.filter(|name| !name.is_empty());
            }
            (Fact::Annotation, Capture { key, value: Some(value), line, .. }) => {
                self.take_annotation(&key, value.into(), line);
            }
            (Fact::ApiVersion | Fact::Kind | Fact::GenerateName, _) => {}
            (_, capture) => return Some(capture),
        }
        None
    }

    /// Keeps the annotations that order things; the others may be large and nobody asks for them.
    fn take_annotation(&mut self, key: &str, value: String, line: usize) {
        if ORDERING.iter().any(|part| key.contains(part)) {
            self.annotation_lines.push((key.to_owned(), line));
            self.annotations.push((key.to_owned(), value));
        }
    }
}
