//! Why no order exists: the loop or chain with its evidence, and the edits that would solve it.

use super::grow::UsedUp;
use crate::infer::Scene;
use crate::model::{Component, ComponentIndex, Declared, Edge, End, Phase, Role};
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
        /// The edge it contradicts, and what raised its target.
        chain: Vec<Edge>,
        /// The rung of the first edge's target.
        target: Phase,
    },
    /// A pin or a selector puts a component on a smoke rung that is no smoke.
    SmokesOnly {
        /// The component.
        component: ComponentIndex,
        /// Its role.
        role: Role,
        /// The rung.
        phase: Phase,
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
        /// The domain of the rung its target stands on.
        domain: String,
        /// The rung of its target.
        target: Phase,
    },
    /// The domain has no rung above what is waited for, and none may be grown.
    NoRung {
        /// Who needs one.
        component: ComponentIndex,
        /// The edge that asks for it, and what raised its target.
        chain: Vec<Edge>,
        /// The highest rung there is, or can be.
        target: Phase,
        /// Why none was grown.
        why: NoRoom,
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

/// Why no rung was grown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRoom {
    /// The settings say so.
    GrowIsOff,
    /// What is waited for is a smoke of the same domain.
    Smokes {
        /// Whether the one who waits is a smoke too.
        is_smoke: bool,
    },
    /// Nothing is free before the next rung.
    UsedUp(UsedUp),
}

impl NoRoom {
    fn fact(self) -> &'static str {
        match self {
            Self::GrowIsOff => "`grow` is false",
            Self::Smokes { .. } => "smokes come last in their domain",
            Self::UsedUp(UsedUp::Numbers) => "there is no number left before the next rung",
            Self::UsedUp(UsedUp::Waves) => "there is no wave left before the next rung",
        }
    }

    fn help(self) -> &'static str {
        match self {
            Self::GrowIsOff => "add a rung to the domain in ladder.yaml, or set `grow: true`",
            Self::Smokes { is_smoke: false } => {
                "remove this wait, or do not declare what it waits for a smoke"
            }
            Self::Smokes { is_smoke: true } => {
                "remove this wait, or add a second rung with `roles: [smoke]` behind it in ladder.yaml"
            }
            Self::UsedUp(UsedUp::Numbers) => {
                "remove one of these waits, or move the end of the chain into a later domain"
            }
            Self::UsedUp(UsedUp::Waves) => "give the next rung a higher `wave` in ladder.yaml",
        }
    }
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

/// A chain of edges, a line each.
fn lines(scene: &Scene<'_>, edges: &[Edge]) -> String {
    edges.iter().map(|edge| format!("\n  {}", evidence(scene, edge))).collect()
}

impl ResolveError {
    /// The problem to report.
    #[must_use]
    pub fn problem(&self, scene: &Scene<'_>) -> Problem {
        match self {
            Self::Loop(edges) => looped(scene, edges),
            Self::PinTooLow { component, pin, chain, target } => {
                pin_too_low(scene, *component, pin, chain, target)
            }
            Self::SmokesOnly { component, role, phase } => {
                smokes_only(scene.component(*component), *role, phase)
            }
            Self::DomainWithoutRungs { component } => without_rungs(scene.component(*component)),
            Self::LaterDomain { edge, domain, target } => later_domain(scene, edge, domain, target),
            Self::NoRung { component, chain, target, why } => no_rung(scene, *component, chain, target, *why),
            Self::WaveTooLow { edge, wave, target } => wave_too_low(scene, edge, *wave, *target),
            Self::TooDeep { component, phase, needed, room } => {
                too_deep(scene.component(*component), phase, *needed, *room)
            }
        }
    }
}

fn pin_too_low(
    scene: &Scene<'_>,
    component: ComponentIndex,
    pin: &Declared<Phase>,
    chain: &[Edge],
    target: &Phase,
) -> Problem {
    let name = &scene.component(component).name;
    let message = format!(
        "`{name}` is pinned to {}, but what it waits for stands on {target}{}",
        pin.value,
        lines(scene, chain)
    );
    Problem::new("pin-below-edge", message)
        .at(&pin.origin)
        .help(format!("remove `rolloutPhase`, or pin it above {target}"))
}

fn smokes_only(component: &Component, role: Role, phase: &Phase) -> Problem {
    let name = &component.name;
    let problem = |message| Problem::new("smokes-only", message);
    match &component.pin {
        Some(pin) => problem(format!("`{name}` is {role}, but pinned to {phase}, where only smokes stand"))
            .at(&pin.origin)
            .help("remove `rolloutPhase`, pin it to a lower rung, or declare `componentType: smoke`"),
        None => problem(format!("`{name}` is {role}, but rung {phase} selects it, where only smokes stand"))
            .at(&component.origin)
            .help("in ladder.yaml let another rung select it, or declare `componentType: smoke`"),
    }
}

