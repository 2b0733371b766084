//! What a run is asked for, laid over what `ladder.yaml` says.

use std::path::PathBuf;

use crate::load::settings::{ExistingOrder, Scope, Settings, Waves};
use crate::message::progress::Progress;
use crate::problem::{Problem, Problems};
use crate::render::tools::ToolOptions;

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

impl Options {
    /// Settings with these options laid over them.
    pub(super) fn over(&self, mut settings: Settings) -> Result<Settings, Problems> {
        if self.ignore_existing_order {
            settings.existing_order = ExistingOrder::Ignore;
        }
        let joins = settings.scope == Scope::Component && self.scope == Some(Scope::Ladder);
        settings.is_joined = joins && self.waves.is_none();
        settings.waves = self.waves.unwrap_or(settings.waves);
        settings.scope = self.scope.unwrap_or(settings.scope);
        let environment = self.environment.as_ref().and_then(|name| settings.environments.get(name));
        if let Some(over) = environment.and_then(|environment| environment.targets.as_ref()) {
            let overlaid = settings.targets.overlaid(over);
            settings.targets = overlaid.map_err(|error| {
                Problem::new("invalid-value", error.to_string()).at("ladder.yaml: environments")
            })?;
        }
        let Repository { url, revision, path } = self.repository.clone();
        let targets = &mut settings.targets;
        targets.repo_url = url.or(targets.repo_url.take());
        targets.revision = revision.unwrap_or_else(|| std::mem::take(&mut targets.revision));
        targets.path = path.unwrap_or_else(|| std::mem::take(&mut targets.path));
        settings.environment.clone_from(&self.environment);
        Ok(settings)
    }

    /// The namespace of what has none of its own: that of the one Application, or what all Applications have in common.
    pub(super) fn destination<'a>(&'a self, settings: &'a Settings) -> &'a str {
        match settings.scope {
            Scope::Ladder => &self.destination,
            Scope::Component => settings.targets.destination.namespace.as_deref().unwrap_or_default(),
        }
    }
}
