//! The two catalogues as data: which fields refer to what, and what well-known providers bring.
//!
//! `build.rs` folds `data/*.yaml` into one JSON text, so that start-up parses JSON, not YAML;
//! paths are parsed by jsonpath-rust only for the kinds a run really meets.

pub mod rows;
pub mod base;
pub mod image;
pub mod check;
pub mod compiled;
pub mod crossplane;
pub mod matcher;
pub mod matching;
pub mod networks;
pub mod probes;
pub mod value_keys;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, RwLock};

use matching::RowsByKind;

pub use check::WrongRow;
pub use compiled::{Compiled, ProbeKind};
pub use rows::{EdgeRow, KindRow, MakesRow, ProviderRow, ReadyRow, Rows, ValueRow};
pub use value_keys::ValueKeys;

/// The compiled-in rows.
fn built_in() -> Rows {
    serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/catalogue.json")))
        .expect("build.rs wrote it from the same types")
}

/// Values by group, then kind: looked up without copying either.
type ByKind<T> = HashMap<String, HashMap<String, T>>;

fn of_kind<'m, T>(map: &'m ByKind<T>, group: &str, kind: &str) -> Option<&'m T> {
    map.get(group).and_then(|kinds| kinds.get(kind))
}

/// Built-in rows plus the user's, and the matchers compiled from them so far.
#[derive(Debug)]
pub struct Catalogue {
    edges: Vec<EdgeRow>,
    makes: Vec<MakesRow>,
    values: Vec<ValueRow>,
    value_keys: ValueKeys,
    providers: Vec<ProviderRow>,
    images: image::ImageIndex,
    shared_groups: BTreeSet<String>,
    kinds: ByKind<KindRow>,
    pod_specs: ByKind<Vec<rows::PodSpecRow>>,
    health: Vec<rows::HealthRow>,
    ready: ByKind<Arc<ReadyRow>>,
    edges_by_kind: RowsByKind,
    makes_by_kind: RowsByKind,
    gathered: BTreeSet<(String, String)>,
    pod_edges: Vec<usize>,
    compiled: RwLock<ByKind<Arc<Compiled>>>,
}

impl Catalogue {
    /// The built-in rows with `extra` ones behind them; a row that does not parse is an error.
    ///
    /// # Errors
    /// When a row of `extra` cannot do what it says.
    pub fn new(extra: &Rows) -> Result<Self, WrongRow> {
        extra.edges.iter().try_for_each(EdgeRow::check)?;
        extra.makes.iter().try_for_each(MakesRow::check)?;
        extra.values.iter().try_for_each(ValueRow::check)?;
        let mut rows = built_in();
        rows.edges.extend(extra.edges.iter().cloned());
        rows.makes.extend(extra.makes.iter().cloned());
        rows.values.extend(extra.values.iter().cloned());
        rows.kinds.extend(extra.kinds.iter().cloned());
        rows.providers.extend(extra.providers.iter().cloned());
        rows.ready.extend(extra.ready.iter().cloned());
        let Rows { kinds, pod_specs, edges, makes, values, providers, health, ready } = rows;
        Ok(Self {
            edges_by_kind: RowsByKind::new(edges.iter().map(|row| &row.matches)),
            makes_by_kind: RowsByKind::new(makes.iter().map(|row| &row.matches)),
            gathered: gathered(&edges),
            pod_edges: (0..edges.len()).filter(|index| edges[*index].matches.pod_spec).collect(),
            kinds: kinds_by_kind(kinds),
            ready: ready_by_kind(ready),
            pod_specs: pods_by_kind(&pod_specs),
            images: image::ImageIndex::new(&providers),
            shared_groups: shared_groups(&providers),
            compiled: RwLock::default(),
            value_keys: ValueKeys::new(&values),
            health,
            providers,
            values,
            edges,
            makes,
        })
    }

    /// What is known of a kind; the kind `*` speaks for every kind of its group that has no row, and the group `*.x` for
    /// every group below `x` that has none, the nearest first.
    #[must_use]
    pub fn kind(&self, group: &str, kind: &str) -> Option<&KindRow> {
        let of_group = || of_kind(&self.kinds, group, "*");
        let above = || {
            let parents = group.match_indices('.').map(|(dot, _)| format!("*{}", &group[dot..]));
            parents.into_iter().find_map(|parent| {
                of_kind(&self.kinds, &parent, kind).or_else(|| of_kind(&self.kinds, &parent, "*"))
            })
        };
        of_kind(&self.kinds, group, kind).or_else(of_group).or_else(above)
    }

    /// Whether Argo CD checks the health of a kind, and so waits for it.
    #[must_use]
    pub fn has_health(&self, group: &str, kind: &str) -> bool {
        self.kind(group, kind).is_some_and(|row| row.health)
            || self.health.iter().any(|row| fits(&row.group, group) && fits(&row.kind, kind))
    }

