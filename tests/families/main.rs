//! Every family of the catalogue: a minimal manifest in, the expected edges out, and look-alikes that give none.
//!
//! `cases/<family>.yaml` holds the cases; each compares ALL edges of its manifests. The last test walks both
//! catalogues and fails on a row that no case exercises.

#![expect(clippy::disallowed_methods, reason = "tests read files and start programs")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use argocd_ladder::catalogue::{Catalogue, ProbeKind, Rows};
use argocd_ladder::model::{Edge, End, Ladder};
use argocd_ladder::{Options, build_from_text_with};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// A sentence.
    #[serde(rename = "case")]
    sentence: String,
    /// One stream of manifests, all of one component.
    manifests: String,
    /// `From/ns/name -> To/ns/name reason strength gate`, every edge there is.
    edges: Vec<String>,
    /// References that nobody provides, as `Kind/ns/name`, when the case is about them.
    #[serde(default)]
    unsatisfied: Option<Vec<String>>,
}

fn cases() -> Vec<(String, Case)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/families/cases");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |file: &std::path::PathBuf| {
        let family = file.file_stem().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(file).unwrap();
        let cases: Vec<Case> =
            serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        cases.into_iter().map(move |case| (family.clone(), case))
    };
    files.iter().flat_map(read).collect()
}

fn shown(ladder: &Ladder, edge: &Edge) -> String {
    let end =
        |end: End| end.resource.map_or_else(String::new, |resource| ladder.resource(resource).id.short());
    let (strength, gate) = (edge.strength.as_str(), edge.gate.as_str());
    format!("{} -> {} {} {strength} {gate}", end(edge.from), end(edge.to), edge.reason)
}

fn catalogue() -> Catalogue {
    Catalogue::new(&Rows::default()).unwrap()
}

fn ladder(case: &Case, family: &str, catalogue: &Catalogue) -> Ladder {
    build_from_text_with(&case.manifests, catalogue, &Options::default())
        .unwrap_or_else(|problems| panic!("{family}: {}: {problems}", case.sentence))
}

#[test]
fn every_case_gives_exactly_its_edges() {
    let mut wrong = Vec::new();
    let catalogue = catalogue();
    for (family, case) in cases() {
        let ladder = ladder(&case, &family, &catalogue);
        let found: BTreeSet<String> = ladder.edges.iter().map(|edge| shown(&ladder, edge)).collect();
        let expected: BTreeSet<String> =
            case.edges.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        for missing in expected.difference(&found) {
            wrong.push(format!("{family}: {}: missing {missing}", case.sentence));
        }
        for extra in found.difference(&expected) {
            wrong.push(format!("{family}: {}: unexpected {extra}", case.sentence));
        }
        if let Some(references) = &case.unsatisfied {
            let messages: String = ladder
                .findings
                .iter()
                .filter(|f| f.rule == "unsatisfied-reference")
                .map(|f| f.message.clone() + "\n")
                .collect();
            for reference in
                references.iter().filter(|reference| !messages.contains(&format!("needs `{reference}`")))
            {
                wrong.push(format!("{family}: {}: no finding for {reference}", case.sentence));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_row_of_the_catalogue_is_exercised() {
    let catalogue = catalogue();
    let mut edges = BTreeSet::new();
    let mut makes = BTreeSet::new();
    let mut values = BTreeSet::new();
    for (family, case) in cases() {
        let ladder = ladder(&case, &family, &catalogue);
        let told = told(&ladder);
        for (number, resource) in ladder.resources.iter().enumerate() {
            let kind = (&resource.id.group, &resource.id.kind);
            for capture in &resource.manifest.captures {
                match capture.kind {
                    ProbeKind::Edge(row) => {
                        let reason = catalogue.edge(row).reason.as_str();
                        let says = |reason: &str| told.contains(&(number, capture.line, reason.to_owned()));
                        if says(reason) || says(UNSATISFIED) {
                            edges.insert(row);
                        }
                    }
                    ProbeKind::Makes(row) => drop(makes.insert(row)),
                    ProbeKind::Code(_) => {}
                }
            }
            values.extend(resource.charts.iter().flat_map(|chart| &chart.names).map(|name| name.row));
            makes.extend(
                catalogue.makes_of(kind.0, kind.1).filter(|row| catalogue.makes(*row).path.is_none()),
            );
        }
    }
    let idle = catalogue.edges().iter().enumerate().filter(|(row, _)| !edges.contains(row));
    let idle = idle.map(|(_, row)| (&row.matches, row.path.as_str()));
    let unmade = catalogue.makes_rows().iter().enumerate().filter(|(row, _)| !makes.contains(row));
    let unmade = unmade.map(|(_, row)| (&row.matches, row.path.as_deref().unwrap_or_default()));
    let unread = catalogue.values().iter().enumerate().filter(|(row, _)| !values.contains(row));
    let unread: Vec<&[String]> = unread.map(|(_, row)| row.keys.as_slice()).collect();
    assert!(unread.is_empty(), "rows of values without a case: {unread:?}");
    let families = families();
    let mut missing: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (matches, path) in idle.chain(unmade) {
        let shown = format!("{} {:?} {path}", matches.group, matches.kinds);
        missing.entry(families[&shown].as_str()).or_default().push(shown);
    }
    assert!(missing.is_empty(), "rows without a case: {missing:#?}");
}

const UNSATISFIED: &str = "unsatisfied-reference";

/// What came of the references in a tree: the resource, the line and the reason, or that nobody provides it.
fn told(ladder: &Ladder) -> BTreeSet<(usize, usize, String)> {
    let mut told = BTreeSet::new();
    for edge in &ladder.edges {
        let ends = [edge.from, edge.to].into_iter().filter_map(|end| end.resource);
        told.extend(ends.map(|end| (end.0, edge.origin.line, edge.reason.as_str().to_owned())));
    }
    for finding in ladder.findings.iter().filter(|finding| finding.rule == UNSATISFIED) {
        let Some(origin) = &finding.origin else { continue };
        told.extend((0..ladder.resources.len()).map(|number| (number, origin.line, UNSATISFIED.to_owned())));
    }
    told
}

/// The catalogue file of every row.
fn families() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/catalogue/data");
    let mut families = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let rows: Rows = serde_yaml::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let family = file.file_stem().unwrap().to_string_lossy().into_owned();
        let edges = rows.edges.iter().map(|row| (&row.matches, row.path.as_str()));
        let makes = rows.makes.iter().map(|row| (&row.matches, row.path.as_deref().unwrap_or_default()));
        for (matches, path) in edges.chain(makes) {
            families.insert(format!("{} {:?} {path}", matches.group, matches.kinds), family.clone());
        }
    }
    families
}
