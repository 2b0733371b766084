//! Sizes → trees of descriptors and manifests on disk, the same bytes every time.

mod app;
mod crd;
mod pod;
mod random;
mod references;
mod writer;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use app::App;
use crd::Definition;
use random::Random;
use writer::{Style, Writer};

pub(crate) use references::references;

/// Domains in which anything may run, so that components spread over the ladder.
const DOMAINS: &[&str] = &["data", "platform", "data-extended", "observability", "apps"];

/// What was written.
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    /// Every manifest file, for `cat` and helm.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) resources: usize,
    pub(crate) bytes: u64,
}

impl Tree {
    fn new(root: PathBuf) -> Self {
        Self { root, files: Vec::new(), resources: 0, bytes: 0 }
    }

    /// A component with one file per writer.
    fn component(&mut self, path: &str, namespace: &str, writers: Vec<Writer>) -> io::Result<()> {
        let directory = self.root.join(path);
        fs::create_dir_all(&directory)?;
        let name = path.replace('/', "-");
        fs::write(directory.join("component.yaml"), format!("name: {name}\nnamespace: {namespace}\n"))?;
        for (number, writer) in writers.into_iter().enumerate() {
            self.resources += writer.documents();
            let file = directory.join(format!("manifests-{number}.yaml"));
            let text = writer.into_text();
            self.bytes += text.len() as u64;
            fs::write(&file, text)?;
            self.files.push(file);
        }
        Ok(())
    }
}

/// How large a platform is.
pub(crate) struct Size {
    pub(crate) components: usize,
    pub(crate) files_each: usize,
    pub(crate) resources_each: usize,
    pub(crate) crds: usize,
}

/// A platform: namespaces, CRDs, classes and stores, then components of whole applications.
pub(crate) fn platform(root: &Path, size: &Size) -> io::Result<Tree> {
    let mut tree = Tree::new(root.to_owned());
    let mut random = Random::new(size.components as u64);
    namespaces(&mut tree, size.components)?;
    definitions(&mut tree, size.crds, &mut random)?;
    shared(&mut tree)?;
    let mut apps = 0;
    for number in 0..size.components {
        let namespace = namespace(number);
        let mut writers: Vec<Writer> = (0..size.files_each).map(|_| Writer::new(Style::of(number))).collect();
        let mut written = 0;
        while written < size.resources_each {
            let writer = &mut writers[apps % size.files_each];
            let before = writer.documents();
            App::new(apps, &namespace, &mut random).write(writer, &mut random);
            written += writer.documents() - before;
            apps += 1;
        }
        let path = format!("{}/component-{number}", DOMAINS[number % DOMAINS.len()]);
        tree.component(&path, &namespace, writers)?;
    }
    Ok(tree)
}

fn namespace(number: usize) -> String {
    format!("team-{number}")
}

fn namespaces(tree: &mut Tree, count: usize) -> io::Result<()> {
    let mut w = Writer::new(Style::Kustomize);
    for number in 0..count {
        w.document("", |w| {
            w.set("apiVersion", "v1");
            w.set("kind", "Namespace");
            w.map("metadata", |w| w.set("name", namespace(number)));
        });
    }
    tree.component("prerequisites/namespaces", "default", vec![w])
}

/// The CRDs that applications need, then as many others as asked for, one file each.
fn definitions(tree: &mut Tree, count: usize, random: &mut Random) -> io::Result<()> {
    let needed = [
        ("external-secrets.io", "ExternalSecret", true),
        ("external-secrets.io", "ClusterSecretStore", false),
        ("cert-manager.io", "Certificate", true),
        ("cert-manager.io", "ClusterIssuer", false),
    ];
    let needed = needed.map(|(group, kind, namespaced)| Definition {
        group: group.into(),
        kind: kind.into(),
        namespaced,
    });
    let others = (needed.len()..count).map(|number| Definition {
        group: format!("group{}.bench.example.test", number % 16),
        kind: format!("Kind{number}"),
        namespaced: true,
    });
    let mut writers = Vec::new();
    for (number, kind) in needed.into_iter().chain(others).enumerate() {
        let mut writer = Writer::new(Style::of(number));
        let bytes = random.between(100_000, 500_000);
        crd::write(&mut writer, &kind, bytes, random);
        writers.push(writer);
    }
    tree.component("prerequisites/crds", "default", writers)
}

/// The classes, store and issuer that applications name.
fn shared(tree: &mut Tree) -> io::Result<()> {
    let mut w = Writer::new(Style::Hand);
    let objects = [
        ("storage.k8s.io/v1", "StorageClass", app::STORAGE_CLASS, "provisioner: csi.example.test"),
        (
            "networking.k8s.io/v1",
            "IngressClass",
            app::INGRESS_CLASS,
            "spec: {controller: example.test/ingress}",
        ),
        ("external-secrets.io/v1", "ClusterSecretStore", app::STORE, "spec: {provider: {fake: {data: []}}}"),
        ("cert-manager.io/v1", "ClusterIssuer", app::ISSUER, "spec: {selfSigned: {}}"),
    ];
    for (api_version, kind, name, body) in objects {
        w.document("", |w| {
            w.set("apiVersion", api_version);
            w.set("kind", kind);
            w.map("metadata", |w| w.set("name", name));
            let (key, value) = body.split_once(": ").expect("every body is one entry");
            w.set(key, value);
        });
    }
    tree.component("foundation/classes", "default", vec![w])
}
