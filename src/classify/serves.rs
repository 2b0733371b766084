//! Which workload serves which API groups: by known image, by RBAC that writes the group's status, by shipped CRDs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::catalogue::matcher::Capture;
use crate::catalogue::probes::Fact;
use crate::catalogue::{Catalogue, ProviderRow, base, crossplane, is_built_in_group, plurals};
use crate::model::{Chart, ComponentIndex, Resource, ResourceIndex, Role};

/// Namespace and name of a service account.
type Account = (String, String);

/// Writes the served groups onto the workloads.
pub fn mark(resources: &mut [Resource], catalogue: &Catalogue) {
    let mut served: BTreeMap<ResourceIndex, BTreeSet<String>> = BTreeMap::new();
    let by_rbac = by_rbac(resources);
    let by_image = who_writes(resources, &by_image(resources, catalogue), &by_rbac);
    let known: BTreeSet<&String> = by_image.iter().map(|(_, group)| group).collect();
    let by_rbac: Vec<_> = by_rbac.into_iter().filter(|(_, group)| !known.contains(group)).collect();
    let by_package: Vec<_> =
        by_package(resources).into_iter().filter(|(_, group)| !known.contains(group)).collect();
    let known: BTreeSet<&String> = known.into_iter().chain(by_rbac.iter().map(|(_, group)| group)).collect();
    let by_crds: Vec<_> =
        by_shipped_crds(resources).into_iter().filter(|(_, group)| !known.contains(group)).collect();
    for (workload, group) in by_image.iter().chain(&by_rbac).chain(&by_package).chain(&by_crds) {
        served.entry(*workload).or_default().insert(group.clone());
    }
    for (workload, groups) in served {
        resources[workload.0].serves = groups.into_iter().collect();
    }
}

/// Whether the workload itself (its first container, not a sidecar) holds secrets for others.
#[must_use]
pub fn is_secret_provider(resource: &Resource, catalogue: &Catalogue) -> bool {
    if !resource.is_workload {
        return providers(resource, catalogue).any(|provider| provider.secret_provider);
    }
    let first = resource.manifest.fact(Fact::Image);
    first.is_some_and(|image| catalogue.providers_of_image(image).any(|provider| provider.secret_provider))
}

/// The role the catalogue gives a workload, whatever it serves.
#[must_use]
pub fn known_role(resource: &Resource, catalogue: &Catalogue) -> Option<Role> {
    providers(resource, catalogue).find_map(|provider| provider.role)
}

/// The chart whose CRDs another one brings, as its name says: `x-crds`, `x-crd`.
#[must_use]
pub fn named_for_crds(chart: &str) -> Option<&str> {
    chart.strip_suffix("-crds").or_else(|| chart.strip_suffix("-crd"))
}

/// Whether all a chart brings is CRDs: the catalogue says so, or the name of a chart it does not know.
#[must_use]
pub fn brings_only_crds(resource: &Resource, catalogue: &Catalogue) -> bool {
    let is_named_so = |chart: &Chart| named_for_crds(&chart.name).is_some();
    let only_crds = |provider: &ProviderRow| {
        provider.serves.is_empty()
            && provider.images.is_empty()
            && provider.role.is_none()
            && !provider.crds.is_empty()
    };
    let mut known = providers(resource, catalogue).peekable();
    match known.peek() {
        Some(_) => known.all(only_crds),
        None => !resource.charts.is_empty() && resource.charts.iter().all(is_named_so),
    }
}

/// The catalogue's providers that a workload's images belong to, or that a chart or package stands for.
pub fn providers<'c>(
    resource: &'c Resource,
    catalogue: &'c Catalogue,
) -> impl Iterator<Item = &'c ProviderRow> {
    let images = resource.manifest.facts(Fact::Image).filter_map(|capture| capture.value.as_deref());
    let charts = resource.charts.iter();
    let packages = || resource.manifest.facts(Fact::Package).filter_map(|capture| capture.value.as_deref());
    // A package of Crossplane is an image; one of OLM is a bare name.
    let images = images.chain(packages().filter(|package| package.contains('/')));
    images
        .flat_map(|image| catalogue.providers_of_image(image))
        .chain(
            charts.flat_map(|chart| catalogue.providers_of_chart(&chart.name, chart.repository.as_deref())),
        )
        .chain(packages().flat_map(|package| catalogue.providers_of_package(package)))
        .chain(resource.manifest.fact(Fact::Base).into_iter().flat_map(|at| catalogue.providers_of_base(at)))
}

