//! Presets and the user's rungs → the ladder's rungs in order.

use globset::{Glob, GlobSet, GlobSetBuilder};
use serde::Deserialize;

use super::document::Document;
use super::rung_settings::MaxUpdateSetting;
use super::settings::{DomainSetting, LadderFile, Preset, RungSetting, SelectSetting};
use crate::model::{Domain, MaxUpdate, Phase, Role, Rung, Rungs, Selector};
use crate::problem::{Problem, Problems, suggestion};

#[derive(Deserialize)]
struct PresetFile {
    domains: Vec<DomainSetting>,
    rungs: Vec<RungSetting>,
}

/// RollingSync's width for rungs that do not say.
const DEFAULT_MAX_UPDATE: u32 = 2;

/// A rung numbered 155 begins with wave 1550.
pub const WAVES_PER_NUMBER: i64 = 10;

/// Waves beyond this, below 0 too, are refused.
pub const HIGHEST_WAVE: i64 = 1_000_000_000;

fn preset_text(preset: Preset) -> &'static str {
    match preset {
        Preset::RolloutPhases => include_str!("presets/rollout-phases.yaml"),
        Preset::AppOfApps => include_str!("presets/app-of-apps.yaml"),
        Preset::Chart => include_str!("presets/chart.yaml"),
        Preset::Layers => include_str!("presets/layers.yaml"),
        Preset::None => "domains: []\nrungs: []\n",
    }
}

/// The rungs of a preset alone.
///
/// # Panics
/// Never: presets are compiled in and tested.
#[must_use]
pub fn preset(preset: Preset) -> Rungs {
    let file: PresetFile = serde_yaml::from_str(preset_text(preset)).expect("presets are compiled in");
    let mut rungs = Rungs { list: Vec::new(), domains: file.domains.into_iter().map(domain).collect() };
    for setting in file.rungs {
        let select = setting.select.as_ref().map(|select| selector(select, "preset"));
        let select = select.transpose().expect("presets are compiled in");
        let rung = new_rung(&setting, rungs.list.len(), select);
        rungs.list.push(rung);
    }
    rungs
}

/// The preset with the user's domains and rungs laid over it.
///
/// # Errors
/// When a rung names an unknown domain or role, a glob does not parse, or no ladder comes of it.
pub fn from_settings(file: &Document<LadderFile>) -> Result<Rungs, Problems> {
    let mut rungs = preset(file.value.preset);
    for setting in &file.value.domains {
        match rungs.domains.iter_mut().find(|known| known.name == setting.name) {
            Some(known) => known.only.clone_from(&setting.only),
            None => rungs.domains.push(domain(setting.clone())),
        }
    }
    for (number, setting) in file.value.rungs.iter().enumerate() {
        let place = file.place(&["rungs", &number.to_string()]);
        let before = &file.value.rungs[..number];
        if before.iter().any(|other| other.id == setting.id && other.enabled != Some(false)) {
            let problem =
                Problem::new("duplicate-rung", format!("rung `{}` is there twice", setting.id)).at(place);
            return Err(problem.help("make one entry of the two").into());
        }
    }
    lay_over(&mut rungs, file)?;
    check(&rungs, file)?;
    Ok(rungs)
}

/// Known rungs are adjusted before new ones look for their place among them.
fn lay_over(rungs: &mut Rungs, file: &Document<LadderFile>) -> Result<(), Problems> {
    let all = file.value.rungs.iter().enumerate();
    let known = |setting: &RungSetting| rungs.position(&Phase(setting.id.clone())).is_some();
    let (adjusted, new): (Vec<_>, Vec<_>) = all.partition(|(_, setting)| known(setting));
    for (number, setting) in adjusted.into_iter().chain(new) {
        add(rungs, setting, &file.place(&["rungs", &number.to_string()]))?;
    }
    Ok(())
}

