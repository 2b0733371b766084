//! A real Kubernetes control plane whose nodes and pods are simulated, on loopback.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::build::{Built, CLUSTER};
use super::process::{Process, free_port, output, port_open, wait_for};
use super::stages;
use crate::isolate::POD_ADDRESS;

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/stages");
const START: Duration = Duration::from_secs(90);
const NODES: usize = 2;

/// Who writes to the cluster; the audit log tells them apart by these names.
const USERS: [&str; 6] = ["admin", "controller-manager", "scheduler", "kwok", "argocd", "flux"];

/// A running cluster; dropping it ends all its programs.
pub(crate) struct Cluster {
    program: PathBuf,
    folder: PathBuf,
    port: u16,
    programs: Vec<Process>,
}

impl Cluster {
    /// Starts an empty cluster that can simulate `objects`: their webhooks answer, their custom kinds become ready.
    pub(crate) fn start(built: &Built, folder: &Path, objects: &[Value]) -> Result<Cluster> {
        let folder = folder.join("cluster");
        fs::create_dir_all(&folder)?;
        let program = built.program(&CLUSTER);
        let mut cluster = Cluster { program, folder, port: free_port()?, programs: Vec::new() };
        output(cluster.command("keys").arg(cluster.keys()))?;
        cluster.start_api_server()?;
        cluster.start_controllers()?;
        cluster.start_webhook_backend(objects)?;
        cluster.start_kwok(objects)?;
        Ok(cluster)
    }

    /// The kubeconfig of a user.
    pub(crate) fn kubeconfig(&self, user: &str) -> PathBuf {
        self.folder.join(format!("{user}.kubeconfig"))
    }

    /// The API server's log of writes.
    pub(crate) fn audit_log(&self) -> PathBuf {
        self.folder.join("audit.log")
    }

    /// Runs kubectl as admin; its output.
    pub(crate) fn kubectl(&self, arguments: &[&str]) -> Result<Vec<u8>> {
        output(&mut self.kubectl_command(arguments))
    }

    /// An object, or none while it does not exist.
    pub(crate) fn get(&self, kind: &str, namespace: &str, name: &str) -> Result<Option<Value>> {
        let text = self.kubectl(&["get", kind, name, "-n", namespace, "-o", "json", "--ignore-not-found"])?;
        if text.is_empty() { Ok(None) } else { Ok(Some(serde_json::from_slice(&text)?)) }
    }

    /// Applies objects, server-side, as admin.
    pub(crate) fn apply(&self, objects: &[Value]) -> Result<()> {
        if objects.is_empty() {
            return Ok(());
        }
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
        self.feed(&["apply", "--server-side", "--force-conflicts", "-f", "-"], list.to_string().as_bytes())
    }

    /// Applies the CRDs of a folder and waits until the named resources are served.
    pub(crate) fn apply_crds(&self, folder: &Path, resources: &[&str]) -> Result<()> {
        let flag = if folder.join("kustomization.yaml").exists() { "-k" } else { "-f" };
        self.kubectl(&["apply", "--server-side", flag, &folder.to_string_lossy()])?;
        for resource in resources {
            let served = || Ok(self.kubectl(&["get", resource, "--all-namespaces"]).ok());
            wait_for(&format!("the API server to serve {resource}"), START, served)?;
        }
        Ok(())
    }

    fn feed(&self, arguments: &[&str], input: &[u8]) -> Result<()> {
        let mut command = self.kubectl_command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        child.stdin.take().context("stdin is piped")?.write_all(input)?;
        let done = child.wait_with_output()?;
        if !done.status.success() {
            bail!("kubectl {}: {}", arguments.join(" "), String::from_utf8_lossy(&done.stderr).trim());
        }
        Ok(())
    }

    fn kubectl_command(&self, arguments: &[&str]) -> Command {
        let mut command = self.command("kubectl");
        command.arg("--kubeconfig").arg(self.kubeconfig("admin")).args(arguments);
        // The discovery cache is keyed by host and port, and both come again in the next case.
        command.env("KUBECACHEDIR", self.folder.join("discovery"));
        command
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(name);
        command
    }

    fn keys(&self) -> PathBuf {
        self.folder.join("keys")
    }

