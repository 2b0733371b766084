//! `ladder.yaml` → settings. Every key has a default; an absent file is the default.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};

use super::document::Document;
use super::environment::{Environment, EnvironmentSetting};
use super::hooks::GateSettings;
use super::targets::{RungSet, TargetSettings};
use super::{provision, rungs};
use crate::catalogue::compiled;
use crate::catalogue::{EdgeRow, KindRow, MakesRow, ProviderRow, Rows};
use crate::model::{Finding, Level, Provision, Role, Rungs, duration};
use crate::problem::{Problem, Problems, suggestion};
use crate::rules;
use crate::timeline::TimelineSettings;

/// Which ladder to start from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Seven domains with 44 rungs.
    #[default]
    RolloutPhases,
    /// Named waves of a root application.
    AppOfApps,
    /// Waves inside one chart.
    Chart,
    /// Flux layers.
    Layers,
    /// No rungs but your own.
    None,
}

impl Preset {
    /// What one Application holds in a ladder of this preset.
    fn scope(self) -> Scope {
        match self {
            Self::AppOfApps | Self::Layers => Scope::Component,
            Self::RolloutPhases | Self::Chart | Self::None => Scope::Ladder,
        }
    }
}

/// How waves are numbered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Waves {
    /// Ten per phase: numbers stay as they are when others come and go.
    #[default]
    Banded,
    /// The fewest waves the edges allow.
    Dense,
}

/// What waves that resources already carry are worth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "ExistingOrderWord")]
#[schemars(with = "ExistingOrderWord")]
pub enum ExistingOrder {
    /// They order resources among each other, as weak evidence.
    #[default]
    Hint,
    /// Nothing.
    Ignore,
    /// They stay as they are; one that contradicts a strong edge is an error.
    Keep,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum ExistingOrderWord {
    Switch(bool),
    Word(String),
}

impl TryFrom<ExistingOrderWord> for ExistingOrder {
    type Error = String;

    fn try_from(word: ExistingOrderWord) -> Result<Self, String> {
        match word {
            ExistingOrderWord::Switch(true) => Ok(Self::Hint),
            ExistingOrderWord::Switch(false) => Ok(Self::Ignore),
            ExistingOrderWord::Word(word) => match word.as_str() {
                "hint" => Ok(Self::Hint),
                "ignore" => Ok(Self::Ignore),
                "keep" => Ok(Self::Keep),
                _ => Err(format!("`{word}` is none of hint, ignore, keep")),
            },
        }
    }
}

/// What the waves of resources count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// One Application holds the whole ladder.
    #[default]
    Ladder,
    /// Each component is an Application of its own, and its waves begin at 0.
    Component,
}

/// What to do with a rule: off, on at its usual level, or at this level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleSetting {
    /// Not at all.
    Off,
    /// As it comes.
    On,
    /// At this level.
    At(Level),
}

/// The words of a rule setting; YAML 1.1 tools may turn `off` into `false`, so both are read.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
enum RuleWord {
    Switch(bool),
    Word(String),
}

/// A band of the ladder.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct DomainSetting {
    /// Its name; folders of that name put components into it.
    pub name: String,
    /// The only roles that belong here; empty means all.
    #[serde(default)]
    pub only: Vec<Role>,
}

/// A step of the ladder; an id that exists is adjusted, a new one is added.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RungSetting {
    /// Its id, a quoted string such as "155".
    pub id: String,
    /// First wave of its resources; default: id times ten.
    #[serde(default)]
    pub wave: Option<i64>,
    /// The domain whose components stand here; none means any.
    #[serde(default)]
    pub domain: Option<String>,
    /// The roles it is for.
    #[serde(default, alias = "role", deserialize_with = "one_or_many_roles")]
    pub roles: Vec<Role>,
    /// How many Applications RollingSync may update at once.
    #[serde(default)]
    pub max_update: Option<u32>,
    /// Further components it takes.
    #[serde(default)]
    pub select: Option<SelectSetting>,
    /// `false` takes the rung out of the ladder.
    #[serde(default)]
    pub enabled: Option<bool>,
    /// Attempts after a failed sync: `limit` and `backoff`, as in a sync policy.
    #[serde(default)]
    pub retry: Option<serde_json::Map<String, serde_json::Value>>,
    /// What runs when the sync of a component on this rung fails.
    #[serde(default)]
    pub rollback: Option<Rollback>,
    /// Create its Applications through one ApplicationSet (`--target applications`).
    #[serde(default)]
    pub application_set: Option<RungSet>,
    /// Put a new rung behind this one instead of by number.
    #[serde(default)]
    pub after: Option<String>,
}

