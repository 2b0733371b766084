//! The row types of both catalogues; users write the same rows in `ladder.yaml`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{Gate, OneOrMany, Reason, Role, Strength, one_or_many};

/// The lists a catalogue file may hold.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Rows {
    /// What kinds are.
    pub kinds: Vec<KindRow>,
    /// Kinds that carry a pod template.
    pub pod_specs: Vec<PodSpecRow>,
    /// Fields that name another object.
    pub edges: Vec<EdgeRow>,
    /// Objects that come into being at run time.
    pub makes: Vec<MakesRow>,
    /// Keys of chart values that name another object.
    pub values: Vec<ValueRow>,
    /// What charts, images and packages bring.
    pub providers: Vec<ProviderRow>,
    /// Kinds Argo CD ships a health check for.
    pub health: Vec<HealthRow>,
    /// How objects of a kind say that they are ready.
    pub ready: Vec<ReadyRow>,
}

/// Whether objects of a kind live in a namespace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Scope {
    /// In a namespace.
    #[default]
    Namespaced,
    /// In the cluster.
    Cluster,
}

/// What a kind is.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KindRow {
    /// API group; empty for core.
    #[serde(default)]
    pub group: String,
    /// Kind; `*` for every kind of a group whose kinds are made at run time.
    pub kind: String,
    /// What objects of it are for.
    #[serde(default = "config")]
    pub role: Role,
    /// Where they live.
    #[serde(default)]
    pub scope: Scope,
    /// Whether Argo CD checks their health.
    #[serde(default)]
    pub health: bool,
}

fn config() -> Role {
    Role::Config
}

/// A kind Argo CD ships a health check for; `*` matches anything.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct HealthRow {
    /// API group.
    #[serde(default)]
    pub group: String,
    /// Kind.
    pub kind: String,
}

/// What the status of an object shows: a condition, or a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, try_from = "SignFields")]
#[schemars(with = "SignFields")]
pub enum Sign {
    /// A condition has a status.
    Condition {
        /// Its type.
        condition: String,
        /// Its status.
        status: String,
    },
    /// A field has one of these values, or any.
    Field {
        /// Keys below `status`, with dots between them.
        field: String,
        /// Its values; none: it is there and not empty.
        is: Vec<serde_json::Value>,
    },
}

/// A sign as it is written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SignFields {
    /// Type of a condition.
    condition: Option<String>,
    /// Its status; `True` unless said.
    #[serde(default = "holds")]
    status: String,
    /// Or a field: keys below `status`, with dots between them.
    field: Option<String>,
    /// Its values; none: it is there and not empty.
    #[serde(default)]
    is: Vec<serde_json::Value>,
}

impl TryFrom<SignFields> for Sign {
    type Error = &'static str;

    fn try_from(written: SignFields) -> Result<Self, Self::Error> {
        match (written.condition, written.field) {
            (Some(condition), None) => Ok(Self::Condition { condition, status: written.status }),
            (None, Some(field)) => Ok(Self::Field { field, is: written.is }),
            _ => Err("a sign is either a `condition` or a `field`"),
        }
    }
}

fn holds() -> String {
    "True".to_owned()
}

/// How objects of a kind say that they are ready.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReadyRow {
    /// API group.
    pub group: String,
    /// One kind or several.
    #[serde(rename = "kind", deserialize_with = "one_or_many")]
    #[schemars(with = "OneOrMany<String>")]
    pub kinds: Vec<String>,
    /// All of these show; none says that the kind never reports.
    pub ready: Vec<Sign>,
    /// While one of these shows, it is not.
    #[serde(default)]
    pub in_progress: Vec<Sign>,
    /// Once one of these shows, it will not become ready by itself.
    #[serde(default)]
    pub failed: Vec<Sign>,
}

/// Where a kind keeps its pod template.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct PodSpecRow {
    /// API group.
    #[serde(default)]
    pub group: String,
    /// Kind.
    pub kind: String,
    /// `JSONPath` of the pod spec.
    pub path: String,
    /// `JSONPath` of the pod's labels.
    pub labels: String,
}

