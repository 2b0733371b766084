//! Random syncs from a seed, of few names and namespaces, so that objects tie and use each other's kinds and namespaces.
//! Waves stay less than 2^63 apart: Argo CD subtracts them, and beyond that its order is no order.

use std::collections::BTreeSet;

use argocd_ladder::argocd::Object;
use fastrand::Rng;
use serde_json::{Map, Value, json};

/// Group, kind and whether it is cluster-scoped; kinds that others wait for come often.
const KINDS: [(&str, &str, bool); 44] = [
    ("", "Namespace", true),
    ("", "Namespace", true),
    ("", "Namespace", true),
    ("apiextensions.k8s.io", "CustomResourceDefinition", true),
    ("apiextensions.k8s.io", "CustomResourceDefinition", true),
    ("example.com", "Widget", false),
    ("example.com", "Widget", false),
    ("other.example.com", "Widget", false),
    ("example.com", "Gadget", true),
    ("example.com", "Namespace", false),
    ("", "ConfigMap", false),
    ("", "Secret", false),
    ("", "Service", false),
    ("", "ServiceAccount", false),
    ("", "Pod", false),
    ("", "LimitRange", false),
    ("", "ResourceQuota", false),
    ("", "PersistentVolume", true),
    ("", "PersistentVolumeClaim", false),
    ("apps", "Deployment", false),
    ("apps", "StatefulSet", false),
    ("apps", "DaemonSet", false),
    ("batch", "Job", false),
    ("batch", "CronJob", false),
    ("rbac.authorization.k8s.io", "ClusterRole", true),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding", true),
    ("rbac.authorization.k8s.io", "RoleBinding", false),
    ("networking.k8s.io", "NetworkPolicy", false),
    ("networking.k8s.io", "IngressClass", true),
    ("networking.k8s.io", "Ingress", false),
    ("policy", "PodDisruptionBudget", false),
    ("scheduling.k8s.io", "PriorityClass", true),
    ("storage.k8s.io", "StorageClass", true),
    ("", "ReplicationController", false),
    ("", "SecretList", false),
    ("apps", "ReplicaSet", false),
    ("autoscaling", "HorizontalPodAutoscaler", false),
    ("policy", "PodSecurityPolicy", true),
    ("rbac.authorization.k8s.io", "ClusterRoleBindingList", true),
    ("rbac.authorization.k8s.io", "ClusterRoleList", true),
    ("rbac.authorization.k8s.io", "Role", false),
    ("rbac.authorization.k8s.io", "RoleBindingList", false),
    ("rbac.authorization.k8s.io", "RoleList", false),
    ("apiregistration.k8s.io", "APIService", true),
];
const DEFINED: [Option<(&str, &str)>; 6] = [
    Some(("example.com", "Widget")),
    Some(("other.example.com", "Widget")),
    Some(("example.com", "Gadget")),
    Some(("", "Namespace")),
    Some(("apiextensions.k8s.io", "CustomResourceDefinition")),
    None,
];
const NAMES: [&str; 9] = ["a", "b", "c", "a-b", "a.b", "aa", "A", "0", "é"];
const NAMESPACES: [&str; 4] = ["app", "ns-a", "ns-b", "ns-c"];
const HOOKS: [&str; 14] = [
    "PreSync",
    "PreSync",
    "Sync",
    "Sync",
    "PostSync",
    "PostSync",
    "SyncFail",
    "Skip",
    "PreDelete",
    "PostDelete",
    "Garbage",
    "presync",
    "",
    "pre-install",
];
const HELM_HOOKS: [&str; 11] = [
    "pre-install",
    "pre-upgrade",
    "post-install",
    "post-upgrade",
    "pre-delete",
    "post-delete",
    "crd-install",
    " crd-install",
    "test",
    "pre-rollback",
    "PreSync",
];
const ODD_WAVES: [&str; 16] = [
    "x",
    "",
    "1.0",
    " 1",
    "1 ",
    "+2",
    "007",
    "-0",
    "--1",
    "0x1",
    "1_0",
    "1e1",
    "٣",
    "9223372036854775808",
    "4611686018427387903",
    "-4611686018427387903",
];
const DELETE_POLICIES: [&str; 7] = [
    "HookSucceeded",
    "HookFailed",
    "BeforeHookCreation",
    "hook-succeeded",
    "hook-failed",
    "before-hook-creation",
    "Garbage",
];
const SYNC_OPTIONS: [&str; 5] =
    ["PruneLast=true", "PruneLast=true", "PruneLast=false", "Prune=false", "Prune=confirm"];

/// An object that owns its annotations.
pub(crate) struct Made {
    pub(crate) group: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) namespace: &'static str,
    pub(crate) name: &'static str,
    pub(crate) annotations: Vec<(String, String)>,
    pub(crate) defines: Option<(&'static str, &'static str)>,
}

/// A sync that owns its objects.
pub(crate) struct Case {
    pub(crate) namespace: &'static str,
    pub(crate) target: Vec<Made>,
    pub(crate) live: Vec<Made>,
    pub(crate) prune_last: bool,
}

