//! From a resource and what it waits for to edges and findings.

use super::scene::{Found, Scene};
use crate::model::{Edge, End, Finding, Gate, Level, Origin, Reason, ResourceId, ResourceIndex, Strength};

/// What an edge says besides its ends.
#[derive(Debug, Clone)]
pub struct Wait {
    /// The rule.
    pub reason: Reason,
    /// Whether it decides the rung.
    pub strength: Strength,
    /// What is waited for.
    pub gate: Gate,
    /// The field that says so.
    pub origin: Origin,
}

impl Scene<'_> {
    /// The edges from a resource to whoever provides the target; none when nobody does.
    #[must_use]
    pub fn edges_to(&self, from: ResourceIndex, found: &Found, wait: &Wait) -> Vec<Edge> {
        match found {
            Found::Object(to) => {
                let mut edges = vec![self.edge(from, *to, wait)];
                if wait.gate == Gate::Ready && self.resource(*to).id.kind == "Service" {
                    edges.extend(self.behind(*to).into_iter().map(|pod| self.edge(from, pod, wait)));
                }
                edges.retain(|edge| edge.from != edge.to);
                edges
            }
            // Makers that all refer to a thing (two Ingresses with one certificate) do not wait for each other.
            Found::Made(makers) if makers.contains(&from) => Vec::new(),
            Found::Made(makers) => {
                let wait = Wait { gate: Gate::Ready, ..wait.clone() };
                let edge = |maker: &ResourceIndex| Edge { made: true, ..self.edge(from, *maker, &wait) };
                makers.iter().map(edge).collect()
            }
            Found::Declared(component) if *component == self.resource(from).component => Vec::new(),
            Found::Declared(component) => {
                let to = End { component: *component, resource: None };
                vec![new_edge(self.end(from), to, &Wait { gate: Gate::Ready, ..wait.clone() })]
            }
            Found::External | Found::Nobody => Vec::new(),
        }
    }

    /// An edge between two resources.
    #[must_use]
    pub fn edge(&self, from: ResourceIndex, to: ResourceIndex, wait: &Wait) -> Edge {
        new_edge(self.end(from), self.end(to), wait)
    }

    fn end(&self, resource: ResourceIndex) -> End {
        End { component: self.resource(resource).component, resource: Some(resource) }
    }

    /// The finding for an object nobody provides; no warning where a chart that was not rendered may make it.
    #[must_use]
    pub fn missing(&self, from: ResourceIndex, target: &ResourceId, origin: Origin, help: String) -> Finding {
        let Some(release) = self.likely_release(target) else {
            return self.unsatisfied(from, &format!("`{}`", target.short()), origin, help);
        };
        let resource = self.resource(from);
        let message = format!(
            "`{}` needs `{}`, which the chart of `{}` may make: it is called after its release",
            resource.id.short(),
            target.short(),
            self.resource(release).id.short()
        );
        Finding::new("unsatisfied-reference", Level::Info, message)
            .about(&self.component(resource.component).name)
            .at(origin)
            .help(help)
    }

    /// The finding for a reference nobody provides.
    #[must_use]
    pub fn unsatisfied(&self, from: ResourceIndex, what: &str, origin: Origin, help: String) -> Finding {
        let resource = self.resource(from);
        let message = format!("`{}` needs {what}, which nothing here provides", resource.id.short());
        Finding::new("unsatisfied-reference", Level::Warning, message)
            .about(&self.component(resource.component).name)
            .at(origin)
            .help(help)
    }
}

/// An edge that is not dropped.
#[must_use]
pub fn new_edge(from: End, to: End, wait: &Wait) -> Edge {
    Edge {
        from,
        to,
        reason: wait.reason.clone(),
        strength: wait.strength,
        gate: wait.gate,
        origin: wait.origin.clone(),
        dropped: None,
        made: false,
    }
}
