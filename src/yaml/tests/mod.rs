//! Checks the module as a whole: texts in, events and texts out.

mod agreement;
mod laws;
mod texts;
#[path = "../../../tests/support/documents.rs"]
mod support;

use std::sync::Arc;

use super::*;

#[derive(Default)]
struct Lines(Vec<String>);

impl Sink for Lines {
    fn event(&mut self, event: Event<'_>, _: Mark) {
        self.0.push(match event {
            Event::MappingStart => "{".into(),
            Event::MappingEnd => "}".into(),
            Event::SequenceStart => "[".into(),
            Event::SequenceEnd => "]".into(),
            Event::Key(key) => format!("{key}:"),
            Event::Scalar(scalar) if scalar.plain => format!("={}", scalar.text),
            Event::Scalar(scalar) => format!("{:?}", scalar.text),
        });
    }
}

fn chunks(text: &str) -> Vec<Chunk> {
    split(&Arc::new(text.to_owned())).unwrap()
}

fn only(text: &str) -> Chunk {
    let mut found = chunks(text);
    assert_eq!(found.len(), 1, "{text}");
    found.remove(0)
}

fn events_of(chunk: &Chunk) -> Result<String, YamlError> {
    let mut lines = Lines::default();
    read(chunk, &Limits::default(), &mut lines)?;
    Ok(lines.0.join(" "))
}

fn events(text: &str) -> String {
    events_of(&only(text)).unwrap()
}

fn failure(text: &str) -> String {
    match split(&Arc::new(text.to_owned())) {
        Err(error) => error.to_string(),
        Ok(found) => found.iter().find_map(|chunk| events_of(chunk).err()).expect(text).to_string(),
    }
}

fn outline(chunk: &Chunk) -> Outline {
    read(chunk, &Limits::default(), &mut Discard).unwrap()
}

