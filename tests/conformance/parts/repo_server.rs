//! The real argocd-repo-server with its redis, and one real argocd-cmp-server per plugin; no cluster.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::build::{ARGOCD, Built, CLIENT};
use super::process::{Process, free_port, http_ok, port_open};
use super::sidecar;
use crate::case::Case;

/// The program under test.
pub(crate) const LADDER: &str = env!("CARGO_BIN_EXE_argocd-ladder");

/// The plugin's configuration, as people install it.
const PLUGIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/plugin.yaml");
pub(super) const START: Duration = Duration::from_secs(30);

/// A running repo-server; dropping it ends all its programs.
pub(crate) struct RepoServer {
    built: Built,
    pub(crate) port: u16,
    pub(crate) redis_port: u16,
    /// Unix sockets have short paths, so they live in the system's temporary folder.
    sockets: TempDir,
    _programs: Vec<Process>,
}

/// What a server answered.
#[derive(Debug, Deserialize)]
pub(crate) struct Answer {
    pub(crate) result: Value,
    #[serde(default)]
    pub(crate) error: String,
    pub(crate) millis: f64,
}

impl RepoServer {
    /// Starts redis, a cmp-server for every plugin of the case, and the repo-server.
    pub(crate) fn start(built: &Built, case: &Case, folder: &Path) -> Result<RepoServer> {
        let (port, redis_port, metrics) = (free_port()?, free_port()?, free_port()?);
        let sockets = tempfile::tempdir()?;
        let place = Place { built, case, folder, sockets: sockets.path() };
        let mut redis = place.redis(redis_port)?;
        redis.wait_until(START, || port_open(redis_port))?;
        let mut programs = vec![redis];
        for (name, plugin) in place.plugins()? {
            let socket = sockets.path().join(format!("{name}.sock"));
            let mut server = match &case.sidecar {
                Some(sidecar) if !case.plugins.contains_key(&name) => {
                    sidecar::start(built, sidecar, folder, sockets.path())?
                }
                _ => place.cmp_server(&name, &plugin)?,
            };
            server.wait_until(START, || socket.exists())?;
            programs.push(server);
        }
        let mut server = place.repo_server(port, metrics, redis_port)?;
        server.wait_until(START, || http_ok(metrics, "/healthz?full=true"))?;
        programs.push(server);
        Ok(RepoServer { built: built.clone(), port, redis_port, sockets, _programs: programs })
    }

    /// The address for Argo CD's controllers.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The socket of a plugin's cmp-server.
    pub(crate) fn socket(&self, plugin: &str) -> PathBuf {
        self.sockets.path().join(format!("{plugin}.sock"))
    }

    /// Asks several questions at once; the answers in their order.
    pub(crate) fn ask(&self, questions: &[Value]) -> Result<Vec<Answer>> {
        let mut client = Command::new(self.built.program(&CLIENT))
            .arg("-together")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("the client does not start")?;
        client.stdin.take().context("stdin is piped")?.write_all(json!(questions).to_string().as_bytes())?;
        let done = client.wait_with_output()?;
        if !done.status.success() {
            bail!("the client ended with {}: {}", done.status, String::from_utf8_lossy(&done.stderr).trim());
        }
        Ok(serde_json::from_slice(&done.stdout)?)
    }

    /// Asks the repo-server for the manifests of a source.
    pub(crate) fn generate(&self, source: &Value, namespace: &str) -> Result<Answer> {
        let question = json!({"call": "generate", "server": self.address(), "source": source, "application": "case",
            "namespace": namespace, "noCache": true, "kustomizeFlags": "--enable-helm"});
        self.ask(&[question])?.pop().context("one answer for one question")
    }

    /// The objects of a source.
    pub(crate) fn objects(&self, source: &Value) -> Result<Vec<Value>> {
        self.generate(source, "default")?.objects()
    }
}

impl Answer {
    /// The manifests of the answer.
    pub(crate) fn objects(&self) -> Result<Vec<Value>> {
        if !self.error.is_empty() {
            bail!("the repo-server refused: {}", self.error);
        }
        let manifests = self.result["manifests"].as_array().map(Vec::as_slice).unwrap_or_default();
        manifests
            .iter()
            .map(|text| Ok(serde_json::from_str(text.as_str().context("a manifest is text")?)?))
            .collect()
    }
}

