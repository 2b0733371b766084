//! One application → its objects. Which of them it has follows the mix of a real platform, and everything it
//! refers to is its own or the platform's, so every reference can be resolved.

use super::pod;
use super::random::Random;
use super::writer::{Style, Writer};

/// The cluster-wide objects applications refer to.
pub(crate) const STORE: &str = "vault";
pub(crate) const ISSUER: &str = "letsencrypt";
pub(crate) const INGRESS_CLASS: &str = "nginx";
pub(crate) const STORAGE_CLASS: &str = "fast";

/// An application and the objects it has besides its Deployment.
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct App {
    pub(crate) name: String,
    pub(crate) namespace: String,
    pub(crate) account: bool,
    pub(crate) role: bool,
    pub(crate) binding: bool,
    pub(crate) config: bool,
    pub(crate) secret: bool,
    pub(crate) external_secret: bool,
    pub(crate) claim: bool,
    pub(crate) service: bool,
    pub(crate) ingress: bool,
    pub(crate) certificate: bool,
    pub(crate) autoscaler: bool,
}

impl App {
    pub(crate) fn new(number: usize, namespace: &str, random: &mut Random) -> Self {
        let account = random.permille(380);
        let role = account && random.permille(660);
        let service = random.permille(780);
        let ingress = service && random.permille(290);
        Self {
            name: format!("{}-{}-{number}", random.word(), random.word()),
            namespace: namespace.to_owned(),
            account,
            role,
            binding: role && random.permille(860),
            config: random.permille(720),
            secret: random.permille(390),
            external_secret: random.permille(205),
            claim: random.permille(134),
            service,
            ingress,
            certificate: ingress && random.permille(400),
            autoscaler: random.permille(133),
        }
    }

    /// Writes all objects of the application.
    pub(crate) fn write(&self, w: &mut Writer, random: &mut Random) {
        type Part = fn(&App, &mut Writer, &mut Random);
        let parts: [(bool, Part); 12] = [
            (self.account, App::service_account),
            (self.role, App::role),
            (self.binding, App::role_binding),
            (self.config, App::config_map),
            (self.secret, App::secret),
            (self.external_secret, App::external_secret),
            (self.claim, App::claim),
            (self.service, App::service),
            (self.certificate, App::certificate),
            (self.ingress, App::ingress),
            (self.autoscaler, App::autoscaler),
            (true, pod::deployment),
        ];
        for (_, part) in parts.into_iter().filter(|(has, _)| *has) {
            part(self, w, random);
        }
    }

    /// One object: head and metadata, then `body`.
    pub(crate) fn object(&self, w: &mut Writer, kind: (&str, &str, &str), body: impl FnOnce(&mut Writer)) {
        let (api_version, kind, ending) = kind;
        let source = format!("{}/templates/{}.yaml", self.name, kind.to_lowercase());
        w.document(&source, |w| {
            w.set("apiVersion", api_version);
            w.set("kind", kind);
            w.map("metadata", |w| {
                w.set("name", format!("{}{ending}", self.name));
                w.set("namespace", &self.namespace);
                self.labels(w);
            });
            body(w);
        });
    }

    pub(crate) fn labels(&self, w: &mut Writer) {
        w.map("labels", |w| {
            w.set("app.kubernetes.io/name", &self.name);
            w.set("app.kubernetes.io/instance", format!("release-{}", self.name));
            w.quoted("app.kubernetes.io/version", "1.12.0");
            w.set("app.kubernetes.io/managed-by", "Helm");
            w.set("helm.sh/chart", format!("{}-0.4.1", self.name));
        });
    }

    fn service_account(&self, w: &mut Writer, _: &mut Random) {
        self.object(w, ("v1", "ServiceAccount", ""), |w| w.set("automountServiceAccountToken", "true"));
    }