impl Case {
    /// Mostly up to 20 objects to apply, now and then hundreds.
    pub(crate) fn random(rng: &mut Rng) -> Case {
        let namespace = pick(rng, &["app", "app", "ns-a", ""]);
        let most = if rng.u8(..50) == 0 { 300 } else { 20 };
        let mut taken = BTreeSet::new();
        let mut objects = |rng: &mut Rng, most: usize, namespaces: &[&'static str]| -> Vec<Made> {
            let made = (0..rng.usize(..=most)).map(|_| Made::random(rng, namespaces));
            made.filter(|made| taken.insert(made.identity(namespace))).collect()
        };
        Case {
            namespace,
            target: objects(rng, most, &["", "app", "ns-a", "ns-b", "ns-c"]),
            live: objects(rng, most / 2, &NAMESPACES),
            prune_last: rng.u8(..4) == 0,
        }
    }

    /// The case as the oracle wants it.
    pub(crate) fn question(&self) -> Value {
        let manifests = |objects: &[Made]| objects.iter().map(Made::manifest).collect::<Value>();
        json!({
            "namespace": self.namespace,
            "target": manifests(&self.target),
            "live": manifests(&self.live),
            "pruneLast": self.prune_last,
        })
    }
}

impl Made {
    fn random(rng: &mut Rng, namespaces: &[&'static str]) -> Made {
        let (group, kind, cluster_scoped) = pick(rng, &KINDS);
        let is_crd = kind == "CustomResourceDefinition";
        Made {
            group,
            kind,
            namespace: if cluster_scoped { "" } else { pick(rng, namespaces) },
            name: pick(rng, if kind == "Namespace" { &NAMESPACES } else { &NAMES }),
            annotations: random_annotations(rng),
            defines: if is_crd { pick(rng, &DEFINED) } else { None },
        }
    }

    /// What two objects of one cluster cannot have in common.
    fn identity(&self, destination: &'static str) -> [&'static str; 4] {
        [self.group, self.kind, self.namespace_in(destination), self.name]
    }

    /// The namespace Argo CD gives the object.
    pub(crate) fn namespace_in(&self, destination: &'static str) -> &'static str {
        let named = Some(self.namespace).filter(|namespace| !namespace.is_empty());
        named.unwrap_or(destination)
    }

    pub(crate) fn object(&self) -> Object<'_> {
        Object {
            group: self.group,
            kind: self.kind,
            namespace: self.namespace,
            name: self.name,
            annotations: &self.annotations,
            wave: None,
            defines: self.defines,
        }
    }

    fn manifest(&self) -> Value {
        let slash = if self.group.is_empty() { "" } else { "/" };
        let annotations = self.annotations.iter();
        let annotations: Map<_, _> = annotations.map(|(key, value)| (key.clone(), json!(value))).collect();
        let mut manifest = json!({
            "apiVersion": format!("{}{slash}v1", self.group),
            "kind": self.kind,
            "metadata": {"name": self.name, "annotations": annotations},
        });
        if !self.namespace.is_empty() {
            manifest["metadata"]["namespace"] = json!(self.namespace);
        }
        if let Some((group, kind)) = self.defines {
            manifest["spec"] = json!({"group": group, "names": {"kind": kind}});
        }
        manifest
    }
}

fn random_annotations(rng: &mut Rng) -> Vec<(String, String)> {
    let wave = |rng: &mut Rng| match rng.u8(..5) {
        0 => pick(rng, &ODD_WAVES).to_owned(),
        _ => rng.i8(-3..4).to_string(),
    };
    let texts = [
        ("argocd.argoproj.io/sync-wave", 50, wave(rng)),
        ("helm.sh/hook-weight", 15, wave(rng)),
        ("argocd.argoproj.io/hook", 30, list(rng, &HOOKS)),
        ("helm.sh/hook", 15, list(rng, &HELM_HOOKS)),
        ("argocd.argoproj.io/hook-delete-policy", 15, list(rng, &DELETE_POLICIES)),
        ("helm.sh/hook-delete-policy", 15, list(rng, &DELETE_POLICIES)),
        ("argocd.argoproj.io/sync-options", 15, list(rng, &SYNC_OPTIONS)),
    ];
    let chosen = texts.into_iter().filter(|(_, percent, _)| rng.u8(..100) < *percent);
    chosen.map(|(key, _, text)| (key.to_owned(), text)).collect()
}

/// A comma list, mostly of one item, now and then with blanks around.
fn list(rng: &mut Rng, items: &[&'static str]) -> String {
    let count = pick(rng, &[1, 1, 1, 2, 2, 3]);
    let comma = pick(rng, &[",", ",", ", ", " ,\u{a0}\n"]);
    let items: Vec<_> = (0..count).map(|_| pick(rng, items)).collect();
    items.join(comma)
}

fn pick<T: Copy>(rng: &mut Rng, pool: &[T]) -> T {
    pool[rng.usize(..pool.len())]
}
