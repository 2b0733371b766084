//! Builds the real programs from the Go module proxy into a cache outside the checkout.
//!
//! A program is built again when its module's files change; Go's own caches make that a matter of seconds.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::process::{output, status};

const SETTING: &str = "LADDER_CONFORMANCE_CACHE";
const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/go");

/// A program to build: the package of a module below `go/`, or one that `go install` gets by version.
pub(crate) struct Program {
    name: &'static str,
    from: From,
    /// Values for `-X`, each with every package variable that takes it.
    versions: &'static [(&'static str, &'static str)],
    /// Files of the module's dependencies that are needed beside the program.
    files: &'static [Files],
}

enum From {
    Module { folder: &'static str, package: &'static str },
    Install { package: &'static str },
}

struct Files {
    module: &'static str,
    path: &'static str,
}

const fn module(name: &'static str, folder: &'static str, package: &'static str) -> Program {
    Program { name, from: From::Module { folder, package }, versions: &[], files: &[] }
}

pub(crate) const HELM: Program = Program {
    name: "helm",
    from: From::Install { package: "helm.sh/helm/v4/cmd/helm@v4.2.1" },
    versions: &[("helm.sh/helm/v4/internal/version.version", "v4.2.1")],
    files: &[],
};
pub(crate) const KUSTOMIZE: Program = Program {
    name: "kustomize",
    from: From::Install { package: "sigs.k8s.io/kustomize/kustomize/v5@v5.8.1" },
    versions: &[],
    files: &[],
};
pub(crate) const ARGOCD: Program = Program {
    versions: &[("github.com/argoproj/argo-cd/v3/common.version", "3.5.3")],
    files: &[
        Files { module: "github.com/argoproj/argo-cd/v3", path: "manifests/crds" },
        Files { module: "github.com/argoproj/argo-cd/v3", path: "manifests/install.yaml" },
        Files { module: "github.com/argoproj/argo-cd/v3", path: "hack/git-verify-wrapper.sh" },
    ],
    ..module("argocd", "argocd", "github.com/argoproj/argo-cd/v3/cmd")
};
pub(crate) const CLIENT: Program = module("client", "argocd", "./client");
pub(crate) const CLUSTER: Program = Program {
    versions: &[
        ("k8s.io/component-base/version.gitVersion", "v1.36.3"),
        ("k8s.io/component-base/version.gitMajor", "1"),
        ("k8s.io/component-base/version.gitMinor", "36"),
        ("k8s.io/client-go/pkg/version.gitVersion", "v1.36.3"),
        ("k8s.io/client-go/pkg/version.gitMajor", "1"),
        ("k8s.io/client-go/pkg/version.gitMinor", "36"),
        ("sigs.k8s.io/kwok/pkg/consts.Version", "0.8.0"),
    ],
    ..module("cluster", "cluster", ".")
};
pub(crate) const KUSTOMIZE_CONTROLLER: Program = Program {
    files: &[Files { module: "github.com/fluxcd/kustomize-controller", path: "config/crd/bases" }],
    ..module("kustomize-controller", "kustomize-controller", "github.com/fluxcd/kustomize-controller")
};
pub(crate) const SOURCE_CONTROLLER: Program = Program {
    files: &[Files { module: "github.com/fluxcd/source-controller", path: "config/crd/bases" }],
    ..module("source-controller", "source-controller", "github.com/fluxcd/source-controller")
};

/// The modules the programs are, by the folder whose go.mod says their version.
const MODULES: [(&str, &str); 5] = [
    ("argocd", "github.com/argoproj/argo-cd/v3"),
    ("cluster", "k8s.io/kubernetes"),
    ("cluster", "sigs.k8s.io/kwok"),
    ("source-controller", "github.com/fluxcd/source-controller"),
    ("kustomize-controller", "github.com/fluxcd/kustomize-controller"),
];

/// Every real part and its version.
pub(crate) fn versions() -> Result<Vec<(String, String)>> {
    let mut versions = Vec::new();
    for (folder, module) in MODULES {
        let file = Path::new(HERE).join(folder).join("go.mod");
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let mut lines = text.lines().map(|line| line.trim_start().trim_start_matches("require "));
        let version = lines.find_map(|line| line.strip_prefix(module)?.split_whitespace().next());
        versions.push((module.to_owned(), version.context("go.mod names its module")?.to_owned()));
    }
    for program in [&HELM, &KUSTOMIZE] {
        if let From::Install { package } = program.from {
            let (module, version) = package.split_once('@').context("a package has a version")?;
            versions.push((module.to_owned(), version.to_owned()));
        }
    }
    Ok(versions)
}

/// The cache of built programs.
#[derive(Clone, Debug)]
pub(crate) struct Built(PathBuf);

impl Built {
    /// The cache folder: the user's, unless the environment names another.
    pub(crate) fn cache() -> Result<Built> {
        let home = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
        let usual = || env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
        let folder = env::var_os(SETTING)
            .map(PathBuf::from)
            .or_else(|| usual().map(|cache| cache.join("argocd-ladder-conformance")))
            .with_context(|| format!("no cache folder: set HOME or {SETTING}"))?;
        Ok(Built(folder))
    }

