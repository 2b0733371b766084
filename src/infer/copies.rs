//! Which of several copies of an object a component means: overlays of one base each bring their own.

use super::reference;
use super::scene::{Found, Scene};
use crate::model::{ComponentIndex, Provision, ResourceId, ResourceIndex};

impl Scene<'_> {
    /// Who provides an object: the asking component's own copy, then what it makes itself, then those of others. What is
    /// declared external is not waited for, also where something here makes it: the user knows that it is there before.
    #[must_use]
    pub fn find(&self, id: &ResourceId, asking: ComponentIndex) -> Found {
        let copies = self.by_id.get(id).map_or(&[][..], Vec::as_slice);
        if let Some(own) = copies.iter().find(|copy| self.is_own(**copy, asking)) {
            return Found::Object(*own);
        }
        let named = Provision::Object(id.clone());
        let is_external = self.external.contains(&named);
        let makers = self.made.get(id).filter(|_| !is_external).map_or(&[][..], Vec::as_slice);
        match (copies, makers) {
            ([], []) if is_external => Found::External,
            ([], []) => match self.find_declared(&named) {
                Found::Nobody => self.of_release(id, asking),
                found => found,
            },
            ([], makers) => Found::Made(self.own_first(makers, asking)),
            ([first, ..], makers) => {
                let own = self.sure_own_makers(id, makers, asking);
                if own.is_empty() { Found::Object(*first) } else { Found::Made(own) }
            }
        }
    }

    /// The release that a Service is called after: it has the name of the release, or begins with it.
    fn of_release(&self, id: &ResourceId, asking: ComponentIndex) -> Found {
        if let Some(releases) = self.releases.get(id) {
            return Found::Made(self.own_first(releases, asking));
        }
        match self.likely_release(id).filter(|_| id.kind == "Service") {
            Some(release) => Found::Made(vec![release]),
            None => Found::Nobody,
        }
    }

    /// The release of the same namespace that an object's name begins with; the longest name, if several.
    pub(super) fn likely_release(&self, id: &ResourceId) -> Option<ResourceIndex> {
        let ends = id.name.match_indices('-').map(|(end, _)| end).chain([id.name.len()]);
        let mut names = ends.rev().map(|end| &id.name[..end]);
        names.find_map(|name| self.release_names.get(&(id.namespace.as_str(), name)).copied())
    }

    /// The component's own makers of an object that stands elsewhere; who also refers to it may only use it.
    fn sure_own_makers(
        &self,
        id: &ResourceId,
        makers: &[ResourceIndex],
        asking: ComponentIndex,
    ) -> Vec<ResourceIndex> {
        let own = makers.iter().copied().filter(|maker| self.is_own(*maker, asking));
        own.filter(|maker| !reference::names(self, self.resource(*maker), id)).collect()
    }

    /// Those of the asking component, if it has any, else one copy of each: overlays of one base each bring their own.
    #[must_use]
    pub fn own_first(&self, all: &[ResourceIndex], asking: ComponentIndex) -> Vec<ResourceIndex> {
        let own: Vec<ResourceIndex> =
            all.iter().copied().filter(|index| self.is_own(*index, asking)).collect();
        if own.is_empty() { self.one_copy_of_each(all, asking) } else { own }
    }

    /// Whether a resource is the component's own, also when a fix split it off.
    fn is_own(&self, index: ResourceIndex, asking: ComponentIndex) -> bool {
        let component = self.resource(index).component;
        component == asking || self.whole[component.0] == self.whole[asking.0]
    }

    /// The CRD of a kind that a component means, where several bring it.
    #[must_use]
    pub fn crd_for(&self, group: &str, kind: &str, asking: ComponentIndex) -> Option<ResourceIndex> {
        let first = self.crd(group, kind)?;
        match self.find(&self.resource(first).id, asking) {
            Found::Object(copy) => Some(copy),
            _ => Some(first),
        }
    }

    /// Of objects that stand in several components (overlays of one base each bring theirs) the one meant by whoever
    /// asks: its own copy, else the first.
    #[must_use]
    pub fn one_copy_of_each(&self, found: &[ResourceIndex], asking: ComponentIndex) -> Vec<ResourceIndex> {
        found.iter().copied().filter(|index| self.is_meant(*index, asking)).collect()
    }

    /// Whether this copy of an object is the one that a component means.
    #[must_use]
    pub fn is_meant(&self, copy: ResourceIndex, asking: ComponentIndex) -> bool {
        self.find(&self.resource(copy).id, asking) == Found::Object(copy)
    }
}
