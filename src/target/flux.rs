//! `--target flux`: one Kustomization per component, ordered by `dependsOn`, which is reduced and has no loops. Before
//! them the namespaces that nobody brings, which Flux does not create.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::Written;
use super::application::PHASE;
use super::flux_health;
use super::flux_source;
use super::name::{Names, object_name};
use super::namespaces;
use super::reduce::Order;
use crate::argocd::HookUse;
use crate::emit::Selection;
use crate::load::settings::Preset;
use crate::load::targets::merge;
use crate::model::{Component, ComponentIndex, Finding, Ladder, Level, ResourceIndex};
use crate::problem::Problems;

/// The Kustomizations, targets before those who wait for them.
///
/// # Errors
/// When names clash or a component cannot be read by Flux.
pub fn write(ladder: &Ladder, selection: &Selection) -> Result<Written, Problems> {
    flux_source::check(ladder, selection)?;
    let settings = &ladder.settings.targets.flux;
    let barriers = settings.barriers.unwrap_or(ladder.settings.preset == Preset::Layers);
    let order = Order::of(ladder, barriers);
    let mut names = Names::taken_by_manifests(ladder, "kustomize.toolkit.fluxcd.io", "Kustomization");
    let mut written = Written::default();
    let chosen = in_order(ladder, &order).into_iter();
    for index in chosen.filter(|index| selection.takes_component(ladder, index.0)) {
        let component = ladder.component(index);
        names.give(namespace(ladder, component), &object_name(&component.name), component);
        written.objects.push((component.name.clone(), object(ladder, index, &order)?));
        written.findings.extend(hook(ladder, index));
        written.findings.extend(inner_waves(ladder, index));
    }
    names.checked()?;
    written.objects.splice(..0, namespaces::for_flux(ladder, selection));
    written.findings.extend(flux_source::descriptors_in_the_way(ladder, selection));
    written.findings.extend(elsewhere(ladder, selection));
    Ok(written)
}

/// Components by rung, then by depth inside it, then by name, but none before what it waits for.
fn in_order(ladder: &Ladder, order: &Order<'_>) -> Vec<ComponentIndex> {
    let positions = ladder.rungs.positions(&ladder.placements);
    let place = |member: usize| (positions[member], ladder.placement(ComponentIndex(member)).depth, member);
    let mut open: Vec<usize> = order.waits.iter().map(Vec::len).collect();
    let mut users = vec![Vec::new(); open.len()];
    for (member, targets) in order.waits.iter().enumerate() {
        for target in targets {
            users[*target].push(member);
        }
    }
    let mut free: BTreeSet<_> = (0..open.len()).filter(|member| open[*member] == 0).map(place).collect();
    let mut sorted = Vec::with_capacity(open.len());
    while let Some((_, _, member)) = free.pop_first() {
        sorted.push(ComponentIndex(member));
        for user in &users[member] {
            open[*user] -= 1;
            if open[*user] == 0 {
                free.insert(place(*user));
            }
        }
    }
    sorted
}

/// The namespace of a component's Kustomization.
fn namespace<'l>(ladder: &'l Ladder, component: &'l Component) -> &'l str {
    let own = component.descriptor.flux.get("namespace").and_then(Value::as_str);
    own.unwrap_or(&ladder.settings.targets.flux.namespace)
}

fn object(ladder: &Ladder, index: ComponentIndex, order: &Order<'_>) -> Result<Value, Problems> {
    let (component, placement) = (ladder.component(index), ladder.placement(index));
    let mut labels: BTreeMap<String, String> = ladder.settings.targets.labels.clone();
    labels.extend(component.descriptor.labels.clone());
    labels.insert(PHASE.to_owned(), placement.phase.0.clone());
    labels.insert("domain".to_owned(), component.domain.clone());
    labels.insert("componentType".to_owned(), placement.role.as_str().to_owned());
    let mut spec = Value::Object(spec(ladder, index, order)?);
    let mut own = (*component.descriptor.flux).clone();
    own.shift_remove("namespace");
    merge(&mut spec, &Value::Object(own));
    Ok(json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": {
            "name": object_name(&component.name),
            "namespace": namespace(ladder, component),
            "labels": labels,
        },
        "spec": spec,
    }))
}

