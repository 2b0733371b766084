//! `dependsOn` and `requires` of descriptors.

use std::collections::HashMap;

use super::scene::{Scene, Wait, new_edge};
use super::{Found, Inferred, reference};
use crate::model::{ComponentIndex, End, Finding, Gate, Level, Provision, Reason, Strength};
use crate::problem::{Problem, Problems, suggestion};

/// Strong edges between components, as their descriptors say.
///
/// # Errors
/// When a component waits for one that is not there, or for itself.
pub fn edges(scene: &Scene<'_>) -> Result<Inferred, Problems> {
    let mut inferred = Inferred::default();
    let mut problems = Vec::new();
    let names = scene.components.iter().enumerate().rev();
    let by_name: HashMap<&str, usize> = names.map(|(number, one)| (one.name.as_str(), number)).collect();
    for (number, component) in scene.components.iter().enumerate() {
        let from = End { component: ComponentIndex(number), resource: None };
        for depends in &component.depends_on {
            let to = by_name.get(depends.name.as_str()).copied();
            let Some(to) = to.filter(|to| *to != number) else {
                problems.push(missing(scene, number, &depends.name).at(&depends.origin));
                continue;
            };
            let wait = Wait {
                reason: Reason::from("depends-on"),
                strength: Strength::Strong,
                gate: depends.gate,
                origin: depends.origin.clone(),
            };
            inferred.edges.push(new_edge(from, End { component: ComponentIndex(to), resource: None }, &wait));
        }
        inferred.extend(required(scene, from));
    }
    if problems.is_empty() { Ok(inferred) } else { Err(Problems(problems)) }
}

fn missing(scene: &Scene<'_>, number: usize, name: &str) -> Problem {
    let own = &scene.components[number].name;
    if own == name {
        return Problem::new("depends-on-itself", format!("`{own}` depends on itself"))
            .help("remove the entry");
    }
    let names: Vec<&str> =
        scene.components.iter().map(|other| other.name.as_str()).filter(|other| other != own).collect();
    Problem::new("unknown-component", format!("`{own}` depends on `{name}`, which no descriptor declares"))
        .help(suggestion(name, names))
}

fn required(scene: &Scene<'_>, from: End) -> Inferred {
    let mut inferred = Inferred::default();
    let component = scene.component(from.component);
    for required in &component.requires {
        let wait = Wait {
            reason: Reason::from("requires"),
            strength: Strength::Strong,
            gate: Gate::Ready,
            origin: required.origin.clone(),
        };
        let targets = providers(scene, from.component, &required.value);
        match targets {
            Some(ends) => inferred.edges.extend(
                ends.into_iter()
                    .filter(|to| to.component != from.component)
                    .map(|to| new_edge(from, to, &wait)),
            ),
            None => inferred.findings.push(
                Finding::new(
                    "unsatisfied-reference",
                    Level::Warning,
                    format!(
                        "`{}` requires {}, which nothing here provides",
                        component.name,
                        shown(&required.value)
                    ),
                )
                .about(&component.name)
                .at(required.origin.clone())
                .help(help(scene, &required.value)),
            ),
        }
    }
    inferred
}

fn providers(scene: &Scene<'_>, asking: ComponentIndex, provision: &Provision) -> Option<Vec<End>> {
    let at = |index| End { component: scene.resource(index).component, resource: Some(index) };
    let found = match provision {
        Provision::Object(id) => scene.find(id, asking),
        Provision::Crd(group, kind) => match scene.crd(group, kind) {
            Some(crd) => Found::Object(crd),
            None => scene.find_declared(provision),
        },
        Provision::Operator(group) => match scene.operators(group) {
            [] => scene.find_declared(provision),
            workloads => Found::Made(workloads.to_vec()),
        },
    };
    match found {
        Found::Object(index) => {
            let mut ends = vec![at(index)];
            ends.extend(scene.behind(index).into_iter().map(at));
            Some(ends)
        }
        Found::Made(makers) => Some(makers.into_iter().map(at).collect()),
        Found::Declared(component) => Some(vec![End { component, resource: None }]),
        Found::External => Some(Vec::new()),
        Found::Nobody => None,
    }
}

/// Who is likely to provide it.
fn help(scene: &Scene<'_>, provision: &Provision) -> String {
    let (group, kind) = match provision {
        Provision::Object(id) => return reference::help(scene, id),
        Provision::Crd(group, kind) => (group, Some(kind.as_str())),
        Provision::Operator(group) => (group, None),
    };
    match scene.catalogue.provider_of(group, kind) {
        Some(provider) => {
            format!("`{}` brings it; add it, or list it under `external` in ladder.yaml", provider.name)
        }
        None => "add its provider, or list it under `external` in ladder.yaml".to_owned(),
    }
}

fn shown(provision: &Provision) -> String {
    match provision {
        Provision::Object(id) => format!("`{}`", id.short()),
        Provision::Crd(group, kind) => format!("the kind `{group}/{kind}`"),
        Provision::Operator(group) => format!("the operator of `{group}`"),
    }
}
