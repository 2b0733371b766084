//! What Argo CD tells a plugin, in its environment → what to render.
//!
//! Parameters come as JSON in `ARGOCD_APP_PARAMETERS`; each may also be given as `ARGOCD_ENV_LADDER_<NAME>`,
//! and the parameter wins. Argo CD never sends an announced default, so whatever is absent here is the default.

mod announcement;
mod parameter;

use std::collections::{BTreeMap, BTreeSet};

pub use announcement::{Announcement, Choices, announcements};
use parameter::Parameter;

use crate::Repository;
use crate::problem::{Problem, Problems, suggestion};

/// The parameters people set; all of them are announced.
pub const NAMES: &[&str] = &["target", "component", "environment", "phases", "waves", "allow-empty"];

/// Those that our own Applications set.
const INTERNAL_NAMES: &[&str] = &["content-hash", "content-gate"];

/// Those that only whoever runs the sidecar sets.
const CONTAINER: &[&str] = &["timeout", "jobs", "allow-remote", "cache-dir", "cache-mib"];

const ENVIRONMENT_PREFIX: &str = "ARGOCD_ENV_LADDER_";

/// What an Application asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// What to write; none means the default.
    pub target: Option<String>,
    /// Only these components; empty means all.
    pub components: Vec<String>,
    /// Only components of this environment.
    pub environment: Option<String>,
    /// Only rungs from A to B.
    pub phases: Option<String>,
    /// How waves are numbered.
    pub waves: Option<String>,
    /// Whether an empty result is meant.
    pub allow_empty: bool,
    /// Fingerprint of the content, when one of our own Applications asks.
    pub content: Option<String>,
    /// Whether other content is refused.
    pub content_gate: bool,
    /// Destination namespace of the Application; empty when it has none.
    pub namespace: String,
    /// Version of the cluster; the hydrator sends none.
    pub kube_version: String,
    /// API versions of the cluster.
    pub api_versions: Vec<String>,
    /// Where child Applications find the repo: the source of the Application that is being rendered.
    pub repository: Repository,
}

impl Request {
    /// Reads the environment Argo CD starts a plugin with.
    ///
    /// # Errors
    /// When a parameter is unknown or of the wrong shape.
    pub fn from_environment(variables: &BTreeMap<String, String>) -> Result<Self, Problems> {
        let variable = |name: &str| variables.get(name).cloned().unwrap_or_default();
        let mut request = Self {
            namespace: variable("ARGOCD_APP_NAMESPACE"),
            kube_version: variable("KUBE_VERSION"),
            api_versions: listed(&variable("KUBE_API_VERSIONS")),
            repository: repository(variables)?,
            ..Self::default()
        };
        for (name, values) in given(variables)? {
            request.set(&name, values)?;
        }
        Ok(request)
    }

    fn set(&mut self, name: &str, mut values: Vec<String>) -> Result<(), Problem> {
        values.retain(|value| !value.is_empty());
        if name == "component" {
            return self.set_components(values);
        }
        if values.len() > 1 {
            return Err(Problem::new(
                "invalid-parameter",
                format!("parameter `{name}` has {} values", values.len()),
            )
            .help("give it one, as `string`"));
        }
        let value = values.pop();
        match name {
            "target" => self.target = value,
            "environment" => self.environment = value,
            "phases" => self.phases = value,
            "waves" => self.waves = value,
            "content-hash" => self.content = value,
            "content-gate" => self.content_gate = switch(name, value.as_deref())?,
            "allow-empty" => self.allow_empty = switch(name, value.as_deref())?,
            _ => return Err(unknown(name)),
        }
        Ok(())
    }

    /// Argo CD's user interface sends an emptied list as `[]`: nobody who chose components means all of them then.
    fn set_components(&mut self, components: Vec<String>) -> Result<(), Problem> {
        if components.is_empty() {
            return Err(Problem::new(
                "invalid-parameter",
                "parameter `component` is there and names no component",
            )
            .help("name one, or remove the parameter for all components"));
        }
        self.components = components;
        Ok(())
    }
}

fn unknown(name: &str) -> Problem {
    let problem = Problem::new("unknown-parameter", format!("there is no parameter `{name}`"));
    if CONTAINER.contains(&name) {
        let variable = name.to_uppercase().replace('-', "_");
        let help = format!("`LADDER_{variable}` is for the sidecar's container, no Application can set it");
        return problem.help(help);
    }
    problem.help(suggestion(name, NAMES.iter().copied()))
}

