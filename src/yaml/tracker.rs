//! Builds the outline of a document while its events go by. It watches three levels only, so that events
//! further inside cost a comparison.

use super::keys::hash;
use super::outline::{Entry, Item, Misfit, Offset, Origin, Outline, Shape, Site, Wrong};
use super::scalar::{GoValue, go_value};
use super::{Event, Limits, Mark, Scalar};

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Top {
    Metadata,
    Sops,
    Items,
    Kind,
    ApiVersion,
    #[default]
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Inner {
    Annotations,
    Labels,
    Namespace,
    Name,
    #[default]
    Other,
}

/// Builds the outline of one document.
#[derive(Default)]
pub(super) struct Tracker {
    pub(super) outline: Outline,
    depth: usize,
    top: Top,
    inner: Inner,
    last_key: String,
    base: usize,
    /// Whether there is `spec` or `status`.
    has_body: bool,
}

impl Tracker {
    pub(super) fn new(limits: &Limits, base: usize) -> Self {
        let outline = Outline { limits: *limits, ..Outline::default() };
        Self { outline, base, ..Self::default() }
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    #[inline]
    pub(super) fn track(&mut self, event: Event<'_>, mark: Mark, origin: Origin) {
        match event {
            Event::MappingStart | Event::SequenceStart => {
                if self.is_watched() {
                    self.value(event, mark, origin);
                }
                self.depth += 1;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                self.depth -= 1;
                if self.top == Top::Items && self.depth <= 2 {
                    self.end(mark);
                }
            }
            Event::Key(key) if self.is_watched() => self.key(key, mark, origin),
            Event::Scalar(_) if self.is_watched() => self.value(event, mark, origin),
            Event::Key(_) | Event::Scalar(_) => {}
        }
    }

    /// A merge key in the innermost mapping.
    pub(super) fn merge(&mut self) {
        self.outline.sites.merged |= self.is_edited();
    }

    /// Whether the innermost mapping is one that a splice may extend.
    fn is_edited(&self) -> bool {
        match self.depth {
            1 => true,
            2 => self.top == Top::Metadata,
            3 => self.top == Top::Metadata && self.inner == Inner::Annotations,
            _ => false,
        }
    }

    /// Whether anything at the current depth may matter.
    #[inline]
    pub(super) fn is_watched(&self) -> bool {
        self.depth <= 1 || (self.depth <= 3 && self.top != Top::Other)
    }

    fn key(&mut self, key: &str, mark: Mark, origin: Origin) {
        let at = Offset::new(mark.offset.wrapping_sub(self.base));
        self.outline.sites.merged |= origin.shape == Shape::Elsewhere && self.is_edited();
        match (self.depth, self.top, self.inner) {
            (1, ..) => self.top_key(key, at),
            (2, Top::Sops, _) => self.outline.opaque |= key == "mac",
            (2, Top::Metadata, _) => self.metadata_key(key, at),
            (3, Top::Metadata, Inner::Annotations) => {
                self.remember(key, ANNOTATIONS);
                if let Some(site) = &mut self.outline.sites.annotations {
                    site.first.get_or_insert(at);
                }
                let site = Site { key: at, ..Site::default() };
                self.outline.sites.entries.push(Entry { key_hash: hash(key), site });
            }
            (3, Top::Metadata, Inner::Labels) => self.remember(key, LABELS),
            _ => {}
        }
    }

    /// Keeps the key of an annotation or label for messages; a value it had before no longer counts.
    fn remember(&mut self, key: &str, prefix: &str) {
        self.last_key.clear();
        self.last_key.push_str(key);
        if self.outline.misfits.len() > FEW {
            return;
        }
        let is_same =
            |path: &str| path.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('.')) == Some(key);
        self.outline.misfits.retain(|misfit| !is_same(&misfit.path));
    }

    /// Forgets what was wrong below a field that gets another value.
    fn forget(&mut self, prefix: &str) {
        self.outline.misfits.retain(|misfit| !misfit.path.starts_with(prefix));
    }

    fn top_key(&mut self, key: &str, at: Offset) {
        let sites = &mut self.outline.sites;
        sites.root.first.get_or_insert(at);
        self.top = match key {
            "metadata" => Top::Metadata,
            "sops" => Top::Sops,
            "items" => Top::Items,
            "kind" => Top::Kind,
            "apiVersion" => Top::ApiVersion,
            _ => Top::Other,
        };
        if matches!(key, "spec" | "status") {
            self.has_body = true;
            sites.is_null_list = false;
        }
        if self.top == Top::Metadata {
            sites.metadata = Some(Site { key: at, ..Site::default() });
            sites.annotations = None;
            sites.namespace = None;
            sites.entries.clear();
            self.forget(METADATA);
        }
        match self.top {
            Top::Kind => self.forget(KIND),
            Top::ApiVersion => self.forget(API_VERSION),
            Top::Items => {
                self.outline.sites.items.clear();
                self.outline.items = false;
                self.outline.sites.is_null_list = false;
            }
            _ => {}
        }
    }

    fn metadata_key(&mut self, key: &str, at: Offset) {
        let sites = &mut self.outline.sites;
        if let Some(site) = &mut sites.metadata {
            site.first.get_or_insert(at);
        }
        let site = Some(Site { key: at, ..Site::default() });
        self.inner = match key {
            "annotations" => {
                sites.annotations = site;
                sites.entries.clear();
                self.forget(ANNOTATIONS);
                Inner::Annotations
            }
            "labels" => {
                self.forget(LABELS);
                Inner::Labels
            }
            "namespace" => {
                sites.namespace = site;
                self.outline.misfits.retain(|misfit| misfit.path != NAMESPACE);
                Inner::Namespace
            }
            "name" | "generateName" => {
                self.outline.misfits.retain(|misfit| misfit.path != NAME);
                Inner::Name
            }
            _ => Inner::Other,
        };
    }

    /// A scalar or the start of a mapping or sequence, at the current depth.
    fn value(&mut self, event: Event<'_>, mark: Mark, origin: Origin) {
        let at = mark.offset.wrapping_sub(self.base);
        let sites = &mut self.outline.sites;
        let site = match (self.depth, self.top, self.inner) {
            (0, ..) => Some(&mut sites.root),
            (1, Top::Metadata, _) => sites.metadata.as_mut(),
            (2, Top::Metadata, Inner::Annotations) => sites.annotations.as_mut(),
            (2, Top::Metadata, Inner::Namespace) => sites.namespace.as_mut(),
            (3, Top::Metadata, Inner::Annotations) => sites.entries.last_mut().map(|entry| &mut entry.site),
            _ => None,
        };
        if let Some(site) = site {
            site.value = Offset::new(at);
            site.shape = origin.shape;
            site.anchored = origin.anchored;
            site.tagged = origin.tagged;
        }
        match (self.depth, self.top) {
            (1, Top::Items) => {
                self.outline.items = event == Event::SequenceStart;
                self.outline.sites.is_null_list = is_null(event) && !self.has_body;
            }
            (1, Top::Kind) => self.text_check(KIND, event, mark),
            (1, Top::ApiVersion) => self.text_check(API_VERSION, event, mark),
            (2, Top::Items) if self.outline.items => {
                sites.items.push(Item { mark, start: at, end: at, shape: origin.shape });
            }
            (2 | 3, Top::Metadata) => self.string_check(event, mark),
            _ => {}
        }
    }

    fn string_check(&mut self, event: Event<'_>, mark: Mark) {
        let path = match self.inner {
            Inner::Annotations => ANNOTATIONS,
            Inner::Labels => LABELS,
            Inner::Name => NAME,
            Inner::Namespace => NAMESPACE,
            Inner::Other => return,
        };
        match (self.depth, self.inner) {
            (2, Inner::Name | Inner::Namespace) => self.text_check(path, event, mark),
            (2, _) if event == Event::MappingStart || is_null(event) => {}
            (2, _) => self.misfit(path.to_owned(), mark, Wrong::NotMapping),
            (_, Inner::Annotations | Inner::Labels) if wrong_as_text(event).is_some() => {
                let path = format!("{path}.{}", self.last_key);
                self.text_check(&path, event, mark);
            }
            _ => {}
        }
    }

    fn text_check(&mut self, path: &str, event: Event<'_>, mark: Mark) {
        if let Some(wrong) = wrong_as_text(event) {
            self.misfit(path.to_owned(), mark, wrong);
        }
    }

    fn misfit(&mut self, path: String, mark: Mark, wrong: Wrong) {
        self.outline.misfits.push(Misfit { path, mark, wrong });
    }

    fn end(&mut self, mark: Mark) {
        let at = mark.offset.wrapping_sub(self.base);
        let sites = &mut self.outline.sites;
        match (self.depth, sites.items.last_mut()) {
            (2, Some(item)) => item.end = at,
            (1, _) => sites.items_end = at,
            _ => {}
        }
    }
}

fn is_null(event: Event<'_>) -> bool {
    matches!(event, Event::Scalar(Scalar { text, plain: true, .. }) if go_value(text) == GoValue::Null)
}

/// What is wrong about a value where a string is needed; null is as good as none.
fn wrong_as_text(event: Event<'_>) -> Option<Wrong> {
    match event {
        Event::Scalar(Scalar { text, plain, .. }) => {
            let fits = !plain || matches!(go_value(text), GoValue::Null | GoValue::Text);
            (!fits).then_some(Wrong::NotString)
        }
        Event::MappingStart | Event::SequenceStart => Some(Wrong::Collection),
        _ => None,
    }
}

/// More values than this are not looked through for every key.
const FEW: usize = 256;
const KIND: &str = "kind";
const API_VERSION: &str = "apiVersion";
const METADATA: &str = "metadata.";
const ANNOTATIONS: &str = "metadata.annotations";
const LABELS: &str = "metadata.labels";
const NAME: &str = "metadata.name";
const NAMESPACE: &str = "metadata.namespace";
