//! What a question names: a component, or a resource in any of the ways people write one.

use crate::model::{ComponentIndex, Ladder, ResourceId, ResourceIndex};
use crate::problem::{Problem, Problems, suggestion};

/// What a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A component.
    Component(ComponentIndex),
    /// A resource.
    Resource(ResourceIndex),
}

/// Finds a component by name, or a resource by `Kind/namespace/name`, `Kind/name` or its full id.
///
/// # Errors
/// When nothing, or more than one thing, has that name.
pub fn find(ladder: &Ladder, text: &str) -> Result<Subject, Problems> {
    if let Some(component) = ladder.component_named(text) {
        return Ok(Subject::Component(component));
    }
    let parts: Vec<&str> = text.split('/').collect();
    let named = |index: &ResourceIndex| is_named(&ladder.resource(*index).id, &parts);
    let found: Vec<ResourceIndex> = (0..ladder.resources.len()).map(ResourceIndex).filter(named).collect();
    let Some(last) = found.last() else { return Err(unknown(ladder, text).into()) };
    let id = &ladder.resource(*last).id;
    // Of several copies of one object Argo CD keeps the last.
    if found.iter().all(|other| ladder.resource(*other).id == *id) {
        return Ok(Subject::Resource(*last));
    }
    let first = &ladder.resource(found[0]).id;
    Err(Problem::new("ambiguous-name", format!("`{text}` names {} resources", found.len()))
        .help(format!("write it whole, e.g. `{first}`"))
        .into())
}

/// Whether the parts of a name are those of an id: the group (with or without a version) and the namespace may be
/// left out, and kinds may be written small, as `kubectl` takes them.
fn is_named(id: &ResourceId, parts: &[&str]) -> bool {
    let is = |kind: &str, name: &str| id.kind.eq_ignore_ascii_case(kind) && id.name == name;
    let in_group = |group: &str| id.group == group || (id.group.is_empty() && matches!(group, "v1" | "core"));
    match *parts {
        [kind, name] => is(kind, name),
        [first, second, name] => {
            (is(first, name) && id.namespace == second)
                || (in_group(first) && is(second, name) && id.namespace.is_empty())
        }
        [group, kind, namespace, name] => in_group(group) && is(kind, name) && id.namespace == namespace,
        [group, _, kind, namespace, name] => id.group == group && is(kind, name) && id.namespace == namespace,
        _ => false,
    }
}

/// Nobody has that name: the nearest of its sort, or the resources that are called so.
fn unknown(ladder: &Ladder, text: &str) -> Problem {
    let problem = Problem::new("unknown-name", format!("there is no component or resource `{text}`"));
    let ids = ladder.resources.iter().map(|resource| &resource.id);
    let called: Vec<String> =
        ids.clone().filter(|id| id.name == text).map(|id| format!("`{}`", id.short())).collect();
    if !called.is_empty() {
        return problem.help(format!("resources of that name are {}", shortened(&called)));
    }
    let resources: Vec<String> = ids.map(ResourceId::short).collect();
    let components = ladder.components.iter().map(|component| component.name.as_str());
    if text.trim_matches('/').contains('/') && !resources.is_empty() {
        // What is called the same but stands elsewhere is nearer than what is spelt alike.
        let name = text.rsplit('/').next().unwrap_or_default();
        let alike: Vec<&str> =
            resources.iter().map(String::as_str).filter(|id| id.rsplit('/').next() == Some(name)).collect();
        let known = if alike.is_empty() { resources.iter().map(String::as_str).collect() } else { alike };
        return problem.help(suggestion(text, known));
    }
    problem.help(suggestion(text, components))
}

/// The first few of a list.
fn shortened(list: &[String]) -> String {
    const SHOWN: usize = 5;
    let more = list.len().saturating_sub(SHOWN);
    let shown = list.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_found_however_they_are_written() {
        let deployment = ResourceId::new("apps", "Deployment", "web", "front");
        let namespace = ResourceId::new("", "Namespace", "", "web");
        let class = ResourceId::new("storage.k8s.io", "StorageClass", "", "fast");
        for (id, text, expected) in [
            (&deployment, "Deployment/front", true),
            (&deployment, "deployment/web/front", true),
            (&deployment, "apps/Deployment/web/front", true),
            (&deployment, "apps/v1/Deployment/web/front", true),
            (&deployment, "Deployment/other/front", false),
            (&deployment, "batch/Deployment/web/front", false),
            (&deployment, "Deployment//front", false),
            (&deployment, "front", false),
            (&namespace, "Namespace/web", true),
            (&namespace, "Namespace//web", true),
            (&namespace, "v1/Namespace//web", true),
            (&namespace, "v1/Namespace/web", true),
            (&namespace, "/Namespace//web", true),
            (&class, "storage.k8s.io/StorageClass/fast", true),
            (&class, "v1/StorageClass//fast", false),
        ] {
            let parts: Vec<&str> = text.split('/').collect();
            assert_eq!(is_named(id, &parts), expected, "{text}");
        }
    }
}