/// Which objects a row is about.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Match {
    /// API group; empty for core, `*` for every group, `*.x` for every one below `x`.
    #[serde(default)]
    pub group: String,
    /// One kind or several; `*` for every kind.
    #[serde(default, rename = "kind", deserialize_with = "one_or_many")]
    #[schemars(with = "OneOrMany<String>")]
    pub kinds: Vec<String>,
    /// The pod spec of every kind that carries one; the path is then relative to it.
    #[serde(default)]
    pub pod_spec: bool,
}

/// What a reference names.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// API group; empty for core.
    #[serde(default)]
    pub group: String,
    /// Kind; empty when a field alone says it.
    #[serde(default)]
    pub kind: String,
}

/// A kind a reference may name by its kind field.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct KindChoice {
    /// Kind.
    pub kind: String,
    /// API group, when not the target's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Where objects of it live.
    #[serde(default)]
    pub scope: Scope,
}

/// How the text of a reference is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Format {
    /// The name itself.
    #[default]
    #[serde(rename = "name")]
    Name,
    /// `namespace/name`.
    #[serde(rename = "namespace/name")]
    NamespacedName,
    /// A URL or host, naming a Service by cluster DNS.
    #[serde(rename = "address")]
    Address,
    /// Several networks, as Multus reads them from an annotation.
    #[serde(rename = "networks")]
    Networks,
    /// Whatever it is called: every object of the kind in the namespace.
    #[serde(rename = "any")]
    Any,
}

/// Where an object that a row names or makes lives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum NamespaceRule {
    /// In the namespace of the object the row is about.
    Same,
    /// In none.
    Cluster,
    /// Where the sub-field `namespace` says, else in the same.
    Field,
    /// The same, but a namespaced object only names its own.
    Scoped,
    /// In this one.
    Fixed(String),
    /// Where the controller of the group runs; here while nobody shows it.
    Operator(String),
    /// A word that is no rule; such a row is refused.
    Unknown(String),
}

impl From<String> for NamespaceRule {
    fn from(text: String) -> Self {
        match text.split_once(':') {
            Some(("fixed", name)) if !name.is_empty() => Self::Fixed(name.to_owned()),
            Some(("operator", name)) if !name.is_empty() => Self::Operator(name.to_owned()),
            _ => match text.as_str() {
                "same" => Self::Same,
                "cluster" => Self::Cluster,
                "field" => Self::Field,
                "scoped" => Self::Scoped,
                _ => Self::Unknown(text),
            },
        }
    }
}

impl From<NamespaceRule> for String {
    fn from(rule: NamespaceRule) -> Self {
        match rule {
            NamespaceRule::Same => "same".to_owned(),
            NamespaceRule::Cluster => "cluster".to_owned(),
            NamespaceRule::Field => "field".to_owned(),
            NamespaceRule::Scoped => "scoped".to_owned(),
            NamespaceRule::Fixed(name) => format!("fixed:{name}"),
            NamespaceRule::Operator(name) => format!("operator:{name}"),
            NamespaceRule::Unknown(text) => text,
        }
    }
}