fn repository(variables: &BTreeMap<String, String>) -> Result<Repository, Problem> {
    let known = |name: &str| variables.get(name).filter(|text| !text.is_empty()).cloned();
    let path = known("ARGOCD_APP_SOURCE_PATH").map(|path| crate::disk::joined("", &path));
    if let Some(outside) = path.as_deref().filter(|path| *path == ".." || path.starts_with("../")) {
        return Err(Problem::new("path-leaves-root", format!("ARGOCD_APP_SOURCE_PATH is `{outside}`, which leaves the repository"))
            .help("Argo CD refuses such a path too: give `source.path` of the Application from the repository's root"));
    }
    Ok(Repository {
        url: known("ARGOCD_APP_SOURCE_REPO_URL"),
        revision: known("ARGOCD_APP_SOURCE_TARGET_REVISION"),
        path,
    })
}

fn switch(name: &str, value: Option<&str>) -> Result<bool, Problem> {
    match value {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        // The value is not shown: nobody knows what was put there by mistake.
        Some(_) => Err(Problem::new(
            "invalid-parameter",
            format!("parameter `{name}` is neither `true` nor `false`"),
        )),
    }
}

/// All that was given, by name: first the environment's, over it the parameters.
fn given(variables: &BTreeMap<String, String>) -> Result<BTreeMap<String, Vec<String>>, Problem> {
    let mut given = BTreeMap::new();
    for (variable, value) in variables {
        if let Some(word) = variable.strip_prefix(ENVIRONMENT_PREFIX) {
            let name = word.to_lowercase().replace('_', "-");
            let values = parameter::written(&name, value);
            given.insert(name, values);
        }
    }
    let text = variables.get("ARGOCD_APP_PARAMETERS").map_or("", String::as_str).trim();
    if text.is_empty() {
        return Ok(given);
    }
    let parameters: Option<Vec<Parameter>> = serde_json::from_str(text).map_err(|error| {
        let place = format!("line {} column {}", error.line(), error.column());
        Problem::new("invalid-parameter", format!("ARGOCD_APP_PARAMETERS is no list of parameters: {place}"))
            .help("Argo CD writes it; is something else setting it?")
    })?;
    let mut named = BTreeSet::new();
    for parameter in parameters.into_iter().flatten() {
        if !named.insert(parameter.name.clone()) {
            return Err(Problem::new(
                "invalid-parameter",
                format!("parameter `{}` is given twice", parameter.name),
            )
            .help("keep one; several components are one `array`"));
        }
        given.insert(parameter.name.clone(), parameter.values()?);
    }
    Ok(given)
}

