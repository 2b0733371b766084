//! A component of Jobs that talk to a runtime of their own domain is post-runtime.
//!
//! One rule, three ids by what the Jobs talk to: a secret provider or any runtime (`vault-bootstrap-…`), a
//! workflow engine (`namespace-bootstrap-…`), a database (`migrations-…`).

use super::{Move, View};
use crate::catalogue::probes::Fact;
use crate::classify::serves::is_secret_provider;
use crate::model::{ComponentIndex, Edge, Role};

/// Groups whose custom resources are databases.
const DATABASE_GROUPS: &[&str] = &[
    "postgresql.cnpg.io",
    "acid.zalan.do",
    "postgres-operator.crunchydata.com",
    "pgv2.percona.com",
    "pxc.percona.com",
    "psmdb.percona.com",
    "ps.percona.com",
    "k8s.mariadb.com",
    "mysql.oracle.com",
    "mongodbcommunity.mongodb.com",
    "mongodb.com",
    "clickhouse.altinity.com",
    "databases.spotahome.com",
    "redis.redis.opstreelabs.in",
    "elasticsearch.k8s.elastic.co",
    "opensearch.opster.io",
    "cassandra.datastax.com",
    "scylla.scylladb.com",
];

/// Last parts of database images.
const DATABASE_IMAGES: &[&str] = &[
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mongo",
    "mongodb",
    "clickhouse-server",
    "redis",
    "valkey",
    "cassandra",
    "cockroach",
    "timescaledb",
    "pgvector",
    "mssql",
];

const WORKFLOW_GROUPS: &[&str] = &["temporal.io"];

/// Last parts of workflow engine images.
const WORKFLOW_IMAGES: &[&str] = &["server", "auto-setup", "frontend", "zeebe", "cadence"];

/// Moves components of Jobs behind the runtime they talk to.
#[must_use]
pub fn moves(view: &View<'_>) -> Vec<Move> {
    let mut moves = Vec::new();
    for component in view.components().filter(|component| view.roles[component.0] == Role::Config) {
        if !is_jobs_only(view, component) {
            continue;
        }
        let talks = view.leaving(component).find(|(_, edge)| is_job_to_runtime(view, edge));
        let Some((_, edge)) = talks else { continue };
        let evidence = view.leaving(component).filter(|(_, other)| other.to.component == edge.to.component);
        moves.push(Move {
            rule: rule(view, edge),
            component,
            to: Some(Role::PostRuntime),
            because: view.told(edge, "talks to the running"),
            evidence: evidence.map(|(position, _)| position).collect(),
        });
    }
    moves
}

fn is_jobs_only(view: &View<'_>, component: ComponentIndex) -> bool {
    let resources = view.resources[component.0].iter().map(|index| view.scene.resource(*index));
    let mut jobs = 0;
    for resource in resources {
        if resource.is_workload || resource.role == Role::Runtime {
            return false;
        }
        jobs += usize::from(resource.id.kind == "Job");
    }
    jobs > 0
}

/// The target must run in the same domain: a workload of its own, or a secret provider.
fn is_job_to_runtime(view: &View<'_>, edge: &Edge) -> bool {
    let from_job = edge.from.resource.is_some_and(|from| view.scene.resource(from).id.kind == "Job");
    let target = edge.to.component;
    let runs = view.roles[target.0] == Role::Runtime || holds_secrets(view, target);
    from_job && runs && view.same_domain(edge.from.component, target)
}

fn holds_secrets(view: &View<'_>, component: ComponentIndex) -> bool {
    let mut resources = view.resources[component.0].iter().map(|index| view.scene.resource(*index));
    resources.any(|resource| resource.is_workload && is_secret_provider(resource, view.scene.catalogue))
}

fn rule(view: &View<'_>, edge: &Edge) -> &'static str {
    if holds_secrets(view, edge.to.component) {
        return "vault-bootstrap-post-runtime";
    }
    let is = |groups: &[&str], images: &[&str], path: &str| {
        view.resources[edge.to.component.0].iter().map(|index| view.scene.resource(*index)).any(|resource| {
            let image = resource.manifest.fact(Fact::Image).unwrap_or_default();
            let named =
                image.rsplit('/').next().unwrap_or_default().split([':', '@']).next().unwrap_or_default();
            groups.contains(&resource.id.group.as_str()) || (images.contains(&named) && image.contains(path))
        })
    };
    if is(WORKFLOW_GROUPS, WORKFLOW_IMAGES, "temporalio/") {
        "namespace-bootstrap-post-runtime"
    } else if is(DATABASE_GROUPS, DATABASE_IMAGES, "") {
        "migrations-post-runtime"
    } else {
        "vault-bootstrap-post-runtime"
    }
}
