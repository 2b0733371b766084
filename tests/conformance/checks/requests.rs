//! Requests as Argo CD's controllers and its UI send them, and what must come back.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::case::{Expect, Request};
use crate::objects::{self, Object};
use crate::parts::process::output;
use crate::parts::repo::Repo;
use crate::parts::repo_server::{Answer, LADDER, RepoServer};

/// A running repo-server and the repository it is asked about.
pub(crate) struct Desk<'a> {
    pub(crate) server: &'a RepoServer,
    pub(crate) repo: &'a Repo,
    /// The case's folder.
    pub(crate) folder: &'a Path,
}

impl Desk<'_> {
    /// Sends a request and compares; the answers, for what else must hold of them.
    pub(crate) fn check(&self, request: &Request) -> Result<Vec<Answer>> {
        let question = self.question(request)?;
        let answers = self.server.ask(&vec![question; request.together])?;
        for answer in &answers {
            self.compare(request, answer)?;
            // Every answer must be the same, not only as good.
            if answer.result["manifests"] != answers[0].result["manifests"] {
                bail!("two answers to one request differ");
            }
        }
        Ok(answers)
    }

    /// The source with the repository filled in.
    pub(crate) fn source(&self, source: &Value) -> Result<Value> {
        source_of(self.repo, source)
    }

    fn question(&self, request: &Request) -> Result<Value> {
        let source = self.source(&request.source)?;
        let mut question = json!({"call": request.ask, "source": source, "application": "case", "namespace": request.namespace,
            "noCache": true, "seconds": request.seconds.unwrap_or(60.0), "kubeVersion": request.kube_version});
        if matches!(request.ask.as_str(), "match" | "announce" | "run") {
            let plugin = source["plugin"]["name"]
                .as_str()
                .context("source.plugin.name says whose cmp-server is asked")?;
            question["socket"] = json!(self.server.socket(plugin));
            question["folder"] = json!(self.repo.folder());
        } else {
            question["server"] = json!(self.server.address());
        }
        Ok(question)
    }

    fn compare(&self, request: &Request, answer: &Answer) -> Result<()> {
        let expect = &request.expect;
        if let Some(limit) = expect.within
            && answer.millis > limit * 1000.0
        {
            bail!("the answer took {:.1} s, allowed are {limit} s", answer.millis / 1000.0);
        }
        if !expect.error.is_empty() {
            return compare_error(expect, &answer.error);
        }
        if !answer.error.is_empty() {
            bail!("refused: {}", answer.error);
        }
        if let Some(part) = &expect.result {
            contains(part, &answer.result, "result")?;
        }
        let text = answer.result.to_string();
        if let Some(wanted) = expect.result_has.iter().find(|wanted| !text.contains(*wanted)) {
            bail!("the answer lacks `{wanted}`: {text}");
        }
        if let Some(unwanted) = expect.result_lacks.iter().find(|unwanted| text.contains(*unwanted)) {
            bail!("the answer has `{unwanted}`: {text}");
        }
        if let Some(arguments) = &expect.local {
            let local = self.local_objects(arguments)?;
            same_objects(&answer.objects()?, &local, &|object| object.clone())?;
        }
        if let Some(source) = &expect.source {
            let other = self.server.generate(&self.source(source)?, &request.namespace)?.objects()?;
            // Argo CD gives objects without a namespace the Application's; a ladder of many namespaces writes them down.
            let view =
                |object: &Value| objects::without_our_annotations(object).in_namespace(&request.namespace);
            same_objects(&answer.objects()?, &other, &view)?;
        }
        compare_ids(expect, answer)
    }

    /// What a local command prints, read by the same repo-server: from a plain directory that holds it.
    fn local_objects(&self, arguments: &[String]) -> Result<Vec<Value>> {
        let printed = output(Command::new(LADDER).args(arguments).current_dir(self.repo.folder()))?;
        let scratch = tempfile::tempdir_in(self.folder)?;
        let content = crate::case::RepoContent {
            files: [("printed.yaml".into(), String::from_utf8(printed)?)].into(),
            ..Default::default()
        };
        let repo = Repo::create(scratch.path().join("local"), &content)?;
        let found = self.server.objects(&source_of(&repo, &json!({"path": "."}))?)?;
        fs::remove_dir_all(repo.folder())?;
        Ok(found)
    }
}

/// A source of a repository: the given fields over the repository's own.
pub(crate) fn source_of(repo: &Repo, source: &Value) -> Result<Value> {
    let mut whole = json!({"repoURL": repo.url(), "targetRevision": "main", "path": "."});
    let fields = match source {
        Value::Null => return Ok(whole),
        source => source.as_object().context("source is a map")?,
    };
    for (key, value) in fields {
        whole[key] = value.clone();
    }
    Ok(whole)
}

fn compare_error(expect: &Expect, error: &str) -> Result<()> {
    if error.is_empty() {
        bail!("no error came back");
    }
    for text in &expect.error {
        if !error.contains(text) {
            bail!("the error lacks `{text}`: {error}");
        }
    }
    match expect.error_lacks.iter().find(|text| error.contains(*text)) {
        Some(text) => bail!("the error has `{text}`: {error}"),
        None => Ok(()),
    }
}

fn compare_ids(expect: &Expect, answer: &Answer) -> Result<()> {
    if expect.has.is_empty() && expect.lacks.is_empty() {
        return Ok(());
    }
    let all = answer.objects()?;
    let ids = objects::by_id(&all);
    if let Some(id) = expect.has.iter().find(|id| !ids.contains_key(*id)) {
        bail!("{id} is missing");
    }
    match expect.lacks.iter().find(|id| ids.contains_key(*id)) {
        Some(id) => bail!("{id} is there"),
        None => Ok(()),
    }
}

/// Whether every field of `part` is in `whole`; of a list, whether each element is somewhere in it.
fn contains(part: &Value, whole: &Value, place: &str) -> Result<()> {
    match (part, whole) {
        (Value::Object(fields), Value::Object(_)) => {
            fields.iter().try_for_each(|(key, value)| contains(value, &whole[key], &format!("{place}.{key}")))
        }
        (Value::Array(elements), Value::Array(all)) => elements.iter().try_for_each(|element| {
            let found = all.iter().any(|candidate| contains(element, candidate, place).is_ok());
            if found { Ok(()) } else { bail!("{place} lacks {element} in {whole}") }
        }),
        _ if part == whole => Ok(()),
        _ => bail!("{place} is {whole}, not {part}"),
    }
}

/// Compares two sets of objects, each looked at through `view`.
fn same_objects(found: &[Value], wanted: &[Value], view: &dyn Fn(&Value) -> Value) -> Result<()> {
    let seen = |objects: &[Value]| -> BTreeMap<String, Value> {
        objects.iter().map(view).map(|object| (object.id(), object)).collect()
    };
    let (ours, theirs) = (seen(found), seen(wanted));
    if found.len() != ours.len() || wanted.len() != theirs.len() {
        bail!("an object is there twice");
    }
    for (id, object) in &theirs {
        match ours.get(id) {
            None => bail!("{id} is missing"),
            Some(other) if other != object => {
                bail!("{id} differs\n    found:  {other}\n    wanted: {object}")
            }
            Some(_) => {}
        }
    }
    match ours.keys().find(|id| !theirs.contains_key(*id)) {
        Some(id) => bail!("{id} is one too many"),
        None if ours.is_empty() => bail!("there is no object at all"),
        None => Ok(()),
    }
}
