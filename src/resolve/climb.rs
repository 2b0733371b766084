//! The climb itself: where components start, how high they must go, and what keeps them from it.

use std::collections::BTreeMap;

use super::grow::{self, Growth, Place};
use super::settled::Settled;
use super::{Input, NoRoom, ResolveError, strong_waits};
use crate::graph;
use crate::load::rungs::start;
use crate::model::{AppliedFix, ComponentIndex, Edge, Role, Rungs};

pub(super) const SHARED_CRDS: &str = "shared-crds-first";

/// One component on its way up; `base` and `start` are rungs that were there before anything grew.
#[derive(Debug, Clone)]
struct Climber {
    base: usize,
    start: usize,
    at: Place,
    raised_by: Option<usize>,
    fixes: Vec<AppliedFix>,
}

/// All components on their way up.
pub(super) struct Climb<'a> {
    input: &'a Input<'a>,
    edges: &'a [Edge],
    /// The strong edge to each component waited for, by who waits.
    waits: Vec<BTreeMap<usize, usize>>,
    order: Vec<usize>,
    growth: Growth,
    climbers: Vec<Climber>,
}

/// Who cannot climb above what it waits for, and why.
struct Stuck {
    component: usize,
    /// The edge to the highest it waits for.
    edge: usize,
    /// Where that stands.
    need: Place,
    why: Why,
}

enum Why {
    Pin,
    LaterDomain,
    NoRoom(NoRoom),
}

impl<'a> Climb<'a> {
    pub(super) fn new(input: &'a Input<'a>, edges: &'a [Edge]) -> Result<Self, ResolveError> {
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
        let climbers = (0..count).map(|number| climber(input, number)).collect::<Result<_, _>>()?;
        let growth = Growth::new(&input.settings.rungs);
        Ok(Self { input, edges, waits, order: groups.into_iter().flatten().collect(), growth, climbers })
    }

    /// Places every component, targets first, and numbers what has grown.
    pub(super) fn settle(mut self) -> Result<Settled<'a>, ResolveError> {
        let order = std::mem::take(&mut self.order);
        let stuck = order.into_iter().try_for_each(|number| self.place(number)).err();
        let position = self.growth.positions();
        let rungs = match std::mem::take(&mut self.growth).rungs(self.rungs()) {
            Ok(rungs) => rungs,
            Err(full) => return Err(self.full(full)),
        };
        if let Some(stuck) = stuck {
            return Err(self.told(&stuck, &rungs, &position));
        }
        let placed = self.climbers.into_iter().map(|climber| super::settled::Placed {
            base: position(Place::of(climber.base)),
            start: position(Place::of(climber.start)),
            at: position(climber.at),
            raised_by: climber.raised_by,
            fixes: climber.fixes,
        });
        let placed = placed.collect();
        Ok(Settled { input: self.input, edges: self.edges, waits: self.waits, rungs, placed })
    }

    fn place(&mut self, number: usize) -> Result<(), Stuck> {
        let highest = self.waits[number]
            .iter()
            .filter(|(target, _)| !self.will_be_lowered(number, **target))
            .max_by_key(|(target, _)| self.climbers[**target].at)
            .map(|(target, edge)| (self.climbers[*target].at, *edge));
        let Some((need, edge)) = highest else { return Ok(()) };
        if self.climbers[number].at > need {
            return Ok(());
        }
        let at = self.above(number, need).map_err(|why| Stuck { component: number, edge, need, why })?;
        self.climbers[number].at = at;
        self.climbers[number].raised_by = Some(edge);
        Ok(())
    }

    /// The first place above another for a component, grown if it must be.
    fn above(&mut self, number: usize, need: Place) -> Result<Place, Why> {
        if self.input.scene.components[number].pin.is_some() {
            return Err(Why::Pin);
        }
        if self.is_later_domain(number, need) {
            return Err(Why::LaterDomain);
        }
        let may_stand = |rung| may_stand(self.input, number, rung);
        if let Some(known) = self.growth.above(need, may_stand, self.domain(number)) {
            return Ok(known);
        }
        if need.grown == 0 && self.rungs().list[need.rung].is_for_smokes() {
            return Err(Why::NoRoom(NoRoom::Smokes { is_smoke: self.input.roles[number] == Role::Smoke }));
        }
        if !self.input.settings.grow {
            return Err(Why::NoRoom(NoRoom::GrowIsOff));
        }
        Ok(self.grow(number, need))
    }

    fn grow(&mut self, number: usize, need: Place) -> Place {
        let domain = self.domain(number).to_owned();
        let known = self.rungs().domain_position(&domain).map(|_| domain);
        let added = self.growth.add(need, known);
        let is_moved = |place: &Place| place.rung == added.rung && place.grown >= added.grown;
        // Those of another domain that grew in the same gap.
        for climber in self.climbers.iter_mut().filter(|climber| is_moved(&climber.at)) {
            climber.at.grown += 1;
        }
        added
    }

    fn is_later_domain(&self, number: usize, at: Place) -> bool {
        let domain = match at.grown {
            0 => self.rungs().list[at.rung].domain.as_deref(),
            _ => self.growth.domain(at),
        };
        domain.is_some_and(|domain| self.rungs().is_later(domain, self.domain(number)))
    }

    /// Whether `target` is a CRD component of a later domain that will be moved below `number`.
    fn will_be_lowered(&self, number: usize, target: usize) -> bool {
        may_be_lowered(self.input, target) && self.is_later_domain(number, self.climbers[target].at)
    }

    /// The error for the first component on a grown rung that has no room.
    fn full(&self, full: grow::Full) -> ResolveError {
        let first = self.climbers.iter().position(|climber| climber.at == full.at);
        let component = first.expect("a rung grows only for a component");
        let edge = self.climbers[component].raised_by.expect("who stands on a grown rung was raised");
        let chain = self.chain(edge, |climber| climber.at.grown > 0);
        let target = self.rungs().list[full.at.rung].phase.clone();
        ResolveError::NoRung {
            component: ComponentIndex(component),
            chain,
            target,
            why: NoRoom::UsedUp(full.what),
        }
    }

    fn told(&self, stuck: &Stuck, rungs: &Rungs, position: impl Fn(Place) -> usize) -> ResolveError {
        let target = rungs.list[position(stuck.need)].phase.clone();
        let component = ComponentIndex(stuck.component);
        match stuck.why {
            Why::Pin => {
                let own = self.climbers[stuck.component].at;
                let chain = self.chain(stuck.edge, |climber| Place::of(climber.start) < own);
                let pin = self.input.scene.components[stuck.component].pin.clone();
                let pin = Box::new(pin.expect("only a pin keeps a component down"));
                ResolveError::PinTooLow { component, pin, chain, target }
            }
            Why::LaterDomain => ResolveError::LaterDomain {
                edge: Box::new(self.edges[stuck.edge].clone()),
                domain: rungs.list[position(stuck.need)].domain.clone().unwrap_or_default(),
                target,
            },
            Why::NoRoom(why) => {
                let chain = self.chain(stuck.edge, |climber| climber.at.grown > 0);
                ResolveError::NoRung { component, chain, target, why }
            }
        }
    }

    /// An edge, and what raised its target as long as that is why the target stands where it does.
    fn chain(&self, edge: usize, is_raised: impl Fn(&Climber) -> bool) -> Vec<Edge> {
        let mut chain = vec![self.edges[edge].clone()];
        let mut target = &self.climbers[self.edges[edge].to.component.0];
        while let Some(edge) = target.raised_by.filter(|_| is_raised(target)) {
            chain.push(self.edges[edge].clone());
            target = &self.climbers[self.edges[edge].to.component.0];
        }
        chain
    }

    fn rungs(&self) -> &'a Rungs {
        &self.input.settings.rungs
    }

    fn domain(&self, number: usize) -> &'a str {
        &self.input.scene.components[number].domain
    }
}

