//! The order Argo CD deletes in: highest wave first, everything of a wave at once, and what can go wrong with it.
//!
//! CRDs are left out: Argo CD never deletes one with its Application.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::argocd::names::SYNC_OPTIONS;
use crate::argocd::{DeletePolicy, HookUse, delete_policies};
use crate::load::settings::Scope;
use crate::model::{Edge, Ladder, ResourceIndex};
use crate::target::waves;

/// Objects that go at the same time.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    /// Wave of the Applications that go, where each component is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application_wave: Option<i64>,
    /// The component whose Application holds them, where each component is one; Applications of one wave go side by side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// Wave of the objects.
    pub wave: i64,
    /// The objects, as `group/Kind/namespace/name`.
    pub resources: Vec<String>,
}

/// Something that can hold a deletion up or break its order.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hazard {
    /// What kind of hazard.
    pub rule: &'static str,
    /// What happens.
    pub message: String,
}

/// The whole deletion.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Deletion {
    schema_version: u32,
    /// Batches in order; each waits until the one before is gone.
    pub batches: Vec<Batch>,
    /// What can go wrong.
    pub hazards: Vec<Hazard>,
}

/// Place of each object in the deletion: lower goes first.
type Places = Vec<(Reverse<i64>, Reverse<i64>)>;

impl Deletion {
    /// Works it out.
    #[must_use]
    pub fn of(ladder: &Ladder) -> Self {
        let places = places(ladder);
        let per_component = ladder.settings.scope == Scope::Component;
        let mut groups: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for index in ladder.written().filter(|index| is_deleted(ladder, *index)) {
            let resource = ladder.resource(index);
            let (outer, inner) = places[index.0];
            let own = per_component.then(|| ladder.component(resource.component).name.clone());
            groups.entry((outer, own, inner)).or_default().push(resource.id.to_string());
        }
        let batches = groups
            .into_iter()
            .map(|((Reverse(outer), component, Reverse(wave)), mut resources)| {
                resources.sort();
                Batch { application_wave: per_component.then_some(outer), component, wave, resources }
            })
            .collect();
        let mut hazards: Vec<Hazard> = ladder
            .edges
            .iter()
            .filter_map(|edge| operator_first(ladder, edge, &places))
            .chain(namespaces_first(ladder, &places))
            .chain(ladder.written().filter_map(|index| argocd_itself(ladder, index)))
            .chain(ladder.written().filter_map(|index| finalizer(ladder, index)))
            .collect();
        hazards.sort();
        hazards.dedup();
        Self { schema_version: 1, batches, hazards }
    }

    /// Writes it for a terminal.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn text(&self, out: &mut impl Write) -> io::Result<()> {
        for (number, batch) in self.batches.iter().enumerate() {
            let name = batch.component.as_deref().unwrap_or_default();
            let outer = batch.application_wave.map(|wave| format!("Application `{name}` of wave {wave}, "));
            writeln!(out, "{}. {}wave {}", number + 1, outer.unwrap_or_default(), batch.wave)?;
            for resource in &batch.resources {
                writeln!(out, "     {resource}")?;
            }
        }
        if self.hazards.is_empty() {
            return writeln!(out, "\nno hazards");
        }
        writeln!(out, "\nhazards:")?;
        self.hazards.iter().try_for_each(|hazard| writeln!(out, "  {}: {}", hazard.rule, hazard.message))
    }
}

/// With one Application the waves of objects count; else first those of the Applications.
fn places(ladder: &Ladder) -> Places {
    let per_component = ladder.settings.scope == Scope::Component;
    let outer = if per_component { waves::waves(ladder).0 } else { vec![0; ladder.components.len()] };
    let place = |(resource, wave): (&crate::model::Resource, &i64)| {
        (Reverse(outer[resource.component.0]), Reverse(*wave))
    };
    ladder.resources.iter().zip(&ladder.waves).map(place).collect()
}

/// Whether an object is still there when the Application is deleted, and goes with it.
fn is_deleted(ladder: &Ladder, index: ResourceIndex) -> bool {
    let resource = ladder.resource(index);
    let options = resource.manifest.annotation(SYNC_OPTIONS).unwrap_or_default();
    let policy = resource.manifest.annotation("helm.sh/resource-policy").unwrap_or_default();
    let is = |list: &str, wanted: &str| list.split(',').any(|option| option.trim() == wanted);
    let crd = resource.id.group == "apiextensions.k8s.io" && resource.id.kind == "CustomResourceDefinition";
    let kept = crd || is(options, "Delete=false") || is(policy, "keep");
    let gone = || delete_policies(&resource.manifest.annotations).contains(&DeletePolicy::HookSucceeded);
    match resource.hook {
        HookUse::Skip | HookUse::DeleteOnly | HookUse::Ignored => false,
        HookUse::Hooks(_) => !kept && !gone(),
        HookUse::NotHook => !kept,
    }
}