fn listed(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<Request, String> {
        let variables =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Request::from_environment(&variables).map_err(|problems| problems.to_string())
    }

    #[test]
    fn absent_parameters_are_the_defaults() {
        for parameters in ["", "null", "[]", r#"[{"name":"target","string":""}]"#] {
            assert_eq!(
                read(&[("ARGOCD_APP_PARAMETERS", parameters)]),
                Ok(Request::default()),
                "{parameters}"
            );
        }
        assert_eq!(read(&[]), Ok(Request::default()));
    }

    #[test]
    fn parameters_win_over_the_environment() {
        let request = read(&[
            ("ARGOCD_ENV_LADDER_PHASES", "100-199"),
            ("ARGOCD_ENV_LADDER_ALLOW_EMPTY", "true"),
            ("ARGOCD_ENV_LADDER_COMPONENT", "a, b"),
            ("ARGOCD_ENV_OTHER", "kept out"),
            (
                "ARGOCD_APP_PARAMETERS",
                r#"[{"name":"phases","string":"200"},{"name":"waves","string":"dense"}]"#,
            ),
        ]);
        let expected = Request {
            phases: Some("200".to_owned()),
            waves: Some("dense".to_owned()),
            components: vec!["a".to_owned(), "b".to_owned()],
            allow_empty: true,
            ..Request::default()
        };
        assert_eq!(request, Ok(expected));
    }

    #[test]
    fn several_components_are_a_list_or_one_text() {
        for parameters in
            [r#"[{"name":"component","string":"a, b"}]"#, r#"[{"name":"component","array":["a","b"]}]"#]
        {
            let request = read(&[("ARGOCD_APP_PARAMETERS", parameters)]).unwrap();
            assert_eq!(request.components, ["a", "b"], "{parameters}");
        }
    }

    #[test]
    fn a_text_is_trimmed() {
        let text = r#"[{"name":"phases","string":" 650\n"},{"name":"target","array":[" flux "]}]"#;
        let request =
            read(&[("ARGOCD_APP_PARAMETERS", text), ("ARGOCD_ENV_LADDER_WAVES", " dense ")]).unwrap();
        let read = [request.phases, request.target, request.waves];
        assert_eq!(read, ["650", "flux", "dense"].map(|text| Some(text.to_owned())));
    }

    #[test]
    fn items_of_a_list_are_trimmed() {
        let request = read(&[("ARGOCD_APP_PARAMETERS", r#"[{"name":"component","array":[" a","b\n",""]}]"#)]);
        assert_eq!(request.unwrap().components, ["a", "b"]);
    }

    #[test]
    fn a_choice_of_no_component_is_not_a_choice_of_all() {
        let expected = "error[invalid-parameter]: parameter `component` is there and names no component\n  help: name one, or remove the parameter for all components";
        for value in [r#""array":[]"#, r#""array":[""]"#, r#""string":"""#, r#""string":" , ""#] {
            let parameters = format!(r#"[{{"name":"component",{value}}}]"#);
            assert_eq!(
                read(&[("ARGOCD_APP_PARAMETERS", &parameters)]),
                Err(expected.to_owned()),
                "{parameters}"
            );
        }
        assert_eq!(read(&[("ARGOCD_ENV_LADDER_COMPONENT", "")]), Err(expected.to_owned()));
    }

    #[test]
    fn a_source_outside_the_repository_is_refused() {
        for path in ["..", "../x", "a/../../x"] {
            let refused = read(&[("ARGOCD_APP_SOURCE_PATH", path)]).unwrap_err();
            assert!(refused.contains("which leaves the repository"), "{path}: {refused}");
        }
        assert!(read(&[("ARGOCD_APP_SOURCE_PATH", "..x/a")]).is_ok());
    }

    #[test]
    fn the_path_of_the_source_is_clean() {
        for (path, expected) in [(".", ""), ("./a/", "a"), ("a/b", "a/b")] {
            let request = read(&[("ARGOCD_APP_SOURCE_PATH", path)]).unwrap();
            assert_eq!(request.repository.path.as_deref(), Some(expected), "{path}");
        }
    }

    #[track_caller]
    fn refused(cases: &[(&str, &str)]) {
        for (parameters, expected) in cases {
            let expected = Err((*expected).to_owned());
            assert_eq!(read(&[("ARGOCD_APP_PARAMETERS", parameters)]), expected, "{parameters}");
        }
    }

    #[test]
    fn what_is_of_another_shape_is_told_with_its_name() {
        refused(&[
            (
                r#"[{"name":"phases","string":650}]"#,
                "error[invalid-parameter]: parameter `phases` is a number, not a text\n  help: put it in quotes: `string: \"...\"`",
            ),
            (
                r#"[{"name":"component","array":["a",true]}]"#,
                "error[invalid-parameter]: parameter `component` is a truth value, not a text\n  help: put it in quotes: `array: [\"...\"]`",
            ),
            (
                r#"[{"name":"component","array":"a"}]"#,
                "error[invalid-parameter]: parameter `component` is a text, not a list\n  help: write `array: [\"...\"]`",
            ),
        ]);
    }

    #[test]
    fn what_does_not_fit_is_told_with_the_edit_that_helps() {
        refused(&[
            (
                r#"[{"name":"taget","string":"x"}]"#,
                "error[unknown-parameter]: there is no parameter `taget`\n  help: did you mean `target`?",
            ),
            (
                r#"[{"name":"phases","array":["1","2"]}]"#,
                "error[invalid-parameter]: parameter `phases` has 2 values\n  help: give it one, as `string`",
            ),
            (
                r#"[{"name":"phases","string":"1"},{"name":"phases","string":"2"}]"#,
                "error[invalid-parameter]: parameter `phases` is given twice\n  help: keep one; several components are one `array`",
            ),
            (
                r#"[{"name":"component","map":{"a":"b"}}]"#,
                "error[invalid-parameter]: parameter `component` is a map\n  help: give it as `string`, or `component` as `array`",
            ),
            (
                r#"[{"name":"componant","map":{"a":"b"}}]"#,
                "error[unknown-parameter]: there is no parameter `componant`\n  help: did you mean `component`?",
            ),
            (
                r#"[{"name":"content","string":"x"}]"#,
                "error[unknown-parameter]: there is no parameter `content`\n  help: known are `target`, `component`, `environment`, `phases`, `waves`, `allow-empty`",
            ),
            (
                r#"[{"name":"component","string":"a","array":["b"]}]"#,
                "error[invalid-parameter]: parameter `component` is both a text and a list\n  help: keep one of `string` and `array`",
            ),
            (
                r#"[{"name":"allow-empty","string":"s3cr3t"}]"#,
                "error[invalid-parameter]: parameter `allow-empty` is neither `true` nor `false`",
            ),
            (
                "[",
                "error[invalid-parameter]: ARGOCD_APP_PARAMETERS is no list of parameters: line 1 column 1\n  help: Argo CD writes it; is something else setting it?",
            ),
        ]);
        let unknown = read(&[("ARGOCD_ENV_LADDER_PHASE", "1")]);
        assert_eq!(
            unknown,
            Err("error[unknown-parameter]: there is no parameter `phase`\n  help: did you mean `phases`?"
                .to_owned())
        );
        let container = read(&[("ARGOCD_ENV_LADDER_ALLOW_REMOTE", "true")]).unwrap_err();
        assert!(container.contains("`LADDER_ALLOW_REMOTE` is for the sidecar's container"), "{container}");
    }
}
