//! Works out which bytes of a document to replace for a set of edits, or that its text is too unusual for
//! that: shared by anchors, filled by merge keys, or laid out over several lines.

use std::ops::Range;

use super::Set;
use super::keys::hash;
use super::outline::{Shape, Site, Sites};
use super::patch::{indentation, key_source, key_text, line_ending, line_start, quoted_range};
use super::quote::{double_quoted, quoted};

/// Replaces a range of the text.
pub(super) struct Patch {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// What has to be inserted below one key.
struct Missing<'e> {
    namespace: Option<&'e str>,
    annotations: Vec<(&'e str, &'e str)>,
}

impl Missing<'_> {
    fn is_empty(&self) -> bool {
        self.namespace.is_none() && self.annotations.is_empty()
    }

    fn flow_annotations(&self) -> String {
        let pair = |(key, value): &(&str, &str)| format!("{}: {}", double_quoted(key), double_quoted(value));
        self.annotations.iter().map(pair).collect::<Vec<_>>().join(", ")
    }

    fn flow_metadata(&self) -> String {
        let namespace = self.namespace.map(|name| format!("\"namespace\": {}", double_quoted(name)));
        let annotations = (!self.annotations.is_empty())
            .then(|| format!("\"annotations\": {{{}}}", self.flow_annotations()));
        namespace.into_iter().chain(annotations).collect::<Vec<_>>().join(", ")
    }

    fn block_annotations(&self, indent: &str, ending: &str) -> String {
        let line = |(key, value): &(&str, &str)| {
            format!("{indent}{}: {}{ending}", quoted(key), double_quoted(value))
        };
        self.annotations.iter().map(line).collect()
    }

    fn block_metadata(&self, indent: &str, ending: &str) -> String {
        let mut lines = String::new();
        if let Some(name) = self.namespace {
            lines = format!("{indent}namespace: {}{ending}", double_quoted(name));
        }
        if !self.annotations.is_empty() {
            let inner = self.block_annotations(&format!("{indent}  "), ending);
            lines.extend([indent, "annotations:", ending, &inner]);
        }
        lines
    }
}

/// Finds the patches for a document, or `None` where the text is too unusual.
pub(super) struct Plan<'t> {
    text: &'t str,
    sites: &'t Sites,
    patches: Vec<Patch>,
}

impl<'t> Plan<'t> {
    pub(super) fn new(text: &'t str, sites: &'t Sites) -> Self {
        Self { text, sites, patches: Vec::new() }
    }

