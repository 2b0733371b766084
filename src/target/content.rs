//! A fingerprint of what a component applies, so that a change inside it changes its Application too.

use rayon::prelude::*;
use serde_json::json;

use crate::emit;
use crate::model::Fingerprint;
use crate::model::{ComponentIndex, Ladder, ResourceIndex};
use crate::problem::Problems;
use crate::target::rollback;

/// One fingerprint per component: its documents as they will be applied, the chart it names, and the files of the
/// repository that go into a source nobody rendered here.
///
/// # Errors
/// When a document cannot carry its annotations.
pub fn fingerprints(ladder: &Ladder) -> Result<Vec<String>, Problems> {
    let all: Vec<Result<String, Problems>> = (0..ladder.components.len())
        .into_par_iter()
        .map(|number| fingerprint(ladder, ComponentIndex(number)))
        .collect();
    all.into_iter().collect()
}

/// The fingerprint of one component.
///
/// # Errors
/// When a document cannot carry its annotations.
pub fn fingerprint(ladder: &Ladder, component: ComponentIndex) -> Result<String, Problems> {
    let own: Vec<ResourceIndex> = ladder.resources_of(component).collect();
    let mut whole = Fingerprint::default();
    for document in emit::documents(ladder, &own)? {
        for piece in document.pieces() {
            whole.mix(piece.as_bytes());
        }
        whole.mix(b"\0");
    }
    for job in rollback::of(ladder, component) {
        whole.mix(job.as_bytes());
    }
    let component = ladder.component(component);
    if let Some(chart) = &component.descriptor.chart {
        whole.mix(json!(chart).to_string().as_bytes());
    }
    if let Some(files) = &component.place.files {
        whole.mix(files.to_string().as_bytes());
    }
    Ok(whole.to_string())
}
