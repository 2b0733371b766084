//! Objects by namespace and label, to be looked up by a selector without comparing pairs.

use std::collections::{BTreeSet, HashMap};

use crate::catalogue::matcher::Capture;
use crate::model::ResourceIndex;

/// Objects by namespace, key and value of their labels.
#[derive(Debug, Default)]
pub struct Labelled<'a> {
    namespaces: BTreeSet<&'a str>,
    objects: HashMap<(&'a str, &'a str, &'a str), Vec<ResourceIndex>>,
}

impl<'a> Labelled<'a> {
    /// Adds one label of an object; objects come in order.
    pub fn add(&mut self, namespace: &'a str, label: &'a Capture, index: ResourceIndex) {
        let value = label.value.as_deref().unwrap_or_default();
        self.namespaces.insert(namespace);
        let list = self.objects.entry((namespace, &label.key, value)).or_default();
        if list.last() != Some(&index) {
            list.push(index);
        }
    }

    /// The objects that carry all pairs; none for no pair.
    #[must_use]
    pub fn with_all(&self, namespace: &str, pairs: &[(&str, &str)]) -> Vec<ResourceIndex> {
        let lists: Vec<&Vec<ResourceIndex>> =
            pairs.iter().filter_map(|(key, value)| self.objects.get(&(namespace, *key, *value))).collect();
        if lists.len() < pairs.len() {
            return Vec::new();
        }
        let Some(rarest) = lists.iter().min_by_key(|list| list.len()) else { return Vec::new() };
        let in_all = |index: &&ResourceIndex| lists.iter().all(|list| list.binary_search(index).is_ok());
        rarest.iter().filter(in_all).copied().collect()
    }

    /// The namespaces objects are in.
    pub fn namespaces(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.namespaces.iter().copied()
    }
}
