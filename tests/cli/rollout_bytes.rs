//! The bytes of the example platform: the same whatever threads, locale, folder or order of files, written once each,
//! and unchanged but for the wave.

use std::fs;
use std::path::Path;

use serde_yaml::Value as Yaml;

use crate::harness::{Surroundings, Tree, example, files, repository, run, run_in};
use crate::rollout_phases::{components, plan, word};

#[test]
fn the_same_bytes_for_every_thread_count_locale_folder_and_file_order() {
    let source = example();
    let backwards = Tree::empty();
    for file in files(&source).iter().rev() {
        backwards.write(file, fs::read(source.join(file)).unwrap());
    }
    let absolute = source.to_str().unwrap();
    for command in [&["plan", "--format", "json"][..], &["render"]] {
        let expected = run(&source, command);
        assert_eq!(expected.exit, 0, "{}", expected.stderr);
        // Each run differs in everything at once: that finds as much and costs a third.
        for (directory, root, threads, locale) in [
            (repository(), "examples/rollout-phases", "1", "C"),
            (Path::new("/"), absolute, "2", "tr_TR.UTF-8"),
            (&source.join("apps"), "../", "4", "de_DE@euro"),
            (backwards.path(), ".", "3", ""),
        ] {
            let args = [command, &[root, "--threads", threads]].concat();
            let variables = [("LC_ALL", locale), ("LANG", locale)];
            let other = run_in(directory, &args, &Surroundings { stdin: b"", variables: &variables });
            assert!(other == expected, "{args:?} in {} with {locale:?}", directory.display());
        }
    }
}

#[test]
fn rendering_what_was_rendered_changes_nothing() {
    let source = example();
    let once = run(&source, &["render"]).succeeded();
    let out = Tree::empty();
    let directory = format!("{}/", out.path().display());
    run(&source, &["render", "-o", &directory]).succeeded();
    let tree = Tree::empty();
    for (name, component) in components(&plan(&source)) {
        let folder = word(&component["path"]);
        let rendered = fs::read(out.path().join(format!("{name}.yaml"))).unwrap();
        tree.write(&format!("{folder}/{name}.yaml"), rendered);
        let descriptor = format!("{folder}/component.yaml");
        tree.write(&descriptor, fs::read(source.join(&descriptor)).unwrap());
    }
    let twice = tree.run(&["render"]).succeeded();
    assert!(once == twice, "{}", first_difference(&once, &twice));
}

#[test]
fn filtering_what_was_filtered_changes_nothing() {
    let filtered = |text: &str| {
        let surroundings = Surroundings { stdin: text.as_bytes(), variables: &[] };
        run_in(&example(), &["render", "-"], &surroundings).succeeded()
    };
    let once = filtered(&run(&example(), &["render"]).succeeded());
    let twice = filtered(&once);
    assert!(once == twice, "{}", first_difference(&once, &twice));
}

fn first_difference(a: &str, b: &str) -> String {
    let lines = a.lines().zip(b.lines()).enumerate();
    let differing = lines.into_iter().find(|(_, (a, b))| a != b);
    differing.map_or_else(
        || "lengths differ".to_owned(),
        |(number, (a, b))| format!("line {}: {a} | {b}", number + 1),
    )
}

#[test]
fn every_resource_leaves_exactly_once_and_differs_only_in_its_wave() {
    let source = example();
    let mut expected = Vec::new();
    for component in
        components(&plan(&source)).values().filter(|component| component.get("splitFrom").is_none())
    {
        let folder = source.join(word(&component["path"]));
        let descriptor: Yaml =
            serde_yaml::from_str(&fs::read_to_string(folder.join("component.yaml")).unwrap()).unwrap();
        for file in files(&folder).iter().filter(|file| *file != "component.yaml") {
            let documents = documents(&fs::read_to_string(folder.join(file)).unwrap());
            expected
                .extend(documents.into_iter().map(|document| (document, descriptor["namespace"].clone())));
        }
    }
    let mut left = documents(&run(&source, &["render"]).succeeded());
    assert_eq!(left.len(), expected.len());
    for (document, namespace) in expected {
        let position =
            left.iter().position(|rendered| without_wave(rendered, &document, &namespace) == document);
        let position = position.unwrap_or_else(|| panic!("left unchanged: {document:?}"));
        left.swap_remove(position);
    }
}

/// The documents of a stream.
fn documents(text: &str) -> Vec<Yaml> {
    let all = serde_yaml::Deserializer::from_str(text);
    let parsed = all.map(|document| serde::Deserialize::deserialize(document).expect("YAML"));
    parsed.filter(|document| *document != Yaml::Null).collect()
}

/// A rendered document as it was: without the wave, and without the namespace if its component gave it.
fn without_wave(rendered: &Yaml, original: &Yaml, given: &Yaml) -> Yaml {
    let mut document = rendered.clone();
    let metadata = document["metadata"].as_mapping_mut().expect("metadata");
    let wave =
        metadata["annotations"].as_mapping_mut().and_then(|all| all.remove("argocd.argoproj.io/sync-wave"));
    assert!(wave.is_some_and(|wave| wave.is_string()), "a quoted wave: {rendered:?}");
    if original["metadata"].get("annotations").is_none() {
        metadata.remove("annotations");
    }
    if original["metadata"].get("namespace").is_none() && metadata.get("namespace") == Some(given) {
        metadata.remove("namespace");
    }
    document
}
