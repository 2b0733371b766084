//! A kind → its `CustomResourceDefinition` of 100 to 500 KB, as controller-gen writes them: nothing else in a
//! platform is that long and that deep.

use super::random::Random;
use super::writer::Writer;

/// What a CRD defines.
pub(crate) struct Definition {
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) namespaced: bool,
}

/// Writes the CRD with about `bytes` of schema.
pub(crate) fn write(writer: &mut Writer, kind: &Definition, bytes: usize, random: &mut Random) {
    let plural = format!("{}s", kind.kind.to_lowercase());
    writer.document(&format!("crds/{plural}.yaml"), |w| {
        w.set("apiVersion", "apiextensions.k8s.io/v1");
        w.set("kind", "CustomResourceDefinition");
        w.map("metadata", |w| {
            w.map("annotations", |w| w.set("controller-gen.kubebuilder.io/version", "v0.16.5"));
            w.set("name", format!("{plural}.{}", kind.group));
        });
        w.map("spec", |w| {
            w.set("group", &kind.group);
            w.map("names", |w| names(w, &kind.kind, &plural));
            w.set("scope", if kind.namespaced { "Namespaced" } else { "Cluster" });
            w.list("versions", |w| w.item(|w| version(w, bytes, random)));
        });
    });
}

fn names(w: &mut Writer, kind: &str, plural: &str) {
    w.set("kind", kind);
    w.set("listKind", format!("{kind}List"));
    w.set("plural", plural);
    w.set("singular", kind.to_lowercase());
}

fn version(w: &mut Writer, bytes: usize, random: &mut Random) {
    w.set("name", "v1");
    w.map("schema", |w| {
        w.map("openAPIV3Schema", |w| {
            w.set("type", "object");
            // Old controller-gen folds descriptions, the new one writes literal blocks.
            let literal = random.permille(500);
            let mut schema = Schema { random, literal, left: bytes };
            w.map("properties", |w| {
                w.map("spec", |w| {
                    w.set("type", "object");
                    w.map("properties", |w| {
                        while schema.left > 0 {
                            schema.property(w, 0);
                        }
                    });
                });
            });
        });
    });
    w.set("served", "true");
    w.set("storage", "true");
    w.map("subresources", |w| w.set("status", "{}"));
}

struct Schema<'r> {
    random: &'r mut Random,
    literal: bool,
    left: usize,
}

impl Schema<'_> {
    fn property(&mut self, w: &mut Writer, depth: usize) {
        let name = format!("{}{}", self.random.word(), self.random.hex(4));
        // What one property takes on average, indentation included.
        self.left = self.left.saturating_sub(230 + 22 * depth);
        w.map(&name, |w| {
            self.description(w);
            match self.random.below(if depth < 6 { 5 } else { 3 }) {
                0 => w.set("type", "integer"),
                1 => self.choice(w),
                2 => w.set("type", "string"),
                3 => self.array(w, depth),
                _ => self.object(w, depth),
            }
        });
    }

    fn description(&mut self, w: &mut Writer) {
        let lines: Vec<String> = (0..self.random.between(1, 4))
            .map(|_| {
                let words = self.random.between(6, 10);
                self.random.sentence(words)
            })
            .collect();
        if self.literal && lines.len() > 1 {
            w.block("description", "|-", &lines.join("\n"));
        } else {
            w.folded("description", &lines);
        }
    }

    fn choice(&mut self, w: &mut Writer) {
        w.list("enum", |w| (0..3).for_each(|_| w.entry(self.random.word())));
        w.set("type", "string");
    }

    fn array(&mut self, w: &mut Writer, depth: usize) {
        w.map("items", |w| self.object(w, depth));
        w.set("type", "array");
        w.set("x-kubernetes-list-type", "atomic");
    }

    fn object(&mut self, w: &mut Writer, depth: usize) {
        w.map("properties", |w| {
            for _ in 0..self.random.between(2, 5) {
                self.property(w, depth + 1);
            }
        });
        w.set("type", "object");
    }
}
