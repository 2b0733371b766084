//! Bytes that nobody asked to change leave as they came, whatever the file looks like.

use crate::harness::{Run, Surroundings, Tree, run_in};

/// `render -` of a text.
fn filtered(text: &str) -> Run {
    let tree = Tree::empty();
    run_in(tree.path(), &["render", "-"], &Surroundings { stdin: text.as_bytes(), variables: &[] })
}

const ENCRYPTED: &str = "apiVersion: v1
kind: Secret
metadata:
    name: database   # four spaces, as sops writes
data:
    password: ENC[AES256_GCM,data:YWJj,iv:ZGVm,tag:Z2hp,type:str]
sops:
    mac: ENC[AES256_GCM,data:eA==,iv:eQ==,tag:eg==,type:str]
    version: 3.9.0
";

#[test]
fn only_the_wave_is_new_in_every_style_of_file() {
    for (style, input, expected) in [
        (
            "comments, quotes and key order",
            "# head\nkind: 'ConfigMap'   # odd quotes\napiVersion: \"v1\"\nmetadata:\n  name: a # the name\ndata: {b: yes, a: 0o7}\n# tail\n",
            "---\n# head\nkind: 'ConfigMap'   # odd quotes\napiVersion: \"v1\"\nmetadata:\n  annotations:\n    argocd.argoproj.io/sync-wave: \"6400\"\n  name: a # the name\ndata: {b: yes, a: 0o7}\n# tail\n",
        ),
        (
            "Windows line ends",
            "apiVersion: v1\r\nkind: ConfigMap\r\nmetadata:\r\n  name: a\r\ndata:\r\n  k: |\r\n    x\r\n",
            "---\napiVersion: v1\r\nkind: ConfigMap\r\nmetadata:\r\n  annotations:\r\n    argocd.argoproj.io/sync-wave: \"6400\"\r\n  name: a\r\ndata:\r\n  k: |\r\n    x\r\n",
        ),
        (
            "a byte order mark",
            "\u{feff}apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n",
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations:\n    argocd.argoproj.io/sync-wave: \"6400\"\n  name: a\n",
        ),
        (
            "an existing wave",
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    other: 'x'\n    argocd.argoproj.io/sync-wave: '-1' # early\n",
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    other: 'x'\n    argocd.argoproj.io/sync-wave: \"6400\" # early\n",
        ),
        (
            "a block scalar that runs to the end without a newline keeps the value Argo CD reads",
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: |\n    x",
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations:\n    argocd.argoproj.io/sync-wave: \"6400\"\n  name: a\ndata:\n  k: |\n    x\n",
        ),
        (
            "JSON objects one after the other",
            "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}\n{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"b\"}}",
            "---\n{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\": {\"argocd.argoproj.io/sync-wave\": \"6400\"}, \"name\":\"a\"}}\n---\n{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\": {\"argocd.argoproj.io/sync-wave\": \"6400\"}, \"name\":\"b\"}}\n",
        ),
        (
            "YAML 1.1 words in the data",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  answer: \"no\"\n  port: '010'\n  when: \"12:30\"\n",
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {\"annotations\": {\"argocd.argoproj.io/sync-wave\": \"6400\"}, name: a}\ndata:\n  answer: \"no\"\n  port: '010'\n  when: \"12:30\"\n",
        ),
    ] {
        let run = filtered(input);
        assert_eq!((run.stderr.as_str(), run.exit), ("", 0), "{style}");
        assert_eq!(run.stdout, expected, "{style}");
        assert_eq!(filtered(&run.stdout).stdout, run.stdout, "{style}: twice is once");
    }
}

#[test]
fn an_encrypted_document_leaves_byte_for_byte() {
    let plain = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: plain\n";
    let once = filtered(&format!("{plain}---\n{ENCRYPTED}")).succeeded();
    assert!(once.contains(&format!("---\n{ENCRYPTED}")), "{once}");
    assert_eq!(once.matches("sync-wave").count(), 1, "only the plain document gets a wave: {once}");
    assert_eq!(filtered(&once).succeeded(), once, "twice is once");
}

#[test]
fn an_encrypted_document_that_would_come_too_early_is_refused() {
    let namespace = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: first}\n";
    let user = ENCRYPTED.replace(
        "    name: database",
        "    annotations:\n        config.kubernetes.io/depends-on: /namespaces/default/ConfigMap/first\n    name: database",
    );
    let message = filtered(&format!("{namespace}---\n{user}")).refused();
    assert!(message.contains("error[order-broken]"), "{message}");
    assert!(!message.contains("ENC["), "values never reach a message: {message}");
}

#[test]
fn a_list_is_taken_apart_and_every_item_leaves_once() {
    let list = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata:\n    name: one\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: two\n  data:\n    text: |\n      a\n       b\n";
    let out = filtered(list).succeeded();
    assert_eq!(
        out,
        "---\napiVersion: v1\nkind: Secret\nmetadata:\n  annotations:\n    argocd.argoproj.io/sync-wave: \"6400\"\n  name: one\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations:\n    argocd.argoproj.io/sync-wave: \"6400\"\n  name: two\ndata:\n  text: |\n    a\n     b\n"
    );
}

#[test]
fn helm_hook_weights_keep_their_order() {
    let job = |name: &str, weight: &str| {
        format!(
            "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}\n  annotations:\n    helm.sh/hook: pre-install\n    helm.sh/hook-weight: \"{weight}\"\n"
        )
    };
    let out = filtered(&format!("{}---\n{}", job("a-second", "5"), job("b-first", "-5"))).succeeded();
    let (first, second) = (out.find("b-first"), out.find("a-second"));
    assert!(first < second, "Argo CD reads the weight as the wave: {out}");
    assert!(out.contains("\"6400\"") && out.contains("\"6401\""), "{out}");
}

#[test]
fn of_two_documents_with_one_identity_the_last_stays_last() {
    let config = |value: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  key: {value}\n")
    };
    for order in [["one", "two"], ["two", "one"]] {
        let run = filtered(&order.map(config).join("---\n"));
        assert!(run.stderr.contains("-:8: warning[duplicate-resource]"), "{}", run.stderr);
        let out = run.succeeded();
        let places = order.map(|value| out.find(&format!("key: {value}")));
        assert!(places.is_sorted(), "Argo CD keeps the last one: {out}");
    }
}
