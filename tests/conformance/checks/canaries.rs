//! Planted secrets: they may travel in manifests and must show up nowhere else.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use crate::parts::repo_server::Answer;

/// Looks for the canaries in every log of the case and in what the answers say besides manifests.
pub(crate) fn check(canaries: &[String], logs: &Path, answers: &[Answer]) -> Result<()> {
    for canary in canaries {
        for entry in fs::read_dir(logs)? {
            let path = entry?.path();
            if String::from_utf8_lossy(&fs::read(&path)?).contains(canary) {
                bail!("the planted secret `{canary}` is in {}", path.display());
            }
        }
        for answer in answers {
            let mut said = answer.result.clone();
            if let Some(fields) = said.as_object_mut() {
                fields.remove("manifests");
            }
            if answer.error.contains(canary) || said.to_string().contains(canary) {
                bail!("the planted secret `{canary}` is in an answer: {}{said}", answer.error);
            }
        }
    }
    Ok(())
}