    fn run(&mut self, command: &mut Command, name: &str) -> Result<&mut Process> {
        let logs = self.folder.with_file_name("logs");
        self.programs.push(Process::start(name, command, &logs)?);
        self.programs.last_mut().context("just started")
    }

    fn start_api_server(&mut self) -> Result<()> {
        let (client, peer) = (free_port()?, free_port()?);
        let (client_url, peer_url) =
            (format!("http://127.0.0.1:{client}"), format!("http://127.0.0.1:{peer}"));
        let mut etcd = self.command("etcd");
        etcd.args(["--name", "one", "--unsafe-no-fsync", "--log-level", "warn", "--data-dir"])
            .arg(self.folder.join("etcd"));
        etcd.args(["--listen-client-urls", &client_url, "--advertise-client-urls", &client_url]);
        etcd.args(["--listen-peer-urls", &peer_url, "--initial-advertise-peer-urls", &peer_url]);
        etcd.args(["--initial-cluster", &format!("one={peer_url}")]);
        self.run(&mut etcd, "etcd")?.wait_until(START, || port_open(client))?;

        let tokens = self.write_tokens()?;
        let mut server = self.command("kube-apiserver");
        server.args(["--etcd-servers", &client_url, "--secure-port", &self.port.to_string()]);
        server
            .args(["--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1", "--cert-dir"])
            .arg(&self.folder);
        server.arg("--token-auth-file").arg(tokens).args(["--authorization-mode", "RBAC"]);
        // A loopback address is no valid endpoint of the `kubernetes` Service, so none is kept.
        server.args(["--endpoint-reconciler-type", "none", "--service-cluster-ip-range", "10.96.0.0/16"]);
        server.args(["--service-account-issuer", "https://kubernetes.default.svc"]);
        server.arg("--service-account-key-file").arg(self.keys().join("sa.pub"));
        server.arg("--service-account-signing-key-file").arg(self.keys().join("sa.key"));
        // Webhooks are dialled at the addresses of ready pods: no ready pod, no answer.
        server.args(["--enable-aggregator-routing=true", "--allow-privileged=true", "--profiling=false"]);
        server
            .args(["--audit-log-mode", "blocking", "--audit-log-maxsize", "2000", "--audit-log-path"])
            .arg(self.audit_log());
        server.arg("--audit-policy-file").arg(Path::new(FILES).join("audit-policy.yaml"));
        // Webhooks without a CA bundle are checked against the system's authorities: ours is the only one.
        server.env("SSL_CERT_FILE", self.keys().join("ca.crt"));
        let certificate = self.folder.join("apiserver.crt");
        self.run(&mut server, "kube-apiserver")?
            .wait_until(START, || certificate.metadata().is_ok_and(|file| file.len() > 0))?;
        self.write_kubeconfigs(&fs::read(certificate)?)?;
        let ready = || Ok(self.kubectl(&["get", "--raw", "/readyz"]).ok());
        wait_for("the API server", START, ready)?;
        Ok(())
    }

    fn write_tokens(&self) -> Result<PathBuf> {
        let mut lines = String::new();
        for user in USERS {
            writeln!(lines, "{0},conformance:{user},{user},\"system:masters\"", token(user))?;
        }
        let file = self.folder.join("tokens.csv");
        fs::write(&file, lines)?;
        Ok(file)
    }

    fn write_kubeconfigs(&self, authority: &[u8]) -> Result<()> {
        let authority_file = self.folder.join("authority.crt");
        fs::write(&authority_file, authority)?;
        for user in USERS {
            let config = json!({"apiVersion": "v1", "kind": "Config", "current-context": "one",
                "clusters": [{"name": "one", "cluster": {
                    "server": format!("https://127.0.0.1:{}", self.port), "certificate-authority": authority_file}}],
                "users": [{"name": "one", "user": {"token": token(user)}}],
                "contexts": [{"name": "one", "context": {"cluster": "one", "user": "one"}}]});
            fs::write(self.kubeconfig(user), config.to_string())?;
        }
        Ok(())
    }

