//! Mappings that leave as they were written, but must fit the type their reader has for them.
//!
//! The type gives the schema, the places of misfits and the suggestions for unknown keys; what it does not know stays.

use std::marker::PhantomData;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::targets::merge;

/// A mapping that fits `T`.
pub struct Checked<T> {
    written: Map<String, Value>,
    fits: PhantomData<fn() -> T>,
}

impl<T> Checked<T> {
    /// A mapping that is known to fit.
    #[must_use]
    pub fn of(written: Map<String, Value>) -> Self {
        Self { written, fits: PhantomData }
    }

    /// The mapping, to be changed.
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::Object(self.written.clone())
    }
}

impl<T> Deref for Checked<T> {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        &self.written
    }
}

impl<T> std::fmt::Debug for Checked<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.written.fmt(f)
    }
}

impl<T> Clone for Checked<T> {
    fn clone(&self) -> Self {
        Self::of(self.written.clone())
    }
}

impl<T> Default for Checked<T> {
    fn default() -> Self {
        Self::of(Map::new())
    }
}

impl<T> PartialEq for Checked<T> {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl<T> Serialize for Checked<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.written.serialize(serializer)
    }
}

impl<'de, T: DeserializeOwned + Serialize> Deserialize<'de> for Checked<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Map::deserialize(deserializer)?;
        let typed: T = serde_json::from_value(Value::Object(written.clone())).map_err(D::Error::custom)?;
        let mut whole = Value::Object(written);
        // A text that was written as a number is a text from here on.
        merge(&mut whole, &without_nulls(serde_json::to_value(typed).map_err(D::Error::custom)?));
        match whole {
            Value::Object(written) => Ok(Self::of(written)),
            _ => Err(D::Error::custom("expected a mapping")),
        }
    }
}

impl<T: JsonSchema> JsonSchema for Checked<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// Fields that were not written are none, and null would take keys away.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(_, field)| !field.is_null())
            .map(|(key, field)| (key, without_nulls(field)))
            .collect(),
        other => other,
    }
}

/// A text, also where it was written as a number or a switch.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(with = "TextAsWritten")]
pub struct Text(pub String);

/// What a text may be written as, for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum TextAsWritten {
    Text(String),
    Number(f64),
    Switch(bool),
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text)),
            other @ (Value::Number(_) | Value::Bool(_)) => Ok(Self(other.to_string())),
            _ => Err(D::Error::custom("expected a text")),
        }
    }
}
