//! The facts that code asks of documents, as paths like the catalogue's own rows.

use super::crossplane;

/// A fact that code (not a row) reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fact {
    /// `apiVersion`.
    ApiVersion,
    /// `kind`.
    Kind,
    /// `metadata.name`.
    Name,
    /// `metadata.generateName`.
    GenerateName,
    /// `metadata.namespace`.
    Namespace,
    /// One annotation: key and value.
    Annotation,
    /// One label of the pod template.
    PodLabel,
    /// A container image.
    Image,
    /// The pod's service account.
    ServiceAccount,
    /// One variable of a container; kept as the hosts in its value.
    Env,
    /// A port a Service answers on.
    ServicePort,
    /// Text that may name a Service; only the hosts in it are kept.
    Hosts,
    /// Base64 of such a text.
    EncodedHosts,
    /// A CRD's group.
    CrdGroup,
    /// A CRD's kind.
    CrdKind,
    /// A CRD's scope.
    CrdScope,
    /// The Service of a CRD's conversion webhook.
    CrdConversion,
    /// One pair of a Service's, budget's or monitor's selector.
    Selector,
    /// An expression of such a selector.
    SelectorExpression,
    /// A namespace a monitor looks into.
    SelectorNamespace,
    /// Whether a selector looks into every namespace.
    SelectsAnywhere,
    /// The Secret of a listener of Istio's Gateway.
    Credential,
    /// What composites a Composition is for.
    CompositeType,
    /// A managed resource, or where it names the configuration of its provider.
    ProviderConfig,
    /// A rule of a role.
    RbacRule,
    /// The role of a binding.
    RoleRef,
    /// A subject of a binding.
    Subject,
    /// One webhook of a configuration; what belongs to it is captured right before it.
    Webhook,
    /// A rule of a webhook.
    WebhookRule,
    /// An expression of a webhook's selector of namespaces.
    NamespaceExpression,
    /// A label of that selector.
    NamespaceLabel,
    /// An expression of a webhook's selector of objects.
    ObjectExpression,
    /// A label of that selector.
    ObjectLabel,
    /// A label of an object that others select.
    Label,
    /// The Service of an `APIService`.
    ApiService,
    /// The group of an `APIService`.
    ApiGroup,
    /// The provisioner or controller of a class.
    Provisioner,
    /// When a `StorageClass` binds volumes.
    VolumeBindingMode,
    /// The storage class of a claim.
    StorageClassName,
    /// A claim template of a `StatefulSet`.
    ClaimTemplate,
    /// A claim: its spec.
    Claim,
    /// The class of an Ingress.
    IngressClassName,
    /// A chart an object stands for.
    Chart,
    /// A folder of a repository an object applies.
    AppliedPath,
    /// Where and under which name a chart is installed.
    Install,
    /// Where a source of Flux gets charts from.
    ChartSource,
    /// A kind an object makes without being its CRD.
    MadeKind,
    /// A package of OLM or Crossplane an object stands for.
    Package,
    /// The address of a base an object stands for.
    Base,
}

/// One fact, where it stands, and the sub-fields read with it.
#[derive(Debug, Clone, Copy)]
pub struct CodeProbe {
    /// The fact.
    pub fact: Fact,
    /// Its path.
    pub path: &'static str,
    /// Sub-fields.
    pub fields: &'static [&'static str],
}