    /// A program of the cache.
    pub(crate) fn program(&self, program: &Program) -> PathBuf {
        self.programs().join(program.name)
    }

    /// The folder with every program, for `PATH`.
    pub(crate) fn programs(&self) -> PathBuf {
        self.0.join("bin")
    }

    /// A file or folder that came with a program, by its last name.
    pub(crate) fn file(&self, program: &Program, name: &str) -> PathBuf {
        self.0.join("files").join(program.name).join(name)
    }

    /// Builds what is missing or changed.
    pub(crate) fn ensure(&self, programs: &[&Program]) -> Result<()> {
        let mut seen = BTreeSet::new();
        for program in programs.iter().filter(|program| seen.insert(program.name)) {
            self.ensure_one(program).with_context(|| format!("building {}", program.name))?;
        }
        Ok(())
    }

    fn ensure_one(&self, program: &Program) -> Result<()> {
        let key = program.key()?;
        let stamp = self.0.join("built").join(program.name);
        if self.program(program).exists() && fs::read_to_string(&stamp).is_ok_and(|made| made == key) {
            return Ok(());
        }
        println!("building {} (the first time this takes minutes)", program.name);
        let start = Instant::now();
        fs::create_dir_all(self.programs())?;
        program.build(&self.programs())?;
        for files in program.files {
            self.copy_files(program, files)?;
        }
        fs::create_dir_all(self.0.join("built"))?;
        fs::write(stamp, key)?;
        println!("built {} in {:.1} s", program.name, start.elapsed().as_secs_f64());
        Ok(())
    }

    fn copy_files(&self, program: &Program, files: &Files) -> Result<()> {
        let From::Module { folder, .. } = program.from else { bail!("only a module's files can be copied") };
        let mut list = go(folder);
        list.args(["list", "-mod=readonly", "-m", "-f", "{{.Dir}}", files.module]);
        let source = PathBuf::from(String::from_utf8(output(&mut list)?)?.trim()).join(files.path);
        let name = source.file_name().context("a path with a name")?;
        let target = self.0.join("files").join(program.name);
        fs::create_dir_all(&target)?;
        if source.is_dir() {
            fs::create_dir_all(target.join(name))?;
            for entry in fs::read_dir(&source)? {
                let entry = entry?;
                copy_file(&entry.path(), &target.join(name).join(entry.file_name()))?;
            }
            return Ok(());
        }
        copy_file(&source, &target.join(name))
    }
}

/// Go's module cache is read-only and knows no executable files; scripts need to be.
fn copy_file(from: &Path, to: &Path) -> Result<()> {
    fs::write(to, fs::read(from)?)?;
    Ok(fs::set_permissions(to, fs::Permissions::from_mode(0o755))?)
}

impl Program {
    fn key(&self) -> Result<String> {
        let mut hasher = DefaultHasher::new();
        self.versions.hash(&mut hasher);
        self.files.iter().for_each(|files| files.path.hash(&mut hasher));
        match self.from {
            From::Install { package } => package.hash(&mut hasher),
            From::Module { folder, package } => {
                package.hash(&mut hasher);
                hash_folder(&Path::new(HERE).join(folder), &mut hasher)?;
            }
        }
        Ok(format!("{:016x}", hasher.finish()))
    }

    fn build(&self, programs: &Path) -> Result<()> {
        let mut flags = String::from("-s -w");
        for (variable, value) in self.versions {
            flags.push_str(&format!(" -X {variable}={value}"));
        }
        // Beside its final place and then moved, so that no other run ever starts half a program.
        let fresh = tempfile::tempdir_in(programs)?;
        let made = fresh.path().join(self.name);
        let mut command = match self.from {
            From::Module { folder, package } => {
                let mut command = go(folder);
                command
                    .args(["build", "-mod=readonly", "-trimpath", "-ldflags", &flags, "-o"])
                    .args([&made])
                    .arg(package);
                command
            }
            From::Install { package } => {
                let mut command = Command::new("go");
                command
                    .args(["install", "-trimpath", "-ldflags", &flags, package])
                    .env("GOBIN", fresh.path());
                command
            }
        };
        let status = status(command.env("CGO_ENABLED", "0"))?;
        if !status.success() {
            bail!("go ended with {status}");
        }
        Ok(fs::rename(made, programs.join(self.name))?)
    }
}

fn go(folder: &str) -> Command {
    let mut command = Command::new("go");
    command.current_dir(Path::new(HERE).join(folder));
    command
}

fn hash_folder(folder: &Path, hasher: &mut DefaultHasher) -> Result<()> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            hash_folder(&entry, hasher)?;
        } else {
            entry.file_name().hash(hasher);
            fs::read(&entry)?.hash(hasher);
        }
    }
    Ok(())
}
