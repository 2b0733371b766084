//! Who makes a thing, where several may.
//!
//! Controllers often make a Secret only where nobody gave one: an object that names the very thing it would make is
//! its user once another object makes it for sure.

use std::collections::HashMap;

use super::scene::Scene;
use super::{brought, made, reference};
use crate::model::{ResourceId, ResourceIndex};

/// Objects by what they make.
pub type Makers = HashMap<ResourceId, Vec<ResourceIndex>>;

/// All that comes into being at run time, with its makers.
#[must_use]
pub fn of(scene: &Scene<'_>) -> Makers {
    let mut makers = Makers::new();
    for (index, resource) in scene.iter() {
        for id in made::by(scene, resource).chain(brought::by(resource, scene.catalogue)) {
            makers.entry(id).or_default().push(index);
        }
    }
    without_users(scene, makers)
}

/// The makers without those that refer to the thing themselves, as long as any other is left.
fn without_users(scene: &Scene<'_>, mut makers: Makers) -> Makers {
    for (id, list) in makers.iter_mut().filter(|(_, list)| list.len() > 1) {
        let uses = |index: &ResourceIndex| reference::names(scene, scene.resource(*index), id);
        let sure: Vec<ResourceIndex> = list.iter().copied().filter(|index| !uses(index)).collect();
        if !sure.is_empty() {
            *list = sure;
        }
    }
    makers
}