const fn probe(fact: Fact, path: &'static str, fields: &'static [&'static str]) -> CodeProbe {
    CodeProbe { fact, path, fields }
}

/// Facts of every document.
const EVERYWHERE: &[CodeProbe] = &[
    probe(Fact::ApiVersion, "$.apiVersion", &[]),
    probe(Fact::Kind, "$.kind", &[]),
    probe(Fact::Name, "$.metadata.name", &[]),
    probe(Fact::GenerateName, "$.metadata.generateName", &[]),
    probe(Fact::Namespace, "$.metadata.namespace", &[]),
    probe(Fact::Annotation, "$.metadata.annotations.*", &[]),
];

/// Facts of a pod spec, relative to it.
pub const IN_POD_SPEC: &[CodeProbe] = &[
    probe(Fact::ServiceAccount, "$.serviceAccountName", &[]),
    probe(Fact::ServiceAccount, "$.serviceAccount", &[]),
    probe(Fact::Image, "$.containers[*].image", &[]),
    probe(Fact::Env, "$.containers[*].env[*]", &["name", "value"]),
    probe(Fact::Hosts, "$.containers[*].args[*]", &[]),
    probe(Fact::Hosts, "$.containers[*].command[*]", &[]),
    probe(Fact::Env, "$.initContainers[*].env[*]", &["name", "value"]),
    probe(Fact::Hosts, "$.initContainers[*].args[*]", &[]),
    probe(Fact::Hosts, "$.initContainers[*].command[*]", &[]),
];

const CRD: &[CodeProbe] = &[
    probe(Fact::CrdGroup, "$.spec.group", &[]),
    probe(Fact::CrdKind, "$.spec.names.kind", &[]),
    probe(Fact::CrdScope, "$.spec.scope", &[]),
    probe(Fact::CrdConversion, "$.spec.conversion.webhook.clientConfig.service", &["name", "namespace"]),
];
const SERVICE: &[CodeProbe] = &[
    probe(Fact::Selector, "$.spec.selector.*", &[]),
    probe(Fact::ServicePort, "$.spec.ports[*].port", &[]),
    probe(Fact::Label, "$.metadata.labels.*", &[]),
];
const ROLE: &[CodeProbe] =
    &[probe(Fact::RbacRule, "$.rules[*]", &["apiGroups[*]", "resources[*]", "verbs[*]"])];
const BINDING: &[CodeProbe] = &[
    probe(Fact::RoleRef, "$.roleRef", &["kind", "name"]),
    probe(Fact::Subject, "$.subjects[*]", &["kind", "name", "namespace"]),
];
const WEBHOOKS: &[CodeProbe] = &[
    probe(
        Fact::Webhook,
        "$.webhooks[*]",
        &[
            "clientConfig.service.name",
            "clientConfig.service.namespace",
            "failurePolicy",
            "matchConditions[*].expression",
        ],
    ),
    probe(
        Fact::WebhookRule,
        "$.webhooks[*].rules[*]",
        &["apiGroups[*]", "resources[*]", "operations[*]", "scope"],
    ),
    probe(
        Fact::NamespaceExpression,
        "$.webhooks[*].namespaceSelector.matchExpressions[*]",
        &["key", "operator", "values[*]"],
    ),
    probe(Fact::NamespaceLabel, "$.webhooks[*].namespaceSelector.matchLabels.*", &[]),
    probe(
        Fact::ObjectExpression,
        "$.webhooks[*].objectSelector.matchExpressions[*]",
        &["key", "operator", "values[*]"],
    ),
    probe(Fact::ObjectLabel, "$.webhooks[*].objectSelector.matchLabels.*", &[]),
];
const API_SERVICE: &[CodeProbe] = &[
    probe(Fact::ApiService, "$.spec.service", &["name", "namespace"]),
    probe(Fact::ApiGroup, "$.spec.group", &[]),
];
const STORAGE_CLASS: &[CodeProbe] = &[
    probe(Fact::Provisioner, "$.provisioner", &[]),
    probe(Fact::VolumeBindingMode, "$.volumeBindingMode", &[]),
];
const SELECTING: &[CodeProbe] = &[
    probe(Fact::Selector, "$.spec.selector.matchLabels.*", &[]),
    probe(Fact::SelectorExpression, "$.spec.selector.matchExpressions[*]", &[]),
    probe(Fact::SelectorNamespace, "$.spec.namespaceSelector.matchNames[*]", &[]),
];
/// Labels of what others select.
const LABELLED: &[CodeProbe] = &[probe(Fact::Label, "$.metadata.labels.*", &[])];
const OF_GRAFANA: &[CodeProbe] = &[
    probe(Fact::Selector, "$.spec.instanceSelector.matchLabels.*", &[]),
    probe(Fact::SelectorExpression, "$.spec.instanceSelector.matchExpressions[*]", &[]),
    probe(Fact::SelectsAnywhere, "$.spec.allowCrossNamespaceImport", &[]),
];
const ISTIO_GATEWAY: &[CodeProbe] = &[
    probe(Fact::Selector, "$.spec.selector.*", &[]),
    probe(Fact::Credential, "$.spec.servers[*].tls.credentialName", &[]),
];
const COMPOSITION: &[CodeProbe] = &[
    probe(Fact::CompositeType, "$.spec.compositeTypeRef", &["apiVersion", "kind"]),
    probe(Fact::Label, "$.metadata.labels.*", &[]),
];
const MANAGED: &[CodeProbe] = &[
    probe(Fact::ProviderConfig, "$.spec.providerConfigRef", &["name", "kind"]),
    probe(Fact::ProviderConfig, "$.spec.forProvider", &[]),
];
const COMPOSED: &[CodeProbe] = &[
    probe(Fact::Selector, "$.spec.compositionSelector.matchLabels.*", &[]),
    probe(Fact::Selector, "$.spec.crossplane.compositionSelector.matchLabels.*", &[]),
];
const CONFIG_MAP: &[CodeProbe] = &[probe(Fact::Hosts, "$.data.*", &[])];
const SECRET: &[CodeProbe] =
    &[probe(Fact::Hosts, "$.stringData.*", &[]), probe(Fact::EncodedHosts, "$.data.*", &[])];
const STATEFUL_SET: &[CodeProbe] = &[probe(
    Fact::ClaimTemplate,
    "$.spec.volumeClaimTemplates[*]",
    &["metadata.name", "spec.storageClassName"],
)];
const CLAIM: &[CodeProbe] = &[probe(Fact::Claim, "$.spec", &["storageClassName", "volumeName"])];

const INGRESS_CLASS: &[CodeProbe] = &[probe(Fact::Provisioner, "$.spec.controller", &[])];
const GATEWAY_CLASS: &[CodeProbe] = &[probe(Fact::Provisioner, "$.spec.controllerName", &[])];
const INGRESS: &[CodeProbe] = &[probe(Fact::IngressClassName, "$.spec.ingressClassName", &[])];
const IN_APPLICATION: &[&str] =
    &["chart", "repoURL", "helm.releaseName", "helm.valuesObject.fullnameOverride"];
const APPLICATION: &[CodeProbe] = &[
    probe(Fact::Chart, "$.spec.source", IN_APPLICATION),
    probe(Fact::Chart, "$.spec.sources[*]", IN_APPLICATION),
    probe(Fact::Install, "$.spec", &["destination.namespace", "destination.server", "destination.name"]),
    probe(Fact::AppliedPath, "$.spec.source", &["path", "repoURL"]),
    probe(Fact::AppliedPath, "$.spec.sources[*]", &["path", "repoURL"]),
    probe(Fact::Hosts, "$.spec.source.helm.values", &[]),
    probe(Fact::Hosts, "$.spec.source.helm.valuesObject..*", &[]),
    probe(Fact::Hosts, "$.spec.sources[*].helm.values", &[]),
    probe(Fact::Hosts, "$.spec.sources[*].helm.valuesObject..*", &[]),
];
const APPLICATION_SET: &[CodeProbe] = &[
    probe(Fact::Chart, "$.spec.template.spec.source", IN_APPLICATION),
    probe(Fact::Chart, "$.spec.template.spec.sources[*]", IN_APPLICATION),
    probe(Fact::Install, "$.spec.template.spec", &["destination.namespace"]),
];
const HELM_RELEASE: &[CodeProbe] = &[
    probe(
        Fact::Chart,
        "$.spec.chart.spec",
        &["chart", "sourceRef.kind", "sourceRef.name", "sourceRef.namespace"],
    ),
    probe(Fact::Chart, "$.spec.chartRef", &["kind", "name", "namespace"]),
    probe(Fact::Install, "$.spec", &["targetNamespace", "releaseName", "values.fullnameOverride"]),
    probe(Fact::Hosts, "$.spec.values..*", &[]),
];
const FLUX_KUSTOMIZATION: &[CodeProbe] = &[
    probe(Fact::AppliedPath, "$.spec", &["path", "components[*]", "sourceRef.name"]),
    probe(Fact::Install, "$.spec", &["kubeConfig.secretRef.name"]),
];
const FLUX_SOURCE: &[CodeProbe] = &[probe(Fact::ChartSource, "$.spec", &["url", "chart"])];
const COMPOSITE_DEFINITION: &[CodeProbe] =
    &[probe(Fact::MadeKind, "$.spec", &["group", "names.kind", "claimNames.kind", "scope"])];
const RESOURCE_GRAPH: &[CodeProbe] = &[probe(Fact::MadeKind, "$.spec.schema", &["group", "kind", "scope"])];
const CONSTRAINT_TEMPLATE: &[CodeProbe] = &[probe(Fact::MadeKind, "$.spec.crd.spec", &["names.kind"])];
const EXTERNAL_SECRET: &[CodeProbe] = &[probe(Fact::Hosts, "$.spec.target.template.data.*", &[])];
const SEALED_SECRET: &[CodeProbe] = &[probe(Fact::Hosts, "$.spec.template.data.*", &[])];
const VAULT_SECRET: &[CodeProbe] =
    &[probe(Fact::Hosts, "$.spec.destination.transformation.templates.*.text", &[])];
const REMOTE_CHART: &[CodeProbe] = &[
    probe(Fact::Chart, "$.spec", &["chart", "repoURL"]),
    probe(Fact::Install, "$.spec", &["releaseName", "values.fullnameOverride"]),
    probe(Fact::Hosts, "$.spec.values..*", &[]),
];
const REMOTE_BASE: &[CodeProbe] = &[probe(Fact::Base, "$.spec.address", &[])];
const SUBSCRIPTION: &[CodeProbe] = &[probe(Fact::Package, "$.spec.name", &[])];
const CROSSPLANE_PROVIDER: &[CodeProbe] = &[probe(Fact::Package, "$.spec.package", &[])];

/// The facts asked of a kind.
pub fn for_kind(group: &str, kind: &str) -> impl Iterator<Item = &'static CodeProbe> {
    let own: &[CodeProbe] = match (group, kind) {
        ("apiextensions.k8s.io", "CustomResourceDefinition") => CRD,
        ("", "Service") => SERVICE,
        ("", "Namespace") | ("grafana.integreatly.org", "Grafana") => LABELLED,
        ("grafana.integreatly.org", _) => OF_GRAFANA,
        ("networking.istio.io", "Gateway") => ISTIO_GATEWAY,
        ("apiextensions.crossplane.io", "Composition") => COMPOSITION,
        ("", "ConfigMap") => CONFIG_MAP,
        ("", "Secret") => SECRET,
        ("", "PersistentVolumeClaim") => CLAIM,
        ("apps", "StatefulSet") => STATEFUL_SET,
        ("rbac.authorization.k8s.io", "Role" | "ClusterRole") => ROLE,
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => BINDING,
        (
            "admissionregistration.k8s.io",
            "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration",
        ) => WEBHOOKS,
        ("apiregistration.k8s.io", "APIService") => API_SERVICE,
        ("storage.k8s.io", "StorageClass") => STORAGE_CLASS,
        ("policy", "PodDisruptionBudget") | ("monitoring.coreos.com", "ServiceMonitor" | "PodMonitor") => {
            SELECTING
        }
        ("networking.k8s.io", "Ingress") => INGRESS,
        ("networking.k8s.io", "IngressClass") => INGRESS_CLASS,
        ("gateway.networking.k8s.io", "GatewayClass") => GATEWAY_CLASS,
        ("argoproj.io", "Application") => APPLICATION,
        ("argoproj.io", "ApplicationSet") => APPLICATION_SET,
        ("helm.toolkit.fluxcd.io", "HelmRelease") => HELM_RELEASE,
        ("kustomize.toolkit.fluxcd.io", "Kustomization") => FLUX_KUSTOMIZATION,
        ("source.toolkit.fluxcd.io", "HelmRepository" | "OCIRepository" | "HelmChart") => FLUX_SOURCE,
        ("external-secrets.io", "ExternalSecret") => EXTERNAL_SECRET,
        ("bitnami.com", "SealedSecret") => SEALED_SECRET,
        ("secrets.hashicorp.com", "VaultStaticSecret" | "VaultDynamicSecret" | "VaultPKISecret") => {
            VAULT_SECRET
        }
        ("apiextensions.crossplane.io", "CompositeResourceDefinition") => COMPOSITE_DEFINITION,
        ("kro.run", "ResourceGraphDefinition") => RESOURCE_GRAPH,
        ("templates.gatekeeper.sh", "ConstraintTemplate") => CONSTRAINT_TEMPLATE,
        ("operators.coreos.com", "Subscription") => SUBSCRIPTION,
        ("pkg.crossplane.io", "Provider") => CROSSPLANE_PROVIDER,
        (crate::render::remote::GROUP, "RemoteChart") => REMOTE_CHART,
        (crate::render::remote::GROUP, "RemoteBase") => REMOTE_BASE,
        _ if crossplane::is_managed(group) => MANAGED,
        _ if !super::is_built_in_group(group) => COMPOSED,
        _ => &[],
    };
    EVERYWHERE.iter().chain(own)
}
