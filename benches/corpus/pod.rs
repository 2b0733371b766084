//! The Deployment of an application: the longest of the common kinds, and the one that refers to most others.

use super::app::App;
use super::random::Random;
use super::writer::{Style, Writer};

/// Writes the Deployment.
pub(crate) fn deployment(app: &App, w: &mut Writer, random: &mut Random) {
    let anchored = w.style() == Style::Hand && random.permille(30);
    app.object(w, ("apps/v1", "Deployment", ""), |w| {
        if w.style() == Style::Hand {
            w.comment(&format!("{} — größer seit dem letzten Ausbau", random.sentence(4)));
        }
        w.map("spec", |w| {
            w.set("replicas", random.between(1, 5));
            let anchor = if anchored { " &labels" } else { "" };
            w.map("selector", |w| {
                w.anchored_map("matchLabels", anchor, |w| w.set("app.kubernetes.io/name", &app.name));
            });
            w.map("template", |w| {
                w.map("metadata", |w| {
                    if anchored {
                        w.set("labels", "*labels");
                    } else {
                        app.labels(w);
                    }
                    if random.permille(150) {
                        w.map("annotations", |w| last_applied(w, app, random));
                    }
                });
                w.map("spec", |w| pod_spec(app, w, random));
            });
        });
    });
}

fn last_applied(w: &mut Writer, app: &App, random: &mut Random) {
    let env: Vec<String> = (0..40)
        .map(|_| format!("{{\"name\":\"{}\",\"value\":\"{}\"}}", random.word(), random.sentence(2)))
        .collect();
    let json = format!("{{\"kind\":\"Deployment\",\"name\":\"{}\",\"env\":[{}]}}", app.name, env.join(","));
    w.set("kubectl.kubernetes.io/last-applied-configuration", format!("'{json}'"));
}

fn pod_spec(app: &App, w: &mut Writer, random: &mut Random) {
    if app.account {
        w.set("serviceAccountName", &app.name);
    }
    w.map("securityContext", |w| {
        w.set("runAsNonRoot", "true");
        w.set("runAsUser", 65_532);
        w.map("seccompProfile", |w| w.set("type", "RuntimeDefault"));
    });
    let containers = random.between(1, 3);
    w.list("containers", |w| {
        for number in 0..containers {
            w.item(|w| container(app, number, w, random));
        }
    });
    volumes(app, w);
    w.list("tolerations", |w| {
        for _ in 0..random.between(1, 3) {
            w.item(|w| {
                w.set("key", random.word());
                w.set("operator", "Exists");
                w.set("effect", "NoSchedule");
            });
        }
    });
}

fn container(app: &App, number: usize, w: &mut Writer, random: &mut Random) {
    w.set("name", format!("container-{number}"));
    w.set("image", format!("registry.example.test/{}:v1.{}@sha256:{}", app.name, number, random.hex(64)));
    w.set("imagePullPolicy", "IfNotPresent");
    w.list("args", |w| {
        for _ in 0..random.between(2, 6) {
            w.entry(format!("--{}-{}={}", random.word(), random.word(), random.word()));
        }
    });
    w.list("env", |w| environment(app, w, random));
    if app.external_secret {
        w.list("envFrom", |w| {
            w.item(|w| w.map("secretRef", |w| w.set("name", format!("{}-external", app.name))));
        });
    }
    w.list("ports", |w| {
        w.item(|w| {
            w.set("name", format!("port-{number}"));
            w.set("containerPort", 8080 + number);
        });
    });
    for name in ["livenessProbe", "readinessProbe"] {
        w.map(name, probe);
    }
    resources(w, random);
    mounts(app, w);
}

fn environment(app: &App, w: &mut Writer, random: &mut Random) {
    for number in 0..random.between(6, 16) {
        w.item(|w| {
            w.set("name", format!("{}_{number}", random.word().to_uppercase()));
            match random.below(5) {
                0 if app.secret => source(w, "secretKeyRef", &format!("{}-secret", app.name), "password"),
                1 if app.service => {
                    w.quoted("value", format!("http://{}.{}.svc:8080/health", app.name, app.namespace));
                }
                2 => w.map("valueFrom", |w| {
                    w.map("fieldRef", |w| w.set("fieldPath", "metadata.namespace"));
                }),
                _ => w.quoted("value", random.sentence(2)),
            }
        });
    }
}

fn source(w: &mut Writer, from: &str, name: &str, key: &str) {
    w.map("valueFrom", |w| {
        w.map(from, |w| {
            w.set("name", name);
            w.set("key", key);
        });
    });
}

fn probe(w: &mut Writer) {
    w.map("httpGet", |w| {
        w.set("path", "/healthz");
        w.set("port", 8080);
        w.set("scheme", "HTTP");
    });
    w.set("initialDelaySeconds", 10);
    w.set("periodSeconds", 15);
    w.set("failureThreshold", 3);
}

fn resources(w: &mut Writer, random: &mut Random) {
    if random.permille(80) {
        return w
            .set("resources", "{limits: {cpu: \"1\", memory: 1Gi}, requests: {cpu: 100m, memory: 128Mi}}");
    }
    w.map("resources", |w| {
        for part in ["limits", "requests"] {
            w.map(part, |w| {
                w.set("cpu", format!("{}m", random.between(1, 20) * 100));
                w.set("memory", format!("{}Mi", random.between(1, 64) * 64));
            });
        }
    });
}

fn mounts(app: &App, w: &mut Writer) {
    w.list("volumeMounts", |w| {
        for (name, path, has) in
            [("tmp", "/tmp", true), ("config", "/etc/app", app.config), ("data", "/data", app.claim)]
        {
            if has {
                w.item(|w| {
                    w.set("name", name);
                    w.set("mountPath", path);
                });
            }
        }
    });
}

fn volumes(app: &App, w: &mut Writer) {
    w.list("volumes", |w| {
        w.item(|w| {
            w.set("name", "tmp");
            w.set("emptyDir", "{}");
        });
        if app.config {
            w.item(|w| {
                w.set("name", "config");
                w.map("configMap", |w| w.set("name", format!("{}-config", app.name)));
            });
        }
        if app.claim {
            w.item(|w| {
                w.set("name", "data");
                w.map("persistentVolumeClaim", |w| w.set("claimName", format!("{}-data", app.name)));
            });
        }
    });
}
