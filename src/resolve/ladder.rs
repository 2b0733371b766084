//! The climb itself: start positions, climbing, growing rungs, lowering shared CRDs.

use std::collections::BTreeMap;

use super::{Input, ResolveError, graph, record, strong_waits};
use crate::load::rungs::{WAVES_PER_NUMBER, start};
use crate::model::{
    AppliedFix, ComponentIndex, Edge, Finding, Level, MaxUpdate, Phase, Placement, Role, Rung, Rungs,
};

const ADD_RUNG: &str = "add a rung to the domain in ladder.yaml";

const SHARED_CRDS: &str = "shared-crds-first";

/// RollingSync's width for a grown rung.
const GROWN_MAX_UPDATE: u32 = 2;

/// One component on its way up.
#[derive(Debug, Clone)]
struct Climber {
    base: usize,
    start: usize,
    at: usize,
    raised_by: Option<usize>,
    fixes: Vec<AppliedFix>,
}

/// All components on their way up.
pub(crate) struct Climb<'a> {
    input: &'a Input<'a>,
    edges: &'a [Edge],
    waits: Vec<BTreeMap<usize, usize>>,
    order: Vec<usize>,
    rungs: Rungs,
    climbers: Vec<Climber>,
}

impl<'a> Climb<'a> {
    pub(crate) fn new(input: &'a Input<'a>, edges: &'a [Edge]) -> Result<Self, ResolveError> {
        let count = input.roles.len();
        let waits = strong_waits(edges, count);
        let out: Vec<Vec<usize>> = waits.iter().map(|targets| targets.keys().copied().collect()).collect();
        let groups = graph::groups(&out);
        let loops =
            groups.iter().filter(|group| group.len() > 1).map(|group| graph::shortest_loop(&out, group));
        if let Some(shortest) = loops.min_by_key(Vec::len) {
            let next = shortest.iter().skip(1).chain(&shortest[..1]);
            let walked = shortest.iter().zip(next).map(|(from, to)| edges[waits[*from][to]].clone());
            return Err(ResolveError::Loop(walked.collect()));
        }
        let rungs = input.settings.rungs.clone();
        let climbers = (0..count).map(|number| climber(input, &rungs, number)).collect::<Result<_, _>>()?;
        Ok(Self { input, edges, waits, order: groups.into_iter().flatten().collect(), rungs, climbers })
    }

    /// Places every component, targets first.
    pub(crate) fn place_all(&mut self) -> Result<(), ResolveError> {
        for number in self.order.clone() {
            self.place(number)?;
        }
        Ok(())
    }

    fn place(&mut self, number: usize) -> Result<(), ResolveError> {
        let highest = self.waits[number]
            .iter()
            .filter(|(target, _)| !self.will_be_lowered(number, **target))
            .max_by_key(|(target, _)| self.climbers[**target].at)
            .map(|(target, edge)| (self.climbers[*target].at, *edge));
        let Some((need, edge)) = highest else { return Ok(()) };
        if let Some(pin) = &self.input.scene.components[number].pin {
            if self.climbers[number].start > need {
                return Ok(());
            }
            return Err(ResolveError::PinTooLow {
                component: ComponentIndex(number),
                pin: Box::new(pin.clone()),
                edge: Box::new(self.edges[edge].clone()),
                target: self.rungs.list[need].phase.clone(),
            });
        }
        if self.climbers[number].start > need {
            return Ok(());
        }
        self.raise(number, need, edge)
    }

    fn raise(&mut self, number: usize, need: usize, edge: usize) -> Result<(), ResolveError> {
        if self.is_later_domain(number, need) {
            let target = self.rungs.list[need].phase.clone();
            return Err(ResolveError::LaterDomain { edge: Box::new(self.edges[edge].clone()), target });
        }
        let above = (need + 1..self.rungs.list.len()).find(|at| self.may_stand(number, *at));
        let at = match above {
            Some(at) => at,
            None => self.grow(number, need, edge)?,
        };
        self.climbers[number].at = at;
        self.climbers[number].raised_by = Some(edge);
        Ok(())
    }

