//! The flow from a root to a ladder: each step sees only what the one before made.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::catalogue::Catalogue;
use crate::classify::{self, Classified};
use crate::discover::{self, Discovered};
use crate::fixes::split_late::Late;
use crate::fixes::{self, Fixed, View};
use crate::gates;
use crate::health;
use crate::infer::{self, Scene};
use crate::load::settings::{ExistingOrder, Scope, Settings, Waves};
use crate::load::{self, LoadedComponent};
use crate::message::progress::Progress;
use crate::model::{
    AppliedFix, Component, ComponentIndex, DependsOn, Edge, Finding, Ladder, Origin, ResourceIndex, Role,
};
use crate::order::{self, Parts, simulate};
use crate::problem::{Problem, Problems};
use crate::render::tools::ToolOptions;
use crate::render::{self, Rendering};
use crate::resolve::{self, Input};
use crate::target;

/// What a run may change without touching files.
#[derive(Debug)]
pub struct Options {
    /// Leaves existing waves out of the evidence.
    pub ignore_existing_order: bool,
    /// Destination namespace of the Application that will hold everything.
    pub destination: String,
    /// Numbering of waves, when not the setting's.
    pub waves: Option<Waves>,
    /// Only components of this environment.
    pub environment: Option<String>,
    /// A settings file instead of the one at the root.
    pub settings: Option<PathBuf>,
    /// What the waves of resources count, when not the setting's.
    pub scope: Option<Scope>,
    /// The repository, when the surroundings know better than the setting.
    pub repository: Repository,
    /// How helm and kustomize may run.
    pub tools: ToolOptions,
    /// Where progress is shown.
    pub progress: Progress,
}

/// Which repository holds the ladder, as far as the surroundings say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repository {
    /// Its address.
    pub url: Option<String>,
    /// Branch, tag or commit.
    pub revision: Option<String>,
    /// The ladder's root inside it.
    pub path: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            ignore_existing_order: false,
            destination: String::new(),
            waves: None,
            environment: None,
            settings: None,
            scope: None,
            repository: Repository::default(),
            tools: ToolOptions::default(),
            progress: Progress::silent(),
        }
    }
}

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
    let mut settings = adjusted(written, options)?;
    let catalogue = catalogue(&settings)?;
    let Discovered { descriptors, findings: unseen } = discover::descriptors(root)?;
    findings.extend(unseen);
    if descriptors.is_empty() {
        return Err(no_descriptors(root));
    }
    let loaded = load::components(root, &descriptors, &settings)?;
    findings.extend(loaded.findings);
    let (components, elsewhere) = in_environment(loaded.components, &settings, options)?;
    settings.elsewhere = elsewhere.into_iter().map(|loaded| loaded.component.origin.file).collect();
    let rendering = Rendering {
        root,
        catalogue: &catalogue,
        tools: &options.tools,
        destination: destination(&settings, options),
        progress: &options.progress,
    };
    let mut rendered = render::manifests(rendering, &components)?;
    gates::declare_hooks(&components, &mut rendered, &settings);
    let components = components.into_iter().map(|loaded| loaded.component).collect();
    let classified = classify::resources(components, rendered, &catalogue, destination(&settings, options));
    climb(classified, &catalogue, &settings, findings, options)
}

/// Name of the component a stream of manifests makes.
const STREAM: &str = "stdin";

/// One stream of manifests → ladder, as a single component.
///
/// # Errors
/// With everything that stopped it.
pub fn build_from_text(text: &str, options: &Options) -> Result<Ladder, Problems> {
    let mut findings = Vec::new();
    let written = match &options.settings {
        Some(file) => load::settings_file(file, &mut findings)?,
        None => Settings::default(),
    };
    let settings = adjusted(written, options)?;
    stream(text, &catalogue(&settings)?, &settings, findings, options)
}

/// The same with a catalogue that is there already, for many streams in one process.
///
/// # Errors
/// With everything that stopped it.
pub fn build_from_text_with(
    text: &str,
    catalogue: &Catalogue,
    options: &Options,
) -> Result<Ladder, Problems> {
    stream(text, catalogue, &adjusted(Settings::default(), options)?, Vec::new(), options)
}

