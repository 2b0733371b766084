//! Choices of `ladder.yaml` that are one word each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    pub(super) fn scope(self) -> Scope {
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
#[serde(from = "ExistingOrderWord")]
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
    Word(ExistingOrderName),
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum ExistingOrderName {
    Hint,
    Ignore,
    Keep,
}

impl From<ExistingOrderWord> for ExistingOrder {
    fn from(word: ExistingOrderWord) -> Self {
        match word {
            ExistingOrderWord::Switch(true) | ExistingOrderWord::Word(ExistingOrderName::Hint) => Self::Hint,
            ExistingOrderWord::Switch(false) | ExistingOrderWord::Word(ExistingOrderName::Ignore) => {
                Self::Ignore
            }
            ExistingOrderWord::Word(ExistingOrderName::Keep) => Self::Keep,
        }
    }
}

/// What the waves of resources count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// One Application holds the whole ladder.
    #[default]
    Ladder,
    /// Each component is an Application of its own, and its waves begin at 0.
    Component,
}
