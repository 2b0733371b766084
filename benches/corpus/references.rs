//! Many small objects with two references each on average: what is left to pay is inference, not reading.

use std::io;
use std::path::Path;

use super::random::Random;
use super::writer::{Style, Writer};
use super::{Tree, namespace, namespaces};

const RESOURCES_EACH: usize = 1000;

/// `components` times a thousand resources: half pods with four references, half what they refer to.
pub(crate) fn references(root: &Path, components: usize) -> io::Result<Tree> {
    let mut tree = Tree::new(root.to_owned());
    let mut random = Random::new(components as u64);
    namespaces(&mut tree, components)?;
    for number in 0..components {
        let mut targets = Writer::new(Style::Kustomize);
        let mut pods = Writer::new(Style::Kustomize);
        for index in 0..RESOURCES_EACH / 4 {
            object(&mut targets, ("ConfigMap", "config", index), number, |w| w.set("data", "{level: debug}"));
            object(&mut targets, ("Secret", "secret", index), number, |w| {
                w.set("stringData", "{token: none}");
            });
        }
        for index in 0..RESOURCES_EACH / 2 {
            object(&mut pods, ("Pod", "pod", index), number, |w| w.map("spec", |w| pod(w, &mut random)));
        }
        tree.component(&format!("apps/config-{number}"), &namespace(number), vec![targets])?;
        tree.component(&format!("apps/pods-{number}"), &namespace(number), vec![pods])?;
    }
    Ok(tree)
}

fn object(
    w: &mut Writer,
    (kind, name, index): (&str, &str, usize),
    place: usize,
    body: impl FnOnce(&mut Writer),
) {
    w.document("", |w| {
        w.set("apiVersion", "v1");
        w.set("kind", kind);
        w.map("metadata", |w| {
            w.set("name", format!("{name}-{index}"));
            w.set("namespace", namespace(place));
        });
        body(w);
    });
}

fn pod(w: &mut Writer, random: &mut Random) {
    w.list("containers", |w| {
        w.item(|w| {
            w.set("name", "main");
            w.set("image", "registry.example.test/main:v1");
            w.list("envFrom", |w| {
                for (source, name) in [("configMapRef", "config"), ("secretRef", "secret")] {
                    for _ in 0..2 {
                        let target = format!("{name}-{}", random.below(RESOURCES_EACH / 4));
                        w.item(|w| w.map(source, |w| w.set("name", target)));
                    }
                }
            });
        });
    });
}