    /// Only smokes stand on a smoke rung, and everybody on rungs of the own domain.
    fn may_stand(&self, number: usize, at: usize) -> bool {
        let is_smoke_rung = self.rungs.list[at].roles == [Role::Smoke];
        self.rungs.is_in(at, self.domain(number)) && (!is_smoke_rung || self.role(number) == Role::Smoke)
    }

    fn is_later_domain(&self, number: usize, at: usize) -> bool {
        let place = |domain: &str| self.rungs.domain_position(domain);
        let target = self.rungs.list[at].domain.as_deref().and_then(place);
        matches!((place(self.domain(number)), target), (Some(own), Some(target)) if target > own)
    }

    /// A new rung above `need`, on the next multiple of five below what follows in the domain.
    fn grow(&mut self, number: usize, need: usize, edge: usize) -> Result<usize, ResolveError> {
        let refuse = |this: &Self, why: (&'static str, &'static str)| ResolveError::NoRung {
            component: ComponentIndex(number),
            edge: Box::new(this.edges[edge].clone()),
            target: this.rungs.list[need].phase.clone(),
            why,
        };
        if !self.input.settings.grow {
            return Err(refuse(
                self,
                ("`grow` is false", "add a rung to the domain in ladder.yaml, or set `grow: true`"),
            ));
        }
        if self.rungs.list[need].roles == [Role::Smoke] {
            return Err(refuse(
                self,
                (
                    "smokes come last in their domain",
                    "remove this wait, or do not declare what it waits for a smoke",
                ),
            ));
        }
        let width = self.rungs.list[need].phase.0.len();
        let id = |at: usize| self.rungs.list.get(at).and_then(|rung| rung.phase.0.parse::<u32>().ok());
        let Some(below) = id(need) else {
            return Err(refuse(self, ("its rungs have no numbers to grow between", ADD_RUNG)));
        };
        let grown = (below / 5 + 1) * 5;
        if id(need + 1).is_some_and(|next| grown >= next) {
            return Err(refuse(self, ("there is no number left before the next rung", ADD_RUNG)));
        }
        let Some(wave) = self.wave_between(need, i64::from(grown) * WAVES_PER_NUMBER) else {
            return Err(refuse(self, ("there is no wave left before the next rung", ADD_RUNG)));
        };
        let rung = Rung {
            phase: Phase(format!("{grown:0width$}")),
            wave,
            domain: Some(self.domain(number).to_owned()),
            roles: Vec::new(),
            max_update: MaxUpdate::Count(GROWN_MAX_UPDATE),
            select: None,
            retry: None,
            rollback: None,
            application_set: None,
            grown: true,
        };
        self.rungs.list.insert(need + 1, rung);
        for climber in &mut self.climbers {
            for position in [&mut climber.base, &mut climber.start, &mut climber.at] {
                *position += usize::from(*position > need);
            }
        }
        Ok(need + 1)
    }

    /// The usual wave of a grown rung where it lies between its neighbours', else one half way; none without room.
    fn wave_between(&self, need: usize, usual: i64) -> Option<i64> {
        let low = self.rungs.list[need].wave;
        let high = self.rungs.list.get(need + 1).map_or(i64::MAX, |next| next.wave);
        let middle = if high == i64::MAX { low + WAVES_PER_NUMBER } else { low + (high - low) / 2 };
        [usual, middle].into_iter().find(|wave| (low + 1..high).contains(wave))
    }

    /// Whether `target` is a CRD component of a later domain that will be moved below `number`.
    fn will_be_lowered(&self, number: usize, target: usize) -> bool {
        self.input.settings.is_on(SHARED_CRDS)
            && self.role(target) == Role::Crd
            && self.input.scene.components[target].pin.is_none()
            && self.is_later_domain(number, self.climbers[target].at)
    }

