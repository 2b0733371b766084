//! The git repository of a case: an example, its changes, one commit.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};

use super::process::output;
use crate::case::RepoContent;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");

/// Annotations of a simulated object: how long until it is ready, and that it never is. The stages read them.
const READY_DELAY: &str = "conformance.test/ready-delay";
const NEVER_READY: &str = "conformance.test/never-ready";

/// A git repository with everything committed.
pub(crate) struct Repo {
    folder: PathBuf,
}

impl Repo {
    /// A repository with the content a case asks for.
    pub(crate) fn create(folder: PathBuf, content: &RepoContent) -> Result<Repo> {
        fs::create_dir_all(&folder)?;
        if let Some(example) = &content.example {
            copy(&Path::new(EXAMPLES).join(example), &folder)?;
        }
        let repo = Repo { folder };
        if let Some(address) = &content.address {
            replace(&repo.folder, address, &repo.url())?;
        }
        repo.git(&["init", "--quiet", "--initial-branch", "main"])?;
        repo.change(content)?;
        Ok(repo)
    }

    /// Writes files and delays over what is there, and commits.
    pub(crate) fn change(&self, content: &RepoContent) -> Result<()> {
        for (path, text) in &content.files {
            write(&self.folder.join(path), text)?;
        }
        for (id, delay) in &content.slow {
            if !slow_down(&self.folder, id, delay)? {
                bail!("slow: no file of the repository holds {id}");
            }
        }
        self.commit()
    }

    /// A repository with one file, `objects.json`, that holds these objects.
    pub(crate) fn of_objects(folder: PathBuf, objects: &[Value]) -> Result<Repo> {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
        let files = [(PathBuf::from("objects.json"), list.to_string())].into();
        Repo::create(folder, &RepoContent { files, ..RepoContent::default() })
    }

    /// Where its files are.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its URL for Argo CD.
    pub(crate) fn url(&self) -> String {
        format!("file://{}", self.folder.display())
    }

    /// Commits everything.
    pub(crate) fn commit(&self) -> Result<()> {
        self.git(&["add", "--all"])?;
        self.git(&[
            "-c",
            "user.name=case",
            "-c",
            "user.email=case@conformance.test",
            "commit",
            "--quiet",
            "-m",
            "content",
        ])
    }

    fn git(&self, arguments: &[&str]) -> Result<()> {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.folder).args(arguments);
        output(command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1"))?;
        Ok(())
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(&entry.path(), &target)?;
        } else if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(entry.path())?, target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Writes another text for one in every file.
fn replace(folder: &Path, text: &str, other: &str) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            replace(&path, text, other)?;
            continue;
        }
        let content = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        if content.contains(text) {
            fs::write(&path, content.replace(text, other))?;
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text).with_context(|| path.display().to_string())
}

/// Annotates the object wherever the repository holds it; whether it was there.
fn slow_down(folder: &Path, id: &str, delay: &str) -> Result<bool> {
    let mut found = false;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found |= slow_down(&path, id, delay)?;
        } else if path.extension().is_some_and(|ending| ending == "yaml") {
            found |= slow_down_in(&path, id, delay)?;
        }
    }
    Ok(found)
}

fn slow_down_in(path: &Path, id: &str, delay: &str) -> Result<bool> {
    let text = fs::read_to_string(path)?;
    let mut documents = Vec::new();
    let mut found = false;
    for document in serde_yaml::Deserializer::from_str(&text) {
        let mut object = Value::deserialize(document).with_context(|| path.display().to_string())?;
        if short_id(&object) == id {
            annotate(&mut object, delay)?;
            found = true;
        }
        documents.push(object);
    }
    if found {
        let texts: Vec<String> = documents.iter().map(serde_yaml::to_string).collect::<Result<_, _>>()?;
        fs::write(path, texts.join("---\n"))?;
    }
    Ok(found)
}

fn short_id(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let meta = &object["metadata"];
    format!("{}/{}/{}", text(&object["kind"]), text(&meta["namespace"]), text(&meta["name"]))
}

/// Pods carry the annotation, so on a workload it belongs to the template.
fn annotate(object: &mut Value, delay: &str) -> Result<()> {
    let carrier =
        if object["spec"]["template"].is_object() { &mut object["spec"]["template"] } else { object };
    let meta = carrier.as_object_mut().context("an object")?.entry("metadata").or_insert_with(|| json!({}));
    let annotations =
        meta.as_object_mut().context("metadata")?.entry("annotations").or_insert_with(|| json!({}));
    match delay {
        "never" => annotations[NEVER_READY] = json!("true"),
        delay => annotations[READY_DELAY] = json!(delay),
    }
    Ok(())
}