/// Where a stack starts, and with what.
struct Place<'a> {
    built: &'a Built,
    case: &'a Case,
    folder: &'a Path,
    sockets: &'a Path,
}

impl Place<'_> {
    /// The plugin under test and those of the case, by id.
    fn plugins(&self) -> Result<Vec<(String, String)>> {
        let own = fs::read_to_string(PLUGIN).with_context(|| PLUGIN.to_owned())?;
        let mut plugins = vec![(plugin_id(&serde_yaml::from_str(&own)?)?, own)];
        for plugin in self.case.plugins.values() {
            plugins.push((plugin_id(plugin)?, serde_json::to_string(plugin)?));
        }
        Ok(plugins)
    }

    fn redis(&self, port: u16) -> Result<Process> {
        let mut command = Command::new("redis-server");
        command.args([
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
            "--port",
            &port.to_string(),
        ]);
        Process::start("redis", command.current_dir(self.folder), &self.logs()?)
    }

    fn cmp_server(&self, name: &str, plugin: &str) -> Result<Process> {
        let config = self.make(&format!("plugins/{name}"))?;
        fs::write(config.join("plugin.yaml"), plugin)?;
        let mut command = self.argocd("argocd-cmp-server")?;
        command.args(["--logformat", "text", "--config-dir-path"]).arg(config);
        command.env("ARGOCD_CMP_WORKDIR", self.make(&format!("work/{name}"))?);
        command.envs(&self.case.environment).env("PATH", self.plugin_path()?);
        Process::start(&format!("cmp-server-{name}"), &mut command, &self.logs()?)
    }

    fn repo_server(&self, port: u16, metrics: u16, redis: u16) -> Result<Process> {
        let mut command = self.argocd("argocd-repo-server")?;
        command.args(["--logformat", "text", "--disable-tls", "--client-ca-path=", "--address", "127.0.0.1"]);
        command.args(["--metrics-address", "127.0.0.1", "--revision-cache-expiration", "1s"]);
        command.args(["--port", &port.to_string(), "--metrics-port", &metrics.to_string()]);
        command.args(["--redis", &format!("127.0.0.1:{redis}")]);
        // A failure must be seen again when the next request asks again.
        command.env("ARGOCD_PAUSE_GEN_AFTER_FAILED_ATTEMPTS", "0");
        command.env("ARGOCD_ASK_PASS_SOCK", self.sockets.join("ask-pass.sock"));
        command.env("ARGOCD_TLS_DATA_PATH", self.make("tls")?).env("ARGOCD_SSH_DATA_PATH", self.make("ssh")?);
        Process::start("repo-server", &mut command, &self.logs()?)
    }

    fn argocd(&self, program: &str) -> Result<Command> {
        let mut command = Command::new(self.built.program(&ARGOCD));
        command.env_clear().current_dir(self.folder);
        command.env("ARGOCD_BINARY_NAME", program).env("ARGOCD_GPG_ENABLED", "false");
        command.env("ARGOCD_PLUGINSOCKFILEPATH", self.sockets).env("TMPDIR", self.make("tmp")?);
        let verify = self.built.file(&ARGOCD, "");
        command.env("PATH", joined([verify, self.built.programs()])?).env("HOME", self.folder);
        Ok(command)
    }

    /// The case's tools, the program under test, helm and kustomize, then the system's.
    fn plugin_path(&self) -> Result<OsString> {
        let tools = self.make("tools")?;
        for (name, script) in &self.case.tools {
            let path = tools.join(name);
            fs::write(&path, script)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
        let ladder = Path::new(LADDER).parent().context("the program has a folder")?;
        joined([tools, ladder.to_owned(), self.built.programs()])
    }

    fn logs(&self) -> Result<PathBuf> {
        self.make("logs")
    }

    fn make(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }
}

/// A PATH with these folders first.
pub(crate) fn joined<const N: usize>(folders: [PathBuf; N]) -> Result<OsString> {
    let system = env::var_os("PATH").unwrap_or_default();
    Ok(env::join_paths(folders.into_iter().chain(env::split_paths(&system)))?)
}

/// The id of a plugin: its name, with its version if it has one.
pub(crate) fn plugin_id(plugin: &Value) -> Result<String> {
    let name = plugin["metadata"]["name"].as_str().context("plugin.yaml: metadata.name")?;
    Ok(match plugin["spec"]["version"].as_str() {
        Some(version) => format!("{name}-{version}"),
        None => name.to_owned(),
    })
}
