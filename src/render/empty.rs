//! Sources of which nothing was made although there is something: what they made before would be pruned.

use std::path::Path;

use super::sources;
use crate::load::LoadedComponent;
use crate::model::{Finding, Level, Tool};

/// The rule of the finding; `--allow-empty` makes it a warning.
pub const RULE: &str = "source-made-nothing";

/// The finding about a source of which nothing was made; a chart without templates has nothing to make.
#[must_use]
pub fn finding(
    root: &Path,
    tool: Tool,
    folder: Option<&str>,
    component: &LoadedComponent,
) -> Option<Finding> {
    let from = match (tool, folder) {
        (Tool::Helm, Some(folder)) => format!("`{}`", first_template(root, folder)?),
        _ => "what it names".to_owned(),
    };
    let name = &component.component.name;
    let message = format!(
        "the {} of `{name}` made nothing of {from}: what it made before would be pruned",
        tool.source()
    );
    let finding = Finding::new(RULE, Level::Error, message).at(component.source_origin.clone());
    Some(finding.help(
        "check its values and conditions; if it is meant, pass --allow-empty or set `rules: {source-made-nothing: warning}` in ladder.yaml",
    ))
}

/// The first file a chart, or one below it, makes objects of.
fn first_template(root: &Path, folder: &str) -> Option<String> {
    let makes_objects = |file: &String| {
        let mut parts = file.strip_prefix(folder).unwrap_or(file).rsplit('/');
        let name = parts.next().unwrap_or_default();
        !name.starts_with(['_', '.']) && name != "NOTES.txt" && parts.any(|part| part == "templates")
    };
    sources::files(root, [folder.to_owned()].iter()).ok()?.into_iter().find(makes_objects)
}