    fn role(&self, w: &mut Writer, random: &mut Random) {
        self.object(w, ("rbac.authorization.k8s.io/v1", "Role", ""), |w| {
            w.list("rules", |w| {
                for _ in 0..random.between(2, 8) {
                    w.item(|w| {
                        w.set("apiGroups", "[\"\", \"apps\"]");
                        w.list("resources", |w| {
                            for name in ["configmaps", "pods", "leases"] {
                                w.entry(name);
                            }
                        });
                        w.list("verbs", |w| ["get", "list", "watch"].iter().for_each(|verb| w.entry(verb)));
                    });
                }
            });
        });
    }

    fn role_binding(&self, w: &mut Writer, _: &mut Random) {
        self.object(w, ("rbac.authorization.k8s.io/v1", "RoleBinding", ""), |w| {
            w.map("roleRef", |w| {
                w.set("apiGroup", "rbac.authorization.k8s.io");
                w.set("kind", "Role");
                w.set("name", &self.name);
            });
            w.list("subjects", |w| {
                w.item(|w| {
                    w.set("kind", "ServiceAccount");
                    w.set("name", &self.name);
                    w.set("namespace", &self.namespace);
                });
            });
        });
    }

    fn config_map(&self, w: &mut Writer, random: &mut Random) {
        self.object(w, ("v1", "ConfigMap", "-config"), |w| {
            w.map("data", |w| match random.below(4) {
                0 => w.block("dashboard.json", "|", &dashboard(random)),
                1 => w.block("application.yaml", "|", &nested_yaml(random)),
                2 => w.block("server.conf", "|-", &server_conf(random)),
                _ => settings(w, random),
            });
        });
    }

    fn secret(&self, w: &mut Writer, random: &mut Random) {
        self.object(w, ("v1", "Secret", "-secret"), |w| {
            w.set("type", "Opaque");
            w.map("data", |w| {
                w.set("password", random.base64(32));
                w.set("username", random.base64(16));
                if random.permille(250) {
                    w.set("tls.crt", random.base64(1800));
                    w.set("tls.key", random.base64(2200));
                }
            });
        });
    }

    fn external_secret(&self, w: &mut Writer, random: &mut Random) {
        self.object(w, ("external-secrets.io/v1", "ExternalSecret", "-external"), |w| {
            w.map("spec", |w| {
                w.set("refreshInterval", "1h");
                w.set("secretStoreRef", format!("{{kind: ClusterSecretStore, name: {STORE}}}"));
                w.map("target", |w| w.set("name", format!("{}-external", self.name)));
                w.list("data", |w| {
                    for number in 0..random.between(2, 8) {
                        w.item(|w| {
                            w.set("secretKey", format!("{}_{number}", random.word().to_uppercase()));
                            w.map("remoteRef", |w| {
                                w.set("key", format!("apps/{}/{}", self.namespace, self.name));
                                w.set("property", random.word());
                            });
                        });
                    }
                });
            });
        });
    }

    fn claim(&self, w: &mut Writer, random: &mut Random) {
        self.object(w, ("v1", "PersistentVolumeClaim", "-data"), |w| {
            w.map("spec", |w| {
                w.list("accessModes", |w| w.entry("ReadWriteOnce"));
                w.set("storageClassName", STORAGE_CLASS);
                w.map("resources", |w| {
                    w.map("requests", |w| w.set("storage", format!("{}Gi", random.between(1, 100))));
                });
            });
        });
    }

    fn service(&self, w: &mut Writer, random: &mut Random) {
        self.object(w, ("v1", "Service", ""), |w| {
            w.map("spec", |w| {
                w.set("type", "ClusterIP");
                w.list("ports", |w| {
                    for number in 0..random.between(1, 3) {
                        w.item(|w| {
                            w.set("name", format!("port-{number}"));
                            w.set("port", 8080 + number);
                            w.set("targetPort", format!("port-{number}"));
                            w.set("protocol", "TCP");
                        });
                    }
                });
                w.map("selector", |w| w.set("app.kubernetes.io/name", &self.name));
            });
        });
    }