    /// How objects of a kind say that they are ready, where that is known.
    #[must_use]
    pub fn ready(&self, group: &str, kind: &str) -> Option<&Arc<ReadyRow>> {
        of_kind(&self.ready, group, kind)
    }

    /// Every row that says when a kind is ready, by group and kind.
    #[cfg(test)]
    pub(crate) fn ready_rows(&self) -> Vec<(&str, &str, &ReadyRow)> {
        let groups = self.ready.iter();
        let mut rows: Vec<_> = groups
            .flat_map(|(group, kinds)| {
                kinds.iter().map(move |(kind, row)| (group.as_str(), kind.as_str(), &**row))
            })
            .collect();
        rows.sort_unstable_by_key(|(group, kind, _)| (*group, *kind));
        rows
    }

    /// Whether the kind carries a pod template.
    #[must_use]
    pub fn has_pods(&self, group: &str, kind: &str) -> bool {
        of_kind(&self.pod_specs, group, kind).is_some()
    }

    /// Keys from the root of a kind's objects to each pod spec; none for those behind a list.
    pub fn pod_paths(&self, group: &str, kind: &str) -> impl Iterator<Item = Vec<String>> + '_ {
        let rows = of_kind(&self.pod_specs, group, kind).into_iter().flatten();
        rows.filter(|row| !row.path.contains(['[', '*']))
            .map(|row| row.path.trim_start_matches("$.").split('.').map(str::to_owned).collect())
    }

    /// The edge row a capture came from.
    #[must_use]
    pub fn edge(&self, index: usize) -> &EdgeRow {
        &self.edges[index]
    }

    /// The makes row a capture came from.
    #[must_use]
    pub fn makes(&self, index: usize) -> &MakesRow {
        &self.makes[index]
    }

    /// A row of names in values.
    #[must_use]
    pub fn value(&self, index: usize) -> &ValueRow {
        &self.values[index]
    }

    /// All rows of names in values.
    #[must_use]
    pub fn values(&self) -> &[ValueRow] {
        &self.values
    }

    /// The rows of names in values, by key.
    #[must_use]
    pub fn value_keys(&self) -> &ValueKeys {
        &self.value_keys
    }

    /// Every edge row with its index.
    pub fn edges_of<'a>(&'a self, group: &str, kind: &str) -> impl Iterator<Item = usize> + 'a {
        self.edges_by_kind.of(group, kind)
    }

    /// Rows that say what objects of a kind make.
    pub fn makes_of<'a>(&'a self, group: &str, kind: &str) -> impl Iterator<Item = usize> + 'a {
        self.makes_by_kind.of(group, kind)
    }

    /// Whether some row names all objects of a kind in a namespace, whatever they are called.
    #[must_use]
    pub fn is_gathered(&self, group: &str, kind: &str) -> bool {
        self.gathered.iter().any(|known| known.0 == group && known.1 == kind)
    }

    /// All providers.
    #[must_use]
    pub fn providers(&self) -> &[ProviderRow] {
        &self.providers
    }

    /// The providers a container image belongs to.
    pub fn providers_of_image<'a>(&'a self, image: &'a str) -> impl Iterator<Item = &'a ProviderRow> {
        self.images.providers_of(image).map(|index| &self.providers[index])
    }

    /// The providers a chart belongs to: by name and repository, or by name alone where all who have it serve the same
    /// (most such charts are mirrors) and the name is not one that anybody gives a chart.
    pub fn providers_of_chart<'a>(
        &'a self,
        chart: &'a str,
        repository: Option<&'a str>,
    ) -> impl Iterator<Item = &'a ProviderRow> {
        let plain = |text: &str| text.trim_start_matches("oci://").trim_end_matches('/').to_owned();
        let fits = move |row: &rows::ChartRow| {
            let same = || {
                row.repository
                    .as_deref()
                    .zip(repository)
                    .is_none_or(|(known, given)| plain(known) == plain(given))
            };
            row.name == chart && (!row.common_name || repository.is_some()) && same()
        };
        let named = move |provider: &&ProviderRow| provider.charts.iter().any(|row| row.name == chart);
        let is_common = |row: &rows::ChartRow| row.name == chart && row.common_name;
        let by_repository = self.providers.iter().filter(named).any(|one| one.charts.iter().any(fits));
        let mut serve = self.providers.iter().filter(named).map(|provider| &provider.serves);
        let first = serve.next();
        let only_one = serve.all(|other| !other.is_empty() && Some(other) == first)
            && !self.providers.iter().flat_map(|provider| &provider.charts).any(is_common);
        self.providers
            .iter()
            .filter(named)
            .filter(move |provider| (only_one && !by_repository) || provider.charts.iter().any(fits))
    }

    /// The providers whose repository an address of a kustomization lies in.
    pub fn providers_of_base<'a>(&'a self, address: &'a str) -> impl Iterator<Item = &'a ProviderRow> {
        let repository = base::repository(address);
        let is_it = move |provider: &&ProviderRow| {
            provider.bases.iter().any(|known| repository.as_deref() == Some(known.as_str()))
        };
        self.providers.iter().filter(is_it)
    }

    /// The providers an OLM package belongs to.
    pub fn providers_of_package<'a>(&'a self, package: &'a str) -> impl Iterator<Item = &'a ProviderRow> {
        self.providers.iter().filter(move |provider| provider.olm.iter().any(|known| known == package))
    }

    /// Whether several projects serve the group, so that only the kind tells whose it is.
    #[must_use]
    pub fn is_shared_group(&self, group: &str) -> bool {
        self.shared_groups.contains(group)
    }

    /// Whether a known project runs the classes of this provisioner or controller.
    #[must_use]
    pub fn knows_controller(&self, name: &str) -> bool {
        let whole_domain = whole_domain(name);
        let is_it = |known: &String| known == name || Some(known) == whole_domain.as_ref();
        self.providers.iter().any(|provider| provider.runs_classes_of().any(is_it))
    }

    /// All edge rows.
    #[must_use]
    pub fn edges(&self) -> &[EdgeRow] {
        &self.edges
    }

    /// The provider whose controller serves an API group, for help texts: of several the one that brings the kind.
    #[must_use]
    pub fn provider_of(&self, group: &str, kind: Option<&str>) -> Option<&ProviderRow> {
        let serves = |provider: &&ProviderRow| provider.serves.iter().any(|served| served == group);
        let brings = |provider: &&ProviderRow| kind.is_some_and(|kind| provider.brings(group, kind));
        let mut all = self.providers.iter().filter(serves);
        all.clone().find(brings).or_else(|| all.next())
    }

    /// All rows that say what is made.
    #[must_use]
    pub fn makes_rows(&self) -> &[MakesRow] {
        &self.makes
    }

    /// The matcher for a kind, compiled on first use.
    #[must_use]
    pub fn compiled(&self, group: &str, kind: &str) -> Arc<Compiled> {
        if let Some(found) = self.compiled.read().ok().and_then(|map| of_kind(&map, group, kind).cloned()) {
            return found;
        }
        let fresh = Arc::new(self.compile(group, kind));
        if let Ok(mut map) = self.compiled.write() {
            let kinds = map.entry(group.to_owned()).or_default();
            return Arc::clone(kinds.entry(kind.to_owned()).or_insert(fresh));
        }
        fresh
    }

    fn compile(&self, group: &str, kind: &str) -> Compiled {
        let mut compiled = Compiled::default();
        for probe in probes::for_kind(group, kind) {
            compiled.add(ProbeKind::Code(probe.fact), probe.path, probe.fields.iter().copied());
        }
        for index in self.edges_of(group, kind) {
            let row = &self.edges[index];
            compiled.add_reference(ProbeKind::Edge(index), &row.path, row.field_paths(), row.name_path());
        }
        for index in self.makes_of(group, kind) {
            let row = &self.makes[index];
            if let Some(path) = &row.path {
                compiled.add(ProbeKind::Makes(index), path, row.field_paths());
            }
        }
        for pods in of_kind(&self.pod_specs, group, kind).into_iter().flatten() {
            self.compile_pods(&mut compiled, pods);
        }
        compiled
    }

    fn compile_pods(&self, compiled: &mut Compiled, pods: &rows::PodSpecRow) {
        let under = |path: &str| format!("{}{}", pods.path, path.trim_start_matches('$'));
        for index in &self.pod_edges {
            let row = &self.edges[*index];
            let (path, name) = (under(&row.path), row.name_path());
            compiled.add_reference(ProbeKind::Edge(*index), &path, row.field_paths(), name);
        }
        for probe in probes::IN_POD_SPEC {
            compiled.add(ProbeKind::Code(probe.fact), &under(probe.path), probe.fields.iter().copied());
        }
        compiled.add(ProbeKind::Code(probes::Fact::PodLabel), &format!("{}.*", pods.labels), []);
    }
}