fn set(text: &str, edits: &[Set<'_>]) -> String {
    let chunk = only(text);
    splice(&chunk, &outline(&chunk), edits).unwrap().to_string()
}

fn annotate(text: &str) -> String {
    set(text, &[Set::Annotation("a/k", "5")])
}

#[test]
fn aliases_and_merge_keys_arrive_expanded() {
    assert_eq!(events("a: &x {b: c}\nd: *x\n"), "{ a: { b: =c } d: { b: =c } }");
    assert_eq!(events("a: &x b\nc: *x\n*x : d\n"), "{ a: =b c: =b b: =d }");
    assert_eq!(events("&k a: *k\n"), "{ a: \"a\" }");
    assert_eq!(events("x: &x {p: 1}\nv: {q: 2, <<: *x}\n"), "{ x: { p: =1 } v: { q: =2 p: =1 } }");
    let two = "x: &x {p: 1}\nv: &y {p: 2}\nz: {<<: [*x, *y]}\n";
    assert_eq!(events(two), "{ x: { p: =1 } v: { p: =2 } z: { p: =2 p: =1 } }");
    let nested = "x: &x {p: 1}\nv: &y {<<: *x, q: 2}\nz: {<<: *y}\n";
    assert_eq!(events(nested), "{ x: { p: =1 } v: { p: =1 q: =2 } z: { p: =1 q: =2 } }");
    assert_eq!(events("a: {\"<<\": b}\n"), "{ a: { <<: =b } }");
}

#[test]
fn a_missing_annotation_is_inserted_where_it_belongs() {
    let rows = [
        ("metadata:\n  name: x\n", "metadata:\n  annotations:\n    a/k: \"5\"\n  name: x\n"),
        ("metadata:\r\n  name: x\r\n", "metadata:\r\n  annotations:\r\n    a/k: \"5\"\r\n  name: x\r\n"),
        (
            "metadata:\n  annotations:\n    b: c # d\n",
            "metadata:\n  annotations:\n    a/k: \"5\"\n    b: c # d\n",
        ),
        ("metadata:\n  annotations: # none\n", "metadata:\n  annotations: {\"a/k\": \"5\"} # none\n"),
        ("metadata:\n  annotations: ~\n", "metadata:\n  annotations: {\"a/k\": \"5\"}\n"),
        ("metadata:\n  annotations: {}\n", "metadata:\n  annotations: {\"a/k\": \"5\"}\n"),
        ("metadata: {name: x}\n", "metadata: {\"annotations\": {\"a/k\": \"5\"}, name: x}\n"),
        ("metadata:\nkind: A\n", "metadata: {\"annotations\": {\"a/k\": \"5\"}}\nkind: A\n"),
        ("# c\nkind: A", "# c\nmetadata:\n  annotations:\n    a/k: \"5\"\nkind: A\n"),
        ("{\"kind\":\"A\"}", "{\"metadata\": {\"annotations\": {\"a/k\": \"5\"}}, \"kind\":\"A\"}\n"),
        ("{}", "{\"metadata\": {\"annotations\": {\"a/k\": \"5\"}}}\n"),
        (
            "kind: é\nmetadata: {name: ü}\n",
            "kind: é\nmetadata: {\"annotations\": {\"a/k\": \"5\"}, name: ü}\n",
        ),
    ];
    for (before, after) in rows {
        assert_eq!(annotate(before), after, "{before}");
        assert_eq!(annotate(after), after);
    }
}

#[test]
fn a_present_annotation_keeps_its_place() {
    for old in ["4", "'4'", "\"4\"", "yes", "", "~", "'it''s'", "\"a\\\"b\" # c", "four 4"] {
        let before = format!("metadata:\n  annotations:\n    x: y\n    a/k: {old}\n    z: z\n");
        let comment = if old.contains('#') { " # c" } else { "" };
        let after = format!(
            "metadata:\n  annotations:\n    x: y\n    a/k: \"5\"{comment}{}\n    z: z\n",
            if old.is_empty() { " " } else { "" }
        );
        assert_eq!(annotate(&before), after, "{old}");
    }
    let twice = "metadata:\n  annotations:\n    a/k: 1\n    a/k: 2\n";
    assert_eq!(annotate(twice), "metadata:\n  annotations:\n    a/k: 1\n    a/k: \"5\"\n");
}

#[test]
fn what_cannot_be_spliced_is_written_anew() {
    let rows = [
        ("metadata:\n  annotations:\n    a/k: |\n      4\n", "metadata:\n  annotations: {\"a/k\": \"5\"}\n"),
        (
            "x: &x {b: yes}\nmetadata:\n  annotations: *x\n",
            "x:\n  b: yes\nmetadata:\n  annotations:\n    a/k: \"5\"\n    b: yes\n",
        ),
        (
            "x: &x {b: 'yes'}\nmetadata:\n  annotations:\n    <<: *x\n",
            "x:\n  b: \"yes\"\nmetadata:\n  annotations:\n    a/k: \"5\"\n    b: \"yes\"\n",
        ),
        ("? metadata\n:\n  ? a\n  : b\n", "metadata:\n  annotations:\n    a/k: \"5\"\n  a: b\n"),
    ];
    for (before, after) in rows {
        assert_eq!(annotate(before), after, "{before}");
        assert_eq!(annotate(after), after);
    }
}

#[test]
fn a_namespace_is_set_only_where_there_is_none() {
    let edits = [Set::Namespace("ns"), Set::Annotation("k", "v")];
    let rows = [
        (
            "metadata:\n  name: x\n",
            "metadata:\n  namespace: \"ns\"\n  annotations:\n    k: \"v\"\n  name: x\n",
        ),
        (
            "metadata:\n  namespace: y\n  annotations: {}\n",
            "metadata:\n  namespace: y\n  annotations: {\"k\": \"v\"}\n",
        ),
        ("metadata:\n  namespace: ''\n", "metadata:\n  annotations:\n    k: \"v\"\n  namespace: \"ns\"\n"),
        ("metadata: {annotations: {}}\n", "metadata: {\"namespace\": \"ns\", annotations: {\"k\": \"v\"}}\n"),
    ];
    for (before, after) in rows {
        assert_eq!(set(before, &edits), after);
        assert_eq!(set(after, &edits), after);
    }
}

#[test]
fn a_block_scalar_at_the_end_of_the_file_means_what_it_means_to_argo_cd() {
    // Its reader ends the last line before it parses (SplitYAML of gitops-engine, tried in Go); kubectl alone does not.
    for header in ["|", "|+", "|2", ">", "|-", "| # c", "|#c"] {
        let before = format!("kind: A\ndata:\n  \"k | # x\": {header}\n    x\n    y");
        assert_eq!(set(&before, &[]), format!("{before}\n"));
        assert_eq!(events(&before), events(&format!("{before}\n")), "{header}");
    }
    assert_eq!(events("a: |\n  x"), "{ a: \"x\\n\" }");
    assert_eq!(events("a: |+\n  x\n   "), "{ a: \"x\\n \\n\" }");
    assert_eq!(set("a: |\r\n  x", &[]), "a: |\r\n  x\r\n");
    assert_eq!(set("a: |\n  x\n# c", &[]), "a: |\n  x\n# c\n");
}

#[test]
fn what_go_refuses_and_yaml_rust2_does_not() {
    let refused = [
        ("a: x\n\t\nb: y\n", "2:1: a tab"),
        ("a:\n  b: x\n  \t# c\n", "3:3: a tab"),
        ("a:\n  b: x\n  \t\n", "3:3: a tab"),
        ("a: \"x\"\n  \t\n", "2:3: a tab"),
        ("a: |\n    x\n  \t\n", "3:3: a tab"),
        ("a:\n- \tx\n", "2:3: a tab"),
        ("a: x\u{2028}y\n", "1:5: Argo CD takes this character for a line break"),
        ("a: x # \u{85}y\n", "1:8: Argo CD takes"),
        ("a: |\n  x\u{2029}y\n", "2:4: Argo CD takes"),
        ("'a\u{2028}b': c\n", "1:3: Argo CD takes"),
        ("a: \"\\u007f\"\n", "1:4: the escape of a control character"),
        ("{\"a\": \"\\u0080\"}", "1:7: the escape"),
        ("\"\\N\": a\n", "1:1: U+0085 in a key"),
        ("a: .inf\n", "1:4: Argo CD cannot write `.inf`"),
        ("a: [-.NaN, .nan]\n", "1:12: Argo CD cannot write `.nan`"),
        ("a: !!int foo\n", "1:10: the value is no `!!int`"),
        ("a: {b:{c: d}}\n", "1:5: Argo CD takes the `:`"),
        ("a: [b?c]\n", "1:5: a `?` inside of brackets"),
        ("a: \"x\n---x\n  y\"\n", "2:1: a line that begins with `---`"),
        ("-----BEGIN\n", "1:1: a line that begins with `---`"),
    ];
    for (text, start) in refused {
        assert!(failure(text).starts_with(start), "{text:?} gives {}", failure(text));
    }
    let long = |len| format!("? {}\n: b\n", "k".repeat(len));
    assert!(failure(&long(1023)).contains("1024 characters") && !events(&long(1022)).is_empty());
    assert!(failure(&long(180).replace('k', "<")).contains("1024 characters"));
}

#[test]
fn what_looks_wrong_and_go_takes_is_taken() {
    let taken = [
        "a: |\n    x\n    \ty\n\n    \t\n",
        "a: x\n \ty\n",
        "a:\n  b: x\n   \t\n  c: d\n",
        "a: \"x\n\t\n y\"\n",
        "a: {b: c,\n\t# c\n\td: [e,\n\tf]\n}\n",
        "a:\tb\t# c\n",
        "a: 'x\u{2028}y\u{85}z'\n",
        "a: b # c\u{2028}\n",
        "a: b # c\u{2029} # d\n",
        "a: |\n  x\u{2028}\n  y\u{2028}  z\n",
        "a: \"\\u0001\\e\\u2028\\u0085\"\n",
        "a: [b:c, http://d:80/]\n",
        "a: http://x/?b=c\n",
        ".inf: '.inf'\n",
        "a: !!int '5'\nb: !!binary aGk=\nc: !own foo\n",
    ];
    for text in taken {
        assert!(!events(text).is_empty(), "{text:?}");
    }
}

#[test]
fn a_file_is_cut_at_its_separators() {
    let texts = |text: &str| chunks(text).iter().map(|c| (c.line(), c.text().to_owned())).collect::<Vec<_>>();
    let expected =
        |rows: &[(usize, &str)]| rows.iter().map(|(l, t)| (*l, (*t).to_owned())).collect::<Vec<_>>();
    assert_eq!(
        texts("\u{feff}---\r\na: b\r\n--- # c\r\nd: e\r\n"),
        expected(&[(2, "a: b\r\n"), (3, "# c\r\nd: e\r\n")])
    );
    assert_eq!(
        texts("---\n{a: b}\n---\n# only\n---\n\n---\na: |\n ---\n"),
        expected(&[(2, "{a: b}\n"), (8, "a: |\n ---\n")])
    );
    // Go trims more behind the dashes than blanks.
    assert_eq!(texts("---\u{a0}\t\u{2003}\r\na: b\n"), expected(&[(2, "a: b\n")]));
    assert_eq!(texts("a: b\n...\n# c\n---\nd: e\n...\n"), expected(&[(1, "a: b\n"), (5, "d: e\n")]));
    assert_eq!(texts("a: b\n---"), expected(&[(1, "a: b\n")]));
    assert!(texts("").is_empty() && texts("# x").is_empty() && texts("---\n---\n").is_empty());
    assert!(outline(&only("~\n")).empty && outline(&only("---\nnull\n")).empty);
}

#[test]
fn failures_name_their_place() {
    let rows = [
        ("a: b\n...\nc: d\n", "3:1: text after"),
        ("%YAML 1.1\n---\na: b\n", "1:1: directives"),
        ("a: b\n---\n- c\n", "3:1: the document is no mapping"),
        ("--- a: b\n", "1:1: a line that begins with `---`"),
        ("a: b\n--- {c: d}\n", "2:1: a line that begins with `---`"),
        ("a: b\n---\t|\n c\n", "2:1: a line that begins with `---`"),
        ("a: b\n---\n\nc: \"d\n", "4:4: "),
        ("a: &x [*x]\n", "1:8: an alias refers"),
        ("a: *x\n", "1:4: "),
        ("? [a]\n: b\n", "1:3: a key must be"),
        ("a: {<<: b}\n", "1:9: `<<` needs"),
        ("~: b\n", "1:1: a key is null"),
        ("é: \u{1}\n", "1:4: character U+0001"),
        ("a: |\n  \tb\n", "2:3: a block text that begins with a tab"),
        ("a: \"b\\/c\"\n", "1:4: the escape `\\/` is refused"),
        ("a:\n\tb: c\n", "2:2: tabs disallowed"),
    ];
    for (text, start) in rows {
        assert!(failure(text).starts_with(start), "{text:?} gives {}", failure(text));
    }
}

#[test]
fn hostile_input_is_refused_quickly() {
    let level = |n: usize| format!("a{n}: &a{n} [{}]", vec![format!("*a{}", n - 1); 10].join(", "));
    let laughs = (1..12).map(level).collect::<Vec<_>>().join("\n");
    let texts = [
        "a:\n ".to_owned() + &"- ".repeat(100_000),
        "a: ".to_owned() + &"[".repeat(100_000),
        "{\"a\":".repeat(100_000),
        format!("a0: &a0 x\n{laughs}"),
        "a: \"".to_owned() + &"x".repeat(1 << 20),
        "a: '".to_owned() + &"x\n".repeat(1 << 18),
    ];
    for text in texts {
        assert!(!failure(&text).is_empty());
    }
    assert!(events(&format!("a: [{}]", "1, ".repeat(300_000))).len() > 300_000);
    assert_eq!(chunks(&"{\"a\":{}}".repeat(100_000)).len(), 100_000);
    let outdented = "a:\n  b: 'c\n d'\n".repeat(20_000);
    assert!(outline(&only(&outdented)).duplicate_keys.len() > 19_000);
    let _ = events_of(&only(&format!("a: {{{}}}", "\nb: c,".repeat(50_000))));
}

#[test]
fn the_outline_tells_what_argo_cd_would_refuse() {
    let text = "metadata:\n  labels: {a: 1, b: 'x', c: ~}\n  annotations:\n    d: yes\n    e: [x]\n    d: ok\na: 1\na: 2\n";
    let found = outline(&only(text));
    let paths: Vec<_> = found.misfits.iter().map(|misfit| (misfit.path.as_str(), misfit.mark.line)).collect();
    assert_eq!(paths, [("metadata.labels.a", 2), ("metadata.annotations.e", 5)]);
    let keys: Vec<_> = found.duplicate_keys.iter().map(|(key, mark)| (key.as_str(), mark.line)).collect();
    assert_eq!(keys, [("d", 6), ("a", 8)]);
    assert!(outline(&only("kind: A\nsops:\n  mac: ENC[x]\n")).opaque);
    assert_eq!(annotate("kind: A\nsops: {mac: x}\n"), "kind: A\nsops: {mac: x}\n");
}

#[test]
fn the_items_of_a_list_are_documents() {
    let list = "kind: List\nitems:\n  - kind: A\n    data:\n      k: |\n        x\n\n        y\n  # c\n  - kind: B\n    m: \"p\n      q\"\n  - {kind: C}\napiVersion: v1\n";
    let chunk = only(list);
    let found = items(&chunk, &outline(&chunk), &Limits::default()).unwrap();
    let texts: Vec<_> = found.iter().map(|item| (item.line(), item.text())).collect();
    let expected = [
        (3, "kind: A\ndata:\n  k: |\n    x\n\n    y\n# c\n"),
        (10, "kind: B\nm: \"p\n  q\"\n"),
        (13, "{kind: C}"),
    ];
    assert_eq!(texts, expected);
    let odd = "items:\n- kind: A\n  m: p\n- &x\n  kind: B\n  z: &v [w]\n- kind: C\n  z: *v\n";
    let chunk = only(odd);
    let found = items(&chunk, &outline(&chunk), &Limits::default()).unwrap();
    let texts: Vec<_> = found.iter().map(|item| (item.line(), item.text())).collect();
    assert_eq!(texts, [(2, "kind: A\nm: p\n"), (5, "kind: B\nz:\n- w\n"), (7, "kind: C\nz:\n- w\n")]);
}
