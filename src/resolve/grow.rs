//! Rungs the ladder grows where a domain has none left: their place, their ids and their waves.
//!
//! Grown rungs lie in a gap above a rung that is there for good, and get their ids when all of them are known: on
//! multiples of five as long as these suffice, then on any other number that is free. Where ids are words, `apps` is
//! followed by `apps-2`.

use std::collections::HashSet;

use crate::infer::Scene;
use crate::load::rungs::{HIGHEST_WAVE, WAVES_PER_NUMBER};
use crate::model::{Edge, Finding, Level, MaxUpdate, Phase, Placement, Rung, Rungs};

/// RollingSync's width for a grown rung.
const GROWN_MAX_UPDATE: u32 = 2;

/// Grown rungs stand on multiples of this while there are any.
const STEP: u64 = 5;

/// A place on the ladder while it grows: a rung that is there for good, or the n-th one grown above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) rung: usize,
    pub(super) grown: usize,
}

impl Place {
    /// That of a rung which is there for good.
    pub(super) fn of(rung: usize) -> Self {
        Self { rung, grown: 0 }
    }
}

/// The grown rungs: the domain of each, by the rung below their gap.
#[derive(Default)]
pub(super) struct Growth(Vec<Vec<Option<String>>>);

/// A gap has no room for all that was grown in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full {
    /// The first rung without room.
    pub(super) at: Place,
    /// What is used up.
    pub(super) what: UsedUp,
}

/// What of a gap is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsedUp {
    /// Its numbers.
    Numbers,
    /// Its waves.
    Waves,
}

impl Growth {
    pub(super) fn new(rungs: &Rungs) -> Self {
        Self(vec![Vec::new(); rungs.list.len()])
    }

    /// The first place above another for a component of `domain`; `may_stand` knows the rungs that are there for good.
    pub(super) fn above(
        &self,
        below: Place,
        may_stand: impl Fn(usize) -> bool,
        domain: &str,
    ) -> Option<Place> {
        let fits = |grown: &Option<String>| grown.as_deref().is_none_or(|own| own == domain);
        let in_gap = |gap: &[Option<String>]| gap.iter().position(fits);
        if let Some(offset) = in_gap(&self.0[below.rung][below.grown..]) {
            return Some(Place { rung: below.rung, grown: below.grown + offset + 1 });
        }
        (below.rung + 1..self.0.len()).find_map(|rung| {
            let grown = || in_gap(&self.0[rung]).map(|offset| Place { rung, grown: offset + 1 });
            if may_stand(rung) { Some(Place::of(rung)) } else { grown() }
        })
    }

    /// The domain of a grown place.
    pub(super) fn domain(&self, place: Place) -> Option<&str> {
        self.0[place.rung][place.grown - 1].as_deref()
    }

    /// Adds a rung right above a place.
    pub(super) fn add(&mut self, below: Place, domain: Option<String>) -> Place {
        self.0[below.rung].insert(below.grown, domain);
        Place { rung: below.rung, grown: below.grown + 1 }
    }

    /// The position of a place among all rungs.
    pub(super) fn positions(&self) -> impl Fn(Place) -> usize + use<> {
        let mut first = 0;
        let mut positions = Vec::with_capacity(self.0.len());
        for gap in &self.0 {
            positions.push(first);
            first += 1 + gap.len();
        }
        move |place| positions[place.rung] + place.grown
    }

    /// All rungs, grown ones with their ids and waves.
    pub(super) fn rungs(self, rungs: &Rungs) -> Result<Rungs, Full> {
        let taken: HashSet<&str> = rungs.list.iter().map(|rung| rung.phase.0.as_str()).collect();
        let mut list = Vec::with_capacity(rungs.list.len());
        for (rung, domains) in self.0.into_iter().enumerate() {
            let gap = Gap { below: &rungs.list[rung], above: rungs.list.get(rung + 1), taken: &taken };
            let full = |what| move |room| Full { at: Place { rung, grown: room + 1 }, what };
            let ids = gap.ids(domains.len()).map_err(full(UsedUp::Numbers))?;
            let waves = gap.waves(&ids).map_err(full(UsedUp::Waves))?;
            list.push(rungs.list[rung].clone());
            list.extend(
                domains.into_iter().zip(ids).zip(waves).map(|((domain, id), wave)| new(id, wave, domain)),
            );
        }
        Ok(Rungs { list, domains: rungs.domains.clone() })
    }
}

