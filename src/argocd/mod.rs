//! What Argo CD would do with a set of objects: which it applies or prunes, and in which order.
//! Follows controller and gitops-engine of Argo CD v3.5, oddities included; `tests/oracle.rs` compares it with the engine.

mod hook;
mod kind_order;
pub mod names;
mod prune;
mod tasks;
mod wave;

pub use hook::{
    DeleteHooks, DeletePolicy, Hook, HookUse, delete_hooks, delete_policies, hooks, ignored_words,
};
pub use kind_order::kind_rank;
pub use names::{HOOK, HOOK_DELETE_POLICY, WAVE};
pub use tasks::{Sync, Task, tasks, tasks_breaking_ties, wave_batches};
pub use wave::{parse_wave, wave};

/// The annotations of one object; of equal keys the last counts.
pub type Annotations = [(String, String)];

/// What Argo CD looks at in one object.
#[derive(Clone, Copy, Debug)]
pub struct Object<'a> {
    /// API group, empty for the core group.
    pub group: &'a str,
    /// Kind.
    pub kind: &'a str,
    /// Namespace as the manifest says it; empty for cluster-scoped kinds, whatever theirs says.
    pub namespace: &'a str,
    /// `metadata.name`, or `metadata.generateName` where there is no name.
    pub name: &'a str,
    /// Annotations; none at all if one value is no string, as Argo CD then reads none.
    pub annotations: &'a Annotations,
    /// The wave it will carry, over what its annotations say now.
    pub wave: Option<i64>,
    /// Of a `CustomResourceDefinition`, its `spec.group` and `spec.names.kind`.
    pub defines: Option<(&'a str, &'a str)>,
}

/// The value of an annotation.
fn annotation<'a>(annotations: &'a Annotations, key: &str) -> Option<&'a str> {
    let last = annotations.iter().rev().find(|(name, _)| name == key);
    last.map(|(_, value)| value.as_str())
}

/// The items of an annotation that holds a comma list, blanks around them removed.
fn annotation_items<'a>(annotations: &'a Annotations, key: &str) -> impl Iterator<Item = &'a str> {
    let list = annotation(annotations, key).unwrap_or_default();
    list.split(',').map(str::trim).filter(|item| !item.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comma_lists_are_trimmed_and_empty_items_dropped() {
        for (list, expected) in [
            ("bar ", vec!["bar"]),
            ("", vec![]),
            ("bar, ,baz", vec!["bar", "baz"]),
            ("bar=baz1,bar=baz2", vec!["bar=baz1", "bar=baz2"]),
        ] {
            let annotations = [("foo".to_owned(), list.to_owned())];
            let items: Vec<_> = annotation_items(&annotations, "foo").collect();
            assert_eq!(items, expected, "{list:?}");
        }
    }

    #[test]
    fn of_a_repeated_annotation_the_last_counts() {
        let annotations = ["1", "2"].map(|value| ("foo".to_owned(), value.to_owned()));
        assert_eq!(annotation(&annotations, "foo"), Some("2"));
    }
}
