//! `--target applications`: one Application per component and cluster, for a root application to apply in waves; one
//! ApplicationSet for each rung that asks for it.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::application::{self, Application};
use super::{Written, rung_set, source};
use crate::emit::Selection;
use crate::model::{Ladder, Phase};
use crate::problem::Problems;

/// The objects, in the order of their waves.
///
/// # Errors
/// When names clash, or an ApplicationSet cannot create what stands on its rung.
pub fn write(ladder: &Ladder, selection: &Selection) -> Result<Written, Problems> {
    let (list, mut findings) = application::applications(ladder, selection)?;
    // A set stands for its whole rung, whatever was selected.
    let has_sets = ladder.rungs.list.iter().any(|rung| rung.application_set.is_some());
    let all = if has_sets { application::applications(ladder, &Selection::default())?.0 } else { Vec::new() };
    let namespace = &ladder.settings.targets.namespace;
    let mut objects = Vec::new();
    let mut done: BTreeSet<&Phase> = BTreeSet::new();
    for application in &list {
        let phase = &ladder.placement(application.component).phase;
        let Some((rung, set)) =
            ladder.rungs.find(phase).and_then(|rung| Some((rung, rung.application_set.as_ref()?)))
        else {
            objects
                .push((ladder.component(application.component).name.clone(), object(application, namespace)));
            continue;
        };
        if done.insert(phase) {
            let is_member = |one: &&Application| ladder.placement(one.component).phase == *phase;
            let members: Vec<Application> = all.iter().filter(is_member).cloned().collect();
            let (made, left_out) = rung_set::write(ladder, rung, set, &members)?;
            objects.push((set.name.clone(), made));
            findings.extend(left_out);
        }
    }
    findings.extend(source::unknown_repository(objects.iter().map(|(_, object)| object)));
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
