//! Each fix: a tree where it acts, and one where it must not.

#![expect(clippy::disallowed_methods, reason = "tests read files and start programs")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use std::fs;

use argocd_ladder::model::Ladder;
use argocd_ladder::{Options, build};

/// A tree in one text: `== path` starts a file.
fn ladder(tree: &str) -> Ladder {
    let root = tempfile::tempdir().unwrap();
    for file in tree.split("== ").skip(1) {
        let (path, text) = file.split_once('\n').unwrap();
        let path = root.path().join(path.trim());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    build(root.path(), &Options::default()).unwrap_or_else(|problems| panic!("{problems}"))
}

fn phase_and_fixes(ladder: &Ladder, component: &str) -> (String, Vec<&'static str>) {
    let index = ladder.component_named(component).unwrap_or_else(|| panic!("no component {component}"));
    let placement = ladder.placement(index);
    (placement.phase.0.clone(), placement.fixes.iter().map(|fix| fix.rule).collect())
}

#[track_caller]
fn check(tree: &str, component: &str, phase: &str, fixes: &[&str]) {
    let ladder = ladder(tree);
    let (found_phase, found_fixes) = phase_and_fixes(&ladder, component);
    assert_eq!((found_phase.as_str(), found_fixes.as_slice()), (phase, fixes), "{component}");
}

const VAULT: &str = "
== foundation/vault/component.yaml
name: vault
== foundation/vault/m.yaml
apiVersion: v1
kind: Service
metadata: {name: vault, namespace: default}
spec: {selector: {app: vault}, ports: [{port: 8200}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: vault, namespace: default}
spec:
  template:
    metadata: {labels: {app: vault}}
    spec: {containers: [{name: vault, image: 'hashicorp/vault:1.17'}]}
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {storageClassName: fast}
";

const STORAGE: &str = "
== foundation/storage/component.yaml
name: storage
== foundation/storage/m.yaml
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: example.com/fast
";

#[test]
fn vault_after_storage() {
    check(&format!("{VAULT}{STORAGE}"), "vault", "150", &["vault-after-storage"]);
    // A chart that nobody rendered brings the class.
    let chart = "
== foundation/longhorn/component.yaml
name: longhorn
== foundation/longhorn/m.yaml
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: longhorn, namespace: argocd}
spec:
  destination: {namespace: longhorn-system}
  source: {chart: longhorn, repoURL: 'https://charts.longhorn.io'}
";
    let on_longhorn = VAULT.replace("storageClassName: fast", "storageClassName: longhorn");
    check(&format!("{on_longhorn}{chart}"), "vault", "150", &["vault-after-storage"]);
    // The class is the cluster's own: nothing of the ladder to wait for.
    check(VAULT, "vault", "130", &[]);
}

#[test]
fn vault_behind_an_ingress_keeps_no_data_there() {
    let in_memory = VAULT.replace("spec: {storageClassName: fast}", "spec: {}").replace(
        "\n== foundation/vault/m.yaml\n",
        "
== foundation/vault/ingress.yaml
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: vault, namespace: default}
spec: {ingressClassName: edge, rules: []}
== foundation/vault/m.yaml
",
    );
    let edge = "
== foundation/edge/component.yaml
name: edge
== foundation/edge/m.yaml
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: edge}
spec: {controller: example.com/edge}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: edge, namespace: default}
spec: {template: {spec: {containers: [{name: e, image: example/edge}]}}}
";
    let (_, fixes) = phase_and_fixes(&ladder(&format!("{in_memory}{edge}")), "vault");
    assert!(fixes.is_empty(), "{fixes:?}");
}

const STORE: &str = "
== foundation/store/component.yaml
name: store
== foundation/store/m.yaml
apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {name: vault}
spec: {provider: {vault: {server: 'http://vault.default.svc:8200', path: secret, auth: {}}}}
";

#[test]
fn secretstore_after_provider() {
    check(&format!("{VAULT}{STORAGE}{STORE}"), "store", "155", &["secretstore-after-provider"]);
    // The provider runs in an earlier domain: the store is behind it anyway.
    let elsewhere = STORE.replace("foundation/", "data/");
    check(&format!("{VAULT}{STORAGE}{elsewhere}"), "store", "230", &[]);
    // The provider is outside the ladder.
    let outside = STORE.replace("vault.default.svc", "vault.example.com");
    check(&format!("{VAULT}{STORAGE}{outside}"), "store", "130", &[]);
}

fn job(domain: &str, env: &str) -> String {
    format!(
        "
== {domain}/setup/component.yaml
name: setup
== {domain}/setup/m.yaml
apiVersion: batch/v1
kind: Job
metadata: {{name: setup, namespace: default}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{{name: setup, image: alpine, env: [{{name: TARGET_URL, value: '{env}'}}]}}]
"
    )
}

