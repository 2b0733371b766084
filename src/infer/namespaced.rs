//! The namespace a row means.

use super::scene::Scene;
use crate::catalogue::rows::{NamespaceRule, Target};
use crate::model::{Resource, ResourceIndex};

/// What a reference says about the namespace.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// The rule of the row.
    pub rule: &'a NamespaceRule,
    /// Its namespace field.
    pub field: Option<&'a str>,
    /// The namespace in its text.
    pub in_text: Option<&'a str>,
    /// What it names.
    pub to: &'a Target,
}

/// The namespace of what a resource names.
#[must_use]
pub fn of<'a>(scene: &Scene<'a>, resource: &'a Resource, said: Said<'a>) -> &'a str {
    let own = resource.id.namespace.as_str();
    match said.rule {
        NamespaceRule::Cluster => "",
        NamespaceRule::Field => said.field.unwrap_or(own),
        NamespaceRule::Scoped => said.field.filter(|_| own.is_empty()).unwrap_or(own),
        NamespaceRule::Operator(usual) => of_controller(scene, resource, said.to, usual),
        NamespaceRule::Fixed(name) => name,
        NamespaceRule::Same | NamespaceRule::Unknown(_) => said.in_text.unwrap_or(own),
    }
}

/// Where the controller of a resource runs; the usual place while several disagree or none is seen.
fn of_controller<'a>(scene: &Scene<'a>, resource: &Resource, to: &Target, usual: &'a str) -> &'a str {
    let of_group = |group: &str, kind: &str| scene.operators_of(group, kind);
    let mut controllers = of_group(&resource.id.group, &resource.id.kind);
    if controllers.is_empty() {
        controllers = of_group(&to.group, &to.kind);
    }
    let runs_in = |index: &ResourceIndex| {
        let controller = scene.resource(*index);
        controller.charts.first().map_or(controller.id.namespace.as_str(), |chart| chart.namespace.as_str())
    };
    let mut places: Vec<&str> = controllers.iter().map(runs_in).filter(|place| !place.is_empty()).collect();
    places.sort_unstable();
    places.dedup();
    match places[..] {
        [only] => only,
        _ => usual,
    }
}
