//! `provides`, `requires` and `external` entries: one key that says what, one value that says which.

use std::collections::BTreeMap;

use crate::model::{Provision, ResourceId};

/// An entry such as `{service: vault.vault}`.
pub type Entry = BTreeMap<String, String>;

/// Every key an entry may have.
pub const KEYS: &[&str] = &[
    "service",
    "secret",
    "configMap",
    "crd",
    "operator",
    "namespace",
    "storageClass",
    "ingressClass",
    "gatewayClass",
    "priorityClass",
];

/// Why an entry means nothing.
#[derive(Debug, PartialEq, Eq)]
pub enum Unclear {
    /// The key is not one of [`KEYS`].
    Key,
    /// The value has not the form the key needs; the form is named.
    Value(&'static str),
}

/// What one key and value mean.
///
/// # Errors
/// When the key is unknown or the value has the wrong form.
pub fn parse(key: &str, value: &str) -> Result<Provision, Unclear> {
    let object = |group, kind, namespace: &str, name: &str| {
        Ok(Provision::Object(ResourceId::new(group, kind, namespace, name)))
    };
    let namespaced = |group, kind| match value.split_once('/') {
        Some((namespace, name)) => object(group, kind, namespace, name),
        None => Err(Unclear::Value("namespace/name")),
    };
    match key {
        "service" => {
            match value.trim_end_matches(".svc.cluster.local").trim_end_matches(".svc").split_once('.') {
                Some((name, namespace)) => object("", "Service", namespace, name),
                None => Err(Unclear::Value("name.namespace")),
            }
        }
        "secret" => namespaced("", "Secret"),
        "configMap" => namespaced("", "ConfigMap"),
        "crd" => match value.rsplit_once('/') {
            Some((group, kind)) => Ok(Provision::Crd(group.to_owned(), kind.to_owned())),
            None => Err(Unclear::Value("group/Kind")),
        },
        "operator" => Ok(Provision::Operator(value.to_owned())),
        "namespace" => object("", "Namespace", "", value),
        "storageClass" => object("storage.k8s.io", "StorageClass", "", value),
        "ingressClass" => object("networking.k8s.io", "IngressClass", "", value),
        "gatewayClass" => object("gateway.networking.k8s.io", "GatewayClass", "", value),
        "priorityClass" => object("scheduling.k8s.io", "PriorityClass", "", value),
        _ => Err(Unclear::Key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_meaning_and_a_wrong_form_is_told() {
        for key in KEYS {
            assert!(!matches!(parse(key, "a/b"), Err(Unclear::Key)), "{key}");
        }
        let vault = ResourceId::new("", "Service", "secrets", "vault");
        assert_eq!(parse("service", "vault.secrets.svc"), Ok(Provision::Object(vault)));
        assert_eq!(parse("secret", "a"), Err(Unclear::Value("namespace/name")));
        assert_eq!(parse("sercet", "a/b"), Err(Unclear::Key));
    }
}