    fn certificate(&self, w: &mut Writer, _: &mut Random) {
        self.object(w, ("cert-manager.io/v1", "Certificate", "-tls"), |w| {
            w.map("spec", |w| {
                w.set("secretName", format!("{}-tls", self.name));
                w.list("dnsNames", |w| w.entry(format!("{}.example.test", self.name)));
                w.map("issuerRef", |w| {
                    w.set("kind", "ClusterIssuer");
                    w.set("name", ISSUER);
                });
            });
        });
    }

    fn ingress(&self, w: &mut Writer, _: &mut Random) {
        self.object(w, ("networking.k8s.io/v1", "Ingress", ""), |w| {
            w.map("spec", |w| {
                w.set("ingressClassName", INGRESS_CLASS);
                w.list("rules", |w| w.item(|w| self.ingress_rule(w)));
                if self.certificate {
                    w.list("tls", |w| {
                        w.item(|w| {
                            w.list("hosts", |w| w.entry(format!("{}.example.test", self.name)));
                            w.set("secretName", format!("{}-tls", self.name));
                        });
                    });
                }
            });
        });
    }

    fn ingress_rule(&self, w: &mut Writer) {
        w.set("host", format!("{}.example.test", self.name));
        w.map("http", |w| {
            w.list("paths", |w| {
                w.item(|w| {
                    w.set("path", "/");
                    w.set("pathType", "Prefix");
                    w.map("backend", |w| {
                        w.map("service", |w| {
                            w.set("name", &self.name);
                            w.map("port", |w| w.set("name", "port-0"));
                        });
                    });
                });
            });
        });
    }

    fn autoscaler(&self, w: &mut Writer, random: &mut Random) {
        self.object(w, ("autoscaling/v2", "HorizontalPodAutoscaler", ""), |w| {
            if w.style() == Style::Hand {
                w.comment("measured in production, see the runbook — do not lower");
            }
            w.map("spec", |w| {
                w.map("scaleTargetRef", |w| {
                    w.set("apiVersion", "apps/v1");
                    w.set("kind", "Deployment");
                    w.set("name", &self.name);
                });
                w.set("minReplicas", random.between(1, 3));
                w.set("maxReplicas", random.between(4, 20));
            });
        });
    }
}

fn dashboard(random: &mut Random) -> String {
    let mut text = String::from("{\n  \"title\": \"Überblick\",\n  \"panels\": [\n");
    let panels = random.between(20, 45);
    for panel in 0..panels {
        let end = if panel + 1 < panels { "," } else { "" };
        let (title, metric) = (random.sentence(3), random.word());
        let legend = "{{namespace}} / {{pod}}";
        text.push_str(&format!(
            "    {{\n      \"id\": {panel},\n      \"title\": \"{title}\",\n      \"targets\": [\n        \
             {{\"expr\": \"sum(rate({metric}_total{{job=\\\"api\\\"}}[5m])) by (pod)\", \
             \"legendFormat\": \"{legend}\"}}\n      ],\n      \"type\": \"timeseries\"\n    }}{end}\n"
        ));
    }
    text.push_str("  ]\n}");
    text
}

fn nested_yaml(random: &mut Random) -> String {
    let mut text = String::from("# not a document of its own\n---\nserver:\n");
    for _ in 0..random.between(20, 60) {
        text.push_str(&format!("  {}: {}\n", random.word(), random.sentence(3)));
    }
    text
}

fn server_conf(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.between(20, 60) {
        text.push_str(&format!(
            "location /{} {{\n\tproxy_pass http://{};\n}}\n",
            random.word(),
            random.word()
        ));
    }
    text
}

fn settings(w: &mut Writer, random: &mut Random) {
    for number in 0..random.between(5, 30) {
        let key = format!("{}_{number}", random.word().to_uppercase());
        match random.below(3) {
            0 => w.quoted(&key, random.below(10_000)),
            1 => w.set(&key, random.sentence(2)),
            _ => w.quoted(&key, random.sentence(4)),
        }
    }
}
