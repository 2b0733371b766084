//! Annotations to the hooks an object runs in. An unknown hook type is no error in Argo CD: the object is then
//! silently never applied, which `HookUse::Ignored` makes visible.

use std::fmt;

use super::names::{
    DELETE_POLICIES, HELM_DELETE_POLICY, HELM_HOOK, HOOK, HOOK_DELETE_POLICY as DELETE_POLICY, HOOKS,
};
use super::{Annotations, annotation, annotation_items};

/// The hooks of a sync in the order they run; objects that are no hooks run in `Sync`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hook {
    /// Before everything else.
    PreSync,
    /// With the ordinary objects.
    Sync,
    /// After all of `Sync` is healthy.
    PostSync,
    /// Only after a failure.
    SyncFail,
}

impl Hook {
    /// The name as the annotation has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Hook::PreSync => "PreSync",
            Hook::Sync => "Sync",
            Hook::PostSync => "PostSync",
            Hook::SyncFail => "SyncFail",
        }
    }

    fn from_name(name: &str) -> Option<Hook> {
        let all = [Hook::PreSync, Hook::Sync, Hook::PostSync, Hook::SyncFail];
        all.into_iter().find(|hook| hook.name() == name)
    }

    fn from_helm_name(name: &str) -> Option<Hook> {
        match name {
            "pre-install" | "pre-upgrade" => Some(Hook::PreSync),
            "post-install" | "post-upgrade" => Some(Hook::PostSync),
            _ => None,
        }
    }
}

impl fmt::Display for Hook {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// What the hook annotations make of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookUse {
    /// An ordinary object, applied in `Sync`.
    NotHook,
    /// Applied once in each of these hooks, ascending and never empty.
    Hooks(Vec<Hook>),
    /// `Skip` alone: neither applied nor pruned.
    Skip,
    /// A hook only of the deletion of the Application.
    DeleteOnly,
    /// A hook without any type Argo CD knows: never applied, and nobody is told.
    Ignored,
}

/// Which hooks of the deletion of the Application an object is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeleteHooks {
    /// Applied before the resources of the Application are deleted.
    pub before: bool,
    /// Applied after they are gone.
    pub after: bool,
}

/// When Argo CD deletes a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeletePolicy {
    /// Once the sync has succeeded.
    HookSucceeded,
    /// Once the sync has failed.
    HookFailed,
    /// Before the hook is made again.
    BeforeHookCreation,
}

impl DeletePolicy {
    fn from_name(name: &str) -> Option<DeletePolicy> {
        match name {
            "HookSucceeded" => Some(DeletePolicy::HookSucceeded),
            "HookFailed" => Some(DeletePolicy::HookFailed),
            "BeforeHookCreation" => Some(DeletePolicy::BeforeHookCreation),
            _ => None,
        }
    }

    fn from_helm_name(name: &str) -> Option<DeletePolicy> {
        match name {
            "hook-succeeded" => Some(DeletePolicy::HookSucceeded),
            "hook-failed" => Some(DeletePolicy::HookFailed),
            "before-hook-creation" => Some(DeletePolicy::BeforeHookCreation),
            _ => None,
        }
    }
}

/// The hooks an object with these annotations runs in.
#[must_use]
pub fn hooks(annotations: &Annotations) -> HookUse {
    let skip = annotation_items(annotations, HOOK).any(|item| item == "Skip");
    let hooks = sync_hooks(annotations, skip);
    let deletes = delete_hooks(annotations);
    if !hooks.is_empty() {
        HookUse::Hooks(hooks)
    } else if deletes.before || deletes.after {
        HookUse::DeleteOnly
    } else if skip {
        HookUse::Skip
    } else if is_annotated(annotations) {
        HookUse::Ignored
    } else {
        HookUse::NotHook
    }
}

/// The hooks of a sync, ascending. Helm's count only where Argo CD's annotation has no valid type, `Skip` being one.
fn sync_hooks(annotations: &Annotations, skip: bool) -> Vec<Hook> {
    let mut hooks: Vec<Hook> = annotation_items(annotations, HOOK).filter_map(Hook::from_name).collect();
    if hooks.is_empty() && !skip {
        hooks.extend(annotation_items(annotations, HELM_HOOK).filter_map(Hook::from_helm_name));
    }
    hooks.sort_unstable();
    hooks.dedup();
    hooks
}

