//! What the estimate of `plan --timeline` takes for granted, as written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `timeline` of `ladder.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct TimelineSettings {
    /// Time until the first component starts, e.g. for fetching the repository.
    pub start: String,
    /// Expected time of components without `timeout`.
    pub component: String,
    /// Argo CD's pause after each wave that is not the last.
    pub wave_delay: String,
    /// Time until it is noticed that what was waited for is ready; default: 0s for waves, 30s for Flux.
    pub requeue: Option<String>,
    /// Time from the last component's end until all is settled.
    pub settle: String,
}

impl Default for TimelineSettings {
    fn default() -> Self {
        Self {
            start: "0s".to_owned(),
            component: "30s".to_owned(),
            wave_delay: "2s".to_owned(),
            requeue: None,
            settle: "0s".to_owned(),
        }
    }
}
