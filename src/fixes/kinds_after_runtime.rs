//! Custom resources that only make sense once a runtime of their own domain answers: realm imports, namespaces of
//! a workflow engine.

use super::{Move, View};
use crate::model::Role;

/// Group, kind, and the fix that lifts it.
const LIFTED: &[(&str, &str, &str)] = &[
    ("k8s.keycloak.org", "KeycloakRealmImport", "realm-import-post-runtime"),
    ("k8s.keycloak.org", "KeycloakOIDCClient", "realm-import-post-runtime"),
    ("k8s.keycloak.org", "KeycloakSAMLClient", "realm-import-post-runtime"),
    ("legacy.k8s.keycloak.org", "ExternalKeycloak", "realm-import-post-runtime"),
    ("keycloak.org", "KeycloakRealm", "realm-import-post-runtime"),
    ("keycloak.org", "KeycloakClient", "realm-import-post-runtime"),
    ("keycloak.org", "KeycloakUser", "realm-import-post-runtime"),
    ("temporal.io", "TemporalNamespace", "namespace-bootstrap-post-runtime"),
    ("temporal.io", "TemporalSearchAttribute", "namespace-bootstrap-post-runtime"),
    ("temporal.io", "TemporalSchedule", "namespace-bootstrap-post-runtime"),
];

/// Moves components of such objects behind the runtime they configure.
#[must_use]
pub fn moves(view: &View<'_>) -> Vec<Move> {
    let mut moves = Vec::new();
    for component in view.components().filter(|component| view.roles[component.0] == Role::Config) {
        let lifted = view.leaving(component).find_map(|(_, edge)| {
            let id = &view.scene.resource(edge.from.resource?).id;
            let row = LIFTED.iter().find(|(group, kind, _)| *group == id.group && *kind == id.kind)?;
            let to_runtime = view.roles[edge.to.component.0] == Role::Runtime;
            (to_runtime && view.same_domain(component, edge.to.component)).then_some((edge, row.2))
        });
        let Some((edge, rule)) = lifted else { continue };
        let evidence = view.leaving(component).filter(|(_, other)| other.to.component == edge.to.component);
        moves.push(Move {
            rule,
            component,
            to: Some(Role::PostRuntime),
            because: view.told(edge, "configures the running"),
            evidence: evidence.map(|(position, _)| position).collect(),
        });
    }
    moves
}
