//! Words of Argo CD, and of Helm where Argo CD reads them.

/// Annotation for the wave.
pub const WAVE: &str = "argocd.argoproj.io/sync-wave";
/// Annotation for options of the sync.
pub const SYNC_OPTIONS: &str = "argocd.argoproj.io/sync-options";
/// Annotation that makes an object a hook.
pub const HOOK: &str = "argocd.argoproj.io/hook";
/// Annotation that says when a hook is deleted.
pub const HOOK_DELETE_POLICY: &str = "argocd.argoproj.io/hook-delete-policy";
/// Helm's annotation that makes an object a hook.
pub const HELM_HOOK: &str = "helm.sh/hook";
/// Helm's annotation for the order of hooks, a wave to Argo CD.
pub const HELM_WEIGHT: &str = "helm.sh/hook-weight";
/// Helm's annotation that says when a hook is deleted.
pub const HELM_DELETE_POLICY: &str = "helm.sh/hook-delete-policy";

/// Hooks Argo CD knows.
pub const HOOKS: &[&str] = &["PreSync", "Sync", "PostSync", "SyncFail", "Skip", "PreDelete", "PostDelete"];
/// Delete policies Argo CD knows.
pub const DELETE_POLICIES: &[&str] = &["HookSucceeded", "HookFailed", "BeforeHookCreation"];
/// Hooks Helm knows; Argo CD passes over those it does not map to its own.
pub const HELM_HOOKS: &[&str] = &[
    "pre-install",
    "post-install",
    "pre-upgrade",
    "post-upgrade",
    "pre-delete",
    "post-delete",
    "pre-rollback",
    "post-rollback",
    "test",
    "test-success",
    "test-failure",
    "crd-install",
];
