//! `explain`: the evidence behind one position.

use super::args::ExplainArgs;
use super::{Exit, output};
use crate::explain::{find, write, write_between};

pub(super) fn run(args: &ExplainArgs) -> anyhow::Result<Exit> {
    let ladder = output::ladder(&args.root, &args.reading)?;
    let subject = find(&ladder, &args.name)?;
    let other = args.other.as_ref().map(|name| find(&ladder, name)).transpose()?;
    output::to_stdout(|mut out| match other {
        Some(other) => write_between(&ladder, subject, other, &mut out),
        None => write(&ladder, subject, &mut out),
    })?;
    Ok(Exit::Fine)
}
