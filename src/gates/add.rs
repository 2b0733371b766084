//! Gates → init containers in front of those a pod has.

use serde_json::Value;

use super::PlacedGate;
use super::container::container;
use super::name;
use crate::catalogue::Catalogue;
use crate::load::settings::Settings;
use crate::model::Resource;
use crate::render::Manifest;
use crate::yaml::Prepend;
use crate::yaml::tree::Node;

/// Lists of a pod that hold containers; a name may stand only once among them all.
const LISTS: &[&str] = &["initContainers", "containers", "ephemeralContainers"];
/// What tells two gates apart, of the variables they set.
const TARGET: &[&str] = &["TARGET", "CONDITION", "NAMESPACE"];

/// Adds every gate to its pods, in the order the descriptor lists them.
pub fn containers(
    resources: &mut [Resource],
    gates: &[PlacedGate],
    catalogue: &Catalogue,
    settings: &Settings,
) {
    for gate in gates {
        for pod in &gate.pods {
            let resource = &mut resources[pod.0];
            for path in catalogue.pod_paths(&resource.id.group, &resource.id.kind) {
                add(&mut resource.manifest, path, gate, settings);
            }
        }
    }
}

fn add(manifest: &mut Manifest, path: Vec<String>, gate: &PlacedGate, settings: &Settings) {
    let wait = &gate.wait.value;
    let mut new = container(wait, &settings.gates);
    let own = own_containers(manifest, &path);
    let lists = manifest.added.as_ref().map_or(&[][..], |added| &added.lists);
    let added: Vec<&Value> =
        lists.iter().filter(|list| list.path == path).flat_map(|list| &list.items).collect();
    let mut all = own.iter().map(|one| &one.value).chain(added.iter().copied());
    // An init container that the descriptor names and the pod already has is the user's own check.
    let is_theirs = |one: &Contained| one.list == "initContainers" && wait.name.as_deref() == one.name();
    if all.any(|one| same_target(one, &new)) || own.iter().any(is_theirs) {
        return;
    }
    let name = name::free(new["name"].as_str().unwrap_or_default(), |name| {
        own.iter().any(|one| one.name() == Some(name)) || added.iter().any(|one| one["name"] == name)
    });
    new["name"] = Value::String(name);
    prepend(manifest, path, new);
}

fn prepend(manifest: &mut Manifest, path: Vec<String>, container: Value) {
    let lists = &mut manifest.added.get_or_insert_default().lists;
    match lists.iter_mut().find(|list| list.path == path) {
        Some(list) => list.items.push(container),
        None => lists.push(Prepend { path, key: "initContainers", items: vec![container] }),
    }
}

/// A container a pod has.
struct Contained {
    list: &'static str,
    value: Value,
}

impl Contained {
    fn name(&self) -> Option<&str> {
        self.value["name"].as_str()
    }
}

fn own_containers(manifest: &Manifest, path: &[String]) -> Vec<Contained> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let root = manifest.tree();
    let Some(pod) = root.as_ref().and_then(|root| root.at(&path)) else { return Vec::new() };
    let of = |list: &'static str| {
        let items = pod.get(list).map_or(&[][..], Node::items);
        items.iter().map(move |item| Contained { list, value: item.to_json() })
    };
    LISTS.iter().copied().flat_map(of).collect()
}

/// Whether two containers wait for the same; a gate tells by its variables.
fn same_target(one: &Value, other: &Value) -> bool {
    let is_gate = variable(one, "TARGET").is_some() && variable(one, "TRIES").is_some();
    is_gate && TARGET.iter().all(|name| variable(one, name) == variable(other, name))
}

fn variable<'v>(container: &'v Value, name: &str) -> Option<&'v str> {
    let mut variables = container["env"].as_array().into_iter().flatten();
    variables.find(|one| one["name"] == name)?["value"].as_str()
}
