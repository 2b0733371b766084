//! Names of the objects that stand for components, and the clashes among them.

use std::collections::BTreeMap;

use crate::model::{Component, Ladder};
use crate::problem::{Problem, Problems};

/// Longest name Kubernetes takes.
const LONGEST: usize = 253;

/// The component's name as an object may have it: lower case, everything else a dash.
#[must_use]
pub fn object_name(component: &str) -> String {
    let lower: String = component
        .to_lowercase()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || letter == '.' { letter } else { '-' })
        .collect();
    lower.trim_matches(['-', '.']).to_owned()
}

/// Names given so far, each with what has it.
#[derive(Default)]
pub struct Names {
    given: BTreeMap<(String, String), String>,
    problems: Vec<Problem>,
}

impl Names {
    /// Names that objects of this group and kind already have among the manifests.
    #[must_use]
    pub fn taken_by_manifests(ladder: &Ladder, group: &str, kind: &str) -> Self {
        let mut names = Self::default();
        for resource in ladder.resources.iter().filter(|one| one.id.group == group && one.id.kind == kind) {
            let key = (resource.id.namespace.to_string(), resource.id.name.to_string());
            names.given.insert(key, format!("a {kind} among the manifests ({})", resource.origin()));
        }
        names
    }

    /// Gives a name to a component's object.
    pub fn give(&mut self, namespace: &str, name: &str, component: &Component) {
        let own = format!("`{}` ({})", component.name, component.origin);
        let problem = if name.is_empty() || name.len() > LONGEST {
            Some(format!("component `{}` cannot name an object", component.name))
        } else {
            let other = self.given.insert((namespace.to_owned(), name.to_owned()), own);
            other.map(|other| {
                format!("`{}` and {other} would both be called `{namespace}/{name}`", component.name)
            })
        };
        self.problems.extend(
            problem.map(|text| {
                Problem::new("name-clash", text).at(&component.origin).help("rename the component")
            }),
        );
    }

    /// All clashes together.
    ///
    /// # Errors
    /// When there are any.
    pub fn checked(self) -> Result<(), Problems> {
        if self.problems.is_empty() { Ok(()) } else { Err(Problems(self.problems)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_what_kubernetes_takes() {
        for (name, expected) in [
            ("vault-core", "vault-core"),
            ("Vault_Core", "vault-core"),
            ("a/b c", "a-b-c"),
            ("-x.", "x"),
            ("é", ""),
        ] {
            assert_eq!(object_name(name), expected, "{name}");
        }
    }
}