fn without_rungs(component: &Component) -> Problem {
    let (domain, name) = (&component.domain, &component.name);
    Problem::new("domain-without-rungs", format!("domain `{domain}` of `{name}` has no rung to stand on"))
        .at(&component.origin)
        .help(format!("add a rung with `domain: {domain}` in ladder.yaml, or give it another `domain`"))
}

fn later_domain(scene: &Scene<'_>, edge: &Edge, domain: &str, target: &Phase) -> Problem {
    let (from, to) = (scene.component(edge.from.component), scene.component(edge.to.component));
    let message = format!(
        "`{}` of domain `{}` waits for `{}`, which stands in the later domain `{domain}` on {target}\n  {}",
        from.name,
        from.domain,
        to.name,
        evidence(scene, edge)
    );
    let earlier = match &to.pin {
        Some(pin) => format!("remove `rolloutPhase` of `{}` ({})", to.name, pin.origin),
        None => format!("`{}` into an earlier one", to.name),
    };
    let mut help = format!("move `{}` into `{domain}` or a later domain, or {earlier}", from.name);
    if let Some(resource) = edge.from.resource.filter(|_| is_one_of_many(scene, edge.from)) {
        let resource = scene.resource(resource).id.short();
        help += &format!("; if the rest must stay, move `{resource}` into a component of its own there");
    }
    Problem::new("later-domain", message).at(&edge.origin).help(help)
}

/// Whether the component holds more than this resource.
fn is_one_of_many(scene: &Scene<'_>, end: End) -> bool {
    scene.iter().filter(|(_, resource)| resource.component == end.component).nth(1).is_some()
}

fn no_rung(
    scene: &Scene<'_>,
    component: ComponentIndex,
    chain: &[Edge],
    target: &Phase,
    why: NoRoom,
) -> Problem {
    let component = scene.component(component);
    let message = format!(
        "domain `{}` has no rung above {target} for `{}`: {}{}",
        component.domain,
        component.name,
        why.fact(),
        lines(scene, chain)
    );
    let problem = Problem::new("no-rung-above", message).help(why.help());
    match chain.first() {
        Some(edge) => problem.at(&edge.origin),
        None => problem,
    }
}

fn wave_too_low(scene: &Scene<'_>, edge: &Edge, wave: i64, target: i64) -> Problem {
    let (from, to) = (shown(scene, edge.from), shown(scene, edge.to));
    let message = format!(
        "`{from}` has wave {wave}, but what it waits for has wave {target}\n  {}",
        evidence(scene, edge)
    );
    Problem::new("wave-contradicts-edge", message)
        .at(&edge.origin)
        .help(format!("in ladder.yaml give the rung of `{from}` a `wave` above that of `{to}`"))
}

fn too_deep(component: &Component, phase: &Phase, needed: i64, room: i64) -> Problem {
    let message = format!(
        "`{}` needs wave {needed} of rung {phase}, which has only {room} before the next rung",
        component.name
    );
    Problem::new("rung-too-short", message)
        .at(&component.origin)
        .help("set `waves: dense` in ladder.yaml, or give the next rung a higher `wave`")
}

fn looped(scene: &Scene<'_>, edges: &[Edge]) -> Problem {
    let inner = edges.iter().all(Edge::is_inner);
    let node = |end: End| if inner { shown(scene, end) } else { scene.component(end.component).name.clone() };
    let mut way: Vec<String> = edges.iter().map(|edge| format!("`{}`", node(edge.from))).collect();
    way.extend(edges.last().map(|edge| format!("`{}`", node(edge.to))));
    let what = if inner { "resources" } else { "components" };
    let message = format!("{what} wait for each other: {}{}", way.join(" -> "), lines(scene, edges));
    let declared = edges.iter().find(|edge| edge.reason.as_str() == "depends-on");
    let help = match (declared, movable(scene, edges)) {
        (Some(edge), _) => format!("remove `{}` from `dependsOn` in {}", node(edge.to), edge.origin),
        (None, Some(end)) => format!(
            "move `{}` out of `{}` into a component of its own, or remove one of these references",
            shown(scene, end),
            scene.component(end.component).name
        ),
        (None, None) => "remove one of these references".to_owned(),
    };
    let problem = Problem::new("loop", message).help(help);
    match edges.first() {
        Some(edge) => problem.at(&edge.origin),
        None => problem,
    }
}

/// A resource whose wait opens the loop when it leaves its component: what is waited for there is another one. Rather
/// not a workload, which others may need where it is.
fn movable(scene: &Scene<'_>, edges: &[Edge]) -> Option<End> {
    let before = edges.iter().cycle().skip(edges.len().checked_sub(1)?);
    let leaves = |(before, edge): (&Edge, &Edge)| {
        let differs = before.to.resource.is_some() && before.to.resource != edge.from.resource;
        (differs && !edge.is_inner()).then_some(edge.from).filter(|end| end.resource.is_some())
    };
    let ends: Vec<End> = before.zip(edges).filter_map(leaves).collect();
    let is_workload = |end: &&End| end.resource.is_some_and(|index| scene.resource(index).is_workload);
    ends.iter().find(|end| !is_workload(end)).or(ends.first()).copied()
}