/// Whether one object is surely gone before another goes: Applications of one wave do not wait for each other.
fn goes_before(ladder: &Ladder, one: ResourceIndex, other: ResourceIndex, places: &Places) -> bool {
    let component = |index| ladder.resource(index).component;
    let apart = ladder.settings.scope == Scope::Component && component(one) != component(other);
    if apart { places[one.0].0 < places[other.0].0 } else { places[one.0] < places[other.0] }
}

/// A custom resource that its controller does not outlive: nobody is left to clean up.
fn operator_first(ladder: &Ladder, edge: &Edge, places: &Places) -> Option<Hazard> {
    let (from, to) = (edge.from.resource?, edge.to.resource?);
    if edge.reason.as_str() != "operator" || goes_before(ladder, from, to, places) {
        return None;
    }
    let (from, to) = (ladder.resource(from), ladder.resource(to));
    Some(Hazard {
        rule: "operator-goes-first",
        message: format!(
            "`{}` does not go before `{}`, which serves it: its finalizers may never be handled",
            from.id.short(),
            to.id.short()
        ),
    })
}

/// A Namespace that takes its content along before the content's own wave.
fn namespaces_first(ladder: &Ladder, places: &Places) -> Vec<Hazard> {
    let mut namespaces = BTreeMap::new();
    for index in ladder.written() {
        let id = &ladder.resource(index).id;
        if id.group.is_empty() && id.kind == "Namespace" {
            namespaces.insert(id.name.as_str(), index);
        }
    }
    let mut content: BTreeMap<&str, usize> = BTreeMap::new();
    for index in ladder.written() {
        let namespace = ladder.resource(index).id.namespace.as_str();
        if let Some(own) = namespaces.get(namespace)
            && goes_before(ladder, *own, index, places)
        {
            *content.entry(namespace).or_default() += 1;
        }
    }
    let told = |(namespace, count): (&str, usize)| Hazard {
        rule: "namespace-goes-first",
        message: format!(
            "Namespace `{namespace}` goes before {count} of its objects and takes them along at once"
        ),
    };
    content.into_iter().map(told).collect()
}

/// The Namespace Argo CD runs in, or the controller that deletes: with it goes whoever would finish the deletion.
fn argocd_itself(ladder: &Ladder, index: ResourceIndex) -> Option<Hazard> {
    let id = &ladder.resource(index).id;
    let place = ladder.settings.targets.namespace.as_str();
    let what = match id.kind.as_str() {
        "Namespace" if id.group.is_empty() && id.name == place => {
            "takes Argo CD's settings and projects along"
        }
        "StatefulSet" | "Deployment" if id.namespace == place && id.name.ends_with(CONTROLLER) => {
            "is what deletes"
        }
        _ => return None,
    };
    is_deleted(ladder, index).then(|| Hazard {
        rule: "argocd-goes-too",
        message: format!(
            "{} `{}` {what}, and the deletion never ends; annotate it with \
             `argocd.argoproj.io/sync-options: Delete=false`",
            id.kind, id.name
        ),
    })
}

/// What the workload of Argo CD's controller is called, behind whatever the installation is called.
const CONTROLLER: &str = "application-controller";

/// An object that is gone only once somebody takes its finalizers away.
fn finalizer(ladder: &Ladder, index: ResourceIndex) -> Option<Hazard> {
    let manifest = &ladder.resource(index).manifest;
    memchr::memmem::find(manifest.chunk.text().as_bytes(), b"finalizers")?;
    let root = manifest.tree()?;
    let names: Vec<&str> = root
        .at(&["metadata", "finalizers"])?
        .items()
        .iter()
        .filter_map(crate::yaml::tree::Node::text)
        .collect();
    (!names.is_empty()).then(|| Hazard {
        rule: "finalizer",
        message: format!(
            "`{}` waits for `{}` to be taken away; whoever does that must still run",
            ladder.resource(index).id.short(),
            names.join("`, `")
        ),
    })
}
