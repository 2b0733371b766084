//! A container without a container engine: an image's folder as root, volumes, user and limits as the pod says, by the
//! kernel's own means (mounts of the harness' namespace, then `unshare --root --setuid`).

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::image::{Image, below};
use super::process::output;
use crate::isolate;

/// Devices every container has.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

/// A container of a pod, and where its volumes are.
pub(crate) struct Container<'a> {
    pub(crate) image: &'a Image,
    /// Its part of the pod's spec.
    pub(crate) spec: &'a Value,
    /// The pod's volumes, by name.
    pub(crate) volumes: &'a BTreeMap<String, PathBuf>,
}

/// Why no container can run here, if so.
pub(crate) fn refusal() -> Option<&'static str> {
    let mut probe = Command::new("unshare");
    probe.args(["--setgid", "999", "--setuid", "999", "true"]);
    if !isolate::has_own_mounts() {
        Some("mounts need a namespace, and unshare is refused")
    } else if output(&mut probe).is_err() {
        Some("only root may run a program as another user")
    } else {
        None
    }
}

/// Lets every user write into a folder, as into an `emptyDir`.
pub(crate) fn open_to_all(folder: &Path) -> Result<()> {
    Ok(fs::set_permissions(folder, Permissions::from_mode(0o777))?)
}

/// Folders for a pod's volumes.
pub(crate) fn volumes(pod: &Value, folder: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let mut volumes = BTreeMap::new();
    for volume in pod["volumes"].as_array().context("a pod has volumes")? {
        let name = volume["name"].as_str().context("a volume has a name")?;
        let place = folder.join(name);
        fs::create_dir_all(&place)?;
        open_to_all(&place)?;
        volumes.insert(name.to_owned(), place);
    }
    Ok(volumes)
}

/// Does what an init container's `cp [-x] FROM TO && ln [-x] TARGET LINK` does, FROM being a program of this machine.
pub(crate) fn follow_copies(init: &Value, program: &Path, volumes: &BTreeMap<String, PathBuf>) -> Result<()> {
    let script = init["args"][0].as_str().context("the init container has a script")?;
    for command in script.split("&&") {
        let words: Vec<&str> = command.split_whitespace().filter(|word| !word.starts_with('-')).collect();
        let [verb, from, to] = words.as_slice() else { bail!("`{command}` is no copy") };
        let to = in_volume(init, to, volumes)?;
        match verb.rsplit('/').next() {
            Some("cp") => _ = fs::copy(program, to)?,
            Some("ln") => symlink(from, to)?,
            _ => bail!("`{command}` is no copy"),
        }
    }
    Ok(())
}

fn in_volume(container: &Value, path: &str, volumes: &BTreeMap<String, PathBuf>) -> Result<PathBuf> {
    let found = mounts(container).find_map(|(name, at)| {
        let rest = path.strip_prefix(at)?;
        Some(below(volumes.get(name)?, rest))
    });
    found.with_context(|| format!("{path} is in no volume"))
}

/// Names of volumes and where a container has them.
fn mounts(container: &Value) -> impl Iterator<Item = (&str, &str)> {
    let mounts = container["volumeMounts"].as_array().map(Vec::as_slice).unwrap_or_default();
    mounts.iter().filter_map(|mount| Some((mount["name"].as_str()?, mount["mountPath"].as_str()?)))
}

impl Container<'_> {
    /// The command that becomes the container's first process, once everything is mounted.
    pub(crate) fn command(&self) -> Result<Command> {
        self.mount()?;
        let context = &self.spec["securityContext"];
        let number = |name: &str, usual: u32| context[name].as_u64().map_or(usual.into(), |number| number);
        let (user, group) = (number("runAsUser", self.image.user.0), number("runAsGroup", self.image.user.1));
        let words: Vec<&str> = match self.spec["command"].as_array() {
            Some(words) => words.iter().filter_map(Value::as_str).collect(),
            None => self.image.entry.iter().map(String::as_str).collect(),
        };
        // By their whole paths: the container's own PATH does not lead to them.
        let mut command = Command::new(found("setpriv")?);
        if context["allowPrivilegeEscalation"] == false {
            command.arg("--no-new-privs");
        }
        command.arg("--").arg(found("unshare")?).arg("--root").arg(&self.image.root);
        command.args(["--wd", &self.image.folder]);
        command.args(["--setgid", &group.to_string(), "--setuid", &user.to_string(), "--"]).args(words);
        command.env_clear().envs(self.environment());
        Ok(command)
    }

    /// The image's variables, and over them the pod's.
    fn environment(&self) -> BTreeMap<String, String> {
        let mut variables = self.image.environment.clone();
        let own = self.spec["env"].as_array().map(Vec::as_slice).unwrap_or_default();
        variables.extend(
            own.iter().filter_map(|one| {
                Some((one["name"].as_str()?.to_owned(), one["value"].as_str()?.to_owned()))
            }),
        );
        variables
    }

    fn mount(&self) -> Result<()> {
        let root = &self.image.root;
        let inside: Vec<(&Path, PathBuf)> = mounts(self.spec)
            .map(|(name, path)| {
                let volume = self.volumes.get(name).with_context(|| format!("no volume `{name}`"))?;
                Ok((volume.as_path(), below(root, path)))
            })
            .collect::<Result<_>>()?;
        // A container engine makes the places it mounts at, also in an image that is only read.
        let places = inside.iter().map(|(_, place)| place.clone());
        for place in places.chain([below(root, "proc"), below(root, "dev")]) {
            fs::create_dir_all(place)?;
        }
        for device in DEVICES {
            fs::write(below(root, "dev").join(device), "")?;
        }
        bind(root, root)?;
        if self.spec["securityContext"]["readOnlyRootFilesystem"] == true {
            output(Command::new("mount").args(["-o", "remount,bind,ro"]).arg(root))?;
        }
        output(Command::new("mount").args(["-t", "proc", "proc"]).arg(below(root, "proc")))?;
        for device in DEVICES {
            bind(&Path::new("/dev").join(device), &below(root, "dev").join(device))?;
        }
        inside.iter().try_for_each(|(volume, place)| bind(volume, place))
    }

    /// Whether a running process is confined as the pod's spec says.
    pub(crate) fn check(&self, process: u32) -> Result<()> {
        let status = fs::read_to_string(format!("/proc/{process}/status"))?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(":\t"));
            line.unwrap_or_default().split('\t').next().unwrap_or_default().to_owned()
        };
        let context = &self.spec["securityContext"];
        let (user, group) = (context["runAsUser"].to_string(), context["runAsGroup"].to_string());
        for (name, wanted) in
            [("Uid", user.as_str()), ("Gid", &group), ("NoNewPrivs", "1"), ("CapEff", "0000000000000000")]
        {
            if field(name) != wanted {
                bail!("the container's process has {name} {}, not {wanted}", field(name));
            }
        }
        let root = fs::read_link(format!("/proc/{process}/root"))?;
        if root != self.image.root {
            bail!("its root is {}", root.display());
        }
        match fs::write(root.join("written"), "") {
            Err(error) if error.kind() == ErrorKind::ReadOnlyFilesystem => Ok(()),
            _ => bail!("its root can be written to"),
        }
    }
}

fn bind(from: &Path, to: &Path) -> Result<()> {
    output(Command::new("mount").arg("--bind").args([from, to]))?;
    Ok(())
}

fn found(program: &str) -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mut places = env::split_paths(&path).map(|folder| folder.join(program));
    places.find(|file| file.is_file()).with_context(|| format!("`{program}` is not on the PATH"))
}