/// A Job that runs when a sync fails.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rollback {
    /// Image of the Job.
    pub image: String,
    /// Its command.
    #[serde(default)]
    pub command: Vec<String>,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Service account it runs as.
    #[serde(default)]
    pub service_account_name: Option<String>,
}

/// Which components a rung takes; all given criteria must hold.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct SelectSetting {
    /// Component name globs.
    pub components: Vec<String>,
    /// Domains.
    pub domains: Vec<String>,
    /// Roles.
    pub roles: Vec<Role>,
    /// Kinds of resources (globs): the rung then takes resources, not components.
    pub kinds: Vec<String>,
    /// Names of resources (globs).
    pub names: Vec<String>,
    /// Labels of resources.
    pub labels: BTreeMap<String, String>,
}

/// `ladder.yaml` as written.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(title = "argocd-ladder: ladder.yaml")]
pub struct LadderFile {
    /// Which ladder to start from.
    pub preset: Preset,
    /// How waves are numbered.
    pub waves: Waves,
    /// What one Application holds when `plan` and the other reading commands count waves: the whole `ladder`, or one
    /// `component` each, so that rungs need no room for the waves inside a component. Default: as the preset is meant.
    pub scope: Option<Scope>,
    /// Whether the ladder may grow a rung that strong edges need.
    pub grow: bool,
    /// Whether waves are written at all.
    pub enabled: bool,
    /// Waves already on resources: `true` or `hint` (weak evidence), `false` or `ignore`, `keep` (they stay).
    pub existing_order: ExistingOrder,
    /// Domains, added or adjusted.
    pub domains: Vec<DomainSetting>,
    /// Rungs, added or adjusted.
    pub rungs: Vec<RungSetting>,
    /// Rules and fixes by id: off, on, info, warning, error.
    rules: BTreeMap<String, RuleWord>,
    /// Further rows of the edge catalogue.
    pub edges: Vec<EdgeRow>,
    /// Further rows that say what objects make.
    pub makes: Vec<MakesRow>,
    /// Further kinds.
    pub kinds: Vec<KindRow>,
    /// Further rows of the provider catalogue.
    pub providers: Vec<ProviderRow>,
    /// What the cluster already has, e.g. `{storageClass: standard}`.
    pub external: Vec<provision::Entry>,
    /// Settings of the targets.
    pub targets: TargetSettings,
    /// What wait-for containers have in common.
    pub gates: GateSettings,
    /// What the estimate of `plan --timeline` takes for granted.
    pub timeline: TimelineSettings,
    /// What is different in each environment.
    pub environments: BTreeMap<String, Option<EnvironmentSetting>>,
}

impl Default for LadderFile {
    fn default() -> Self {
        Self {
            preset: Preset::default(),
            waves: Waves::default(),
            scope: None,
            grow: true,
            enabled: true,
            existing_order: ExistingOrder::default(),
            domains: Vec::new(),
            rungs: Vec::new(),
            rules: BTreeMap::new(),
            edges: Vec::new(),
            makes: Vec::new(),
            kinds: Vec::new(),
            providers: Vec::new(),
            external: Vec::new(),
            targets: TargetSettings::default(),
            gates: GateSettings::default(),
            timeline: TimelineSettings::default(),
            environments: BTreeMap::new(),
        }
    }
}