/// A ladder has rungs, and their waves climb within bounds that leave room to count on.
fn check(rungs: &Rungs, file: &Document<LadderFile>) -> Result<(), Problems> {
    if rungs.list.is_empty() {
        let written: &[&str] = if file.value.rungs.is_empty() { &["preset"] } else { &["rungs"] };
        return Err(Problem::new("no-rungs", "the ladder has no rungs")
            .at(file.place(written))
            .help("list them under `rungs`, or start from another `preset`")
            .into());
    }
    if let Some(far) = rungs.list.iter().find(|rung| !(-HIGHEST_WAVE..=HIGHEST_WAVE).contains(&rung.wave)) {
        let number = file.value.rungs.iter().position(|setting| setting.id == far.phase.0).unwrap_or(0);
        let message =
            format!("rung `{}` has wave {}, further than {HIGHEST_WAVE} from 0", far.phase, far.wave);
        return Err(Problem::new("invalid-value", message)
            .at(file.place(&["rungs", &number.to_string()]))
            .help("give it a nearer `wave`; without one it is ten times the id")
            .into());
    }
    let base_waves_fall = rungs.list.windows(2).find(|pair| pair[0].wave >= pair[1].wave);
    if let Some([low, high]) = base_waves_fall {
        let message = format!(
            "rung `{}` has wave {}, not below `{}` with {}",
            low.phase, low.wave, high.phase, high.wave
        );
        return Err(Problem::new("waves-fall", message)
            .at(file.place(&["rungs"]))
            .help("give each rung a `wave` above the one before it")
            .into());
    }
    Ok(())
}

fn domain(setting: DomainSetting) -> Domain {
    Domain { name: setting.name, only: setting.only }
}

fn add(rungs: &mut Rungs, setting: &RungSetting, place: &str) -> Result<(), Problems> {
    if let Some(name) = &setting.domain
        && rungs.domain_position(name).is_none()
    {
        let known: Vec<&str> = rungs.domains.iter().map(|domain| domain.name.as_str()).collect();
        return Err(Problem::new(
            "unknown-domain",
            format!("rung `{}` names domain `{name}`, which is not there", setting.id),
        )
        .at(place)
        .help(suggestion(name, known))
        .into());
    }
    let select = setting.select.as_ref().map(|select| selector(select, place)).transpose()?;
    let phase = Phase(setting.id.clone());
    if let Some(position) = rungs.position(&phase) {
        if setting.enabled == Some(false) {
            rungs.list.remove(position);
            return Ok(());
        }
        let known = &mut rungs.list[position];
        known.retry = setting.retry.clone().or(known.retry.take());
        known.application_set = setting.application_set.clone().or(known.application_set.take());
        known.rollback = setting.rollback.clone().or(known.rollback.take());
        if let Some(width) = max_update(setting) {
            known.max_update = width;
        }
        known.wave = setting.wave.unwrap_or(known.wave);
        let roles = setting.roles();
        if !roles.is_empty() {
            known.roles = roles;
        }
        if setting.domain.is_some() {
            known.domain.clone_from(&setting.domain);
        }
        known.select = select.or(known.select.take());
        return Ok(());
    }
    if setting.enabled == Some(false) {
        let known: Vec<&str> = rungs.list.iter().map(|rung| rung.phase.0.as_str()).collect();
        return Err(Problem::new("unknown-rung", format!("there is no rung `{}` to switch off", setting.id))
            .at(place)
            .help(suggestion(&setting.id, known))
            .into());
    }
    let position = place_of(rungs, setting, place)?;
    let rung = new_rung(setting, position, select);
    rungs.list.insert(position, rung);
    Ok(())
}

/// Where a new rung goes: behind `after`, else by number, else by wave, else last.
fn place_of(rungs: &Rungs, setting: &RungSetting, place: &str) -> Result<usize, Problems> {
    if let Some(after) = &setting.after {
        let known: Vec<&str> = rungs.list.iter().map(|rung| rung.phase.0.as_str()).collect();
        return rungs.position(&Phase(after.clone())).map(|position| position + 1).ok_or_else(|| {
            Problem::new(
                "unknown-rung",
                format!("rung `{}` goes after `{after}`, which is not there", setting.id),
            )
            .at(place)
            .help(suggestion(after, known))
            .into()
        });
    }
    let number = |text: &str| text.parse::<u32>().ok();
    let own = number(&setting.id);
    let is_higher = |rung: &Rung| match own {
        Some(own) => number(&rung.phase.0).is_some_and(|other| other > own),
        None => setting.wave.is_some_and(|wave| rung.wave > wave),
    };
    let higher = rungs.list.iter().position(is_higher);
    Ok(higher.unwrap_or(rungs.list.len()))
}

