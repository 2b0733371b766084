//! Which objects a webhook matches: rules with scope, and the selectors of namespaces and of objects.
//!
//! A condition in CEL and labels of namespaces nobody shows may match nothing, so they give no edge. Rules for
//! everything name no one in particular.

use std::collections::{BTreeMap, BTreeSet};

use super::label_selector::LabelSelector;
use super::scene::Scene;
use crate::catalogue::matcher::Capture;
use crate::catalogue::probes::Fact;
use crate::catalogue::{ProbeKind, plurals};
use crate::model::{ComponentIndex, Resource, ResourceId, ResourceIndex};
use crate::yaml::{Limits, tree};

/// The label every namespace carries its own name in.
const NAMESPACE_NAME: &str = "kubernetes.io/metadata.name";

/// One webhook with what belongs to it.
#[derive(Debug)]
pub struct Webhook<'a> {
    own: &'a Capture,
    rules: Vec<&'a Capture>,
    namespaces: LabelSelector<'a>,
    objects: LabelSelector<'a>,
}

impl<'a> Webhook<'a> {
    /// The webhooks of a configuration: rules and selectors are captured before the webhook that holds them.
    #[must_use]
    pub fn of(configuration: &'a Resource) -> Vec<Self> {
        let (mut namespaces, mut objects) = (LabelSelector::default(), LabelSelector::default());
        let (mut rules, mut webhooks) = (Vec::new(), Vec::new());
        for capture in &configuration.manifest.captures {
            match capture.kind {
                ProbeKind::Code(Fact::WebhookRule) => rules.push(capture),
                ProbeKind::Code(Fact::NamespaceExpression) => namespaces.expressions.push(capture),
                ProbeKind::Code(Fact::NamespaceLabel) => namespaces.labels.push(capture),
                ProbeKind::Code(Fact::ObjectExpression) => objects.expressions.push(capture),
                ProbeKind::Code(Fact::ObjectLabel) => objects.labels.push(capture),
                ProbeKind::Code(Fact::Webhook) => webhooks.push(Self {
                    own: capture,
                    rules: std::mem::take(&mut rules),
                    namespaces: std::mem::take(&mut namespaces),
                    objects: std::mem::take(&mut objects),
                }),
                _ => {}
            }
        }
        webhooks
    }

    /// Line it starts on.
    #[must_use]
    pub fn line(&self) -> usize {
        self.own.line
    }

    /// Name and namespace of the Service that answers.
    #[must_use]
    pub fn service(&self) -> Option<(&'a str, &'a str)> {
        self.own.field("clientConfig.service.name").zip(self.own.field("clientConfig.service.namespace"))
    }

    /// Whether what it matches is refused while nobody answers, as far as its selectors can be followed.
    #[must_use]
    pub fn is_fail_closed(&self) -> bool {
        self.own.field("failurePolicy") != Some("Ignore")
            && self.own.field("matchConditions[*].expression").is_none()
    }

    /// Whether it is asked when pods of a workload start.
    #[must_use]
    pub fn matches_pods_of(&self, scene: &Scene<'_>, workload: &Resource) -> bool {
        let pods = |rule: &&&Capture| {
            creates(rule)
                && rule.field("scope") != Some("Cluster")
                && rule.all("apiGroups[*]").any(|group| matches!(group, "" | "*"))
                && rule.all("resources[*]").any(|resource| matches!(resource, "pods" | "*" | "*/*"))
        };
        self.rules.iter().any(|rule| pods(&rule))
            && self.selects(scene, &workload.id.namespace)
            && self.takes_pods(workload)
    }

    /// Whether its selector takes the pods a workload makes.
    fn takes_pods(&self, workload: &Resource) -> bool {
        let labels = || workload.manifest.facts(Fact::PodLabel);
        self.objects.takes(|key| labels().find(|label| label.key == key)?.value.as_deref())
    }

    /// Whether its selector takes an object; only then are its labels read.
    fn takes_object(&self, resource: &Resource) -> bool {
        if self.objects.is_empty() {
            return true;
        }
        let Ok(tree) = tree::parse_chunk(&resource.manifest.chunk, &Limits::default()) else { return false };
        let labels = tree.at(&["metadata", "labels"]);
        self.objects.takes(|key| labels?.get(key)?.text())
    }