/// What `ladder.yaml` means.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The rungs in order.
    pub rungs: Rungs,
    /// How waves are numbered.
    pub waves: Waves,
    /// Whether rungs may be grown.
    pub grow: bool,
    /// Whether waves are written at all.
    pub enabled: bool,
    /// What existing waves count.
    pub existing_order: ExistingOrder,
    /// Rules that differ from their usual level.
    pub rules: BTreeMap<String, RuleSetting>,
    /// The user's catalogue rows.
    pub rows: Rows,
    /// What the cluster already has.
    pub external: Vec<Provision>,
    /// Settings of the targets.
    pub targets: TargetSettings,
    /// What wait-for containers have in common.
    pub gates: GateSettings,
    /// What the estimate of time takes for granted.
    pub timeline: TimelineSettings,
    /// What the waves of resources count.
    pub scope: Scope,
    /// The environment that was asked for.
    pub environment: Option<String>,
    /// The preset it started from.
    pub preset: Preset,
    /// What is different in each environment.
    pub environments: BTreeMap<String, Environment>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            rungs: rungs::preset(Preset::default()),
            waves: Waves::default(),
            grow: true,
            enabled: true,
            existing_order: ExistingOrder::default(),
            rules: BTreeMap::new(),
            rows: Rows::default(),
            external: Vec::new(),
            targets: TargetSettings::default(),
            gates: GateSettings::default(),
            timeline: TimelineSettings::default(),
            scope: Scope::default(),
            environment: None,
            preset: Preset::default(),
            environments: BTreeMap::new(),
        }
    }
}

impl Settings {
    /// Whether rungs take resources one by one.
    #[must_use]
    pub fn is_by_resource(&self) -> bool {
        let mut selectors = self.rungs.list.iter().filter_map(|rung| rung.select.as_ref());
        self.preset == Preset::Chart || selectors.any(crate::model::Selector::is_for_resources)
    }

    /// Whether a rule or fix is switched on.
    #[must_use]
    pub fn is_on(&self, rule: &str) -> bool {
        self.rules.get(rule) != Some(&RuleSetting::Off)
    }

    /// The findings with the user's levels, without those switched off.
    #[must_use]
    pub fn levelled(&self, findings: Vec<Finding>) -> Vec<Finding> {
        findings
            .into_iter()
            .filter(|finding| self.is_on(finding.rule))
            .map(|mut finding| {
                if let Some(RuleSetting::At(level)) = self.rules.get(finding.rule) {
                    finding.level = *level;
                }
                finding
            })
            .collect()
    }
}

/// Parses `ladder.yaml`.
///
/// # Errors
/// With line and column when it does not fit, or names what is not there.
pub fn parse(file: &Arc<str>, text: &str, findings: &mut Vec<Finding>) -> Result<Settings, Problems> {
    let document = Document::<LadderFile>::parse(file, text)?;
    findings.extend(document.unknown_fields(&schema_for!(LadderFile).to_value()));
    check_paths(&document)?;
    let environments = environments(&document)?;
    check_times(&document)?;
    Ok(Settings {
        rungs: rungs::from_settings(&document)?,
        rules: rule_settings(&document, findings)?,
        external: external(&document)?,
        waves: document.value.waves,
        grow: document.value.grow,
        enabled: document.value.enabled,
        existing_order: document.value.existing_order,
        rows: Rows {
            kinds: document.value.kinds,
            pod_specs: Vec::new(),
            edges: document.value.edges,
            makes: document.value.makes,
            providers: document.value.providers,
            health: Vec::new(),
        },
        targets: document.value.targets,
        gates: document.value.gates,
        timeline: document.value.timeline,
        scope: document.value.scope.unwrap_or(document.value.preset.scope()),
        environment: None,
        preset: document.value.preset,
        environments,
    })
}