fn new_rung(setting: &RungSetting, position: usize, select: Option<Selector>) -> Rung {
    let counted = i64::try_from(position).unwrap_or(i64::MAX / 20);
    let by_number = setting.id.parse::<i64>().unwrap_or(counted);
    Rung {
        phase: Phase(setting.id.clone()),
        wave: setting.wave.unwrap_or(by_number.saturating_mul(WAVES_PER_NUMBER)),
        domain: setting.domain.clone(),
        roles: setting.roles(),
        max_update: max_update(setting).unwrap_or(MaxUpdate::Count(DEFAULT_MAX_UPDATE)),
        select,
        retry: setting.retry.clone(),
        rollback: setting.rollback.clone(),
        application_set: setting.application_set.clone(),
        grown: false,
    }
}

fn max_update(setting: &RungSetting) -> Option<MaxUpdate> {
    setting.max_update.as_ref().and_then(MaxUpdateSetting::meant)
}

fn selector(setting: &SelectSetting, place: &str) -> Result<Selector, Problems> {
    Ok(Selector {
        components: globs(&setting.components, place)?,
        domains: setting.domains.clone(),
        roles: setting.roles.clone(),
        kinds: globs(&setting.kinds, place)?,
        names: globs(&setting.names, place)?,
        labels: setting.labels.clone(),
    })
}

fn globs(patterns: &[String], place: &str) -> Result<Option<GlobSet>, Problems> {
    let mut globs = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = Glob::new(pattern).map_err(|error| {
            Problem::new("invalid-value", format!("`{pattern}` is not a glob: {}", error.kind())).at(place)
        })?;
        globs.add(glob);
    }
    let built = globs.build().map_err(|error| Problem::new("invalid-value", error.to_string()).at(place))?;
    Ok((!patterns.is_empty()).then_some(built))
}

/// The rung a role starts on in a domain: its own, else the nearest below, else the lowest, but never that of the
/// smokes; and whether it was its own.
#[must_use]
pub fn start(rungs: &Rungs, domain: &str, role: Role) -> Option<(usize, bool)> {
    let may_stand = |at: usize| role == Role::Smoke || !rungs.list[at].is_for_smokes();
    let in_domain = |position: &usize| rungs.is_in(*position, domain) && may_stand(*position);
    let own = (0..rungs.list.len()).filter(in_domain).find(|at| rungs.list[*at].roles.contains(&role));
    if let Some(position) = own {
        return Some((position, true));
    }
    let below = (0..rungs.list.len())
        .filter(in_domain)
        .rfind(|at| rungs.list[*at].roles.iter().max().is_some_and(|other| *other < role));
    let lowest = (0..rungs.list.len()).find(in_domain);
    below.or(lowest).map(|position| (position, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_reads_and_its_waves_climb() {
        for name in [Preset::RolloutPhases, Preset::AppOfApps, Preset::Chart, Preset::Layers, Preset::None] {
            let rungs = preset(name);
            assert!(rungs.list.windows(2).all(|pair| pair[0].wave < pair[1].wave), "{name:?}");
        }
        assert_eq!(preset(Preset::RolloutPhases).list.len(), 44);
    }

    #[test]
    fn a_role_starts_on_its_rung_or_the_nearest_below() {
        let rungs = preset(Preset::RolloutPhases);
        for (domain, role, expected) in [
            ("foundation", Role::Namespace, ("100", true)),
            ("prerequisites", Role::Namespace, ("010", true)),
            ("data", Role::Namespace, ("210", true)),
            ("data", Role::PostRuntime, ("260", true)),
            ("observability", Role::PostRuntime, ("550", false)),
            ("apps", Role::PostRuntime, ("650", false)),
            ("prerequisites", Role::Runtime, ("020", false)),
            ("apps", Role::Smoke, ("699", true)),
        ] {
            let (position, own) = start(&rungs, domain, role).unwrap();
            assert_eq!((rungs.list[position].phase.0.as_str(), own), expected, "{domain} {role}");
        }
    }
}
