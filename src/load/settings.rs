//! `ladder.yaml` → settings. Every key has a default; an absent file is the default.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::{JsonSchema, schema_for};
use serde::Deserialize;

use super::document::{Document, null_is_absent};
use super::environment::{Environment, EnvironmentSetting};
use super::hooks::GateSettings;
use super::targets::TargetSettings;
use super::timeline::TimelineSettings;
use super::{provision, rollout, rungs, values};
use crate::catalogue::{EdgeRow, KindRow, MakesRow, ProviderRow, ReadyRow, Rows, ValueRow};
use crate::model::{Finding, Level, Provision, Rungs};
use crate::problem::{Problem, Problems, suggestion};
use crate::rules;

pub use super::rung_settings::{DomainSetting, Rollback, RungSetting, SelectSetting};
pub use super::words::{ExistingOrder, Preset, Scope, Waves};

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
    /// `component` each, so that rungs need no room for the waves inside a component; a stream of several that finds no room
    /// is numbered `dense`. Default: as the preset is meant.
    pub scope: Option<Scope>,
    /// Whether the ladder may grow a rung that strong edges need.
    pub grow: bool,
    /// Whether waves are written at all.
    pub enabled: bool,
    /// Waves already on resources: `true` or `hint` (weak evidence), `false` or `ignore`, `keep` (they stay).
    pub existing_order: ExistingOrder,
    /// Domains, added or adjusted.
    #[serde(deserialize_with = "null_is_absent")]
    pub domains: Vec<DomainSetting>,
    /// Rungs, added or adjusted.
    #[serde(deserialize_with = "null_is_absent")]
    pub rungs: Vec<RungSetting>,
    /// Rules and fixes by id: off, on, info, warning, error.
    #[serde(deserialize_with = "null_is_absent")]
    rules: BTreeMap<String, RuleWord>,
    /// Further rows of the edge catalogue.
    #[serde(deserialize_with = "null_is_absent")]
    pub edges: Vec<EdgeRow>,
    /// Further rows that say what objects make.
    #[serde(deserialize_with = "null_is_absent")]
    pub makes: Vec<MakesRow>,
    /// Further keys of chart values that name another object.
    #[serde(deserialize_with = "null_is_absent")]
    pub values: Vec<ValueRow>,
    /// Further kinds.
    #[serde(deserialize_with = "null_is_absent")]
    pub kinds: Vec<KindRow>,
    /// How further kinds say that they are ready.
    #[serde(deserialize_with = "null_is_absent")]
    pub ready: Vec<ReadyRow>,
    /// Further rows of the provider catalogue.
    #[serde(deserialize_with = "null_is_absent")]
    pub providers: Vec<ProviderRow>,
    /// What the cluster already has, e.g. `{storageClass: standard}`.
    #[serde(deserialize_with = "null_is_absent")]
    pub external: Vec<provision::Entry>,
    /// Settings of the targets.
    #[serde(deserialize_with = "null_is_absent")]
    pub targets: TargetSettings,
    /// What wait-for containers have in common.
    #[serde(deserialize_with = "null_is_absent")]
    pub gates: GateSettings,
    /// What the estimate of `plan --timeline` takes for granted.
    #[serde(deserialize_with = "null_is_absent")]
    pub timeline: TimelineSettings,
    /// What is different in each environment.
    #[serde(deserialize_with = "null_is_absent")]
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
            values: Vec::new(),
            kinds: Vec::new(),
            ready: Vec::new(),
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
    /// The file they are from, if it is not `ladder.yaml`.
    pub file: Option<Arc<str>>,
    /// `file:line:column` of the choice of steps.
    pub steps_at: String,
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
    /// Whether components that are meant as Applications of their own go into one, numbered by nobody's wish.
    pub is_joined: bool,
    /// The environment that was asked for.
    pub environment: Option<String>,
    /// Descriptors that do not belong to it, by file.
    pub elsewhere: Vec<Arc<str>>,
    /// The preset it started from.
    pub preset: Preset,
    /// What is different in each environment.
    pub environments: BTreeMap<String, Environment>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            file: None,
            steps_at: "ladder.yaml".to_owned(),
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
            is_joined: false,
            environment: None,
            elsewhere: Vec::new(),
            preset: Preset::default(),
            environments: BTreeMap::new(),
        }
    }
}

impl Settings {
    /// The name of their file at the root.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.file.as_deref().unwrap_or("ladder.yaml")
    }

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
    check_rows(&document)?;
    let faults = values::faults(&document);
    if !faults.is_empty() {
        return Err(Problems(faults));
    }
    let environments = environments(&document)?;
    if document.value.gates.retries == 0 {
        return Err(rollout::no_try().at(document.place(&["gates", "retries"])).into());
    }
    Ok(Settings {
        file: (&**file == "ladder.yml").then(|| Arc::clone(file)),
        steps_at: document.nearest_place(&["targets", "applicationset", "steps"]),
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
            values: document.value.values,
            providers: document.value.providers,
            health: Vec::new(),
            ready: document.value.ready,
        },
        targets: document.value.targets,
        gates: document.value.gates,
        timeline: document.value.timeline,
        scope: document.value.scope.unwrap_or(document.value.preset.scope()),
        is_joined: false,
        environment: None,
        elsewhere: Vec::new(),
        preset: document.value.preset,
        environments,
    })
}

/// What an environment says of the targets must fit them.
fn environments(document: &Document<LadderFile>) -> Result<BTreeMap<String, Environment>, Problems> {
    let mut environments = BTreeMap::new();
    for name in document.value.environments.keys() {
        let environment = Environment::read(document, name)?;
        if let Some(targets) = &environment.targets {
            values::check_overlay(document, name, targets)?;
        }
        environments.insert(name.clone(), environment);
    }
    Ok(environments)
}

/// Every row of the user's must be able to do what it says.
fn check_rows(document: &Document<LadderFile>) -> Result<(), Problems> {
    let edges = document.value.edges.iter().map(EdgeRow::check).enumerate().map(|row| ("edges", row));
    let values = document.value.values.iter().map(ValueRow::check).enumerate().map(|row| ("values", row));
    let makes = document.value.makes.iter().map(MakesRow::check).enumerate().map(|row| ("makes", row));
    let problems: Vec<Problem> = edges
        .chain(makes)
        .chain(values)
        .filter_map(|(list, (number, checked))| {
            let wrong = checked.err()?;
            let number = number.to_string();
            let row = [list, number.as_str()];
            let path: Vec<&str> = row.into_iter().chain(wrong.keys.iter().map(String::as_str)).collect();
            // What is missing has no place of its own: then the row's.
            let path = if document.has(&path) { &path[..] } else { &row[..] };
            Some(Problem::new("invalid-row", wrong.message).at(document.place(path)).help(wrong.help))
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(Problems(problems)) }
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
            Problem::new("invalid-value", format!("`{word}` is no level for rule `{rule}`"))
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
                provision::Unclear::Key => {
                    Problem::new("invalid-value", format!("`{key}` is nothing a cluster can have"))
                        .at(&place)
                        .help(suggestion(key, provision::KEYS.iter().copied()))
                }
                provision::Unclear::Value(form) => {
                    Problem::new("invalid-value", format!("`{value}` does not name a {key}"))
                        .at(&place)
                        .help(format!("write {form}"))
                }
            })?;
            provisions.push(parsed);
        }
    }
    Ok(provisions)
}
