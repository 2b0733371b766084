//! The flow from a root to a ladder: each step sees only what the one before made.

mod options;
mod stream;

use std::path::Path;

pub use options::{Options, Repository};
pub use stream::{build_from_text, build_from_text_with};

use crate::catalogue::Catalogue;
use crate::classify::{self, Classified};
use crate::discover::{self, Discovered};
use crate::fixes::split_late::Late;
use crate::fixes::{self, Fixed, View};
use crate::gates;
use crate::health;
use crate::infer::{self, Scene};
use crate::load::settings::{Scope, Settings};
use crate::load::{self, environment};
use crate::model::{AppliedFix, ComponentIndex, Edge, Finding, Ladder, Placement, ResourceIndex, Role};
use crate::order::{self, Parts, simulate, verify};
use crate::problem::{Problem, Problems};
use crate::render::{self, Rendering};
use crate::resolve::{self, Input};
use crate::target;

/// Root → ladder.
///
/// # Errors
/// With everything that stopped it.
pub fn build(root: &Path, options: &Options) -> Result<Ladder, Problems> {
    let mut findings = Vec::new();
    let written = match &options.settings {
        Some(file) => load::settings_file(file, &mut findings)?,
        None => load::settings(root, &mut findings)?,
    };
    let mut settings = options.over(written)?;
    let catalogue = catalogue(&settings)?;
    let Discovered { descriptors, findings: unseen } = discover::descriptors(root)?;
    findings.extend(unseen);
    if descriptors.is_empty() {
        return Err(no_descriptors(root));
    }
    let loaded = load::components(root, &descriptors, &settings)?;
    findings.extend(loaded.findings);
    let (mut components, elsewhere) = environment::parted(loaded.components, &settings)?;
    settings.elsewhere = elsewhere.into_iter().map(|loaded| loaded.component.origin.file).collect();
    render::place::find(root, &mut components);
    let rendering = Rendering {
        root,
        catalogue: &catalogue,
        tools: &options.tools,
        destination: options.destination(&settings),
        progress: &options.progress,
    };
    let mut rendered = render::manifests(rendering, &components)?;
    gates::declare_hooks(&components, &mut rendered, &settings);
    let components = components.into_iter().map(|loaded| loaded.component).collect();
    let classified = classify::resources(components, rendered, &catalogue, options.destination(&settings));
    climb(classified, &catalogue, &settings, findings, options)
}

/// Classified resources → ladder.
fn climb(
    mut classified: Classified,
    catalogue: &Catalogue,
    settings: &Settings,
    mut findings: Vec<Finding>,
    options: &Options,
) -> Result<Ladder, Problems> {
    let mut splits = fixes::split_crds::apply(&mut classified, settings)?;
    findings.append(&mut classified.findings);
    // Who is split off waits for others than the whole did, so everything is inferred again.
    let (known, scene) = loop {
        let scene = Scene::new(&classified.components, &classified.resources, catalogue, &settings.external);
        let known = know(&scene, settings)?;
        match known.late {
            None => break (known, scene),
            Some(late) => splits = fixes::split_late::apply(&mut classified, late, splits)?,
        }
    };
    findings.extend(known.findings);
    let Known { roles, manifest_roles, fixed, edges, members, .. } = known;
    findings.extend(classify::empty_components(scene.components, &members, &findings));
    let input = Input { scene: &scene, roles: &roles, inferred: &manifest_roles, fixed: &fixed, settings };
    let mut resolved = resolve::phases(&input, edges).map_err(|error| error.problem(&scene))?;
    report_splits(&mut resolved.placements, splits);
    let ordered = order::waves(&scene, &mut resolved, settings).map_err(|error| error.problem(&scene))?;
    findings.append(&mut resolved.findings);
    let (placed, told) = gates::held::placed(&scene, &resolved.edges, settings);
    findings.extend(told);
    let extra = fixes::skip_dry_run::annotations(&scene, &resolved.edges, &mut resolved.placements, settings);
    let Classified { components, resources, .. } = classified;
    let mut ladder = order::ladder(Parts { components, resources, resolved }, ordered, settings);
    ladder.extra_annotations = extra;
    gates::add::containers(&mut ladder.resources, &placed, catalogue, settings);
    ladder.gates = placed;
    ladder.unchecked_gates = health::unchecked_gates(&ladder.edges, &ladder.resources, catalogue);
    ladder.ready_rows = health::ready_rows(&ladder.resources, catalogue);
    finish(&mut ladder, findings, options);
    Ok(ladder)
}

/// What one look at the resources says, before any component has its place.
struct Known {
    roles: Vec<Role>,
    manifest_roles: Vec<Role>,
    fixed: Vec<Fixed>,
    edges: Vec<Edge>,
    members: Vec<Vec<ResourceIndex>>,
    findings: Vec<Finding>,
    late: Option<Late>,
}

/// Edges, roles and what the fixes make of them; or what must be split off first.
fn know(scene: &Scene<'_>, settings: &Settings) -> Result<Known, Problems> {
    let inferred = infer::edges(scene)?;
    let members = classify::by_component(scene.resources, scene.components.len());
    let manifest_roles = classify::component_roles(scene.resources, &members);
    let declared = scene.components.iter().map(|component| component.role.as_ref().map(|role| role.value));
    let roles: Vec<Role> = declared.zip(&manifest_roles).map(|(own, role)| own.unwrap_or(*role)).collect();
    let moves = fixes::proposed(&View::new(scene, &inferred.edges, &roles, &members));
    let mut edges = inferred.edges;
    let fixed = fixes::apply(moves, &mut edges, scene.components.len(), settings);
    let mut findings = inferred.findings;
    findings.extend(fixes::made_in_loops::demote(scene, &mut edges));
    let late = fixes::split_late::find(scene, &edges, &roles, settings);
    findings.extend(fixes::promoted_in_loops::demote(scene, &mut edges));
    Ok(Known { roles, manifest_roles, fixed, edges, members, findings, late })
}

/// Simulates what Argo CD will do, and checks it.
fn finish(ladder: &mut Ladder, mut findings: Vec<Finding>, options: &Options) {
    if ladder.settings.scope == Scope::Component {
        target::waves::place(ladder);
    }
    ladder.order = simulate::steps(ladder, options.destination(&ladder.settings));
    if ladder.settings.enabled {
        findings.extend(verify::broken_edges(ladder));
    }
    findings.extend(gates::windows::findings(ladder));
    findings.extend(gates::in_vain::findings(ladder));
    findings.extend(gates::allowed::findings(ladder));
    ladder.findings = ladder.settings.levelled(findings);
    ladder.findings.sort_by(|a, b| (&a.origin, a.rule, &a.message).cmp(&(&b.origin, b.rule, &b.message)));
}

fn report_splits(placements: &mut [Placement], splits: Vec<(ComponentIndex, AppliedFix)>) {
    for (component, fix) in splits {
        placements[component.0].fixes.insert(0, fix);
    }
}

fn catalogue(settings: &Settings) -> Result<Catalogue, Problems> {
    Catalogue::new(&settings.rows).map_err(|error| {
        Problem::new("invalid-row", error.to_string())
            .at("ladder.yaml")
            .help("correct the `path` of that row")
            .into()
    })
}

fn no_descriptors(root: &Path) -> Problems {
    Problem::new("nothing-to-read", "there is no component.yaml below this directory")
        .at(root.display())
        .help("describe a component: `name: my-app` in a component.yaml beside its manifests")
        .into()
}
