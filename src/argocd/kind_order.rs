//! Kind to its rank inside a wave. The API group is not looked at, and every kind not listed comes last, rank 0:
//! that is Argo CD's order, not ours to improve.

/// Kinds in the order in which Argo CD applies them inside a wave.
const KINDS: [&str; 35] = [
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
];

/// The rank of a kind inside a wave, -35 to 0; lower is applied first.
#[must_use]
pub fn kind_rank(kind: &str) -> i32 {
    let places_from_the_end = KINDS.iter().rev().zip(1..);
    let mut found = places_from_the_end.filter(|(listed, _)| **listed == kind);
    found.next().map_or(0, |(_, places)| -places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_kinds_rank_below_zero_and_all_others_zero() {
        for (kind, expected) in [
            ("Namespace", -35),
            ("NetworkPolicy", -34),
            ("CustomResourceDefinition", -22),
            ("Ingress", -2),
            ("APIService", -1),
            ("MyCRD", 0),
            ("PriorityClass", 0),
            ("ValidatingWebhookConfiguration", 0),
            ("namespace", 0),
            ("", 0),
        ] {
            assert_eq!(kind_rank(kind), expected, "{kind}");
        }
    }
}