/// Whether `shared-crds-first` may move a component below its first user.
pub(super) fn may_be_lowered(input: &Input<'_>, target: usize) -> bool {
    input.settings.is_on(SHARED_CRDS)
        && input.roles[target] == Role::Crd
        && input.scene.components[target].pin.is_none()
}

/// Only smokes stand on a smoke rung, and everybody on rungs of the own domain.
fn may_stand(input: &Input<'_>, number: usize, rung: usize) -> bool {
    let rungs = &input.settings.rungs;
    let is_smoke = input.roles[number] == Role::Smoke;
    rungs.is_in(rung, &input.scene.components[number].domain)
        && (is_smoke || !rungs.list[rung].is_for_smokes())
}

/// Where a component starts: pin, then a rung that selects it, then where a fix puts it, then its role.
fn climber(input: &Input<'_>, number: usize) -> Result<Climber, ResolveError> {
    let rungs = &input.settings.rungs;
    let component = &input.scene.components[number];
    let role = input.roles[number];
    let fixed = &input.fixed[number];
    let at_role = |role| start(rungs, &component.domain, role).map(|(position, _)| position);
    let own = if role == Role::Smoke { input.inferred[number] } else { role };
    let selects = |select: &crate::model::Selector| select.takes(&component.name, &component.domain, role);
    let selected = rungs.list.iter().position(|rung| rung.select.as_ref().is_some_and(selects));
    let pinned = component.pin.as_ref().and_then(|pin| rungs.position(&pin.value));
    let Some(base) = selected.or_else(|| at_role(own)).or(pinned) else {
        return Err(ResolveError::DomainWithoutRungs { component: ComponentIndex(number) });
    };
    let lifted = fixed.start.and_then(at_role).filter(|_| selected.is_none());
    let start = pinned.or(lifted).unwrap_or(base);
    if role != Role::Smoke && rungs.list[start].is_for_smokes() {
        let phase = rungs.list[start].phase.clone();
        return Err(ResolveError::SmokesOnly { component: ComponentIndex(number), role, phase });
    }
    let moved = pinned.is_none() && lifted.is_some_and(|position| position != base);
    let applied = if moved { fixed.applied.clone() } else { Vec::new() };
    Ok(Climber { base, start, at: Place::of(start), raised_by: None, fixes: applied })
}
