//! When each rung starts and ends, estimated from the times descriptors give, and the path that decides the end.
//!
//! With waves, everything of a wave starts once the wave before is healthy; with Flux, a component starts once what
//! it depends on is ready. Between two of them stand Argo CD's pause and the time until somebody looks again.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use crate::graph;
use crate::load::settings::Preset;
use crate::message::printable;
use crate::model::{ComponentIndex, Ladder, duration};
use crate::target::{reduce, waves};

/// What orders the components in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Order {
    /// Argo CD's waves
    Waves,
    /// Flux's dependsOn
    Flux,
}

/// The estimate.
#[derive(Debug)]
pub struct Timeline<'l> {
    ladder: &'l Ladder,
    /// Start and end of each component.
    spans: Vec<(Duration, Duration)>,
    /// The components that decide the end, first to last.
    pub critical: Vec<ComponentIndex>,
    /// When all is settled.
    pub total: Duration,
}

/// Lengths that every component shares.
struct Lengths {
    start: Duration,
    pause: Duration,
    settle: Duration,
}

impl<'l> Timeline<'l> {
    /// Estimates.
    #[must_use]
    pub fn of(ladder: &'l Ladder, order: Option<Order>) -> Self {
        let flux = ladder.settings.preset == Preset::Layers;
        let order = order.unwrap_or(if flux { Order::Flux } else { Order::Waves });
        let settings = &ladder.settings.timeline;
        let length = |text: &str| duration::parse(text).unwrap_or_default();
        let requeue = settings.requeue.as_deref().map(length);
        let delay = length(&settings.wave_delay);
        let (pause, waits) = match order {
            Order::Waves => (delay + requeue.unwrap_or_default(), by_wave(ladder)),
            Order::Flux => {
                let barriers = ladder.settings.targets.flux.barriers.unwrap_or(flux);
                (requeue.unwrap_or(Duration::from_secs(30)), reduce::Order::of(ladder, barriers).waits)
            }
        };
        let lengths = Lengths { start: length(&settings.start), pause, settle: length(&settings.settle) };
        scheduled(ladder, &waits, &lengths, delay)
    }

    /// Start and end of each rung in use, in order.
    fn rungs(&self) -> Vec<(&'l str, Duration, Duration, Vec<ComponentIndex>)> {
        let phases = self.ladder.phases().into_iter();
        phases
            .map(|(rung, components)| {
                let spans = components.iter().map(|component| self.spans[component.0]);
                let start = spans.clone().map(|(start, _)| start).min().unwrap_or_default();
                let end = spans.map(|(_, end)| end).max().unwrap_or_default();
                (rung.phase.0.as_str(), start, end, components)
            })
            .collect()
    }

    /// Writes it for a terminal.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn text(&self, out: &mut impl Write) -> io::Result<()> {
        let rungs = self.rungs();
        let width = printable::width(rungs.iter().map(|(phase, ..)| *phase)).max(4);
        writeln!(out, "{:width$}  {:>8}  {:>8}  components", "rung", "start", "end")?;
        for (phase, start, end, components) in rungs {
            let (start, end) = (duration::text(start), duration::text(end));
            writeln!(out, "{phase:width$}  {start:>8}  {end:>8}  {}", self.named(&components, ", "))?;
        }
        writeln!(out, "\nall settled after {}", duration::text(self.total))?;
        writeln!(out, "critical path: {}", self.named(&self.critical, " -> "))
    }

    /// Writes it as a table for pull requests.
    ///
    /// # Errors
    /// When the writer fails.
    pub fn markdown(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "| rung | start | end | components |\n| --- | --- | --- | --- |")?;
        for (phase, start, end, components) in self.rungs() {
            let (start, end) = (duration::text(start), duration::text(end));
            writeln!(out, "| {phase} | {start} | {end} | {} |", self.named(&components, ", "))?;
        }
        writeln!(
            out,
            "\nAll settled after {}; critical path: {}",
            duration::text(self.total),
            self.named(&self.critical, " → ")
        )
    }

    /// The same for programs; times in seconds.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        let name = |index: &ComponentIndex| self.ladder.component(*index).name.clone();
        let rung = |(phase, start, end, components): (&str, Duration, Duration, Vec<ComponentIndex>)| {
            serde_json::json!({
                "phase": phase, "start": start.as_secs(), "end": end.as_secs(),
                "components": components.iter().map(name).collect::<Vec<_>>(),
            })
        };
        let component = |(number, (start, end)): (usize, &(Duration, Duration))| {
            let name = &self.ladder.components[number].name;
            serde_json::json!({"name": name, "start": start.as_secs(), "end": end.as_secs()})
        };
        serde_json::json!({
            "schemaVersion": 1,
            "total": self.total.as_secs(),
            "rungs": self.rungs().into_iter().map(rung).collect::<Vec<_>>(),
            "components": self.spans.iter().enumerate().map(component).collect::<Vec<_>>(),
            "criticalPath": self.critical.iter().map(name).collect::<Vec<_>>(),
        })
    }

    fn named(&self, components: &[ComponentIndex], between: &str) -> String {
        let name = |index: &ComponentIndex| self.ladder.component(*index).name.as_str();
        components.iter().map(name).collect::<Vec<_>>().join(between)
    }
}

