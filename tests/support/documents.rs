//! Makes documents that are nasty but real: every layout of metadata and annotations, comments everywhere,
//! anchors, block scalars with separators inside. Texts only, so any YAML reader can be held against them.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// The annotation that the laws set.
pub(crate) const KEY: &str = "argocd.argoproj.io/sync-wave";

/// One document of any layout.
pub(crate) fn document() -> impl Strategy<Value = String> {
    prop_oneof![6 => block_document(), 1 => flow_document(), 1 => json_document()]
}

/// The same documents in every run.
pub(crate) fn documents(count: usize) -> Vec<String> {
    let mut runner = TestRunner::deterministic();
    let strategy = document();
    (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

/// A stream of documents with what stands between them.
#[allow(dead_code, reason = "only the laws of the module need streams")]
pub(crate) fn stream() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(document(), 1..5)
}

fn block_document() -> impl Strategy<Value = String> {
    let head = select(vec!["", "# Source: chart/x.yaml\n", "\n\n", "# é\n#---\n", "  # c\n"]);
    let parts = prop::collection::vec(body(), 0..4);
    let tail = select(vec![
        "",
        "",
        "# end",
        "last: |\n  x\n  y",
        "last: |+\n  é and more than sixteen letters\n  ",
        "last: |+\n  x\n     ",
        "last: >\n  x\n ",
        "last: |+\n",
        "last: |\n\n\n",
        "last: |+\n\n\n",
        "last: |",
        "last: |+\n\n# end",
        "last: |+\n  x\n# c\n   ",
        "last: {a: [b,\nc],# c\n}",
        "last:\n- >+\n  x\n\n",
    ]);
    (head, metadata(), parts, any::<bool>(), tail, select(vec!["\n", "\n", "\r\n", "\r"])).prop_map(
        |(head, metadata, parts, first, tail, ending)| {
            let mut text = head.to_owned();
            text.push_str("apiVersion: v1\n");
            let (before, after) = if first { (metadata, String::new()) } else { (String::new(), metadata) };
            text.push_str(&before);
            for (number, part) in parts.iter().enumerate() {
                text.push_str(&part.replace("KEY", &format!("key{number}")));
            }
            text.push_str(&after);
            text.push_str("kind: Thing\n");
            text.push_str(tail);
            text.replace('\n', ending)
        },
    )
}

fn metadata() -> impl Strategy<Value = String> {
    let odd = select(vec![
        "",
        "metadata:\n",
        "metadata: ~\n",
        "metadata: null # none\n",
        "metadata: {}\n",
        "metadata: {name: x, labels: {a: b}}\n",
        "\"metadata\": { # c\n  \"name\": \"x\"\n}\n",
        "metadata: {name: x, annotations: {a: 'b'}}\n",
        "metadata: {annotations: {argocd.argoproj.io/sync-wave: 3}, name: x}\n",
        "anchored: &m\n  name: x\nmetadata: *m\n",
        "metadata: &m\n  name: x\n  annotations: {}\nagain: *m\n",
        "metadata: &unused\n  name: x\n",
        "base: &b {name: x, annotations: {c: d}}\nmetadata:\n  <<: *b\n  labels: {e: f}\n",
        "? metadata\n: name: x\n",
        "metadata:\n  ? name\n  : x\n",
        "metadata: !!map\n  name: x\n",
        "metadata:\n  name: first\nmetadata:\n  name: second\n  annotations:\n    x: y\n",
        "metadata:\n  annotations:\n    x: y\nmetadata:\n  name: second\n",
    ])
    .prop_map(str::to_owned);
    let block = (annotations(), select(vec!["  ", "    ", " "]), any::<bool>()).prop_map(
        |(annotations, indent, first)| {
            let name = format!("{indent}name: \"x\" # the name\n");
            let inner = indented(&annotations, indent);
            let (one, two) = if first { (inner, name) } else { (name, inner) };
            format!("metadata:   # c\n{one}{two}")
        },
    );
    prop_oneof![1 => odd, 3 => block]
}

fn annotations() -> impl Strategy<Value = String> {
    let odd = select(vec![
        "",
        "annotations:\n",
        "annotations: # none\n",
        "annotations: ~\n",
        "annotations: {}\n",
        "annotations: { }\n",
        "annotations: {a: b,\n  c: d}\n",
        "annotations: {\"argocd.argoproj.io/sync-wave\": \"1\", c: d}\n",
        "annotations: {c: d, argocd.argoproj.io/sync-wave: }\n",
        "'annotations':\n  a: b\n",
        "\"annot\\u0061tions\":\n  a: b\n",
        "labels: &l {a: b}\nannotations: *l\n",
        "labels: &l {a: b}\nannotations:\n  <<: *l\n",
        "annotations: &l\n  a: b\nlabels: *l\n",
        "annotations: &l\n  a: b\n",
        "annotations:\n  a: b\nannotations:\n  c: d\n",
        "labels: &l {a: b}\nmore:\n  <<: [*l]\n",
    ])
    .prop_map(str::to_owned);
    let block = prop::collection::vec(annotation(), 1..4).prop_map(|lines| {
        let inner: String = lines.iter().map(|line| indented(line, "  ")).collect();
        format!("annotations:\n  # about\n{inner}")
    });
    prop_oneof![1 => odd, 2 => block]
}

fn annotation() -> impl Strategy<Value = String> {
    let key = select(vec![
        KEY.to_owned(),
        format!("\"{KEY}\""),
        format!("'{KEY}' "),
        "\"argocd.argoproj.io\\u002fsync-wav\\u0065\"".to_owned(),
        "a".to_owned(),
        "\"b: c\"".to_owned(),
        "'it''s'".to_owned(),
        "é".to_owned(),
    ]);
    let value = select(vec![
        "5",
        "\"5\"",
        "'-5' # wave",
        "",
        "~",
        "# none",
        "yes",
        "two words",
        "two\n  lines",
        "\"two\n  lines\"",
        "'it''s'",
        "\"a\\\"b\\\\\"",
        "|\n  block\n  ---\n",
        ">-\n  folded\n  text\n",
        "&v 7",
        "!!str 8",
        "http://x/y#z?a=b",
        "日本 # 😀",
        "[1, {a: b}]",
        "{a: [b]}",
        "\n  c: d",
    ]);
    (key, value).prop_map(|(key, value)| format!("{key}: {value}\n"))
}

fn body() -> impl Strategy<Value = &'static str> {
    select(vec![
        "KEY: |\n  ---\n  %YAML\n  ...\n   indented\n\n  # not a comment\n",
        "KEY:\n  cert: |\n    -----BEGIN CERTIFICATE-----\n    abc==\n    -----END CERTIFICATE-----\n",
        "KEY: |2\n    two more\n  two\n",
        "KEY: >+\n  folded\n  text\n\n\n",
        "KEY: |2-\n  \tno: tab\n   x\n",
        "KEY: [a, 'b', \"c\", {d: e}, [f], ~, 1, yes]\n",
        "KEY: {a: {b: {c: []}}, 'd e': f, \"g\": }\n",
        "KEY:\n- a\n- b: c\n  d:\n  - e\n-\n  f: g\n- - h\n  - i\n",
        "KEY:\n  - name: x # c\n    value: \"{{ y }}\"\n\n  # between\n  - name: z\n",
        "KEY: plain text\n  over lines\n\n  and a blank\n",
        "KEY: \"double\\n\\\n  joined \\u00e9 \\x41\"\n",
        "KEY: 'single\n\n  over'\n",
        "KEY: &KEY [x, y]\nKEYb: *KEY\n",
        "KEY: &KEY {x: 1, y: 2}\nKEYb:\n  y: 3\n  <<: *KEY\n  z: 4\n",
        "KEY: 0755\nKEYb: 1_000\nKEYc: .5\nKEYd: 12:30\nKEYe: 1e3\nKEYf: 2024-01-02\n",
        "KEY: yes\nKEYb: 'yes'\nKEYc: ~\nKEYd: null\nKEYe:\nKEYf: ''\n",
        "KEY: ünïcödé 日本 😀\n日本: é\n",
        "KEY: |\n  ünïcödé in a line that is longer than sixteen letters 日本 😀\n  é\n",
        "KEY:\n  a: {\nb: [\n\tc,\n]\n}\n  d: \"e\nf\"\n",
        "KEY: |\n",
        "KEY: >\n\n\n",
        "KEY: |+\n\n",
        "KEY:\ta\nKEYb:\t-5\n",
        "KEY: x#y\nKEYb: x:y\nKEYc: http://[::1]:80/\nKEYd: -x\nKEYe: ?x\n",
        "KEY: a\nKEY: b\n",
        "KEY:\n    deep:\n          deeper: |\n                    text\n",
        "# comment\n   # another\n",
        "\n\n",
        "? KEY\n: complex\n",
        "KEY: !!str 5\nKEYb: !custom x\nKEYc: !!int '5'\n",
        "\"KEY\" : spaced\n'KEYb':   wide\n",
        "KEY: {\"json\": [1, 2.5, true, null, \"\\\"\"]}\n",
    ])
}