fn stream(
    text: &str,
    catalogue: &Catalogue,
    settings: &Settings,
    findings: Vec<Finding>,
    options: &Options,
) -> Result<Ladder, Problems> {
    let file: Arc<str> = Arc::from("-");
    let mut rendered = render::manifest::from_text(&file, &Arc::new(text.to_owned()), catalogue);
    for finding in &mut rendered.findings {
        finding.component = Some(STREAM.to_owned());
    }
    if rendered.manifests.is_empty() && rendered.findings.is_empty() {
        return Err(Problem::new("nothing-to-read", "there is no manifest on standard input").at("-").into());
    }
    let component = Component {
        name: STREAM.to_owned(),
        domain: "apps".to_owned(),
        role: None,
        pin: None,
        project: None,
        namespace: String::new(),
        depends_on: Vec::new(),
        provides: Vec::new(),
        requires: Vec::new(),
        wait_for: Vec::new(),
        path: String::new(),
        origin: Origin::new(&file, 1),
        descriptor: Arc::default(),
        place: crate::model::Place::default(),
        split_from: None,
    };
    let classified =
        classify::resources(vec![component], vec![rendered], catalogue, destination(settings, options));
    climb(classified, catalogue, settings, findings, options)
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
    let Known { roles, manifest_roles, fixed, edges, lists, .. } = known;
    findings.extend(classify::empty_components(scene.components, &lists, &findings));
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
    lists: Vec<Vec<ResourceIndex>>,
    findings: Vec<Finding>,
    late: Option<Late>,
}

/// Edges, roles and what the fixes make of them; or what must be split off first.
fn know(scene: &Scene<'_>, settings: &Settings) -> Result<Known, Problems> {
    let inferred = infer::edges(scene)?;
    let lists = classify::by_component(scene.resources, scene.components.len());
    let manifest_roles: Vec<Role> = lists
        .iter()
        .map(|list| {
            classify::component_role(list.iter().map(|index| scene.resource(*index))).unwrap_or(Role::Config)
        })
        .collect();
    let roles: Vec<Role> = scene
        .components
        .iter()
        .zip(&manifest_roles)
        .map(|(component, inferred)| component.role.as_ref().map_or(*inferred, |declared| declared.value))
        .collect();
    let out = leaving(&inferred.edges, scene.components.len());
    let view = View { scene, edges: &inferred.edges, roles: &roles, resources: &lists, out: &out };
    let moves = fixes::proposed(&view);
    let mut edges = inferred.edges;
    let fixed = fixes::apply(moves, &mut edges, scene.components.len(), settings);
    let mut findings = inferred.findings;
    findings.extend(fixes::made_in_loops::demote(scene, &mut edges));
    let late = fixes::split_late::find(scene, &edges, &roles, settings);
    findings.extend(fixes::promoted_in_loops::demote(scene, &mut edges));
    Ok(Known { roles, manifest_roles, fixed, edges, lists, findings, late })
}

/// Simulates what Argo CD will do, and checks it.
fn finish(ladder: &mut Ladder, mut findings: Vec<Finding>, options: &Options) {
    if ladder.settings.scope == Scope::Component {
        target::waves::place(ladder);
    }
    ladder.order = simulate::steps(ladder, destination(&ladder.settings, options));
    if ladder.settings.enabled {
        findings.extend(simulate::broken_edges(ladder));
    }
    findings.extend(gates::windows::findings(ladder));
    findings.extend(gates::in_vain::findings(ladder));
    findings.extend(gates::allowed::findings(ladder));
    ladder.findings = ladder.settings.levelled(findings);
    ladder.findings.sort_by(|a, b| (&a.origin, a.rule, &a.message).cmp(&(&b.origin, b.rule, &b.message)));
}

/// The namespace of what has none of its own: that of the one Application, or what all Applications have in common.
fn destination<'a>(settings: &'a Settings, options: &'a Options) -> &'a str {
    match settings.scope {
        Scope::Ladder => &options.destination,
        Scope::Component => settings.targets.destination.namespace.as_deref().unwrap_or_default(),
    }
}

fn leaving(edges: &[Edge], components: usize) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new(); components];
    for (position, edge) in edges.iter().enumerate().filter(|(_, edge)| !edge.is_inner()) {
        out[edge.from.component.0].push(position);
    }
    out
}

