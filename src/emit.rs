//! Ladder → manifests on a writer, in the order Argo CD will apply them.
//!
//! Every resource leaves as it came but for the wave annotation (and the namespace its component gives it).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, Write};

use rayon::prelude::*;

use crate::argocd::WAVE;
use crate::model::{Ladder, ResourceId, ResourceIndex};
use crate::problem::{Problem, Problems};
use crate::render::Manifest;
use crate::yaml::{self, Prepend, Set, Spliced, YamlError};

/// Which resources to write.
#[derive(Debug, Default)]
pub struct Selection {
    /// Only these components; empty means all.
    pub components: BTreeSet<usize>,
    /// Only these rungs; empty means all.
    pub phases: BTreeSet<String>,
}

impl Selection {
    /// The selected components whose manifests are not in the repo and were not fetched.
    #[must_use]
    pub fn missing(&self, ladder: &Ladder) -> Vec<ResourceIndex> {
        let all = (0..ladder.resources.len()).map(ResourceIndex);
        all.filter(|index| {
            ladder.resource(*index).is_stand_in()
                && self.takes_component(ladder, ladder.resource(*index).component.0)
        })
        .collect()
    }

    fn takes(&self, ladder: &Ladder, resource: ResourceIndex) -> bool {
        !ladder.resource(resource).is_stand_in()
            && self.takes_component(ladder, ladder.resource(resource).component.0)
    }

    /// Whether it takes a component.
    #[must_use]
    pub fn takes_component(&self, ladder: &Ladder, component: usize) -> bool {
        let phase = &ladder.placements[component].phase.0;
        (self.components.is_empty() || self.components.contains(&component))
            && (self.phases.is_empty() || self.phases.contains(phase))
    }
}

/// Resources in the order they will be written: Argo CD's, then those it never applies.
#[must_use]
pub fn sequence(ladder: &Ladder, selection: &Selection) -> Vec<ResourceIndex> {
    let mut seen = vec![false; ladder.resources.len()];
    let mut sequence = Vec::with_capacity(ladder.resources.len());
    let earlier = earlier_copies(ladder);
    let steps = ladder.order.iter().flat_map(|step| {
        let copies = earlier.get(&step.resource).into_iter().flatten().copied();
        copies.chain([step.resource])
    });
    for resource in steps.chain((0..ladder.resources.len()).map(ResourceIndex)) {
        if !std::mem::replace(&mut seen[resource.0], true) && selection.takes(ladder, resource) {
            sequence.push(resource);
        }
    }
    sequence
}

/// Copies of one identity that Argo CD drops, by the last one, which it keeps: they must not come after it.
fn earlier_copies(ladder: &Ladder) -> BTreeMap<ResourceIndex, Vec<ResourceIndex>> {
    let mut last: HashMap<&ResourceId, Vec<ResourceIndex>> = HashMap::new();
    for (number, resource) in ladder.resources.iter().enumerate() {
        last.entry(&resource.id).or_default().push(ResourceIndex(number));
    }
    let copies = last.into_values().filter(|copies| copies.len() > 1);
    copies.filter_map(|mut copies| copies.pop().map(|kept| (kept, copies))).collect()
}

/// The manifests of a sequence, ready to write: nothing can fail afterwards but the writer.
///
/// # Errors
/// When a document cannot carry the annotation; all such documents together.
pub fn documents<'l>(ladder: &'l Ladder, sequence: &[ResourceIndex]) -> Result<Vec<Spliced<'l>>, Problems> {
    let spliced: Vec<Result<Spliced<'l>, Problem>> =
        sequence.par_iter().map(|index| spliced(ladder, *index)).collect();
    let mut documents = Vec::with_capacity(spliced.len());
    let mut problems = Vec::new();
    for result in spliced {
        match result {
            Ok(document) => documents.push(document),
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(documents) } else { Err(Problems(problems)) }
}

/// Writes the manifests, each behind `---`, so that no first document is taken for a JSON stream.
///
/// # Errors
/// When the writer fails.
pub fn write(documents: &[Spliced<'_>], out: &mut impl Write) -> io::Result<()> {
    for document in documents {
        out.write_all(b"---\n")?;
        for piece in document.pieces() {
            out.write_all(piece.as_bytes())?;
        }
    }
    Ok(())
}

fn spliced(ladder: &Ladder, index: ResourceIndex) -> Result<Spliced<'_>, Problem> {
    let resource = ladder.resource(index);
    let manifest = &resource.manifest;
    let wave = ladder.waves[index.0].to_string();
    let mut edits = Vec::new();
    if ladder.settings.enabled {
        edits.push(Set::Annotation(WAVE, &wave));
    }
    if let Some((key, value)) = ladder.extra_annotations.get(&index) {
        edits.push(Set::Annotation(key, value));
    }
    let added = manifest.added.as_deref();
    for (key, value) in added.into_iter().flat_map(|added| &added.annotations) {
        edits.push(Set::Annotation(key, value));
    }
    let given = &ladder.component(resource.component).namespace;
    if manifest.namespace.is_none()
        && resource.is_scope_known
        && !given.is_empty()
        && !resource.id.namespace.is_empty()
    {
        edits.push(Set::Namespace(given));
    }
    let lists = added.map_or(&[][..], |added| &added.lists);
    let text = if lists.is_empty() {
        yaml::splice(&manifest.chunk, &manifest.outline, &edits)
    } else {
        with_lists(manifest, lists, &edits)
    };
    text.map_err(|error| {
        Problem::new("invalid-yaml", error.message.clone())
            .at(format!("{}:{}:{}", manifest.file, error.line, error.column))
    })
}

/// The document with items in its lists, then spliced as any other.
fn with_lists<'l>(
    manifest: &Manifest,
    lists: &[Prepend],
    edits: &[Set<'_>],
) -> Result<Spliced<'l>, YamlError> {
    let (mut chunk, mut outline) = (manifest.chunk.clone(), (*manifest.outline).clone());
    for list in lists {
        (chunk, outline) = yaml::prepend(&chunk, &outline, list)?;
    }
    yaml::splice(&chunk, &outline, edits).map(|spliced| spliced.owned())
}
