//! What helm or kustomize wrote → manifests that still know where they came from.
//!
//! Helm says above each document which template made it. Lines count from where that template's output begins, as in
//! `helm template -s TEMPLATE`; the file name says that the line is one of the output, not of the template.

use std::sync::Arc;

use super::{Rendered, manifest};
use crate::catalogue::Catalogue;
use crate::disk;
use crate::model::Tool;

/// Marks a place in a tool's output, not in the file itself.
const RENDERED: &str = " (rendered)";

/// Reads the manifests of a tool's output.
#[must_use]
pub fn manifests(text: &str, tool: Tool, folder: Option<&str>, catalogue: &Catalogue) -> Rendered {
    let folder = folder.unwrap_or_default();
    if tool == Tool::Kustomize {
        let file: Arc<str> = Arc::from(format!("{}{RENDERED}", disk::joined(folder, "kustomization.yaml")));
        return manifest::from_text(&file, &Arc::new(text.to_owned()), catalogue);
    }
    let mut all = Rendered::default();
    for (template, part) in by_template(text) {
        // The first folder is the chart's name, which is not the name of its folder.
        let file = template.split_once('/').map_or(template, |(_, file)| file);
        let file: Arc<str> = Arc::from(format!("{}{RENDERED}", disk::joined(folder, file)));
        let rendered = manifest::from_text(&file, &Arc::new(part.to_owned()), catalogue);
        all.manifests.extend(rendered.manifests);
        all.findings.extend(rendered.findings);
    }
    all
}

/// Cuts helm's output where another template begins.
fn by_template(text: &str) -> Vec<(&str, &str)> {
    const SOURCE: &str = "---\n# Source: ";
    let mut parts: Vec<(&str, &str)> = Vec::new();
    let mut begin = 0;
    let mut current = "";
    let starts = memchr::memmem::find_iter(text.as_bytes(), SOURCE.as_bytes())
        .filter(|at| *at == 0 || text.as_bytes()[at - 1] == b'\n');
    for at in starts {
        let template = text[at + SOURCE.len()..].lines().next().unwrap_or_default();
        if template != current {
            parts.push((current, &text[begin..at]));
            (begin, current) = (at, template);
        }
    }
    parts.push((current, &text[begin..]));
    parts.retain(|(_, part)| !part.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::by_template;

    #[test]
    fn output_is_cut_where_the_template_changes() {
        let a = "---\n# Source: c/templates/a.yaml\nkind: A\n";
        let again = "---\n# Source: c/templates/a.yaml\nkind: A2\n";
        let b = "---\n# Source: c/charts/sub/templates/b.yaml\nkind: B\n";
        assert_eq!(
            by_template(&format!("{a}{again}{b}")),
            [("c/templates/a.yaml", &*format!("{a}{again}")), ("c/charts/sub/templates/b.yaml", b)]
        );
        assert_eq!(by_template("kind: A\n"), [("", "kind: A\n")]);
        let inside = "---\n# Source: c/templates/a.yaml\ndata: |\n  ---\n  # Source: x\n";
        assert_eq!(by_template(inside), [("c/templates/a.yaml", inside)]);
    }
}
