//! Encrypted documents: nothing may be written into them, so they go out in the wave they came with.

use std::collections::BTreeMap;

use super::inner::existing_wave;
use crate::infer::Scene;
use crate::load::settings::Settings;
use crate::model::{ComponentIndex, Finding, Level, Resource};

/// Sets the waves of encrypted documents to what they carry, and tells where the order asks for others.
pub(super) fn keep_waves(scene: &Scene<'_>, settings: &Settings, waves: &mut [i64]) -> Vec<Finding> {
    let mut moved: BTreeMap<ComponentIndex, Vec<(&Resource, i64, i64)>> = BTreeMap::new();
    for (index, resource) in scene.iter().filter(|(_, resource)| resource.manifest.outline.opaque) {
        let carried = existing_wave(resource).unwrap_or(0);
        let asked = std::mem::replace(&mut waves[index.0], carried);
        if settings.enabled && asked != carried {
            moved.entry(resource.component).or_default().push((resource, asked, carried));
        }
    }
    let finding = |(component, documents): (_, Vec<(&Resource, i64, i64)>)| {
        let (first, asked, carried) = *documents.first()?;
        let others = match documents.len() - 1 {
            0 => String::new(),
            1 => " (and 1 more like it)".to_owned(),
            more => format!(" (and {more} more like it)"),
        };
        let message = format!(
            "`{}`{others} is encrypted and stays in wave {carried}, where the order asks for {asked}",
            first.id.short()
        );
        Some(
            Finding::new("encrypted-keeps-its-wave", Level::Warning, message)
                .about(&scene.component(component).name)
                .at(first.origin())
                .help(format!("write the annotation `{}: \"{asked}\"` before encrypting it", super::WAVE)),
        )
    };
    moved.into_iter().filter_map(finding).collect()
}
