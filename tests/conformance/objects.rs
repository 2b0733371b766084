//! Kubernetes objects as JSON, named as `argocd-ladder` names them.

use std::collections::BTreeMap;

use serde_json::Value;

/// Argo CD's annotation for the wave of an object.
pub(crate) const WAVE: &str = "argocd.argoproj.io/sync-wave";
/// The annotation by which Argo CD knows its objects again.
pub(crate) const TRACKING: &str = "argocd.argoproj.io/tracking-id";
const OPTIONS: &str = "argocd.argoproj.io/sync-options";

/// What is asked of an object.
pub(crate) trait Object {
    /// `group/Kind/namespace/name`, the core group written `v1`.
    fn id(&self) -> String;
    /// The value of an annotation.
    fn annotation(&self, name: &str) -> Option<&str>;
    /// The object as Argo CD sends it: in this namespace, if it names none.
    fn in_namespace(self, namespace: &str) -> Self;
    /// Removes an annotation, and the map of annotations with the last one.
    fn drop_annotation(&mut self, name: &str);
}

impl Object for Value {
    fn id(&self) -> String {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let version = text(&self["apiVersion"]);
        let group = version.split_once('/').map_or("v1", |(group, _)| group);
        let meta = &self["metadata"];
        format!("{group}/{}/{}/{}", text(&self["kind"]), text(&meta["namespace"]), text(&meta["name"]))
    }

    fn annotation(&self, name: &str) -> Option<&str> {
        self["metadata"]["annotations"][name].as_str()
    }

    fn in_namespace(mut self, namespace: &str) -> Value {
        if self["metadata"]["namespace"].is_null() {
            self["metadata"]["namespace"] = Value::from(namespace);
        }
        self
    }

    fn drop_annotation(&mut self, name: &str) {
        let Some(meta) = self["metadata"].as_object_mut() else { return };
        if let Some(annotations) = meta.get_mut("annotations").and_then(Value::as_object_mut) {
            annotations.remove(name);
            if annotations.is_empty() {
                meta.remove("annotations");
            }
        }
    }
}

/// Objects by id.
pub(crate) fn by_id(objects: &[Value]) -> BTreeMap<String, &Value> {
    objects.iter().map(|object| (object.id(), object)).collect()
}

/// The object without what `argocd-ladder` writes into it.
pub(crate) fn without_our_annotations(object: &Value) -> Value {
    let mut plain = object.clone();
    for name in [WAVE, OPTIONS, TRACKING] {
        plain.drop_annotation(name);
    }
    plain
}
