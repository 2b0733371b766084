//! Files a command writes: each is replaced whole or stays as it was, and what is no file is written to as it is.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::problem::{Problem, Problems};

/// How much is written at once.
const BUFFER_BYTES: usize = 1 << 18;

/// A file that is written and not yet in its place.
#[derive(Debug)]
pub(super) struct Staged(Option<(TempPath, PathBuf)>);

/// Writes a file whole or not at all.
pub(super) fn to_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    place([staged(path, write)?])
}

/// Writes a file beside its place: several are only put there when all are written.
pub(super) fn staged(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<Staged> {
    beside(path, write).map_err(|error| not_written(path, &error).into())
}

/// Puts files in their places.
pub(super) fn place(files: impl IntoIterator<Item = Staged>) -> anyhow::Result<()> {
    for (file, path) in files.into_iter().filter_map(|staged| staged.0) {
        file.persist(&path).map_err(|error| not_written(&path, &error.error))?;
    }
    Ok(())
}

fn not_written(path: &Path, error: &io::Error) -> Problems {
    let problem = match error.kind() {
        io::ErrorKind::NotFound => {
            Problem::new("unwritable-file", "the directory of this file is not there").help("create it first")
        }
        io::ErrorKind::PermissionDenied => Problem::new("unwritable-file", "permission denied")
            .help("make its directory writable for this user"),
        _ => Problem::new("unwritable-file", format!("cannot be written: {error}")),
    };
    problem.at(path.display()).into()
}

fn beside(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Staged> {
    let Some((place, permissions)) = place_of(path)? else {
        let mut out = BufWriter::with_capacity(BUFFER_BYTES, File::create(path)?);
        write(&mut out)?;
        out.flush()?;
        return Ok(Staged(None));
    };
    let directory = place.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Temporary files are private by default; a new file is for everybody.
    let file = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o644))
        .tempfile_in(directory)
        // Without the name of the temporary file, which nobody has asked for.
        .map_err(|error| io::Error::from(error.kind()))?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, file);
    write(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok(Staged(Some((file.into_temp_path(), place))))
}

/// The file that a path means, behind links, with the permissions it has. None for what cannot be replaced: a pipe or
/// a device must stay one, and a link to nothing, or to an open file without a name, is written through.
fn place_of(path: &Path) -> io::Result<Option<(PathBuf, Option<Permissions>)>> {
    if fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(Some((path.to_owned(), None)));
    }
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {
            Ok(path.canonicalize().ok().map(|place| (place, Some(metadata.permissions()))))
        }
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
