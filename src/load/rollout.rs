//! Checks what a descriptor says of hooks, gates, times and fields of the targets, each message with its place.

use std::collections::BTreeMap;

use super::descriptor::Descriptor;
use super::document::Document;
use super::environment::Environment;
use super::faults;
use super::hooks::{HookSetting, WaitForSetting};
use crate::argocd::names::{DELETE_POLICIES, HOOKS};
use crate::model::duration;
use crate::problem::{Problem, Problems, suggestion};

/// Refuses what Argo CD would silently lose or a gate could not do.
///
/// # Errors
/// With line and column of each field.
pub fn check(
    document: &Document<Descriptor>,
    environments: &BTreeMap<String, Environment>,
) -> Result<(), Problems> {
    let mut problems = environment_problems(document, environments);
    problems.extend(value_problems(document));
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

/// An environment that `ladder.yaml` does not have can never be asked for; without any there, the descriptors say them.
fn environment_problems(
    document: &Document<Descriptor>,
    known: &BTreeMap<String, Environment>,
) -> Vec<Problem> {
    let wanted = document.value.environments.iter().enumerate();
    let unknown = wanted.filter(|(_, name)| !known.is_empty() && !known.contains_key(*name));
    unknown
        .map(|(number, name)| {
            Problem::new("unknown-environment", format!("there is no environment `{name}` in ladder.yaml"))
                .at(document.place(&["environments", &number.to_string()]))
                .help(suggestion(name, known.keys().map(String::as_str)))
        })
        .collect()
}

/// Values of the right type that Kubernetes, Argo CD or Flux would refuse.
fn value_problems(document: &Document<Descriptor>) -> Vec<Problem> {
    let descriptor = &document.value;
    let mut faults = faults::labels(&["labels"], &descriptor.labels);
    faults.extend(faults::keys(&["annotations"], descriptor.annotations.keys()));
    faults.extend(descriptor.domain.iter().filter_map(|domain| faults::value(&["domain"], domain)));
    let policy = descriptor.sync_policy.iter().flat_map(|policy| faults::of_sync_policy(policy));
    faults.extend(policy.map(|fault| fault.below(&["syncPolicy"])));
    let destination = faults::of_destination(&descriptor.destination);
    faults.extend(destination.map(|fault| fault.below(&["destination"])));
    faults.extend(faults::of_flux(&descriptor.flux).into_iter().map(|fault| fault.below(&["flux"])));
    let placed = |fault: faults::Fault| {
        let path: Vec<&str> = fault.path.iter().map(String::as_str).collect();
        Problem::new("invalid-value", fault.message).at(document.nearest_place(&path)).help(fault.help)
    };
    faults.into_iter().map(placed).collect()
}

fn hook_problems(document: &Document<Descriptor>, number: usize, hook: &HookSetting) -> Vec<Problem> {
    let number = number.to_string();
    let words = |field: &str, words: Vec<&str>, known: &'static [&'static str], what: &str| {
        if words.is_empty() {
            let problem = Problem::new("invalid-value", format!("`{field}` names no {what}"));
            let help = format!("write one of {}, or remove the entry", known.join(", "));
            return Some(problem.at(document.place(&["hooks", &number, field])).help(help));
        }
        let unknown = words.into_iter().find(|word| !known.contains(word));
        unknown.map(|word| {
            Problem::new("unknown-hook", format!("`{word}` is no {what} of Argo CD"))
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
        problems.push(
            Problem::new("invalid-value", format!("`{glob}` is not a glob: {}", error.kind())).at(place),
        );
    }
    let select = &hook.select;
    if select.kind.is_none() && select.name.is_none() && select.labels.is_empty() {
        problems.push(
            Problem::new("invalid-value", "this hook selects no resource")
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
            Problem::new("invalid-value", "a wait is for one of `http`, `tcp` and `resource`")
                .at(place(None))
                .help("write `- {tcp: \"db:5432\"}`"),
        );
    }
    if let Some(address) = &wait.tcp
        && !address
            .rsplit_once(':')
            .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
    {
        return Some(
            Problem::new("invalid-value", format!("`{address}` is not host:port")).at(place(Some("tcp"))),
        );
    }
    if let Some(address) = &wait.http
        && !["http://", "https://"].iter().any(|scheme| address.starts_with(scheme))
    {
        return Some(
            Problem::new("invalid-value", format!("`{address}` is no http address"))
                .at(place(Some("http")))
                .help("start it with `http://` or `https://`"),
        );
    }
    if let Some(name) = wait.name.as_ref().filter(|name| !is_dns_label(name)) {
        return Some(
            Problem::new("invalid-value", format!("`{name}` cannot be the name of a container"))
                .at(place(Some("name")))
                .help("use at most 63 lower-case letters, digits and dashes, with no dash at either end"),
        );
    }
    if wait.retries == Some(0) {
        return Some(no_try().at(place(Some("retries"))));
    }
    let texts = [&wait.http, &wait.tcp, &wait.name, &wait.image];
    if texts.into_iter().flatten().any(|text| text.contains(['\n', '\'', '\0'])) {
        return Some(
            Problem::new("invalid-value", "a wait may hold neither quotes nor line breaks").at(place(None)),
        );
    }
    let interval = wait.interval.as_ref().filter(|text| duration::parse(text).is_none())?;
    Some(not_a_time(interval).at(place(Some("interval"))))
}

/// A gate that never tries would fail every pod.
pub(super) fn no_try() -> Problem {
    Problem::new("invalid-value", "a gate that tries 0 times never opens").help("write `retries: 1` or more")
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
    Problem::new("invalid-value", format!("`{text}` is no length of time")).help(duration::help(text))
}