fn new(id: String, wave: i64, domain: Option<String>) -> Rung {
    Rung {
        phase: Phase(id),
        wave,
        domain,
        roles: Vec::new(),
        max_update: MaxUpdate::Count(GROWN_MAX_UPDATE),
        select: None,
        retry: None,
        rollback: None,
        application_set: None,
        grown: true,
    }
}

/// What lies around rungs to grow.
struct Gap<'a> {
    below: &'a Rung,
    above: Option<&'a Rung>,
    /// Ids that other rungs have.
    taken: &'a HashSet<&'a str>,
}

impl Gap<'_> {
    /// So many ids, lowest first, or how many there are.
    fn ids(&self, count: usize) -> Result<Vec<String>, usize> {
        let Some(low) = number(self.below) else {
            let words = (2_u64..).map(|number| format!("{}-{number}", self.below.phase));
            return Ok(words.filter(|id| !self.taken.contains(id.as_str())).take(count).collect());
        };
        let high = self.above.and_then(number).unwrap_or(u64::MAX);
        let width = self.below.phase.0.len();
        let id = |number: u64| format!("{number:0width$}");
        let is_free = |number: &u64| !self.taken.contains(id(*number).as_str());
        let mut chosen: Vec<u64> = steps(low, high).filter(is_free).take(count).collect();
        let last = chosen.last().copied().unwrap_or(low);
        // Behind the last step first, then from the top: so that the lower rungs keep the ids they have.
        let others = (last.saturating_add(1)..high).chain((low.saturating_add(1)..last).rev());
        let missing = count - chosen.len();
        chosen.extend(others.filter(|number| number % STEP != 0).filter(is_free).take(missing));
        chosen.sort_unstable();
        if chosen.len() == count { Ok(chosen.into_iter().map(id).collect()) } else { Err(chosen.len()) }
    }

    /// The waves of these ids: ten times the numbers where that lies between the neighbours' waves, else spread evenly;
    /// or how many waves there are.
    fn waves(&self, ids: &[String]) -> Result<Vec<i64>, usize> {
        let low = self.below.wave;
        let high = self.above.map_or(HIGHEST_WAVE + 1, |above| above.wave);
        let usual = ids.iter().map(|id| usual_wave(id).filter(|wave| (low + 1..high).contains(wave)));
        if let Some(usual) = usual.collect() {
            return Ok(usual);
        }
        let count = i64::try_from(ids.len()).unwrap_or(i64::MAX);
        let wanted =
            if self.above.is_none() { (count + 1).saturating_mul(WAVES_PER_NUMBER) } else { i64::MAX };
        let room = wanted.min(high - low);
        if room <= count {
            return Err(usize::try_from(room - 1).unwrap_or(0));
        }
        Ok((1..=count).map(|place| low + room * place / (count + 1)).collect())
    }
}

fn number(rung: &Rung) -> Option<u64> {
    rung.phase.0.parse().ok()
}

/// The multiples of five between two numbers.
fn steps(low: u64, high: u64) -> impl Iterator<Item = u64> {
    (low / STEP + 1..high.div_ceil(STEP)).map(|count| count * STEP)
}

fn usual_wave(id: &str) -> Option<i64> {
    id.parse::<i64>().ok()?.checked_mul(WAVES_PER_NUMBER)
}

/// What was grown and for whom, with the lines that make it permanent.
pub(super) fn findings(
    rungs: &Rungs,
    placements: &[Placement],
    edges: &[Edge],
    scene: &Scene<'_>,
) -> Vec<Finding> {
    let neighbours = rungs.list.windows(2).filter(|pair| pair[1].grown);
    let told = neighbours.map(|pair| {
        let finding = finding(&pair[0], &pair[1]);
        let mut lifted = placements.iter().filter(|placement| placement.phase == pair[1].phase);
        match lifted.find_map(|placement| placement.raised_by) {
            Some(edge) => {
                let edge = &edges[edge];
                finding.about(&scene.component(edge.from.component).name).at(edge.origin.clone())
            }
            None => finding,
        }
    });
    told.collect()
}

