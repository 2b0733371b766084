//! Ladder → objects that roll it out: Applications, an ApplicationSet, Flux Kustomizations. One file per target.
//!
//! All of them keep the same strong order: Applications by their waves, the ApplicationSet by its steps, Flux by
//! `dependsOn`.

pub mod application;
pub mod applications;
pub mod applicationset;
pub mod content;
pub mod flux;
mod flux_cel;
pub mod flux_health;
pub mod flux_source;
mod member;
pub mod name;
pub mod namespaces;
pub mod reduce;
pub mod rollback;
pub mod rung_set;
mod rung_template;
pub mod source;
pub mod sync;
pub mod waves;

use std::io::{self, Write};

use serde_json::Value;

use crate::model::Finding;
use crate::yaml;

/// The objects of a target and what the user should know about them.
#[derive(Debug, Default)]
pub struct Written {
    /// Each with the name of the file it belongs to when a directory is written.
    pub objects: Vec<(String, Value)>,
    /// What the user should know.
    pub findings: Vec<Finding>,
}

/// Writes objects as a YAML stream.
///
/// # Errors
/// When the writer fails.
pub fn write<'v>(objects: impl IntoIterator<Item = &'v Value>, out: &mut impl Write) -> io::Result<()> {
    for object in objects {
        out.write_all(b"---\n")?;
        out.write_all(yaml::from_json(object).as_bytes())?;
    }
    Ok(())
}