fn spec(ladder: &Ladder, index: ComponentIndex, order: &Order<'_>) -> Result<Map<String, Value>, Problems> {
    let waits = &order.waits[index.0];
    let settings = &ladder.settings.targets.flux;
    let component = ladder.component(index);
    let own_namespace = namespace(ladder, component);
    let mut spec = Map::new();
    if !waits.is_empty() {
        let depends: Vec<Value> =
            waits.iter().map(|target| dependency(ladder, own_namespace, ComponentIndex(*target))).collect();
        spec.insert("dependsOn".to_owned(), json!(depends));
    }
    let timeout = component.descriptor.timeout.as_ref().unwrap_or(&settings.timeout);
    for (key, value) in [
        ("interval", json!(settings.interval)),
        ("retryInterval", json!(settings.retry_interval)),
        ("timeout", json!(timeout)),
        ("prune", json!(settings.prune)),
        ("path", json!(flux_source::path(ladder, component))),
    ] {
        spec.insert(key.to_owned(), value);
    }
    let source = &settings.source_ref;
    let mut reference = json!({"kind": source.kind, "name": source.name});
    let source_namespace = source.namespace.as_ref().unwrap_or(&settings.namespace);
    if source_namespace != own_namespace {
        reference["namespace"] = json!(source_namespace);
    }
    spec.insert("sourceRef".to_owned(), reference);
    if let Some(namespace) = flux_source::target_namespace(ladder, index) {
        spec.insert("targetNamespace".to_owned(), json!(namespace));
    }
    spec.extend(flux_health::fields(ladder, index, order)?);
    if ladder.holds_encrypted(index) {
        spec.insert("decryption".to_owned(), json!(settings.decryption));
    }
    let patches = flux_source::patches(ladder, index);
    if !patches.is_empty() {
        spec.insert("patches".to_owned(), json!(patches));
    }
    Ok(spec)
}

fn dependency(ladder: &Ladder, own_namespace: &str, target: ComponentIndex) -> Value {
    let component = ladder.component(target);
    let mut depends = json!({"name": object_name(&component.name)});
    let namespace = namespace(ladder, component);
    if namespace != own_namespace {
        depends["namespace"] = json!(namespace);
    }
    depends
}

/// Flux applies to the cluster it runs in, whatever Argo CD's destinations say, unless it is given another's kubeconfig.
fn elsewhere(ladder: &Ladder, selection: &Selection) -> Option<Finding> {
    let targets = &ladder.settings.targets;
    let common = !targets.clusters.is_empty() || targets.destination.has_cluster();
    let goes = |component: &Component| {
        let own = &component.descriptor;
        let asks = common || own.destination.has_cluster() || !own.clusters.is_empty();
        asks && !own.flux.contains_key("kubeConfig")
    };
    let chosen = (0..ladder.components.len()).filter(|number| selection.takes_component(ladder, *number));
    let first = chosen.map(|number| ladder.component(ComponentIndex(number))).find(|one| goes(one))?;
    let message = format!(
        "`{}` goes to a cluster of Argo CD's, but Flux applies it to the cluster that Flux runs in",
        first.name
    );
    Some(
        Finding::new("flux-knows-no-clusters", Level::Warning, message)
            .about(&first.name)
            .at(first.origin.clone())
            .help("run Flux in each cluster, or set `flux: {kubeConfig: {secretRef: {name: ...}}}` in the descriptor"),
    )
}

/// Hooks mean nothing to Flux: it applies them with everything else.
fn hook(ladder: &Ladder, index: ComponentIndex) -> Option<Finding> {
    let is_hook = |resource: &ResourceIndex| {
        matches!(ladder.resource(*resource).hook, HookUse::Hooks(_) | HookUse::DeleteOnly)
    };
    let hook = ladder.resource(ladder.resources_of(index).find(is_hook)?);
    let name = &ladder.component(index).name;
    Some(
        Finding::new(
            "hook-means-nothing-to-flux",
            Level::Warning,
            format!("`{}` of `{name}` is a hook, and Flux applies it with everything else", hook.id.short()),
        )
        .about(name)
        .at(hook.origin())
        .help("give it a component of its own that the others depend on, or that depends on them"),
    )
}

/// Rungs that take resources one by one: Flux knows no order inside a Kustomization but that of kinds.
fn inner_waves(ladder: &Ladder, index: ComponentIndex) -> Option<Finding> {
    if !ladder.settings.is_by_resource() {
        return None;
    }
    let synced = |resource: &ResourceIndex| ladder.resource(*resource).hook == HookUse::NotHook;
    let waves: BTreeSet<i64> =
        ladder.resources_of(index).filter(synced).map(|resource| ladder.waves[resource.0]).collect();
    let component = ladder.component(index);
    let message = format!(
        "the resources of `{}` stand on {} waves, and Flux applies them without waiting in between",
        component.name,
        waves.len()
    );
    (waves.len() > 1).then(|| {
        Finding::new("waves-mean-nothing-to-flux", Level::Warning, message)
            .about(&component.name)
            .at(component.origin.clone())
            .help("give what must come first a component of its own, or let the pods wait with `waitFor`")
    })
}