    pub(super) fn patches(mut self, edits: &[Set<'_>]) -> Option<Vec<Patch>> {
        if self.sites.merged {
            return None;
        }
        self.inside(&self.sites.root)?;
        let mut missing = Missing { namespace: None, annotations: Vec::new() };
        for edit in edits {
            match *edit {
                Set::Annotation(key, value) if !self.replace_annotation(key, value)? => {
                    missing.annotations.retain(|(other, _)| *other != key);
                    missing.annotations.push((key, value));
                }
                Set::Namespace(name) if !self.has_namespace(name)? => missing.namespace = Some(name),
                _ => {}
            }
        }
        if !missing.is_empty() {
            self.insert_metadata(&missing)?;
        }
        Some(self.patches)
    }

    /// Refuses a site whose content is shared with an alias or came from one.
    fn inside(&self, site: &Site) -> Option<()> {
        let shared = site.anchored && self.sites.aliases;
        (site.shape != Shape::Elsewhere && !shared).then_some(())
    }

    fn replace_annotation(&mut self, key: &str, value: &str) -> Option<bool> {
        let Some(annotations) = &self.sites.annotations else { return Some(false) };
        self.inside(annotations)?;
        let wanted = hash(key);
        for entry in self.sites.entries.iter().rev().filter(|entry| entry.key_hash == wanted) {
            if key_text(self.text, entry.site.key.get())? == key {
                self.replace(&entry.site, &double_quoted(value))?;
                return Some(true);
            }
        }
        Some(false)
    }

    fn has_namespace(&mut self, name: &str) -> Option<bool> {
        let Some(site) = self.sites.namespace else { return Some(false) };
        match site.shape {
            Shape::Null(_) | Shape::EmptyText => self.replace(&site, &double_quoted(name)).map(|()| true),
            Shape::Elsewhere => None,
            _ => Some(true),
        }
    }

    /// Puts new text in the place of a scalar that stands on one line.
    fn replace(&mut self, site: &Site, new: &str) -> Option<()> {
        self.inside(site)?;
        // An empty value that has an anchor stands behind it, where the colon cannot tell.
        if site.tagged || site.anchored && site.shape == Shape::Null(0) {
            return None;
        }
        let value = site.value.get();
        let patch = match site.shape {
            Shape::Null(0) => {
                let (_, after) = key_source(self.text, site.key.get())?;
                Patch { range: after..after, text: format!(" {new}") }
            }
            Shape::Null(len) => Patch { range: value..value + usize::from(len), text: new.to_owned() },
            Shape::Plain(len) => Patch { range: value..value + len as usize, text: new.to_owned() },
            Shape::Quoted | Shape::EmptyText => {
                Patch { range: quoted_range(self.text, value)?, text: new.to_owned() }
            }
            _ => return None,
        };
        self.patches.push(patch);
        Some(())
    }

    fn insert_metadata(&mut self, missing: &Missing<'_>) -> Option<()> {
        let Some(metadata) = self.sites.metadata else { return self.insert_root(missing) };
        match metadata.shape {
            Shape::Null(_) => return self.replace(&metadata, &format!("{{{}}}", missing.flow_metadata())),
            Shape::FlowMapping | Shape::BlockMapping => self.inside(&metadata)?,
            _ => return None,
        }
        let Some(annotations) = self.sites.annotations.filter(|_| !missing.annotations.is_empty()) else {
            return self.insert_pairs(&metadata, &missing.flow_metadata(), |indent, ending| {
                missing.block_metadata(indent, ending)
            });
        };
        self.insert_annotations(&annotations, missing)?;
        let rest = Missing { namespace: missing.namespace, annotations: Vec::new() };
        if rest.is_empty() {
            return Some(());
        }
        self.insert_pairs(&metadata, &rest.flow_metadata(), |indent, ending| {
            rest.block_metadata(indent, ending)
        })
    }

    fn insert_annotations(&mut self, site: &Site, missing: &Missing<'_>) -> Option<()> {
        match site.shape {
            Shape::Null(_) => self.replace(site, &format!("{{{}}}", missing.flow_annotations())),
            Shape::FlowMapping | Shape::BlockMapping => {
                self.inside(site)?;
                self.insert_pairs(site, &missing.flow_annotations(), |indent, ending| {
                    missing.block_annotations(indent, ending)
                })
            }
            _ => None,
        }
    }

    fn insert_root(&mut self, missing: &Missing<'_>) -> Option<()> {
        let flow = format!("\"metadata\": {{{}}}", missing.flow_metadata());
        let root = self.sites.root;
        self.insert_pairs(&root, &flow, |indent, ending| {
            let inner = missing.block_metadata(&format!("{indent}  "), ending);
            format!("{indent}metadata:{ending}{inner}")
        })
    }

    /// Inserts before the first key of a mapping.
    fn insert_pairs(&mut self, site: &Site, flow: &str, block: impl Fn(&str, &str) -> String) -> Option<()> {
        let (at, text) = match (site.shape, site.first) {
            (Shape::FlowMapping, None) => (site.value.get() + 1, flow.to_owned()),
            (Shape::FlowMapping, Some(_)) => (site.value.get() + 1, format!("{flow}, ")),
            (Shape::BlockMapping, Some(first)) => {
                let first = first.get();
                key_source(self.text, first)?;
                let indent = indentation(self.text, first)?;
                (line_start(self.text, first), block(indent, line_ending(self.text, first)))
            }
            _ => return None,
        };
        self.patches.push(Patch { range: at..at, text });
        Some(())
    }
}