    /// Moves CRD components that an earlier domain needs to the CRD rung below their first user.
    pub(crate) fn lower_shared_crds(&mut self) -> Result<(), ResolveError> {
        let mut first: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for (user, targets) in self.waits.iter().enumerate() {
            for (target, edge) in targets.iter().filter(|(target, _)| self.will_be_lowered(user, **target)) {
                let candidate = (self.climbers[user].at, *edge);
                let best = first.entry(*target).or_insert(candidate);
                *best = (*best).min(candidate);
            }
        }
        for (crds, (user, edge)) in first {
            let need = self.waits[crds].keys().map(|target| self.climbers[*target].at).max();
            let below = (0..user).rev().find(|at| {
                self.rungs.list[*at].roles.contains(&Role::Crd) && need.is_none_or(|need| *at > need)
            });
            let Some(at) = below else {
                let target = self.rungs.list[self.climbers[crds].at].phase.clone();
                return Err(ResolveError::LaterDomain { edge: Box::new(self.edges[edge].clone()), target });
            };
            let because = super::error::evidence(self.input.scene, &self.edges[edge]);
            self.climbers[crds].at = at;
            record(&mut self.climbers[crds].fixes, AppliedFix { rule: SHARED_CRDS, because });
        }
        Ok(())
    }

    /// What was grown.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let grown = self.rungs.list.iter().filter(|rung| rung.grown);
        grown
            .map(|rung| {
                let domain = rung.domain.as_deref().unwrap_or_default();
                let by_number = rung.phase.0.parse::<i64>().ok().map(|number| number * WAVES_PER_NUMBER);
                let wave = if by_number == Some(rung.wave) { String::new() } else { format!(", wave: {}", rung.wave) };
                Finding::new("rung-added", Level::Info, format!("rung {} was added to `{domain}`", rung.phase)).help(format!(
                    "make it permanent in ladder.yaml: `rungs: [{{id: \"{}\", domain: {domain}, maxUpdate: {}{wave}}}]`",
                    rung.phase, rung.max_update
                ))
            })
            .collect()
    }

    pub(crate) fn positions(&self) -> Vec<usize> {
        self.climbers.iter().map(|climber| climber.at).collect()
    }

    pub(crate) fn rungs(&self) -> &Rungs {
        &self.rungs
    }

    /// The finished placement, without depth and wave yet.
    pub(crate) fn placement(&self, component: ComponentIndex) -> Placement {
        let climber = &self.climbers[component.0];
        let mut fixes = climber.fixes.clone();
        for proposed in &self.input.fixed[component.0].by_evidence {
            let lifted = |position: &&usize| {
                let edge = &self.edges[**position];
                edge.is_strong() && self.climbers[edge.to.component.0].at >= climber.start
            };
            if climber.at > climber.start && proposed.evidence.iter().any(|position| lifted(&position)) {
                record(&mut fixes, AppliedFix { rule: proposed.rule, because: proposed.because.clone() });
            }
        }
        Placement {
            role: self.role(component.0),
            role_declared: self.input.scene.components[component.0].role.is_some(),
            base: self.rungs.list[climber.base].phase.clone(),
            phase: self.rungs.list[climber.at].phase.clone(),
            pinned: self.input.scene.components[component.0].pin.is_some(),
            depth: 0,
            wave: 0,
            fixes,
            raised_by: climber.raised_by,
        }
    }

    fn domain(&self, number: usize) -> &str {
        &self.input.scene.components[number].domain
    }

    fn role(&self, number: usize) -> Role {
        self.input.roles[number]
    }
}

/// Where a component starts: pin, then a rung that selects it, then where a fix puts it, then its role.
fn climber(input: &Input<'_>, rungs: &Rungs, number: usize) -> Result<Climber, ResolveError> {
    let component = &input.scene.components[number];
    let fixed = &input.fixed[number];
    let at_role = |role| start(rungs, &component.domain, role).map(|(position, _)| position);
    let own = if input.roles[number] == Role::Smoke { input.inferred[number] } else { input.roles[number] };
    let selected = rungs.list.iter().position(|rung| {
        rung.select
            .as_ref()
            .is_some_and(|select| select.takes(&component.name, &component.domain, input.roles[number]))
    });
    let pinned = component.pin.as_ref().and_then(|pin| rungs.position(&pin.value));
    let Some(base) = selected.or_else(|| at_role(own)).or(pinned) else {
        return Err(ResolveError::DomainWithoutRungs { component: ComponentIndex(number) });
    };
    let lifted = fixed.start.and_then(at_role).filter(|_| selected.is_none());
    let start = pinned.or(lifted).unwrap_or(base);
    let moved = pinned.is_none() && lifted.is_some_and(|position| position != base);
    let applied = if moved { fixed.applied.clone() } else { Vec::new() };
    Ok(Climber { base, start, at: start, raised_by: None, fixes: applied })
}