fn finding(below: &Rung, rung: &Rung) -> Finding {
    let id = &rung.phase;
    let mut keys = vec![format!("id: \"{id}\"")];
    keys.extend(rung.domain.as_ref().map(|domain| format!("domain: {domain}")));
    keys.push(format!("maxUpdate: {}", rung.max_update));
    if number(rung).is_none() {
        keys.push(format!("after: {}", below.phase));
    }
    if usual_wave(&id.0) != Some(rung.wave) {
        keys.push(format!("wave: {}", rung.wave));
    }
    let message = match &rung.domain {
        Some(domain) => format!("rung {id} was added to `{domain}`"),
        None => format!("rung {id} was added"),
    };
    let help = format!("make it permanent in ladder.yaml: `rungs: [{{{}}}]`", keys.join(", "));
    Finding::new("rung-added", Level::Info, message).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ids and waves of so many rungs grown between two others, given as `id@wave`.
    fn grown(below: &str, above: &str, count: usize) -> Result<String, Full> {
        let rung = |text: &str| {
            let (id, wave) = text.split_once('@')?;
            Some(new(id.to_owned(), wave.parse().ok()?, None))
        };
        let list = [rung(below), rung(above)].into_iter().flatten().collect();
        let rungs = Rungs { list, domains: Vec::new() };
        let mut growth = Growth::new(&rungs);
        let mut at = Place::of(0);
        for _ in 0..count {
            at = growth.add(at, None);
        }
        let all = growth.rungs(&rungs)?.list;
        let shown: Vec<String> =
            all[1..=count].iter().map(|rung| format!("{}@{}", rung.phase, rung.wave)).collect();
        Ok(shown.join(" "))
    }

    #[test]
    fn numbers_are_multiples_of_five_as_long_as_there_are_any() {
        for (below, above, count, expected) in [
            ("650@6500", "699@6990", 2, "655@6550 660@6600"),
            ("020@200", "099@990", 1, "025@250"),
            ("650@6500", "659@6590", 3, "655@6550 656@6560 657@6570"),
            ("650@6500", "658@6580", 4, "654@6540 655@6550 656@6560 657@6570"),
            ("651@6510", "655@6550", 3, "652@6520 653@6530 654@6540"),
            ("995@9950", "", 1, "1000@10000"),
        ] {
            assert_eq!(grown(below, above, count).unwrap(), expected, "{below} {above} {count}");
        }
    }

    #[test]
    fn every_free_number_is_taken_before_one_is_missing() {
        for count in 0..=48 {
            let ids = grown("650@6500", "699@6990", count).unwrap();
            let numbers: Vec<u64> =
                ids.split_whitespace().map(|id| id.split('@').next().unwrap().parse().unwrap()).collect();
            assert_eq!(numbers.len(), count);
            assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{ids}");
            assert!(numbers.iter().all(|number| (651..699).contains(number)), "{ids}");
        }
        let full = Full { at: Place { rung: 0, grown: 49 }, what: UsedUp::Numbers };
        assert_eq!(grown("650@6500", "699@6990", 60), Err(full));
    }

    #[test]
    fn words_are_counted_and_waves_spread_where_numbers_do_not_say() {
        for (below, above, count, expected) in [
            ("apps@20", "smokes@30", 2, Ok("apps-2@23 apps-3@26")),
            ("apps@20", "apps-2@30", 1, Ok("apps-3@25")),
            ("apps@6", "smokes@7", 1, Err(UsedUp::Waves)),
            ("apps@6", "", 2, Ok("apps-2@16 apps-3@26")),
            ("100@1", "199@50", 1, Ok("105@25")),
            ("100@1", "199@3", 1, Ok("105@2")),
            ("100@1", "199@2", 1, Err(UsedUp::Waves)),
            ("18446744073709551615@1", "", 1, Err(UsedUp::Numbers)),
        ] {
            let actual = grown(below, above, count);
            assert_eq!(actual.as_deref().map_err(|full| full.what), expected, "{below} {above} {count}");
        }
    }
}
