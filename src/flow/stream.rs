//! The flow for manifests without descriptors: one stream of text, taken for one component.

use std::sync::Arc;

use super::{Options, catalogue, climb};
use crate::catalogue::Catalogue;
use crate::classify;
use crate::load;
use crate::load::settings::Settings;
use crate::model::{Component, Finding, Ladder, Origin, Place};
use crate::problem::{Problem, Problems};
use crate::render;

/// Name of the component a stream of manifests makes.
const STREAM: &str = "stdin";

/// One stream of manifests → ladder, as a single component.
///
/// # Errors
/// With everything that stopped it.
pub fn build_from_text(text: &str, options: &Options) -> Result<Ladder, Problems> {
    let mut findings = Vec::new();
    let written = match &options.settings {
        Some(file) => load::settings_file(file, &mut findings)?,
        None => Settings::default(),
    };
    let settings = options.over(written)?;
    stream(text, &catalogue(&settings)?, &settings, findings, options)
}

/// The same with a catalogue that is there already, for many streams in one process.
///
/// # Errors
/// With everything that stopped it.
pub fn build_from_text_with(
    text: &str,
    catalogue: &Catalogue,
    options: &Options,
) -> Result<Ladder, Problems> {
    stream(text, catalogue, &options.over(Settings::default())?, Vec::new(), options)
}

fn stream(
    text: &str,
    catalogue: &Catalogue,
    settings: &Settings,
    findings: Vec<Finding>,
    options: &Options,
) -> Result<Ladder, Problems> {
    let file: Arc<str> = Arc::from("-");
    let mut rendered = render::manifest::from_text(&file, &Arc::new(text.to_owned()), catalogue);
    for finding in &mut rendered.findings {
        finding.component = Some(STREAM.to_owned());
    }
    if rendered.manifests.is_empty() && rendered.findings.is_empty() {
        return Err(Problem::new("nothing-to-read", "there is no manifest on standard input").at("-").into());
    }
    let component = Component {
        name: STREAM.to_owned(),
        domain: "apps".to_owned(),
        role: None,
        pin: None,
        project: None,
        namespace: String::new(),
        depends_on: Vec::new(),
        provides: Vec::new(),
        requires: Vec::new(),
        wait_for: Vec::new(),
        path: String::new(),
        origin: Origin::new(&file, 1),
        descriptor: Arc::default(),
        place: Place::default(),
        split_from: None,
    };
    let classified =
        classify::resources(vec![component], vec![rendered], catalogue, options.destination(settings));
    climb(classified, catalogue, settings, findings, options)
}
