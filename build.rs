//! Folds the catalogue's YAML files into one JSON text: start-up then parses JSON, which is much faster.

#![expect(clippy::disallowed_methods, reason = "a build script reads and writes files")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::{Map, Value};

const DATA: &str = "src/catalogue/data";

fn main() {
    println!("cargo:rerun-if-changed={DATA}");
    let mut files: Vec<PathBuf> = fs::read_dir(DATA)
        .expect("the catalogue is part of the sources")
        .map(|entry| entry.expect("its files can be listed").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .collect();
    files.sort();
    let mut lists: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for file in &files {
        for (list, rows) in rows(file) {
            lists.entry(list).or_default().extend(rows);
        }
    }
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("catalogue.json");
    let whole: Map<String, Value> =
        lists.into_iter().map(|(list, rows)| (list, Value::Array(rows))).collect();
    fs::write(out, Value::Object(whole).to_string()).expect("the build folder can be written");
}

fn rows(file: &Path) -> Vec<(String, Vec<Value>)> {
    let text = fs::read_to_string(file).expect("a listed file can be read");
    let parsed: BTreeMap<String, Option<Vec<Value>>> =
        serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    parsed.into_iter().map(|(list, rows)| (list, rows.unwrap_or_default())).collect()
}
