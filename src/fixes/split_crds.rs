//! `split-crds`: CRDs leave an operator's component for one of their own, which stands on the CRD rung.

use crate::classify::{self, Classified};
use crate::load::settings::Settings;
use crate::model::{AppliedFix, Component, ComponentIndex, Resource, Role};
use crate::problem::{Problem, Problems};

/// The rule's id.
pub const RULE: &str = "split-crds";

/// What was split off: the new component and why.
pub type Split = (ComponentIndex, AppliedFix);

/// Splits every operator component that ships CRDs; not one whose source nobody can render in parts.
///
/// # Errors
/// When the name for the split-off component is taken.
pub fn apply(classified: &mut Classified, settings: &Settings) -> Result<Vec<Split>, Problems> {
    if !settings.is_on(RULE) {
        return Ok(Vec::new());
    }
    let mut splits = Vec::new();
    let lists = classify::by_component(&classified.resources, classified.components.len());
    for (number, list) in lists.iter().enumerate() {
        let own = || list.iter().map(|index| &classified.resources[index.0]);
        let is_operator = classify::component_role(own()) == Some(Role::Operator);
        let Some(crd) = own().find(|resource| is_crd(resource)) else { continue };
        let pinned = classified.components[number].pin.is_some();
        if !is_operator || pinned || own().any(Resource::is_stand_in) {
            continue;
        }
        let because = format!(
            "`{}` ({}) must be there before `{}` starts",
            crd.id.short(),
            crd.origin(),
            classified.components[number].name
        );
        let split = split_off(&classified.components, number, "crds", RULE)?;
        classified.components.push(split);
        let index = ComponentIndex(classified.components.len() - 1);
        for resource in list {
            let resource = &mut classified.resources[resource.0];
            if is_crd(resource) {
                resource.component = index;
            }
        }
        splits.push((index, AppliedFix { rule: RULE, because }));
    }
    Ok(sorted(classified, splits))
}

/// A CRD itself; a chart of CRDs stays beside the source it comes from.
fn is_crd(resource: &Resource) -> bool {
    resource.role == Role::Crd && resource.charts.is_empty()
}

/// A component of its own for a part of another, `<name>-<part>`.
///
/// # Errors
/// When that name is taken.
pub(super) fn split_off(
    components: &[Component],
    from: usize,
    part: &str,
    rule: &str,
) -> Result<Component, Problems> {
    let origin = &components[from];
    let name = format!("{}-{part}", origin.name);
    if let Some(taken) = components.iter().find(|component| component.name == name) {
        let (what, them) = match part {
            "crds" => ("ships CRDs", "the CRDs"),
            _ => ("holds resources that must come later", "them"),
        };
        return Err(Problem::new(
            "name-clash",
            format!("`{}` {what}, but `{name}` is already described in {}", origin.name, taken.origin),
        )
        .at(&origin.origin)
        .help(format!(
            "move {them} into `{name}`, rename that component, or set `rules: {{{rule}: off}}` in ladder.yaml"
        ))
        .into());
    }
    Ok(Component {
        name,
        role: None,
        pin: None,
        depends_on: Vec::new(),
        provides: Vec::new(),
        requires: Vec::new(),
        wait_for: Vec::new(),
        split_from: Some(origin.name.clone()),
        ..origin.clone()
    })
}

/// Puts the components back into the order of their names, and the resources with them.
pub(super) fn sorted(classified: &mut Classified, splits: Vec<Split>) -> Vec<Split> {
    let mut order: Vec<usize> = (0..classified.components.len()).collect();
    order.sort_by(|a, b| classified.components[*a].name.cmp(&classified.components[*b].name));
    let mut place = vec![0; order.len()];
    for (new, old) in order.iter().enumerate() {
        place[*old] = new;
    }
    classified.components.sort_by(|a, b| a.name.cmp(&b.name));
    for resource in &mut classified.resources {
        resource.component = ComponentIndex(place[resource.component.0]);
    }
    classified.resources.sort_by_key(|resource| resource.component);
    splits.into_iter().map(|(index, fix)| (ComponentIndex(place[index.0]), fix)).collect()
}