/// Lengths of time that Kubernetes or a gate would not understand.
fn check_times(document: &Document<LadderFile>) -> Result<(), Problems> {
    let flux = &document.value.targets.flux;
    let timeline = &document.value.timeline;
    let times: [(&[&str], &str); 9] = [
        (&["timeline", "start"], &timeline.start),
        (&["timeline", "component"], &timeline.component),
        (&["timeline", "waveDelay"], &timeline.wave_delay),
        (&["timeline", "settle"], &timeline.settle),
        (&["timeline", "requeue"], timeline.requeue.as_deref().unwrap_or("0s")),
        (&["gates", "interval"], &document.value.gates.interval),
        (&["targets", "flux", "interval"], &flux.interval),
        (&["targets", "flux", "retryInterval"], &flux.retry_interval),
        (&["targets", "flux", "timeout"], &flux.timeout),
    ];
    let wrong = times.into_iter().filter(|(_, text)| duration::parse(text).is_none());
    let problems: Vec<Problem> = wrong
        .map(|(path, text)| {
            Problem::new(format!("`{text}` is no length of time"))
                .at(document.place(path))
                .help("write it like `90s` or `5m`")
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(Problems(problems)) }
}

/// What an environment says of the targets must fit them.
fn environments(document: &Document<LadderFile>) -> Result<BTreeMap<String, Environment>, Problems> {
    let mut environments = BTreeMap::new();
    for name in document.value.environments.keys() {
        let environment = Environment::read(document, name)?;
        if let Some(targets) = &environment.targets
            && let Err(error) = document.value.targets.overlaid(targets)
        {
            let place = document.place(&["environments", name, "targets"]);
            return Err(Problem::new(error.to_string()).at(place).into());
        }
        environments.insert(name.clone(), environment);
    }
    Ok(environments)
}

/// Every path of the user's rows must be a `JSONPath`.
fn check_paths(document: &Document<LadderFile>) -> Result<(), Problems> {
    let edges = document.value.edges.iter().map(|row| Some(&row.path)).enumerate().map(|row| ("edges", row));
    let makes =
        document.value.makes.iter().map(|row| row.path.as_ref()).enumerate().map(|row| ("makes", row));
    for (list, (number, path)) in edges.chain(makes) {
        if let Some(Err(error)) = path.map(|path| compiled::check(path)) {
            return Err(Problem::new(error.to_string())
                .at(document.place(&[list, &number.to_string(), "path"]))
                .help("write it like `$.spec.items[*].ref.name`")
                .into());
        }
    }
    Ok(())
}

fn rule_settings(
    document: &Document<LadderFile>,
    findings: &mut Vec<Finding>,
) -> Result<BTreeMap<String, RuleSetting>, Problems> {
    let mut settings = BTreeMap::new();
    for (rule, word) in &document.value.rules {
        if !rules::IDS.contains(&rule.as_str()) {
            findings.push(
                Finding::new("unknown-rule", Level::Warning, format!("there is no rule `{rule}`"))
                    .at(document.origin(&["rules", rule]))
                    .help(suggestion(rule, rules::IDS.iter().copied())),
            );
        }
        let setting = rule_setting(word).ok_or_else(|| {
            let word = document.text(&["rules", rule]).unwrap_or_default();
            Problem::new(format!("`{word}` is no level for rule `{rule}`"))
                .at(document.place(&["rules", rule]))
                .help(suggestion(word, ["off", "on", "info", "warning", "error"]))
        })?;
        settings.insert(rule.clone(), setting);
    }
    Ok(settings)
}

fn rule_setting(word: &RuleWord) -> Option<RuleSetting> {
    Some(match word {
        RuleWord::Switch(false) => RuleSetting::Off,
        RuleWord::Switch(true) => RuleSetting::On,
        RuleWord::Word(word) => match word.as_str() {
            "off" => RuleSetting::Off,
            "on" => RuleSetting::On,
            "info" => RuleSetting::At(Level::Info),
            "warning" => RuleSetting::At(Level::Warning),
            "error" => RuleSetting::At(Level::Error),
            _ => return None,
        },
    })
}

fn external(document: &Document<LadderFile>) -> Result<Vec<Provision>, Problems> {
    let mut provisions = Vec::new();
    for (number, entry) in document.value.external.iter().enumerate() {
        for (key, value) in entry {
            let place = document.place(&["external", &number.to_string(), key]);
            let parsed = provision::parse(key, value).map_err(|unclear| match unclear {
                provision::Unclear::Key => Problem::new(format!("`{key}` is nothing a cluster can have"))
                    .at(&place)
                    .help(suggestion(key, provision::KEYS.iter().copied())),
                provision::Unclear::Value(form) => Problem::new(format!("`{value}` does not name a {key}"))
                    .at(&place)
                    .help(format!("write {form}")),
            })?;
            provisions.push(parsed);
        }
    }
    Ok(provisions)
}

fn one_or_many_roles<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Role>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(Role),
        Many(Vec<Role>),
    }
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(role) => vec![role],
        OneOrMany::Many(roles) => roles,
    })
}
