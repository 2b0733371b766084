//! Why no order exists: the loop or chain with its evidence, and the edits that would solve it.

use crate::infer::Scene;
use crate::model::{Component, ComponentIndex, Declared, Edge, End, Phase};
use crate::problem::Problem;

/// Why no order exists.
#[derive(Debug)]
pub enum ResolveError {
    /// Strong edges close a loop; they are listed in walking order.
    Loop(Vec<Edge>),
    /// A pin stands at or below something its component strongly waits for.
    PinTooLow {
        /// The pinned component.
        component: ComponentIndex,
        /// The pin.
        pin: Box<Declared<Phase>>,
        /// The edge it contradicts.
        edge: Box<Edge>,
        /// The rung of the edge's target.
        target: Phase,
    },
    /// No rung is for the component's domain.
    DomainWithoutRungs {
        /// Who needs one.
        component: ComponentIndex,
    },
    /// A strong edge leads into a later domain.
    LaterDomain {
        /// The edge.
        edge: Box<Edge>,
        /// The rung of its target.
        target: Phase,
    },
    /// The domain has no rung above what is waited for, and none may be grown.
    NoRung {
        /// Who needs one.
        component: ComponentIndex,
        /// The edge that asks for it.
        edge: Box<Edge>,
        /// The rung of the edge's target.
        target: Phase,
        /// Why none was grown, and what to edit.
        why: (&'static str, &'static str),
    },
    /// A rung's wave puts a resource before one it strongly waits for.
    WaveTooLow {
        /// The edge.
        edge: Box<Edge>,
        /// The wave the rung gives.
        wave: i64,
        /// The wave of what is waited for.
        target: i64,
    },
    /// More waves inside a rung than there are numbers before the next one.
    TooDeep {
        /// Who needs them.
        component: ComponentIndex,
        /// The rung.
        phase: Phase,
        /// How many waves it needs.
        needed: i64,
        /// How many numbers it has.
        room: i64,
    },
}

fn shown(scene: &Scene<'_>, end: End) -> String {
    end.shown(scene.components, scene.resources)
}

/// One edge as a line of evidence.
#[must_use]
pub fn evidence(scene: &Scene<'_>, edge: &Edge) -> String {
    if edge.is_inner() {
        let ends = (shown(scene, edge.from), shown(scene, edge.to));
        return format!("`{}` waits for `{}`: {} ({})", ends.0, ends.1, edge.reason, edge.origin);
    }
    let names = (&scene.component(edge.from.component).name, &scene.component(edge.to.component).name);
    let detail = match (edge.from.resource, edge.to.resource) {
        (None, None) => String::new(),
        _ => format!(" `{}` -> `{}`", shown(scene, edge.from), shown(scene, edge.to)),
    };
    format!("`{}` waits for `{}`: {}{detail} ({})", names.0, names.1, edge.reason, edge.origin)
}

impl ResolveError {
    /// The problem to report.
    #[must_use]
    pub fn problem(&self, scene: &Scene<'_>) -> Problem {
        let name = |component: ComponentIndex| scene.component(component).name.as_str();
        match self {
            Self::Loop(edges) => looped(scene, edges),
            Self::PinTooLow { component, pin, edge, target } => Problem::new("pin-below-edge", format!(
                "`{}` is pinned to {}, but what it waits for stands on {target}\n  {}",
                name(*component),
                pin.value,
                evidence(scene, edge)
            ))
            .at(&pin.origin)
            .help(format!("remove `rolloutPhase`, or pin it above {target}")),
            Self::DomainWithoutRungs { component } => without_rungs(scene.component(*component)),
            Self::LaterDomain { edge, target } => Problem::new("later-domain", format!(
                "`{}` of domain `{}` waits for `{}`, which stands in the later domain `{}` on {target}\n  {}",
                name(edge.from.component),
                scene.component(edge.from.component).domain,
                name(edge.to.component),
                scene.component(edge.to.component).domain,
                evidence(scene, edge)
            ))
            .at(&edge.origin)
            .help(format!(
                "move `{}` into `{}` or a later domain, or `{}` into an earlier one",
                name(edge.from.component),
                scene.component(edge.to.component).domain,
                name(edge.to.component)
            )),
            Self::NoRung { component, edge, target, why: (why, help) } => Problem::new("no-rung-above", format!(
                "domain `{}` has no rung above {target} for `{}`: {why}\n  {}",
                scene.component(*component).domain,
                name(*component),
                evidence(scene, edge)
            ))
            .at(&edge.origin)
            .help(*help),
            Self::WaveTooLow { edge, wave, target } => Problem::new("wave-contradicts-edge", format!(
                "`{}` has wave {wave}, but what it waits for has wave {target}\n  {}",
                shown(scene, edge.from),
                evidence(scene, edge)
            ))
            .at(&edge.origin)
            .help(format!(
                "in ladder.yaml give the rung of `{}` a `wave` above that of `{}`",
                shown(scene, edge.from),
                shown(scene, edge.to)
            )),
            Self::TooDeep { component, phase, needed, room } => Problem::new("rung-too-short", format!(
                "`{}` needs wave {needed} of rung {phase}, which has only {room} before the next rung",
                name(*component)
            ))
            .at(&scene.component(*component).origin)
            .help("set `waves: dense` in ladder.yaml, or give the next rung a higher `wave`"),
        }
    }
}

fn without_rungs(component: &Component) -> Problem {
    let (domain, name) = (&component.domain, &component.name);
    Problem::new("domain-without-rungs", format!("domain `{domain}` of `{name}` has no rung to stand on"))
        .at(&component.origin)
        .help(format!("add a rung with `domain: {domain}` in ladder.yaml, or give it another `domain`"))
}

fn looped(scene: &Scene<'_>, edges: &[Edge]) -> Problem {
    let inner = edges.iter().all(Edge::is_inner);
    let node = |end: End| if inner { shown(scene, end) } else { scene.component(end.component).name.clone() };
    let mut way: Vec<String> = edges.iter().map(|edge| format!("`{}`", node(edge.from))).collect();
    way.extend(edges.last().map(|edge| format!("`{}`", node(edge.to))));
    let lines: Vec<String> = edges.iter().map(|edge| format!("\n  {}", evidence(scene, edge))).collect();
    let what = if inner { "resources" } else { "components" };
    let message = format!("{what} wait for each other: {}{}", way.join(" -> "), lines.concat());
    let declared = edges.iter().find(|edge| edge.reason.as_str() == "depends-on");
    let help = match declared {
        Some(edge) => format!("remove `{}` from `dependsOn` in {}", node(edge.to), edge.origin),
        None => "split one of them so that what is waited for comes first, or remove one of these references"
            .to_owned(),
    };
    let problem = Problem::new("loop", message).help(help);
    match edges.first() {
        Some(edge) => problem.at(&edge.origin),
        None => problem,
    }
}