fn flow_document() -> impl Strategy<Value = String> {
    let metadata = select(vec![
        "",
        ", metadata: {name: x}",
        ", metadata: {name: x,\n annotations: {a: b}}",
        ", metadata: ",
        ", metadata: {annotations: {\"argocd.argoproj.io/sync-wave\": 3}}",
        ", \"metadata\": {\"annotations\": {}}",
    ]);
    (metadata, any::<bool>()).prop_map(|(metadata, newline)| {
        format!("{{kind: Thing, # c\n apiVersion: v1{metadata}}}{}", if newline { "\n" } else { "" })
    })
}

fn json_document() -> impl Strategy<Value = String> {
    let metadata = select(vec![
        "",
        ",\n\t\"metadata\": {\"name\": \"x\"}",
        ",\"metadata\":{\"annotations\":null}",
        ",\"metadata\":{\"annotations\":{\"a\":\"b\\/c\"}}",
        ", \"metadata\": null",
    ]);
    metadata.prop_map(|metadata| format!("{{\"kind\": \"Thing\", \"x\": \"\\ud83d\\ude00 é\"{metadata}}}\n"))
}

/// The text with every line that is not blank moved right.
pub(crate) fn indented(text: &str, indent: &str) -> String {
    let line = |line: &str| {
        if line.trim_matches(['\r', '\n']).is_empty() { line.to_owned() } else { format!("{indent}{line}") }
    };
    text.split_inclusive('\n').map(line).collect()
}
