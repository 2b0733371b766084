//! Names of the containers that wait.

use sha2::{Digest, Sha256};

use crate::target::name::object_name;

/// Longest name of a container.
const LONGEST: usize = 63;

/// `wait-for-` and the target, as a container may be called. One that is cut ends in a hash of the whole target.
pub(super) fn of_target(target: &str) -> String {
    let shown = target.split_once("://").map_or(target, |(_, rest)| rest);
    let words = object_name(shown).replace('.', "-");
    let name = format!("wait-for-{words}");
    if name.len() <= LONGEST {
        return name.trim_end_matches('-').to_owned();
    }
    let hash: String =
        Sha256::digest(target.as_bytes()).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    ending_in(&name, &hash)
}

/// The name, with a number if it is taken.
pub(super) fn free(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(name) {
        return name.to_owned();
    }
    let mut numbered = (2..).map(|number: usize| ending_in(name, &number.to_string()));
    numbered.find(|name| !is_taken(name)).unwrap_or_default()
}

fn ending_in(name: &str, end: &str) -> String {
    let room = LONGEST.saturating_sub(end.len() + 1).min(name.len());
    format!("{}-{end}", name[..room].trim_end_matches('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_is_waited_for() {
        for (target, expected) in [
            ("http://keycloak:8080/realms/x", "wait-for-keycloak-8080-realms-x"),
            ("db.data.svc:5432", "wait-for-db-data-svc-5432"),
            (&"a".repeat(54), &format!("wait-for-{}", "a".repeat(54))),
        ] {
            assert_eq!(of_target(target), expected);
        }
    }

    #[test]
    fn cut_names_differ_where_targets_do() {
        let long = "http://keycloak-service.fineract-dev.svc.cluster.local:8080/realms/fineract";
        let names =
            [long.to_owned(), format!("{long}/b"), format!("{long}/c")].map(|target| of_target(&target));
        assert!(
            names.iter().all(|name| name.len() <= LONGEST && name.starts_with("wait-for-keycloak-service-"))
        );
        assert!(names[0] != names[1] && names[1] != names[2] && names[0] != names[2], "{names:?}");
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        let full = "a".repeat(63);
        for (name, taken, expected) in [
            ("db", vec![], "db".to_owned()),
            ("db", vec!["db"], "db-2".to_owned()),
            ("db", vec!["db", "db-2"], "db-3".to_owned()),
            (full.as_str(), vec![full.as_str()], format!("{}-2", "a".repeat(61))),
        ] {
            assert_eq!(free(name, |name| taken.contains(&name)), expected);
        }
    }
}