/// Whether an annotation makes it a hook; Helm's `crd-install` on its own does not.
fn is_annotated(annotations: &Annotations) -> bool {
    annotation(annotations, HOOK).is_some()
        || annotation(annotations, HELM_HOOK).is_some_and(|value| value != "crd-install")
}

/// The hooks of the deletion of the Application, which an object may be beside those of a sync.
#[must_use]
pub fn delete_hooks(annotations: &Annotations) -> DeleteHooks {
    let has = |argo: &str, helm: &str| {
        annotation_items(annotations, HOOK).any(|item| item == argo)
            || annotation_items(annotations, HELM_HOOK).any(|item| item == helm)
    };
    DeleteHooks { before: has("PreDelete", "pre-delete"), after: has("PostDelete", "post-delete") }
}

/// The delete policies of a hook, ascending; none for an object that is no hook.
#[must_use]
pub fn delete_policies(annotations: &Annotations) -> Vec<DeletePolicy> {
    if matches!(hooks(annotations), HookUse::NotHook | HookUse::Skip) {
        return Vec::new();
    }
    let argo = annotation_items(annotations, DELETE_POLICY).filter_map(DeletePolicy::from_name);
    let helm = annotation_items(annotations, HELM_DELETE_POLICY).filter_map(DeletePolicy::from_helm_name);
    let mut policies: Vec<_> = argo.chain(helm).collect();
    if policies.is_empty() {
        policies.push(DeletePolicy::BeforeHookCreation);
    }
    policies.sort_unstable();
    policies.dedup();
    policies
}

