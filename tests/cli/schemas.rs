//! `schema` against what reads the files: the same keys, the same values, in the draft that editors read.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use argocd_ladder::load::timeline;
use argocd_ladder::load::{descriptor, hooks, policy, rung_settings, settings, shape, targets};
use argocd_ladder::yaml::{Limits, tree};
use serde::de::value::Error;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::Value;

use crate::harness::{files, repository, run};

/// Takes nothing and keeps the keys it is asked for.
struct Asked<'a>(&'a Cell<&'static [&'static str]>);

impl<'de> Deserializer<'de> for Asked<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("no struct"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        self.0.set(fields);
        Err(Error::custom("the keys are known now"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The keys that reading a type takes, sorted.
fn taken<T: for<'de> Deserialize<'de>>() -> Vec<&'static str> {
    let fields = Cell::new(&[][..]);
    assert!(T::deserialize(Asked(&fields)).is_err());
    let mut taken = fields.get().to_vec();
    taken.sort_unstable();
    assert!(!taken.is_empty());
    taken
}

fn schema(file: &str) -> Value {
    run(repository(), &["schema", file]).json()
}

/// The keys a type of a schema lists, sorted; the whole file without a name.
fn listed<'s>(schema: &'s Value, name: &str) -> Vec<&'s str> {
    let part = if name.is_empty() { schema } else { &schema["definitions"][name] };
    let fields = part["properties"].as_object().unwrap_or_else(|| panic!("`{name}` has keys"));
    let mut keys: Vec<&str> = fields.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn every_key_that_is_read_is_in_the_schema_and_no_other() {
    let (component, ladder) = (schema("component"), schema("ladder"));
    for (schema, name, taken) in [
        (&component, "", taken::<descriptor::Descriptor>()),
        (&component, "HookSetting", taken::<hooks::HookSetting>()),
        (&component, "WaitForSetting", taken::<hooks::WaitForSetting>()),
        (&component, "ResourceWait", taken::<hooks::ResourceWait>()),
        (&component, "SyncPolicy", taken::<policy::SyncPolicy>()),
        (&ladder, "", taken::<settings::LadderFile>()),
        (&ladder, "RungSetting", taken::<rung_settings::RungSetting>()),
        (&ladder, "DomainSetting", taken::<rung_settings::DomainSetting>()),
        (&ladder, "SelectSetting", taken::<rung_settings::SelectSetting>()),
        (&ladder, "Rollback", taken::<rung_settings::Rollback>()),
        (&ladder, "GateSettings", taken::<hooks::GateSettings>()),
        (&ladder, "TimelineSettings", taken::<timeline::TimelineSettings>()),
        (&ladder, "TargetSettings", taken::<targets::TargetSettings>()),
        (&ladder, "ApplicationSetSettings", taken::<targets::ApplicationSetSettings>()),
        (&ladder, "RungSet", taken::<targets::RungSet>()),
        (&ladder, "Cluster", taken::<targets::Cluster>()),
        (&ladder, "Destination", taken::<targets::Destination>()),
        (&ladder, "FluxSettings", taken::<targets::FluxSettings>()),
        (&ladder, "FluxSource", taken::<targets::FluxSource>()),
        (&ladder, "Automated", taken::<policy::Automated>()),
        (&ladder, "Retry", taken::<policy::Retry>()),
        (&ladder, "Backoff", taken::<policy::Backoff>()),
    ] {
        assert_eq!(listed(schema, name), taken, "`{name}`");
    }
}

#[test]
fn every_file_that_is_read_fits_its_schema() {
    let schemas = [("component.yaml", schema("component")), ("ladder.yaml", schema("ladder"))];
    let mut seen = 0;
    for folder in ["examples", "tests/cases"] {
        for file in files(&repository().join(folder)) {
            let Some((_, schema)) = schemas.iter().find(|(name, _)| Path::new(&file).ends_with(name)) else {
                continue;
            };
            if file.starts_with("reject/") {
                continue;
            }
            let text = std::fs::read_to_string(repository().join(folder).join(&file)).unwrap();
            let tree = tree::parse_unique(&Arc::new(text), &Limits::default()).unwrap();
            assert_eq!(shape::misfit(&tree, schema), None, "{folder}/{file}");
            seen += 1;
        }
    }
    assert!(seen > 400, "{seen} files");
}

#[test]
fn the_draft_is_the_one_editors_read() {
    for file in ["component", "ladder"] {
        let schema = schema(file);
        assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
        // Later drafts say these; draft 7 would pass over them in silence.
        let text = schema.to_string();
        for later in ["$defs", "prefixItems", "unevaluatedProperties", "dependentRequired", "$anchor"] {
            assert!(!text.contains(&format!("\"{later}\"")), "{file}: {later}");
        }
    }
}
