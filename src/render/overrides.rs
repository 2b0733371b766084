//! `.argocd-source.yaml`: what Argo CD lays over a source that it renders itself, as image updaters write it.

use std::path::Path;
use std::sync::Arc;

use crate::disk;
use crate::model::{Finding, Level, Origin};

/// The findings about such files in the folder of a source: the plugin renders without them.
pub(super) fn findings(root: &Path, folder: &str, component: &str) -> Vec<Finding> {
    let names = [".argocd-source.yaml".to_owned(), format!(".argocd-source-{component}.yaml")];
    let files = names.iter().map(|name| disk::joined(folder, name));
    files.filter(|file| disk::exists(root, file)).map(|file| finding(&file)).collect()
}

fn finding(file: &str) -> Finding {
    let fact = format!("`{file}` counts where Argo CD renders this folder itself, and is not read here");
    Finding::new("source-override-ignored", Level::Warning, fact)
        .at(Origin::new(&Arc::from(file), 1))
        .help("write what it says into the descriptor's `chart` or into the kustomization, and remove it")
}