/// A field of `match` names an object that `match` waits for.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EdgeRow {
    /// Who waits.
    #[serde(rename = "match")]
    pub matches: Match,
    /// `JSONPath` of the reference: a string, or a mapping read through `fields`.
    pub path: String,
    /// What it names.
    #[serde(default)]
    pub to: Target,
    /// Sub-fields of a mapping: name, kind, group, apiVersion, namespace.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    /// Kinds the kind field may name; others give no edge.
    #[serde(default)]
    pub kinds: Vec<KindChoice>,
    /// same | cluster | field | scoped (that of the field, but a namespaced object only names its own) | fixed:NAME |
    /// operator:NAME (where the controller of the group runs; NAME while nobody shows it).
    #[serde(default = "same")]
    #[schemars(with = "String")]
    pub namespace: NamespaceRule,
    /// How the text is read.
    #[serde(default)]
    pub format: Format,
    /// Only if these sub-fields have these values; `*` stands for any, `a|b` for either.
    #[serde(default)]
    pub when: BTreeMap<String, String>,
    /// Not if these sub-fields have these values; `*` stands for any, `a|b` for either.
    #[serde(default)]
    pub unless: BTreeMap<String, String>,
    /// Template of the name, where the field is not the name itself: {name}, {namespace}, {value}.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Name assumed when the field is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
    /// Kebab-case id of the rule.
    pub reason: Reason,
    /// strong | weak.
    #[serde(default = "weak")]
    pub strength: Strength,
    /// present | ready.
    #[serde(default = "present")]
    pub gate: Gate,
    /// Only checked for existence, orders nothing.
    #[serde(default)]
    pub existence: bool,
    /// The object named waits for the one that names it: a part that its whole cannot do without.
    #[serde(default)]
    pub reverse: bool,
}

/// An object that comes into being because of `match`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MakesRow {
    /// Who makes it.
    #[serde(rename = "match")]
    pub matches: Match,
    /// What it makes.
    pub makes: Target,
    /// Where the name is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Sub-fields of a mapping: name, namespace.
    #[serde(default)]
    pub fields: BTreeMap<String, String>,
    /// Template of the name: {name}, {namespace}, {value}, {key} (the name a trailing wildcard stood for).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Template used when the field is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
    /// same | cluster | field | scoped (that of the field, but a namespaced object only names its own) | fixed:NAME |
    /// operator:NAME (where the controller of the group runs; NAME while nobody shows it).
    #[serde(default = "same")]
    #[schemars(with = "String")]
    pub namespace: NamespaceRule,
    /// Only if these sub-fields have these values; `*` stands for any, `a|b` for either.
    #[serde(default)]
    pub when: BTreeMap<String, String>,
    /// Not if these sub-fields have these values; `*` stands for any, `a|b` for either.
    #[serde(default)]
    pub unless: BTreeMap<String, String>,
}

/// Keys in the values of a chart whose text is the name of an object that its release waits for, if anybody makes it.
///
/// Charts share these words without sharing a schema, so nothing is said of a name that nobody makes.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValueRow {
    /// Whole keys, the last ones of the path with dots between them, without those of lists; `*` stands for any key.
    /// A key with a slash is one.
    pub keys: Vec<String>,
    /// What the text names.
    pub to: Target,
    /// How the text is read: name | networks.
    #[serde(default)]
    pub format: Format,
    /// Only beside keys with these values; `*` stands for any, `a|b` for either.
    #[serde(default)]
    pub when: BTreeMap<String, String>,
    /// Not beside keys with these values; `*` stands for any, `a|b` for either.
    #[serde(default)]
    pub unless: BTreeMap<String, String>,
    /// The key beside it that names the namespace; without it: that of the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Kebab-case id of the rule.
    pub reason: Reason,
    /// strong | weak.
    #[serde(default = "weak")]
    pub strength: Strength,
    /// present | ready.
    #[serde(default = "present")]
    pub gate: Gate,
}

/// A chart that brings a provider.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartRow {
    /// Chart name.
    pub name: String,
    /// Chart repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// Whether charts of other projects are called so too: only the repository tells.
    #[serde(default)]
    pub common_name: bool,
}

/// A class a provider's chart creates.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ClassRow {
    /// `IngressClass`, `StorageClass`, `GatewayClass` …
    pub kind: String,
    /// Its name, unless the chart's values say another; empty where only they name it.
    #[serde(default)]
    pub name: String,
    /// The value of the chart that names it: keys with dots, `*` for any, through lists, each item of which is a class.
    /// Nothing is made where `enabled` or `create` stands as false on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Only if the keys beside that value have these values; `*` stands for any, `a|b` for either.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub when: BTreeMap<String, String>,
}