/// Everything of a wave waits for everything of the wave before, through one node of its own; earlier ones follow.
fn by_wave(ladder: &Ladder) -> Vec<Vec<usize>> {
    let (waves, _) = waves::waves(ladder);
    let mut groups: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (number, wave) in waves.iter().enumerate() {
        groups.entry(*wave).or_default().push(number);
    }
    let mut out = vec![Vec::new(); waves.len()];
    let mut before = None;
    for group in groups.into_values() {
        for member in &group {
            out[*member].extend(before);
        }
        before = Some(out.len());
        out.push(group);
    }
    out
}

fn scheduled<'l>(
    ladder: &'l Ladder,
    waits: &[Vec<usize>],
    lengths: &Lengths,
    delay: Duration,
) -> Timeline<'l> {
    let components = ladder.components.len();
    let mut spans = vec![(lengths.start, lengths.start); waits.len()];
    let mut decided: Vec<Option<usize>> = vec![None; waits.len()];
    for member in graph::groups(waits).into_iter().flatten() {
        // Of equals the first by name decides, so that the path never hangs on chance.
        let last =
            waits[member].iter().copied().max_by_key(|target| (spans[*target].1, std::cmp::Reverse(*target)));
        // A node behind the components takes no time: it passes on the last of what it stands for.
        if member >= components {
            decided[member] = last;
            spans[member] = last.map_or(spans[member], |target| (spans[target].1, spans[target].1));
            continue;
        }
        let start = last.map_or(lengths.start, |target| spans[target].1 + lengths.pause);
        decided[member] = last;
        spans[member] = (start, start + own_time(ladder, ComponentIndex(member), delay));
    }
    spans.truncate(components);
    let last = (0..components).max_by_key(|member| (spans[*member].1, std::cmp::Reverse(*member)));
    let mut critical = Vec::new();
    let mut at = last;
    while let Some(member) = at {
        critical.extend((member < components).then_some(ComponentIndex(member)));
        at = decided[member];
    }
    critical.reverse();
    let end = last.map_or(lengths.start, |member| spans[member].1);
    Timeline { ladder, spans, critical, total: end + lengths.settle }
}

/// The time a component takes: what its descriptor says, else the default, and a pause for each wave inside it.
fn own_time(ladder: &Ladder, component: ComponentIndex, delay: Duration) -> Duration {
    let own = ladder.component(component).descriptor.timeout.as_deref();
    let text = own.unwrap_or(&ladder.settings.timeline.component);
    let inside: std::collections::BTreeSet<i64> =
        ladder.resources_of(component).map(|resource| ladder.waves[resource.0]).collect();
    let pauses = u32::try_from(inside.len().saturating_sub(1)).unwrap_or(u32::MAX);
    // A declared time is the whole time until healthy.
    let pauses = if own.is_some() { Duration::ZERO } else { delay.saturating_mul(pauses) };
    duration::parse(text).unwrap_or_default() + pauses
}