    /// Whether its selector takes a namespace, by the labels the tree shows.
    fn selects(&self, scene: &Scene<'_>, namespace: &str) -> bool {
        self.namespaces.takes(|key| label(scene, namespace, key))
    }
}

fn creates(rule: &Capture) -> bool {
    rule.all("operations[*]").any(|operation| matches!(operation, "CREATE" | "*"))
}

/// A label of a namespace; without its object only its name is known.
fn label<'a>(scene: &Scene<'a>, namespace: &'a str, key: &str) -> Option<&'a str> {
    if key == NAMESPACE_NAME {
        return Some(namespace);
    }
    let id = ResourceId::new("", "Namespace", "", namespace);
    let super::Found::Object(index) = scene.find(&id, ComponentIndex(0)) else { return None };
    let labels = scene.resource(index).manifest.facts(Fact::Label);
    labels.filter(|label| label.key == key).find_map(|label| label.value.as_deref())
}

/// Objects by group and kind, to be looked up by a rule.
#[derive(Debug)]
pub struct Objects<'a>(BTreeMap<(&'a str, &'a str), Vec<ResourceIndex>>);

impl<'a> Objects<'a> {
    /// Indexes all objects.
    #[must_use]
    pub fn of(scene: &Scene<'a>) -> Self {
        let mut kinds: BTreeMap<(&str, &str), Vec<ResourceIndex>> = BTreeMap::new();
        for (index, resource) in scene.iter() {
            kinds.entry((&resource.id.group, &resource.id.kind)).or_default().push(index);
        }
        Self(kinds)
    }

    /// Objects a webhook is asked about when they are created.
    #[must_use]
    pub fn matched(&self, scene: &Scene<'_>, webhook: &Webhook<'_>) -> Vec<ResourceIndex> {
        let mut matched = BTreeSet::new();
        for rule in webhook.rules.iter().filter(|rule| creates(rule)) {
            let groups: Vec<&str> = rule.all("apiGroups[*]").collect();
            let resources: Vec<&str> = rule.all("resources[*]").collect();
            let is_any = |list: &[&str]| list.iter().any(|word| matches!(*word, "*" | "*/*"));
            if is_any(&groups) && is_any(&resources) {
                continue;
            }
            // What is refused then are the pods that a workload makes.
            let makes_pods = groups.contains(&"") && resources.contains(&"pods");
            for ((group, kind), list) in &self.0 {
                let in_group = is_any(&groups) || groups.contains(group);
                let named = || plurals(kind).iter().any(|plural| resources.contains(&plural.as_str()));
                let is_itself = in_group && (is_any(&resources) || named()) && !is_exempt(group);
                let by_pods = makes_pods && scene.catalogue.has_pods(group, kind);
                let is_asked = |index: &ResourceIndex| {
                    let resource = scene.resource(*index);
                    takes(scene, webhook, rule, *index)
                        && (is_itself && webhook.takes_object(resource)
                            || by_pods && webhook.takes_pods(resource))
                };
                if is_itself || by_pods {
                    matched.extend(list.iter().copied().filter(is_asked));
                }
            }
        }
        matched.into_iter().collect()
    }
}

/// No webhook is ever asked about webhooks.
fn is_exempt(group: &str) -> bool {
    group == "admissionregistration.k8s.io"
}

/// Whether scope and selector take an object; the selector passes over what lives in no namespace.
fn takes(scene: &Scene<'_>, webhook: &Webhook<'_>, rule: &Capture, index: ResourceIndex) -> bool {
    let id = &scene.resource(index).id;
    let in_cluster = id.namespace.is_empty();
    let in_scope = match rule.field("scope") {
        Some("Cluster") => in_cluster,
        Some("Namespaced") => !in_cluster,
        _ => true,
    };
    let is_namespace = id.kind == "Namespace" && id.group.is_empty();
    let namespace = if is_namespace { id.name.as_str() } else { id.namespace.as_str() };
    in_scope && (namespace.is_empty() || webhook.selects(scene, namespace))
}
