//! Every rule id a user may switch or level: findings and fixes in one list.

/// Ids of findings and fixes, for settings and suggestions.
pub const IDS: &[&str] = &[
    // Findings.
    "unknown-field",
    "unknown-rule",
    "unclear-provision",
    "invalid-yaml",
    "duplicate-key",
    "non-string-value",
    "unknown-hook",
    "invalid-wave",
    "missing-name",
    "not-a-manifest",
    "duplicate-resource",
    "empty-component",
    "source-not-rendered",
    "nested-source-skipped",
    "existing-order-contradicts-evidence",
    "unsatisfied-reference",
    "role-without-rung",
    "role-outside-domain",
    "rung-added",
    "order-broken",
    // Fixes.
    "split-crds",
    "vault-after-storage",
    "vault-bootstrap-post-runtime",
    "secretstore-after-provider",
    "webhook-certs-are-secrets",
    "namespace-bootstrap-post-runtime",
    "operator-after-cert-manager",
    "realm-import-post-runtime",
    "migrations-post-runtime",
    "smokes-last",
    "shared-crds-first",
    "skip-dry-run-on-missing-resource",
];