/// The kinds that rows name all objects of.
fn gathered(edges: &[EdgeRow]) -> BTreeSet<(String, String)> {
    let gathering = edges.iter().filter(|row| row.format == rows::Format::Any);
    gathering.map(|row| (row.to.group.clone(), row.to.kind.clone())).collect()
}

/// Groups that providers with different CRDs serve.
fn shared_groups(providers: &[ProviderRow]) -> BTreeSet<String> {
    let mut owned: HashMap<&str, BTreeSet<Vec<&str>>> = HashMap::new();
    for provider in providers {
        for group in &provider.serves {
            let is_in = |name: &&str| name.split_once('.').is_some_and(|(_, rest)| rest == group);
            let mut crds: Vec<&str> = provider.crds.iter().map(String::as_str).filter(is_in).collect();
            crds.sort_unstable();
            if !crds.is_empty() {
                owned.entry(group).or_default().insert(crds);
            }
        }
    }
    owned.into_iter().filter(|(_, sets)| sets.len() > 1).map(|(group, _)| group.to_owned()).collect()
}

fn kinds_by_kind(rows: Vec<KindRow>) -> ByKind<KindRow> {
    let mut map: ByKind<KindRow> = HashMap::new();
    for row in rows {
        map.entry(row.group.clone()).or_default().insert(row.kind.clone(), row);
    }
    map
}