/// Whether a chart brings the CRD of the very object that installs it: a `HelmRelease` of Flux, an Application of
/// Argo CD. All it brings is there before it, else nobody could install it.
#[must_use]
pub fn is_self_hosted(resource: &Resource, catalogue: &Catalogue) -> bool {
    if resource.charts.is_empty() {
        return false;
    }
    let plurals = plurals(&resource.id.kind).into_iter();
    let own: Vec<String> = plurals.map(|plural| format!("{plural}.{}", resource.id.group)).collect();
    providers(resource, catalogue).any(|provider| provider.crds.iter().any(|crd| own.contains(crd)))
}

/// Whether its pods stay: a `CronJob` with a server's image only calls that server.
#[must_use]
pub fn stays(resource: &Resource) -> bool {
    resource.is_workload && resource.id.kind != "CronJob"
}

/// Whether the resource runs something: a workload, or a chart or package that brings one.
#[must_use]
pub fn runs(resource: &Resource) -> bool {
    let is_package = resource.manifest.facts(Fact::Package).next().is_some();
    let is_base = resource.manifest.fact(Fact::Base).is_some_and(|address| !base::is_only_crds(address));
    stays(resource) || is_package || is_base || !resource.charts.is_empty()
}

/// A workload, the project its image or chart is of, and a group that project serves.
struct ByImage<'c> {
    workload: ResourceIndex,
    project: &'c str,
    group: &'c str,
}

impl<'c> ByImage<'c> {
    /// Where its project runs.
    fn place(&self, resources: &[Resource]) -> (ComponentIndex, &'c str) {
        (resources[self.workload.0].component, self.project)
    }
}

fn by_image<'c>(resources: &'c [Resource], catalogue: &'c Catalogue) -> Vec<ByImage<'c>> {
    let mut found = Vec::new();
    let serving = |resource: &Resource| runs(resource) && !is_self_hosted(resource, catalogue);
    for (index, resource) in resources.iter().enumerate().filter(|(_, resource)| serving(resource)) {
        for provider in providers(resource, catalogue) {
            let (workload, project) = (ResourceIndex(index), provider.name.as_str());
            found.extend(provider.serves.iter().map(|group| ByImage { workload, project, group }));
        }
    }
    found
}

/// Provider packages of Crossplane whose name says that they serve a group some resource is of.
fn by_package(resources: &[Resource]) -> Vec<(ResourceIndex, String)> {
    let groups: BTreeSet<&str> = resources.iter().map(|resource| resource.id.group.as_str()).collect();
    let groups = groups.into_iter().filter(|group| crossplane::is_managed(group));
    let packages: Vec<(ResourceIndex, &str)> = (0..resources.len())
        .flat_map(|index| {
            let packages = resources[index].manifest.facts(Fact::Package);
            packages.filter_map(move |package| Some((ResourceIndex(index), package.value.as_deref()?)))
        })
        .collect();
    let serving = |group: &str| {
        let fits =
            |(index, package): &(ResourceIndex, &str)| Some((crossplane::fit(package, group)?, *index));
        let fitting: Vec<_> = packages.iter().filter_map(fits).collect();
        let best = fitting.iter().map(|(fit, _)| *fit).min();
        let closest = fitting.into_iter().filter(|(fit, _)| Some(*fit) == best);
        closest.map(|(_, index)| (index, group.to_owned())).collect::<Vec<_>>()
    };
    groups.flat_map(serving).collect()
}

/// Of several workloads of a component with the images of one project (a controller, its webhook), those that may write
/// the status of its kinds, where any may.
fn who_writes<'c>(
    resources: &[Resource],
    by_image: &[ByImage<'c>],
    by_rbac: &[(ResourceIndex, String)],
) -> Vec<(ResourceIndex, String)> {
    let writing: BTreeSet<(ResourceIndex, &str)> =
        by_rbac.iter().map(|(index, group)| (*index, group.as_str())).collect();
    let writes = |one: &&ByImage<'c>| writing.contains(&(one.workload, one.group));
    let active: BTreeSet<_> = by_image.iter().filter(writes).map(|one| (one.workload, one.project)).collect();
    let told: BTreeSet<_> = by_image.iter().filter(writes).map(|one| one.place(resources)).collect();
    let serves = |one: &&ByImage<'_>| {
        active.contains(&(one.workload, one.project)) || !told.contains(&one.place(resources))
    };
    by_image.iter().filter(serves).map(|one| (one.workload, one.group.to_owned())).collect()
}