#[test]
fn vault_bootstrap_post_runtime() {
    let talks = job("foundation", "http://vault.default.svc:8200");
    check(&format!("{VAULT}{STORAGE}{talks}"), "setup", "155", &["vault-bootstrap-post-runtime"]);
    // It talks to nobody of the ladder.
    let alone = job("foundation", "http://vault.example.com:8200");
    check(&format!("{VAULT}{STORAGE}{alone}"), "setup", "140", &[]);
    // What it talks to runs in an earlier domain.
    let later = job("data", "http://vault.default.svc:8200");
    check(&format!("{VAULT}{STORAGE}{later}"), "setup", "240", &[]);
}

const POSTGRES: &str = "
== data/db/component.yaml
name: db
== data/db/m.yaml
apiVersion: postgresql.cnpg.io/v1
kind: Cluster
metadata: {name: main, namespace: default}
spec: {instances: 1}
";

#[test]
fn migrations_post_runtime() {
    let talks = job("data", "postgres://main-rw.default.svc:5432/app");
    check(&format!("{POSTGRES}{talks}"), "setup", "260", &["migrations-post-runtime"]);
    let other = job("data", "postgres://other-rw.default.svc:5432/app");
    check(&format!("{POSTGRES}{other}"), "setup", "240", &[]);
}

const TEMPORAL: &str = "
== data-extended/temporal/component.yaml
name: temporal
== data-extended/temporal/m.yaml
apiVersion: temporal.io/v1beta1
kind: TemporalCluster
metadata: {name: main, namespace: default}
spec: {version: 1.24.2}
";

fn temporal_namespace(cluster: &str) -> String {
    format!(
        "
== data-extended/namespaces/component.yaml
name: namespaces
== data-extended/namespaces/m.yaml
apiVersion: temporal.io/v1beta1
kind: TemporalNamespace
metadata: {{name: orders, namespace: default}}
spec: {{clusterRef: {{name: {cluster}}}}}
"
    )
}

#[test]
fn namespace_bootstrap_post_runtime() {
    let own = format!("{TEMPORAL}{}", temporal_namespace("main"));
    check(&own, "namespaces", "455", &["namespace-bootstrap-post-runtime"]);
    let other = format!("{TEMPORAL}{}", temporal_namespace("elsewhere"));
    check(&other, "namespaces", "440", &[]);
}

fn realm(keycloak: &str) -> String {
    format!(
        "
== platform/keycloak/component.yaml
name: keycloak
== platform/keycloak/m.yaml
apiVersion: k8s.keycloak.org/v2alpha1
kind: Keycloak
metadata: {{name: main, namespace: default}}
spec: {{instances: 1}}
== platform/realm/component.yaml
name: realm
== platform/realm/m.yaml
apiVersion: k8s.keycloak.org/v2alpha1
kind: KeycloakRealmImport
metadata: {{name: shop, namespace: default}}
spec: {{keycloakCRName: {keycloak}, realm: {{realm: shop}}}}
"
    )
}

#[test]
fn realm_import_post_runtime() {
    check(&realm("main"), "realm", "355", &["realm-import-post-runtime"]);
    check(&realm("elsewhere"), "realm", "340", &[]);
}