fn ready_by_kind(rows: Vec<ReadyRow>) -> ByKind<Arc<ReadyRow>> {
    let mut map: ByKind<Arc<ReadyRow>> = HashMap::new();
    for row in rows.into_iter().map(Arc::new) {
        for kind in &row.kinds {
            map.entry(row.group.clone()).or_default().insert(kind.clone(), Arc::clone(&row));
        }
    }
    map
}

fn pods_by_kind(rows: &[rows::PodSpecRow]) -> ByKind<Vec<rows::PodSpecRow>> {
    let mut map: ByKind<Vec<rows::PodSpecRow>> = HashMap::new();
    for row in rows {
        map.entry(row.group.clone()).or_default().entry(row.kind.clone()).or_default().push(row.clone());
    }
    map
}

/// How a row says every controller of a name's domain.
#[must_use]
pub fn whole_domain(controller: &str) -> Option<String> {
    controller.split_once('/').map(|(domain, _)| format!("{domain}/*"))
}

/// Regular plurals of a kind, as CRDs are named by.
#[must_use]
pub fn plurals(kind: &str) -> Vec<String> {
    let singular = kind.to_lowercase();
    let mut plurals = vec![format!("{singular}s"), format!("{singular}es"), singular.clone()];
    plurals.extend(singular.strip_suffix('y').map(|stem| format!("{stem}ies")));
    plurals
}

/// `*` stands for anything, `*.x` for anything below `x`.
pub(crate) fn fits(pattern: &str, text: &str) -> bool {
    pattern.strip_prefix('*').map_or(pattern == text, |ending| text.ends_with(ending))
}

/// Groups every API server serves.
const BUILT_IN_GROUPS: &[&str] = &[
    "",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "extensions",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "resource.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "storagemigration.k8s.io",
];

/// Whether every API server serves the group itself, or nobody ever asks one for it.
#[must_use]
pub fn is_built_in_group(group: &str) -> bool {
    BUILT_IN_GROUPS.contains(&group) || group == crate::render::remote::GROUP
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_called_after_config_maps_names_one() {
        for row in Catalogue::new(&Rows::default()).unwrap().edges() {
            let last = row.path.trim_end_matches("[*]").rsplit('.').next().unwrap_or_default();
            if last.to_lowercase().contains("configmap") {
                assert_eq!(row.to.kind, "ConfigMap", "{:?} {}", row.matches.kinds, row.path);
            }
        }
    }

    #[test]
    fn of_several_providers_of_a_group_the_one_that_brings_the_kind_is_named() {
        let catalogue = Catalogue::new(&Rows::default()).unwrap();
        for (group, kind, expected) in [
            ("argoproj.io", Some("Application"), "argo-cd"),
            ("argoproj.io", Some("Rollout"), "argo-rollouts"),
            ("argoproj.io", Some("AnalysisRun"), "argo-rollouts"),
            ("argoproj.io", Some("CronWorkflow"), "argo-workflows"),
            ("argoproj.io", Some("Unheard"), "argo-cd"),
            ("argoproj.io", None, "argo-cd"),
        ] {
            let named = catalogue.provider_of(group, kind).map(|provider| provider.name.as_str());
            assert_eq!(named, Some(expected), "{kind:?}");
        }
    }

    #[test]
    fn no_kind_is_described_twice() {
        let mut seen = BTreeSet::new();
        for row in built_in().kinds {
            assert!(
                seen.insert((row.group.clone(), row.kind.clone())),
                "{}/{} stands twice",
                row.group,
                row.kind
            );
        }
    }

    #[test]
    fn a_row_that_is_no_path_is_told_with_its_text() {
        let row: EdgeRow = serde_json::from_value(serde_json::json!({
            "match": {"group": "x.io", "kind": "X"}, "path": "spec..[", "to": {"kind": "Y"}, "reason": "x"
        }))
        .unwrap();
        let error = Catalogue::new(&Rows { edges: vec![row], ..Rows::default() }).unwrap_err();
        assert!(error.to_string().starts_with("`spec..[` is not a JSONPath"), "{error}");
    }
}
