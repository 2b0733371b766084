//! Something the user should know although we could go on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Origin;
use crate::message::credentials::without_credentials;

/// How loud a finding is; `error` stops `render`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Good to know.
    Info,
    /// Probably not what was meant.
    Warning,
    /// Argo CD would refuse or lose it, or we could not read it.
    Error,
}

impl Level {
    /// The word in messages and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One finding: a rule, a fact, and the edit that helps.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// Kebab-case id of the rule.
    pub rule: &'static str,
    /// How loud.
    pub level: Level,
    /// The component it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// The fact.
    pub message: String,
    /// The edit that helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl Finding {
    /// A finding of `rule` at its usual level.
    #[must_use]
    pub fn new(rule: &'static str, level: Level, message: impl Into<String>) -> Self {
        let message = without_credentials(&message.into()).into_owned();
        Self { rule, level, component: None, message, help: None, origin: None }
    }

    /// Says which component it is about.
    #[must_use]
    pub fn about(mut self, component: impl Into<String>) -> Self {
        self.component = Some(component.into());
        self
    }

    /// Says where it was seen.
    #[must_use]
    pub fn at(mut self, origin: Origin) -> Self {
        self.origin = Some(origin);
        self
    }

    /// Says what to edit.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(without_credentials(&help.into()).into_owned());
        self
    }
}