fn report_splits(placements: &mut [crate::model::Placement], splits: Vec<(ComponentIndex, AppliedFix)>) {
    for (component, fix) in splits {
        placements[component.0].fixes.insert(0, fix);
    }
}

fn adjusted(mut settings: Settings, options: &Options) -> Result<Settings, Problems> {
    if options.ignore_existing_order {
        settings.existing_order = ExistingOrder::Ignore;
    }
    let joins = settings.scope == Scope::Component && options.scope == Some(Scope::Ladder);
    settings.is_joined = joins && options.waves.is_none();
    settings.waves = options.waves.unwrap_or(settings.waves);
    settings.scope = options.scope.unwrap_or(settings.scope);
    let environment = options.environment.as_ref().and_then(|name| settings.environments.get(name));
    if let Some(over) = environment.and_then(|environment| environment.targets.as_ref()) {
        let overlaid = settings.targets.overlaid(over);
        settings.targets = overlaid.map_err(|error| {
            Problem::new("invalid-value", error.to_string()).at("ladder.yaml: environments")
        })?;
    }
    let Repository { url, revision, path } = options.repository.clone();
    let targets = &mut settings.targets;
    targets.repo_url = url.or(targets.repo_url.take());
    targets.revision = revision.unwrap_or_else(|| std::mem::take(&mut targets.revision));
    targets.path = path.unwrap_or_else(|| std::mem::take(&mut targets.path));
    settings.environment.clone_from(&options.environment);
    Ok(settings)
}

fn catalogue(settings: &Settings) -> Result<Catalogue, Problems> {
    Catalogue::new(&settings.rows).map_err(|error| {
        Problem::new("invalid-row", error.to_string())
            .at("ladder.yaml")
            .help("correct the `path` of that row")
            .into()
    })
}

/// The components that belong to the environment, and those that do not.
fn in_environment(
    components: Vec<LoadedComponent>,
    settings: &Settings,
    options: &Options,
) -> Result<(Vec<LoadedComponent>, Vec<LoadedComponent>), Problems> {
    let Some(wanted) = &options.environment else { return Ok((components, Vec::new())) };
    let mut known: Vec<&str> = settings.environments.keys().map(String::as_str).collect();
    known.extend(components.iter().flat_map(|component| component.environments.iter().map(String::as_str)));
    if !known.contains(&wanted.as_str()) {
        known.sort_unstable();
        known.dedup();
        return Err(Problem::new("unknown-environment", format!("there is no environment `{wanted}`"))
            .help(crate::problem::suggestion(wanted, known))
            .into());
    }
    let belongs = |component: &LoadedComponent| {
        component.environments.is_empty() || component.environments.contains(wanted)
    };
    let (here, elsewhere): (Vec<_>, Vec<_>) = components.into_iter().partition(belongs);
    let problems: Vec<Problem> =
        here.iter().flat_map(|component| waits_elsewhere(component, &elsewhere, wanted)).collect();
    if problems.is_empty() { Ok((here, elsewhere)) } else { Err(Problems(problems)) }
}

/// Declared waits for components that do not belong to the environment.
fn waits_elsewhere(component: &LoadedComponent, elsewhere: &[LoadedComponent], wanted: &str) -> Vec<Problem> {
    let own = &component.component;
    let absent = own.depends_on.iter().filter_map(|depends| {
        let target = elsewhere.iter().find(|other| other.component.name == depends.name)?;
        Some((depends, &target.component))
    });
    let problem = |(depends, target): (&DependsOn, &Component)| {
        let message =
            format!("`{}` depends on `{}`, which is not in environment `{wanted}`", own.name, target.name);
        Problem::new("not-in-environment", message).at(&depends.origin).help(format!(
            "add `{wanted}` to `environments` of {}, or lay another `dependsOn` over `{}` in `environments` of ladder.yaml",
            target.origin.file, own.name
        ))
    };
    absent.map(problem).collect()
}

fn no_descriptors(root: &Path) -> Problems {
    Problem::new("nothing-to-read", "there is no component.yaml below this directory")
        .at(root.display())
        .help("describe a component: `name: my-app` in a component.yaml beside its manifests")
        .into()
}