/// Words of Argo CD's own hook annotations that it passes over without a sound, each with its annotation, on an object
/// that is a hook all the same.
#[must_use]
pub fn ignored_words(annotations: &Annotations) -> Vec<(&'static str, &str)> {
    if matches!(hooks(annotations), HookUse::NotHook | HookUse::Skip | HookUse::Ignored) {
        return Vec::new();
    }
    let unknown = |key: &'static str, known: &'static [&'static str]| {
        annotation_items(annotations, key).filter(|word| !known.contains(word)).map(move |word| (key, word))
    };
    unknown(HOOK, HOOKS).chain(unknown(DELETE_POLICY, DELETE_POLICIES)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn annotations(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        owned.collect()
    }

    #[test]
    fn argo_cd_types_make_the_hooks_of_an_object() {
        use Hook::{PostSync, PreSync, Sync, SyncFail};
        for (value, expected) in [
            ("PreSync", HookUse::Hooks(vec![PreSync])),
            ("Sync", HookUse::Hooks(vec![Sync])),
            ("PostSync", HookUse::Hooks(vec![PostSync])),
            ("SyncFail", HookUse::Hooks(vec![SyncFail])),
            ("Skip", HookUse::Skip),
            ("Skip,Skip", HookUse::Skip),
            ("Skip,Garbage", HookUse::Skip),
            ("Garbage", HookUse::Ignored),
            ("Presync", HookUse::Ignored),
            ("", HookUse::Ignored),
            ("PreSync,PostSync", HookUse::Hooks(vec![PreSync, PostSync])),
            (" PostSync , PreSync,", HookUse::Hooks(vec![PreSync, PostSync])),
            ("Sync,Sync", HookUse::Hooks(vec![Sync])),
            ("Skip,PreSync,PostSync", HookUse::Hooks(vec![PreSync, PostSync])),
            ("Sync,Garbage", HookUse::Hooks(vec![Sync])),
            ("PostSync,PreDelete,PostDelete", HookUse::Hooks(vec![PostSync])),
            ("PreDelete", HookUse::DeleteOnly),
            ("Skip,PreDelete", HookUse::DeleteOnly),
        ] {
            assert_eq!(hooks(&annotations(&[(HOOK, value)])), expected, "{value:?}");
        }
    }

    #[test]
    fn helm_types_make_the_hooks_of_an_object() {
        use Hook::{PostSync, PreSync};
        for (value, expected) in [
            ("pre-install", HookUse::Hooks(vec![PreSync])),
            ("pre-upgrade", HookUse::Hooks(vec![PreSync])),
            ("pre-install,pre-upgrade", HookUse::Hooks(vec![PreSync])),
            ("post-upgrade", HookUse::Hooks(vec![PostSync])),
            ("post-install", HookUse::Hooks(vec![PostSync])),
            ("pre-install,pre-delete", HookUse::Hooks(vec![PreSync])),
            ("pre-delete", HookUse::DeleteOnly),
            ("garbage", HookUse::Ignored),
            ("pre-rollback", HookUse::Ignored),
            ("test-success", HookUse::Ignored),
            ("crd-install", HookUse::NotHook),
            (" crd-install", HookUse::Ignored),
            ("crd-install,pre-install", HookUse::Hooks(vec![PreSync])),
        ] {
            let helm = annotations(&[(HELM_HOOK, value)]);
            assert_eq!(hooks(&helm), expected, "{value:?}");
        }
        assert_eq!(hooks(&[]), HookUse::NotHook);
    }

    #[test]
    fn helm_types_count_only_without_a_valid_argo_cd_type() {
        for (argo, helm, expected) in [
            ("Sync", "pre-install", HookUse::Hooks(vec![Hook::Sync])),
            ("Skip", "pre-install", HookUse::Skip),
            ("Garbage", "pre-install", HookUse::Hooks(vec![Hook::PreSync])),
            ("", "post-install", HookUse::Hooks(vec![Hook::PostSync])),
            ("Garbage", "crd-install", HookUse::Ignored),
            ("Garbage", "post-delete", HookUse::DeleteOnly),
            ("Skip", "pre-delete", HookUse::DeleteOnly),
        ] {
            let both = annotations(&[(HOOK, argo), (HELM_HOOK, helm)]);
            assert_eq!(hooks(&both), expected, "{argo:?} {helm:?}");
        }
    }

    #[test]
    fn hooks_of_the_deletion_are_found_beside_hooks_of_a_sync() {
        for (key, value, before, after) in [
            (HOOK, "PostSync,PreDelete,PostDelete", true, true),
            (HOOK, "PreDelete", true, false),
            (HELM_HOOK, "pre-install, post-delete", false, true),
            (HOOK, "PreSync", false, false),
        ] {
            let found = delete_hooks(&annotations(&[(key, value)]));
            assert_eq!(found, DeleteHooks { before, after }, "{value:?}");
        }
    }

    #[test]
    fn words_that_mean_nothing_on_a_hook_are_found() {
        for (pairs, expected) in [
            (vec![(HOOK, "Sync,Garbage")], vec![(HOOK, "Garbage")]),
            (vec![(HOOK, "PreSync, Skip,PostDelete")], vec![]),
            (vec![(HOOK, "Garbage")], vec![]),
            (vec![(HOOK, "Sync"), (DELETE_POLICY, "HookSucceded")], vec![(DELETE_POLICY, "HookSucceded")]),
            (vec![(HELM_HOOK, "pre-install"), (HOOK, "Presync")], vec![(HOOK, "Presync")]),
            (vec![(DELETE_POLICY, "Garbage")], vec![]),
        ] {
            assert_eq!(ignored_words(&annotations(&pairs)), expected, "{pairs:?}");
        }
    }

    #[test]
    fn hooks_have_the_delete_policies_of_both_annotations_or_the_default() {
        use DeletePolicy::{BeforeHookCreation, HookFailed, HookSucceeded};
        let hook = (HOOK, "Sync");
        for (pairs, expected) in [
            (vec![hook], vec![BeforeHookCreation]),
            (vec![hook, (DELETE_POLICY, "garbage")], vec![BeforeHookCreation]),
            (vec![hook, (HELM_DELETE_POLICY, "hook-succeeded")], vec![HookSucceeded]),
            (
                vec![
                    hook,
                    (DELETE_POLICY, "HookFailed, HookSucceeded"),
                    (HELM_DELETE_POLICY, "hook-failed,before-hook-creation"),
                ],
                vec![HookSucceeded, HookFailed, BeforeHookCreation],
            ),
            (vec![(DELETE_POLICY, "HookFailed")], vec![]),
            (vec![(HOOK, "Skip"), (DELETE_POLICY, "HookFailed")], vec![]),
        ] {
            assert_eq!(delete_policies(&annotations(&pairs)), expected, "{pairs:?}");
        }
    }
}
