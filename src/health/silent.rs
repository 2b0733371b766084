//! Custom kinds that never report: their CRD gives them no status. A check that waits for one would wait for ever.

use crate::model::Resource;
use crate::yaml::Limits;
use crate::yaml::tree::{self, Node};

/// Whether a CRD among the resources gives a kind no status.
pub(super) fn is_silent(resources: &[Resource], group: &str, kind: &str) -> bool {
    let is_of_group = |name: &str| name.split_once('.').is_some_and(|(_, of)| of == group);
    let crds = resources.iter().filter(|one| one.id.kind == "CustomResourceDefinition");
    crds.filter(|crd| is_of_group(&crd.id.name) && !crd.is_stand_in()).any(|crd| {
        let tree = tree::parse_chunk(&crd.manifest.chunk, &Limits::default());
        tree.is_ok_and(|tree| names(&tree, kind) && !has_status(&tree))
    })
}

fn names(crd: &Node, kind: &str) -> bool {
    crd.at(&["spec", "names", "kind"]).and_then(Node::text) == Some(kind)
}

/// As a subresource, or at least as a field that is kept.
fn has_status(crd: &Node) -> bool {
    let versions = crd.at(&["spec", "versions"]).map_or(&[][..], Node::items);
    versions.iter().chain(crd.get("spec")).any(|version| {
        version.at(&["subresources", "status"]).is_some()
            || version.at(&["schema", "openAPIV3Schema", "properties", "status"]).is_some()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_kind_reports_where_its_crd_has_a_status() {
        for (version, expected) in [
            ("{name: v1, subresources: {status: {}}}", true),
            (
                "{name: v1, schema: {openAPIV3Schema: {type: object, properties: {status: {type: object}}}}}",
                true,
            ),
            (
                "{name: v1, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}}",
                false,
            ),
            ("{name: v1, subresources: {scale: {}}}", false),
        ] {
            let text = format!("spec:\n  names: {{kind: Store}}\n  versions:\n  - {version}\n");
            let crd = tree::parse(&Arc::new(text), &Limits::default()).unwrap();
            assert!(names(&crd, "Store"));
            assert_eq!(has_status(&crd), expected, "{version}");
        }
    }
}
