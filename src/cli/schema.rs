//! `schema`: JSON Schemas from the same types that read the files.

use schemars::generate::SchemaSettings;

use super::args::{SchemaArgs, SchemaFile};
use super::{Exit, output};
use crate::load::descriptor::Descriptor;
use crate::load::settings::LadderFile;

pub(super) fn run(args: &SchemaArgs) -> anyhow::Result<Exit> {
    // Draft 7 is what yaml-language-server reads.
    let generator = SchemaSettings::draft07().into_generator();
    let schema = match args.file {
        SchemaFile::Component => generator.into_root_schema_for::<Descriptor>(),
        SchemaFile::Ladder => generator.into_root_schema_for::<LadderFile>(),
    };
    output::raw_to_stdout(|out| {
        serde_json::to_writer_pretty(&mut *out, &schema)?;
        writeln!(out)
    })?;
    Ok(Exit::Fine)
}