    fn start_controllers(&mut self) -> Result<()> {
        let mut manager = self.command("kube-controller-manager");
        manager.arg("--kubeconfig").arg(self.kubeconfig("controller-manager"));
        manager.arg("--service-account-private-key-file").arg(self.keys().join("sa.key"));
        manager.arg("--root-ca-file").arg(self.folder.join("authority.crt"));
        let mut scheduler = self.command("kube-scheduler");
        scheduler.arg("--kubeconfig").arg(self.kubeconfig("scheduler"));
        for (command, name) in [(&mut manager, "kube-controller-manager"), (&mut scheduler, "kube-scheduler")]
        {
            command.args(["--leader-elect=false", "--secure-port=0", "--profiling=false"]);
            command.args(["--kube-api-qps=200", "--kube-api-burst=400"]);
            self.run(command, name)?;
        }
        Ok(())
    }

    fn start_webhook_backend(&mut self, objects: &[Value]) -> Result<()> {
        let mut ports = BTreeSet::new();
        for object in objects {
            pod_ports(object, &mut ports);
        }
        let Some(first) = ports.first().copied() else { return Ok(()) };
        let mut backend = self.command("admit");
        backend.arg(self.keys()).args(ports.iter().map(|port| format!("{POD_ADDRESS}:{port}")));
        let answers = || std::net::TcpStream::connect((POD_ADDRESS, first)).is_ok();
        self.run(&mut backend, "webhook-backend")?.wait_until(START, answers)
    }

    fn start_kwok(&mut self, objects: &[Value]) -> Result<()> {
        let manifest = output(&mut self.command("kwok-crd"))?;
        self.feed(&["apply", "--server-side", "-f", "-"], &manifest)?;
        wait_for("Stages to be served", START, || Ok(self.kubectl(&["get", "stages"]).ok()))?;
        let manifest = output(&mut self.command("kwok-node-stage"))?;
        self.feed(&["apply", "--server-side", "-f", "-"], &manifest)?;
        for file in ["pods.yaml", "volumes.yaml", "addresses.yaml"] {
            self.kubectl(&["apply", "--server-side", "-f", &format!("{FILES}/{file}")])?;
        }
        self.apply(&stages::of_custom_kinds(Path::new(FILES), objects)?)?;
        self.apply(&(1..=NODES).map(node).collect::<Vec<_>>())?;
        // With a configuration file kwok has no defaults: without these it looks after no node at all.
        let options = json!({"podPlayStageParallelism": 4, "nodePlayStageParallelism": 4, "nodeLeaseParallelism": 4,
            "podsOnNodeSyncParallelism": 1, "enablePodsOnNodeSyncListPager": true});
        let config = self.folder.join("kwok.yaml");
        let text = json!({"apiVersion": "config.kwok.x-k8s.io/v1alpha1", "kind": "KwokConfiguration", "options": options});
        fs::write(&config, text.to_string())?;
        let mut kwok = self.command("kwok");
        kwok.arg("--config").arg(config).arg("--kubeconfig").arg(self.kubeconfig("kwok"));
        kwok.args(["--manage-all-nodes=true", "--enable-crds=Stage", "--node-lease-duration-seconds=40"]);
        kwok.env("KUBECONFIG", self.kubeconfig("kwok"));
        self.run(&mut kwok, "kwok")?;
        self.kubectl(&["wait", "node", "--all", "--for=condition=Ready", "--timeout=90s"])?;
        wait_for("service accounts", START, || self.get("serviceaccount", "default", "default"))?;
        Ok(())
    }
}

/// The token of a user. It opens nothing but a cluster that lives for one case on loopback.
fn token(user: &str) -> String {
    format!("token-of-{user}")
}

fn node(number: usize) -> Value {
    let room = json!({"cpu": "64", "memory": "256Gi", "pods": "500"});
    json!({"apiVersion": "v1", "kind": "Node",
        "metadata": {"name": format!("node-{number}"), "labels": {"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}},
        "status": {"capacity": room, "allocatable": room}})
}

/// Every port a pod of the object listens on.
fn pod_ports(value: &Value, ports: &mut BTreeSet<u16>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let number = value.as_u64().and_then(|port| u16::try_from(port).ok());
                if let ("containerPort" | "targetPort", Some(port)) = (key.as_str(), number) {
                    ports.insert(port);
                }
                pod_ports(value, ports);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| pod_ports(value, ports)),
        _ => {}
    }
}
