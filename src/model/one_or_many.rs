//! A field that takes one value or a list of them.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

/// How such a field is written; for `#[schemars(with = …)]`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany<T> {
    /// One.
    One(T),
    /// Several.
    Many(Vec<T>),
}

/// Reads either as a list; for `#[serde(deserialize_with = …)]`.
///
/// # Errors
/// When it is neither.
pub fn one_or_many<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(match OneOrMany::deserialize(deserializer)? {
        OneOrMany::One(value) => vec![value],
        OneOrMany::Many(values) => values,
    })
}