fn webhook_certs(secret: &str) -> String {
    format!(
        "
== foundation/certs/component.yaml
name: certs
== foundation/certs/m.yaml
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {{name: hook, namespace: default}}
spec: {{secretName: {secret}, issuerRef: {{name: ca}}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: hook-settings, namespace: default}}
data: {{a: b}}
== foundation/hook/component.yaml
name: hook
== foundation/hook/m.yaml
apiVersion: v1
kind: Service
metadata: {{name: hook, namespace: default}}
spec: {{selector: {{app: hook}}, ports: [{{port: 443}}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: hook, namespace: default}}
spec:
  template:
    metadata: {{labels: {{app: hook}}}}
    spec:
      containers: [{{name: hook, image: example/hook}}]
      volumes: [{{name: tls, secret: {{secretName: hook-tls}}}}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {{name: hook}}
webhooks:
  - name: hook.example.com
    failurePolicy: Fail
    clientConfig: {{service: {{name: hook, namespace: default}}}}
"
    )
}

#[test]
fn webhook_certs_are_secrets() {
    check(&webhook_certs("hook-tls"), "certs", "130", &["webhook-certs-are-secrets"]);
    check(&webhook_certs("other-tls"), "certs", "140", &[]);
}

fn operator(domain: &str, certificate: bool) -> String {
    let certificate = if certificate {
        "---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: op, namespace: default}
spec: {secretName: op-tls, issuerRef: {name: ca}}
"
    } else {
        ""
    };
    format!(
        "
== foundation/cert-manager/component.yaml
name: cert-manager
== foundation/cert-manager/m.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {{name: cert-manager, namespace: default}}
spec: {{template: {{spec: {{containers: [{{name: c, image: 'quay.io/jetstack/cert-manager-controller:v1'}}]}}}}}}
== {domain}/op/component.yaml
name: op
== {domain}/op/m.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {{name: op, namespace: default}}
spec: {{template: {{spec: {{containers: [{{name: c, image: 'quay.io/strimzi/operator:0.44'}}]}}}}}}
{certificate}"
    )
}

#[test]
fn operator_after_cert_manager() {
    check(&operator("foundation", true), "op", "130", &["operator-after-cert-manager"]);
    check(&operator("foundation", false), "op", "120", &[]);
    // Already behind it.
    check(&operator("data", true), "op", "220", &[]);
}

/// An operator whose certificate another component orders; `registers` a webhook that it answers with it.
fn operator_with_distant_certificate(registers: bool) -> String {
    let registration = if registers {
        "---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: op}
webhooks: [{name: op.example.org, clientConfig: {service: {name: op, namespace: default}}}]
"
    } else {
        ""
    };
    let certificate = "== foundation/certs/component.yaml
name: certs
== foundation/certs/m.yaml
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: op, namespace: default}
spec: {secretName: op-tls, issuerRef: {name: ca}}
";
    let plain = "{spec: {containers: [{name: c, image: 'quay.io/strimzi";
    let mounting = "{metadata: {labels: {app: op}}, spec: {volumes: [{name: tls, secret: {secretName: op-tls}}], \
                    containers: [{name: c, image: 'quay.io/strimzi";
    let operator = operator("foundation", false).replace(plain, mounting);
    format!(
        "{operator}---
apiVersion: v1
kind: Service
metadata: {{name: op, namespace: default}}
spec: {{selector: {{app: op}}, ports: [{{port: 443}}]}}
{registration}{certificate}"
    )
}

#[test]
fn operator_after_a_certificate_of_another_component() {
    check(&operator_with_distant_certificate(true), "op", "140", &["operator-after-cert-manager"]);
    // The same climb, but no webhook has to do with it.
    check(&operator_with_distant_certificate(false), "op", "140", &[]);
}

fn smoke(declared: &str) -> String {
    job("apps", "http://nobody.example.com:80")
        .replace("name: setup\n==", &format!("name: setup\n{declared}\n=="))
}

#[test]
fn smokes_last() {
    check(&smoke("componentType: smoke"), "setup", "699", &["smokes-last"]);
    check(&smoke(""), "setup", "640", &[]);
}

fn crds(user_domain: &str) -> String {
    format!(
        "
== observability/crds/component.yaml
name: crds
== observability/crds/m.yaml
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: widgets.example.com}}
spec: {{group: example.com, scope: Namespaced, names: {{kind: Widget, plural: widgets}}, versions: []}}
== {user_domain}/user/component.yaml
name: user
== {user_domain}/user/m.yaml
apiVersion: example.com/v1
kind: Widget
metadata: {{name: w, namespace: default}}
"
    )
}

#[test]
fn shared_crds_first() {
    check(&crds("data"), "crds", "210", &["shared-crds-first"]);
    check(&crds("apps"), "crds", "510", &[]);
}

fn shipped(workload: &str) -> String {
    format!(
        "
== data/op/component.yaml
name: op
== data/op/m.yaml
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: widgets.example.com}}
spec: {{group: example.com, scope: Namespaced, names: {{kind: Widget, plural: widgets}}, versions: []}}
{workload}"
    )
}

#[test]
fn split_crds() {
    let workload = "---
apiVersion: apps/v1
kind: Deployment
metadata: {name: op, namespace: default}
spec: {template: {spec: {containers: [{name: c, image: example/op}]}}}
";
    let split = shipped(workload);
    check(&split, "op-crds", "210", &["split-crds"]);
    check(&split, "op", "220", &[]);
    let alone = ladder(&shipped(""));
    assert!(alone.component_named("op-crds").is_none(), "CRDs alone are a component already");
}

#[test]
fn skip_dry_run_on_missing_resource() {
    let template = "
== platform/policy/component.yaml
name: policy
== platform/policy/m.yaml
apiVersion: templates.gatekeeper.sh/v1
kind: ConstraintTemplate
metadata: {name: needowner}
spec: {crd: {spec: {names: {kind: NeedOwner}}}}
";
    let constraint = "
== platform/rules/component.yaml
name: rules
== platform/rules/m.yaml
apiVersion: constraints.gatekeeper.sh/v1beta1
kind: NeedOwner
metadata: {name: all}
";
    let both = ladder(&format!("{template}{constraint}"));
    let (phase, fixes) = phase_and_fixes(&both, "rules");
    assert!(fixes.contains(&"skip-dry-run-on-missing-resource"), "{phase} {fixes:?}");
    assert!(both.extra_annotations.values().any(|(_, value)| value == "SkipDryRunOnMissingResource=true"));
    let alone = ladder(constraint);
    assert!(alone.extra_annotations.is_empty(), "nobody here makes its CRD");
}
