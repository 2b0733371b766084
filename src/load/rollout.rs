//! Checks what a descriptor says of hooks, gates and times, each message with its place.

use super::descriptor::Descriptor;
use super::document::Document;
use super::hooks::{HookSetting, WaitForSetting};
use crate::model::duration;
use crate::problem::{Problem, Problems, suggestion};

/// Hooks Argo CD knows.
pub const HOOKS: &[&str] = &["PreSync", "Sync", "PostSync", "SyncFail", "Skip", "PreDelete", "PostDelete"];
/// Delete policies Argo CD knows.
pub const DELETE_POLICIES: &[&str] = &["HookSucceeded", "HookFailed", "BeforeHookCreation"];

/// Refuses what Argo CD would silently lose or a gate could not do.
///
/// # Errors
/// With line and column of each field.
pub fn check(document: &Document<Descriptor>) -> Result<(), Problems> {
    let mut problems = Vec::new();
    for (number, hook) in document.value.hooks.iter().enumerate() {
        problems.extend(hook_problems(document, number, hook));
    }
    for (number, wait) in document.value.wait_for.iter().enumerate() {
        problems.extend(wait_problem(document, number, wait));
    }
    if let Some(text) = &document.value.timeout
        && duration::parse(text).is_none()
    {
        problems.push(not_a_time(text).at(document.place(&["timeout"])));
    }
    if problems.is_empty() { Ok(()) } else { Err(Problems(problems)) }
}

fn hook_problems(document: &Document<Descriptor>, number: usize, hook: &HookSetting) -> Vec<Problem> {
    let number = number.to_string();
    let words = |field: &str, words: Vec<&str>, known: &'static [&'static str], what: &str| {
        let unknown = words.into_iter().find(|word| !known.contains(word));
        unknown.map(|word| {
            Problem::new(format!("`{word}` is no {what} of Argo CD"))
                .at(document.place(&["hooks", &number, field]))
                .help(suggestion(word, known.iter().copied()))
        })
    };
    let mut problems = Vec::new();
    problems.extend(words("hook", hook.hook.list(), HOOKS, "hook"));
    if let Some(policies) = &hook.delete_policy {
        problems.extend(words("deletePolicy", policies.list(), DELETE_POLICIES, "delete policy"));
    }
    if let Some(glob) = &hook.select.name
        && let Err(error) = globset::Glob::new(glob)
    {
        let place = document.place(&["hooks", &number, "select", "name"]);
        problems.push(Problem::new(format!("`{glob}` is not a glob: {}", error.kind())).at(place));
    }
    let select = &hook.select;
    if select.kind.is_none() && select.name.is_none() && select.labels.is_empty() {
        problems.push(
            Problem::new("this hook selects no resource")
                .at(document.place(&["hooks", &number]))
                .help("add `select: {kind: Job, name: my-job}`"),
        );
    }
    problems
}

fn wait_problem(document: &Document<Descriptor>, number: usize, wait: &WaitForSetting) -> Option<Problem> {
    let number = number.to_string();
    let place = |field: Option<&str>| {
        let path: Vec<&str> = ["waitFor", &number].into_iter().chain(field).collect();
        document.place(&path)
    };
    let given = [wait.http.is_some(), wait.tcp.is_some(), wait.resource.is_some()];
    if given.iter().filter(|is_given| **is_given).count() != 1 {
        return Some(
            Problem::new("a wait is for one of `http`, `tcp` and `resource`")
                .at(place(None))
                .help("write `- {tcp: \"db:5432\"}`"),
        );
    }
    if let Some(address) = &wait.tcp
        && !address
            .rsplit_once(':')
            .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
    {
        return Some(Problem::new(format!("`{address}` is not host:port")).at(place(Some("tcp"))));
    }
    if let Some(address) = &wait.http
        && !["http://", "https://"].iter().any(|scheme| address.starts_with(scheme))
    {
        return Some(
            Problem::new(format!("`{address}` is no http address"))
                .at(place(Some("http")))
                .help("start it with `http://` or `https://`"),
        );
    }
    if let Some(name) = wait.name.as_ref().filter(|name| !is_dns_label(name)) {
        return Some(
            Problem::new(format!("`{name}` cannot be the name of a container"))
                .at(place(Some("name")))
                .help("use at most 63 lower-case letters, digits and dashes, with no dash at either end"),
        );
    }
    if wait.retries == Some(0) {
        return Some(no_try().at(place(Some("retries"))));
    }
    let texts = [&wait.http, &wait.tcp, &wait.name, &wait.image];
    if texts.into_iter().flatten().any(|text| text.contains(['\n', '\'', '\0'])) {
        return Some(Problem::new("a wait may hold neither quotes nor line breaks").at(place(None)));
    }
    let interval = wait.interval.as_ref().filter(|text| duration::parse(text).is_none())?;
    Some(not_a_time(interval).at(place(Some("interval"))))
}

/// A gate that never tries would fail every pod.
pub(super) fn no_try() -> Problem {
    Problem::new("a gate that tries 0 times never opens").help("write `retries: 1` or more")
}

/// What Kubernetes takes as the name of a container (RFC 1123).
fn is_dns_label(name: &str) -> bool {
    let inside = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty()
        && name.len() <= 63
        && name.bytes().all(inside)
        && !name.starts_with('-')
        && !name.ends_with('-')
}

fn not_a_time(text: &str) -> Problem {
    Problem::new(format!("`{text}` is no length of time")).help("write it like `90s` or `5m`")
}
