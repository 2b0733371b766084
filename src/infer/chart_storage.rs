//! Charts nobody rendered whose values name the class of their volumes.

use super::Inferred;
use super::scene::{Scene, Wait};
use crate::model::{Gate, Reason, ResourceId, Strength};

/// Edges from releases to the classes their volumes need.
#[must_use]
pub fn edges(scene: &Scene<'_>) -> Inferred {
    let mut inferred = Inferred::default();
    for (index, release) in scene.iter().filter(|(_, resource)| !resource.charts.is_empty()) {
        let origin = release.origin();
        let reason = Reason::from("chart-storage-class");
        let wait = Wait { reason, strength: Strength::Strong, gate: Gate::Present, origin };
        for chart in &release.charts {
            let known = scene.catalogue.providers_of_chart(&chart.name, chart.repository.as_deref());
            let paths = known.flat_map(|provider| &provider.storage_class_values);
            for class in paths.filter_map(|path| chart.values.text(path)).filter(|class| !class.is_empty()) {
                let id = ResourceId::new("storage.k8s.io", "StorageClass", "", class);
                inferred.edges.extend(scene.edges_to(index, &scene.find(&id, release.component), &wait));
            }
        }
    }
    inferred
}
