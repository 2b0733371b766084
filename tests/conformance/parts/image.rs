//! An image without a container engine: the steps of its Dockerfile, followed on this machine.
//!
//! A stage with commands runs them here instead of on its base image: Rust and Go of this machine, the same commands.
//! The last stage is laid out in an empty folder, which is less than any base image has. Its paths are those of the
//! image; only what a stage hands on (the sources of `COPY --from`) is moved into the stage's own folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::dockerfile::{self, Stage, Step};
use super::process::{output, status};

const CONTEXT: &str = env!("CARGO_MANIFEST_DIR");
const PLACE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/image");
/// What cargo tells the test it runs would change the build.
const OURS: [&str; 4] = ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_DIR", "CARGO_BUILD_TARGET"];

/// An image that was laid out.
#[derive(Debug, Default)]
pub(crate) struct Image {
    /// What a container sees as `/`.
    pub(crate) root: PathBuf,
    pub(crate) environment: BTreeMap<String, String>,
    /// User and group, as numbers.
    pub(crate) user: (u32, u32),
    /// Where a container starts.
    pub(crate) folder: String,
    pub(crate) entry: Vec<String>,
}

/// Follows every stage of a Dockerfile of this repository.
pub(crate) fn build(file: &str) -> Result<()> {
    println!("following {file} (the first time this takes minutes)");
    let stages = stages(file)?;
    let (_, building) = stages.split_last().context("a Dockerfile has a stage")?;
    for stage in building {
        run(stage, &handed_on(stage, &stages)).with_context(|| format!("{file}: stage {}", stage.name))?;
    }
    lay_out(file)?;
    Ok(())
}

/// The image as `build` left it.
pub(crate) fn built(file: &str) -> Result<Image> {
    let stages = stages(file)?;
    let last = stages.last().context("a Dockerfile has a stage")?;
    let mut image = Image { root: Path::new(PLACE).join("root"), folder: "/".to_owned(), ..Image::default() };
    for step in &last.steps {
        match step {
            Step::Environment(name, value) => {
                image.environment.insert(name.clone(), value.clone());
            }
            Step::Folder(folder) => image.folder.clone_from(folder),
            Step::User(user) => {
                let (user, group) = user.split_once(':').context("USER names a user and a group")?;
                image.user = (user.parse()?, group.parse()?);
            }
            Step::Entry(words) => image.entry.clone_from(words),
            Step::Copy { .. } | Step::Argument(..) => {}
            Step::Run(command) => bail!("the last stage runs `{command}`, but has no shell"),
        }
    }
    Ok(image)
}

fn stages(file: &str) -> Result<Vec<Stage>> {
    dockerfile::stages(&fs::read_to_string(Path::new(CONTEXT).join(file))?).context(file.to_owned())
}

/// The paths that other stages copy from this one.
fn handed_on(stage: &Stage, stages: &[Stage]) -> Vec<String> {
    let steps = stages.iter().flat_map(|other| &other.steps);
    let mut paths = Vec::new();
    for step in steps {
        if let Step::Copy { stage: Some(from), sources, .. } = step
            && *from == stage.name
        {
            paths.extend(sources.iter().map(|path| path.trim_end_matches('/').to_owned()));
        }
    }
    paths
}

/// Runs the commands of a stage.
fn run(stage: &Stage, handed_on: &[String]) -> Result<()> {
    let own = Path::new(PLACE).join(&stage.name);
    let moved = |text: &str| {
        let inside = |text: String, path: &String| {
            text.replace(&format!("{path}/"), &format!("{}{path}/", own.display()))
        };
        handed_on.iter().fold(text.to_owned(), inside)
    };
    let mut variables = BTreeMap::new();
    let mut folder = own.clone();
    fs::create_dir_all(&folder)?;
    for step in &stage.steps {
        match step {
            Step::Argument(name, value) | Step::Environment(name, value) => {
                variables.insert(name.clone(), moved(value));
            }
            Step::Folder(path) => {
                folder = below(&own, path);
                fs::create_dir_all(&folder)?;
            }
            Step::Copy { stage: None, sources, target } => {
                for (source, target) in copies(Path::new(CONTEXT), sources, &folder.join(target)) {
                    // What the repository no longer has must not be built.
                    if target.is_dir() {
                        fs::remove_dir_all(&target)?;
                    }
                    copy(&source, &target)?;
                }
            }
            Step::Run(command) => shell(&moved(command), &folder, &variables)?,
            other => bail!("no stage that builds does {other:?}"),
        }
    }
    Ok(())
}

fn shell(command: &str, folder: &Path, variables: &BTreeMap<String, String>) -> Result<()> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder);
    for name in OURS {
        shell.env_remove(name);
    }
    let status = status(shell.envs(variables))?;
    if status.success() { Ok(()) } else { bail!("`{command}` ended with {status}") }
}

/// Copies what the last stage copies into an empty folder.
fn lay_out(file: &str) -> Result<()> {
    let image = built(file)?;
    if image.root.exists() {
        fs::remove_dir_all(&image.root)?;
    }
    fs::create_dir_all(below(&image.root, &image.folder))?;
    let stages = stages(file)?;
    for step in stages.iter().next_back().map_or(&[][..], |last| &last.steps) {
        if let Step::Copy { stage, sources, target } = step {
            let from = stage.as_ref().map_or_else(|| CONTEXT.into(), |name| Path::new(PLACE).join(name));
            for (source, target) in copies(&from, sources, &below(&image.root, target)) {
                copy(&source, &target)?;
            }
        }
    }
    Ok(())
}

/// What `COPY` copies, each source with its place; several sources go into a folder.
fn copies(from: &Path, sources: &[String], target: &Path) -> Vec<(PathBuf, PathBuf)> {
    let place = |source: PathBuf| {
        let target = match source.file_name().filter(|_| sources.len() > 1) {
            Some(name) => target.join(name),
            None => target.to_owned(),
        };
        (source, target)
    };
    sources.iter().map(|source| place(below(from, source))).collect()
}

/// Copies a file, or what is in a folder; times stay, so that nothing is built twice.
fn copy(source: &Path, target: &Path) -> Result<()> {
    fs::create_dir_all(target.parent().context("a target is below a folder")?)?;
    output(Command::new("cp").args(["--archive", "--no-target-directory"]).args([source, target]))?;
    Ok(())
}

/// A path of an image in the folder that stands for its root.
pub(crate) fn below(root: &Path, path: &str) -> PathBuf {
    root.join(path.trim_start_matches('/'))
}
