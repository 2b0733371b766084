//! `render --target applications|applicationset|flux`: the ladder as objects that roll it out.

use std::path::Path;

use serde_json::{Value, json};

use super::args::{RenderArgs, Target};
use super::render::{accept_empty, is_directory, not_fetched, nothing_to_write, selection};
use super::{Exit, files, output};
use crate::emit::{self, Selection};
use crate::load::settings::Scope;
use crate::model::{ComponentIndex, Finding, Ladder, Level};
use crate::target::{self, Written, applications, applicationset, flux, name::object_name};
use crate::yaml;

pub(super) fn run(args: &RenderArgs) -> anyhow::Result<Exit> {
    let mut ladder =
        output::ladder_for(&args.path, &args.reading, Some(Scope::Component), args.repository.clone())?;
    accept_empty(&mut ladder, args);
    let needed = |finding: &&Finding| finding.level > Level::Info && is_about(finding, args.target);
    let findings: Vec<&Finding> = ladder.findings.iter().filter(needed).collect();
    output::findings(findings.iter().copied());
    if findings.iter().any(|finding| finding.level == Level::Error) {
        return Ok(Exit::Failed);
    }
    let selection = selection(&ladder, args)?;
    let Written { objects, findings } = match args.target {
        Target::Flux => flux::write(&ladder, &selection)?,
        Target::ApplicationSet => applicationset::write(&ladder, &selection)?,
        _ => applications::write(&ladder, &selection)?,
    };
    let findings = ladder.settings.levelled(findings);
    output::findings(findings.iter().filter(|finding| finding.level > Level::Info));
    if findings.iter().any(|finding| finding.level == Level::Error) {
        return Ok(Exit::Failed);
    }
    if objects.is_empty() && !args.allow_empty {
        return Err(nothing_to_write().into());
    }
    match args.output.as_deref() {
        Some(directory) if is_directory(directory) && args.target == Target::Flux => {
            flux_directory(&ladder, &selection, &objects, directory)?;
        }
        Some(directory) if is_directory(directory) => {
            std::fs::create_dir_all(directory)?;
            let staged = objects.iter().map(|(name, object)| {
                let file = directory.join(format!("{}.yaml", object_name(name)));
                files::staged(&file, |mut out| target::write([object], &mut out))
            });
            files::place(staged.collect::<anyhow::Result<Vec<_>>>()?)?;
        }
        Some(file) => files::to_file(file, |mut out| target::write(all(&objects), &mut out))?,
        None => output::raw_to_stdout(|mut out| target::write(all(&objects), &mut out))?,
    }
    Ok(Exit::Fine)
}

fn all(objects: &[(String, Value)]) -> impl Iterator<Item = &Value> {
    objects.iter().map(|(_, object)| object)
}

/// What only Argo CD's order and hooks make of the manifests.
const OF_ARGO_CD: &[&str] = &[
    "order-broken",
    "encrypted-keeps-its-wave",
    "unknown-hook",
    "existing-order-contradicts-evidence",
    "invalid-wave",
];

/// Whether a finding says something of what a target applies: Flux knows neither waves nor hooks, and Argo CD fetches
/// what is not in the repo by itself.
fn is_about(finding: &Finding, target: Target) -> bool {
    match target {
        Target::Flux => !OF_ARGO_CD.contains(&finding.rule),
        _ => finding.rule != "remote-source-not-fetched",
    }
}

/// The Kustomizations, and with `targets.flux.rendered` a folder of manifests for each.
fn flux_directory(
    ladder: &Ladder,
    selection: &Selection,
    objects: &[(String, Value)],
    directory: &Path,
) -> anyhow::Result<()> {
    let mut folders = Vec::new();
    if ladder.settings.targets.flux.rendered.is_some() {
        not_fetched(ladder, selection)?;
        let chosen = (0..ladder.components.len()).filter(|number| selection.takes_component(ladder, *number));
        for index in chosen.map(ComponentIndex) {
            let own: Vec<_> = ladder.resources_of(index).collect();
            let folder = directory.join(object_name(&ladder.component(index).name));
            folders.push((folder, emit::documents(ladder, &own)?));
        }
    }
    std::fs::create_dir_all(directory)?;
    let mut staged = Vec::new();
    for (folder, documents) in &folders {
        std::fs::create_dir_all(folder)?;
        staged
            .push(files::staged(&folder.join("manifests.yaml"), |mut out| emit::write(documents, &mut out))?);
        staged.push(kustomization(folder, "manifests.yaml")?);
    }
    let kustomizations = directory.join("kustomizations.yaml");
    staged.push(files::staged(&kustomizations, |mut out| target::write(all(objects), &mut out))?);
    // Without it Flux would take the folders below for manifests of the directory itself.
    staged.push(kustomization(directory, "kustomizations.yaml")?);
    files::place(staged)
}

fn kustomization(directory: &Path, resource: &str) -> anyhow::Result<files::Staged> {
    let object = json!({
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": [resource],
    });
    files::staged(&directory.join("kustomization.yaml"), |out| {
        out.write_all(yaml::from_json(&object).as_bytes())
    })
}