/// Namespace and name of the service account a subject names, as itself or by its user name.
#[must_use]
pub fn account<'s>(subject: &'s Capture, own_namespace: &'s str) -> Option<(&'s str, &'s str)> {
    let name = subject.field("name")?;
    match subject.field("kind") {
        Some("ServiceAccount") => Some((subject.field("namespace").unwrap_or(own_namespace), name)),
        Some("User") => name.strip_prefix("system:serviceaccount:")?.split_once(':'),
        _ => None,
    }
}

/// Workloads whose service account may write the status of a custom group.
fn by_rbac(resources: &[Resource]) -> Vec<(ResourceIndex, String)> {
    let written = groups_written(resources);
    let mut by_account: BTreeMap<Account, BTreeSet<String>> = BTreeMap::new();
    for binding in
        resources.iter().filter(|r| matches!(r.id.kind.as_str(), "RoleBinding" | "ClusterRoleBinding"))
    {
        let Some(role) = binding.manifest.facts(Fact::RoleRef).next() else { continue };
        let (kind, name) = (role.field("kind").unwrap_or_default(), role.field("name").unwrap_or_default());
        let namespace = if kind == "Role" { binding.id.namespace.as_str() } else { "" };
        let Some(groups) = written.get(&(kind.to_owned(), namespace.to_owned(), name.to_owned())) else {
            continue;
        };
        for subject in binding.manifest.facts(Fact::Subject) {
            if let Some((namespace, name)) = account(subject, &binding.id.namespace) {
                let known = by_account.entry((namespace.to_owned(), name.to_owned())).or_default();
                known.extend(groups.iter().cloned());
            }
        }
    }
    let workloads = resources.iter().enumerate().filter(|(_, resource)| stays(resource));
    workloads
        .flat_map(|(index, workload)| {
            let account = workload.manifest.fact(Fact::ServiceAccount).unwrap_or("default");
            let groups = by_account.get(&(workload.id.namespace.to_string(), account.to_owned()));
            groups.into_iter().flatten().map(move |group| (ResourceIndex(index), group.clone()))
        })
        .collect()
}

/// Role kind, namespace and name → custom groups whose status it may write.
fn groups_written(resources: &[Resource]) -> HashMap<(String, String, String), BTreeSet<String>> {
    let mut written = HashMap::new();
    for role in resources.iter().filter(|r| matches!(r.id.kind.as_str(), "Role" | "ClusterRole")) {
        let mut groups = BTreeSet::new();
        for rule in role.manifest.facts(Fact::RbacRule) {
            let writes = rule.all("verbs[*]").any(|verb| matches!(verb, "update" | "patch" | "*"));
            let status = rule.all("resources[*]").any(|kind| kind == "*" || kind.ends_with("/status"));
            if writes && status {
                groups.extend(rule.all("apiGroups[*]").filter(|group| is_custom(group)).map(str::to_owned));
            }
        }
        if !groups.is_empty() {
            let id = &role.id;
            let key = (id.kind.to_string(), id.namespace.to_string(), id.name.to_string());
            written.insert(key, groups);
        }
    }
    written
}

/// CSI sidecars write the status of snapshots for every driver, so writing it says nothing.
const WRITTEN_BY_MANY: &[&str] = &["snapshot.storage.k8s.io", "groupsnapshot.storage.k8s.io"];

fn is_custom(group: &str) -> bool {
    group != "*" && !is_built_in_group(group) && !WRITTEN_BY_MANY.contains(&group)
}

/// Workloads of components that ship a group's CRDs.
fn by_shipped_crds(resources: &[Resource]) -> Vec<(ResourceIndex, String)> {
    let mut shipped: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
    for crd in resources.iter().filter(|resource| resource.id.kind == "CustomResourceDefinition") {
        shipped.entry(crd.component).or_default().extend(crd.manifest.fact(Fact::CrdGroup));
    }
    let workloads = resources.iter().enumerate().filter(|(_, resource)| stays(resource));
    workloads
        .flat_map(|(index, workload)| {
            let groups = shipped.get(&workload.component);
            groups.into_iter().flatten().map(move |group| (ResourceIndex(index), (*group).to_owned()))
        })
        .collect()
}
