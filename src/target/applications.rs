//! `--target applications`: one Application per component and cluster, for a root application to apply in waves.

use serde_json::{Map, Value, json};

use super::Written;
use super::application::{self, Application};
use crate::emit::Selection;
use crate::model::Ladder;
use crate::problem::Problems;

/// The Applications, in the order of their waves.
///
/// # Errors
/// When the repository is unknown or names clash.
pub fn write(ladder: &Ladder, selection: &Selection) -> Result<Written, Problems> {
    let (list, findings) = application::applications(ladder, selection)?;
    let namespace = &ladder.settings.targets.namespace;
    let objects = list
        .iter()
        .map(|application| {
            (ladder.component(application.component).name.clone(), object(application, namespace))
        })
        .collect();
    Ok(Written { objects, findings })
}

fn object(application: &Application, namespace: &str) -> Value {
    let mut metadata = Map::new();
    metadata.insert("name".to_owned(), json!(application.name));
    metadata.insert("namespace".to_owned(), json!(namespace));
    metadata.insert("labels".to_owned(), json!(application.labels));
    metadata.insert("annotations".to_owned(), json!(application.annotations));
    if !application.finalizers.is_empty() {
        metadata.insert("finalizers".to_owned(), json!(application.finalizers));
    }
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": metadata,
        "spec": application.spec,
    })
}