/// A webhook a provider registers.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookRow {
    /// `ValidatingWebhookConfiguration` or `MutatingWebhookConfiguration`.
    pub kind: String,
    /// `Fail` or `Ignore`.
    #[serde(default)]
    pub failure_policy: String,
    /// The Service that answers.
    #[serde(default)]
    pub service: String,
    /// Kinds it matches besides those of the groups its provider serves.
    #[serde(default)]
    pub matches: Vec<Target>,
}

/// What a well-known chart, image or OLM package brings.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderRow {
    /// Its name in messages.
    pub name: String,
    /// Charts that bring it.
    #[serde(default)]
    pub charts: Vec<ChartRow>,
    /// Images of the workload that reconciles, without tag.
    #[serde(default)]
    pub images: Vec<String>,
    /// OLM packages.
    #[serde(default)]
    pub olm: Vec<String>,
    /// Repositories whose manifests bring it, as kustomizations name them: `github.com/owner/name`.
    #[serde(default)]
    pub bases: Vec<String>,
    /// API groups its controller serves.
    #[serde(default)]
    pub serves: Vec<String>,
    /// API groups of others whose objects its chart holds.
    #[serde(default)]
    pub uses: Vec<String>,
    /// Other providers that should be there for it to do its work, though its chart installs without them.
    #[serde(default)]
    pub expects: Vec<String>,
    /// CRDs its chart installs.
    #[serde(default)]
    pub crds: Vec<String>,
    /// Chart values that, all together, leave the CRDs out; `skipCrds` is no value but how the chart is installed.
    #[serde(default)]
    pub crd_switch: BTreeMap<String, serde_json::Value>,
    /// Whether its chart installs the CRDs unless told otherwise.
    #[serde(default = "yes")]
    pub crds_by_default: bool,
    /// Role of its workload, where serving a group does not make it an operator (a collector that reads objects).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Whether it holds secrets for others.
    #[serde(default)]
    pub secret_provider: bool,
    /// Provisioner names it runs.
    #[serde(default)]
    pub storage_provisioner: Vec<String>,
    /// Controller names of the classes it runs, as an `IngressClass` or `GatewayClass` says them; `domain/*` for all
    /// of a domain.
    #[serde(default)]
    pub controllers: Vec<String>,
    /// Classes its chart creates.
    #[serde(default)]
    pub classes: Vec<ClassRow>,
    /// Services its chart creates.
    #[serde(default)]
    pub services: Vec<String>,
    /// Webhooks it registers.
    #[serde(default)]
    pub webhooks: Vec<WebhookRow>,
}

impl EdgeRow {
    /// Every sub-field the row reads.
    pub fn field_paths(&self) -> impl Iterator<Item = &str> {
        self.fields.values().chain(self.when.keys()).chain(self.unless.keys()).map(String::as_str)
    }

    /// The sub-field that says the name of what is referred to.
    #[must_use]
    pub fn name_path(&self) -> Option<&str> {
        self.fields.get("name").map(String::as_str)
    }
}

impl ProviderRow {
    /// Provisioners and controllers: what classes say who runs them by.
    pub fn runs_classes_of(&self) -> impl Iterator<Item = &String> {
        self.storage_provisioner.iter().chain(&self.controllers)
    }

    /// Whether one of its CRDs is that of a kind; the kind's plural is guessed.
    #[must_use]
    pub fn brings(&self, group: &str, kind: &str) -> bool {
        let plurals = super::plurals(kind);
        let mut own = self.crds.iter().filter_map(|name| name.split_once('.'));
        own.any(|(plural, of)| of == group && plurals.iter().any(|guess| guess == plural))
    }
}

impl MakesRow {
    /// Every sub-field the row reads.
    pub fn field_paths(&self) -> impl Iterator<Item = &str> {
        self.fields.values().chain(self.when.keys()).chain(self.unless.keys()).map(String::as_str)
    }
}

fn yes() -> bool {
    true
}

fn same() -> NamespaceRule {
    NamespaceRule::Same
}

fn weak() -> Strength {
    Strength::Weak
}

fn present() -> Gate {
    Gate::Present
}
