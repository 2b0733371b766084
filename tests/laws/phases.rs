//! Random small trees against a resolver so naive that it is plainly right: rungs follow from strong edges alone.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use argocd_ladder::{Options, build};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use tempfile::TempDir;

use crate::few;

/// Domains with the roles that start on each of their rungs; the last rung is the smokes'.
const LADDER: &[(&str, &str)] = &[
    ("prerequisites", "010:namespace,crd 020:operator 099:smoke"),
    (
        "foundation",
        "100:namespace 110:crd 120:operator 130:secret 140:config 150:runtime 155:post-runtime 199:smoke",
    ),
    ("data", "210:namespace,crd 220:operator 230:secret 240:config 250:runtime 260:post-runtime 299:smoke"),
    ("apps", "610:namespace,crd 620:operator 630:secret 640:config 650:runtime 699:smoke"),
];

const ROLES: &[&str] =
    &["namespace", "crd", "operator", "secret", "config", "runtime", "post-runtime", "smoke"];

/// One random component; `waits` and `talks` are positions of others, strong and weak.
#[derive(Debug, Clone)]
pub(crate) struct Plot {
    domain: usize,
    role: &'static str,
    pin: Option<u32>,
    pub(crate) waits: Vec<usize>,
    talks: Vec<usize>,
}

/// Up to eight components; waits mostly lead to the same or an earlier domain, so that many trees have an order.
pub(crate) fn plots() -> impl Strategy<Value = Vec<Plot>> {
    let waits = vec((0..8_usize, 0..20_usize), 0..3);
    let plot = (0..LADDER.len(), select(ROLES), 0..30_usize, waits, vec(0..8_usize, 0..3));
    vec(plot, 1..9).prop_map(|mut raw| {
        raw.sort_by_key(|(domain, ..)| *domain);
        let count = raw.len();
        let plots = raw.into_iter().enumerate().map(|(own, (domain, role, pin, waits, talks))| Plot {
            domain,
            role,
            pin: pinned(domain, role, pin),
            waits: waits
                .into_iter()
                .filter_map(|(target, luck)| target_of(own, target, luck, count))
                .collect(),
            talks: talks.into_iter().map(|target| target % count).filter(|target| *target != own).collect(),
        });
        let mut plots: Vec<Plot> = plots.collect();
        for plot in &mut plots {
            plot.waits.dedup();
        }
        plots
    })
}

/// Rungs of a domain with their roles, and the smoke rung.
fn band(domain: usize) -> (Vec<(u32, &'static str)>, u32) {
    let rung = |text: &'static str| {
        let (id, roles) = text.split_once(':').expect("id:roles");
        (id.parse().expect("a number"), roles)
    };
    let mut rungs: Vec<(u32, &str)> = LADDER[domain].1.split(' ').map(rung).collect();
    let (smoke, _) = rungs.pop().expect("a smoke rung");
    (rungs, smoke)
}

/// One in ten components is pinned to a rung of its own domain.
fn pinned(domain: usize, role: &str, luck: usize) -> Option<u32> {
    let (rungs, smoke) = band(domain);
    let is_pinned = luck < 3;
    is_pinned.then(|| if role == "smoke" { smoke } else { rungs[luck * 2 % rungs.len()].0 })
}

/// All but one in twenty waits lead to a component earlier in the list.
fn target_of(own: usize, target: usize, luck: usize, count: usize) -> Option<usize> {
    if luck == 0 {
        Some(target % count).filter(|target| *target != own)
    } else {
        (own > 0).then(|| target % own)
    }
}

/// Where the role of a domain starts.
fn start(plot: &Plot) -> u32 {
    let (rungs, smoke) = band(plot.domain);
    if plot.role == "smoke" {
        return smoke;
    }
    let own = rungs.iter().find(|(_, roles)| roles.split(',').any(|role| role == plot.role));
    own.or(rungs.last()).map_or(smoke, |(rung, _)| *rung)
}

/// The first rung above `need` that this component may stand on, grown if it must be; none when there is no room.
fn above(plot: &Plot, need: u32) -> Option<u32> {
    let (rungs, smoke) = band(plot.domain);
    if plot.role == "smoke" {
        return (smoke > need).then_some(smoke);
    }
    let known = rungs.iter().map(|(rung, _)| *rung).find(|rung| *rung > need);
    known.or_else(|| Some((need / 5 + 1) * 5).filter(|grown| *grown < smoke))
}

fn is_later(domain: usize, phase: u32) -> bool {
    (domain + 1..LADDER.len()).any(|later| phase >= band(later).0[0].0)
}

/// Lifts whoever stands too low until nobody does: the least solution, or none.
fn naive(plots: &[Plot]) -> Option<Vec<u32>> {
    let mut phases: Vec<u32> = plots.iter().map(|plot| plot.pin.unwrap_or_else(|| start(plot))).collect();
    loop {
        let too_low = plots.iter().enumerate().find_map(|(own, plot)| {
            let need = plot.waits.iter().map(|target| phases[*target]).max()?;
            (need >= phases[own]).then_some((own, need))
        });
        let Some((own, need)) = too_low else { return Some(phases) };
        if plots[own].pin.is_some() || is_later(plots[own].domain, need) {
            return None;
        }
        phases[own] = above(&plots[own], need)?;
    }
}

/// How a component is called.
pub(crate) type Naming = fn(usize) -> String;

pub(crate) fn plain(number: usize) -> String {
    format!("c{number}")
}

/// Names in another order, with parts that look like roles.
fn misleading(number: usize) -> String {
    format!("{}-vault-crds-{}", ["z", "m", "a", "q"][number % 4], 9 - number)
}

/// The tree on disk; weak edges only if asked for.
pub(crate) fn tree(plots: &[Plot], naming: Naming, with_talk: bool) -> TempDir {
    let root = tempfile::tempdir().expect("a temporary directory can be made");
    let write =
        |path: &str, text: String| fs::write(root.path().join(path), text).expect("a file can be written");
    // CRDs of a later domain would move down to whoever waits for them.
    write("ladder.yaml", "rules: {shared-crds-first: off}\n".to_owned());
    for (number, plot) in plots.iter().enumerate() {
        fs::create_dir(root.path().join(format!("d{number}"))).expect("a folder can be made");
        write(&format!("d{number}/component.yaml"), descriptor(plot, number, naming));
        write(&format!("d{number}/all.yaml"), manifests(plot, number, with_talk));
    }
    root
}

fn descriptor(plot: &Plot, number: usize, naming: Naming) -> String {
    let waits: Vec<String> = plot.waits.iter().map(|target| naming(*target)).collect();
    let pin = plot.pin.map_or_else(String::new, |pin| format!("rolloutPhase: \"{pin:03}\"\n"));
    format!(
        "name: {}\ndomain: {}\ncomponentType: {}\ndependsOn: [{}]\n{pin}",
        naming(number),
        LADDER[plot.domain].0,
        plot.role,
        waits.join(", ")
    )
}

/// A Service and the Deployment behind it, which is told the addresses of others.
fn manifests(plot: &Plot, number: usize, with_talk: bool) -> String {
    let mut text = format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: s{number}}}\nspec: {{selector: {{app: s{number}}}}}\n---\n\
         apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: s{number}}}\nspec:\n  template:\n    \
         metadata: {{labels: {{app: s{number}}}}}\n    spec:\n      containers:\n        - name: main\n          \
         image: example/main\n          env:\n            - {{name: HOME, value: /}}\n"
    );
    for target in plot.talks.iter().filter(|_| with_talk) {
        let line = format!("            - {{name: PEER{target}, value: \"http://s{target}.default.svc\"}}");
        writeln!(text, "{line}").expect("text takes it");
    }
    text
}

/// Phases by position; none when the tree has no order.
fn resolved(plots: &[Plot], naming: Naming, with_talk: bool) -> Option<Vec<u32>> {
    let root = tree(plots, naming, with_talk);
    let ladder = build(root.path(), &Options::default()).ok()?;
    let phases: BTreeMap<&str, u32> = ladder
        .components
        .iter()
        .zip(&ladder.placements)
        .map(|(component, placement)| (component.name.as_str(), placement.phase.0.parse().expect("a number")))
        .collect();
    Some((0..plots.len()).map(|number| phases[naming(number).as_str()]).collect())
}

proptest! {
    #![proptest_config(few(40))]

    #[test]
    fn a_naive_resolver_agrees_and_nobody_stands_higher_than_they_must(plots in plots()) {
        let phases = resolved(&plots, plain, true);
        prop_assert_eq!(&phases, &naive(&plots));
        let Some(phases) = phases else { return Ok(()) };
        for (own, plot) in plots.iter().enumerate() {
            let need = plot.waits.iter().map(|target| phases[*target]).max();
            prop_assert!(need.is_none_or(|need| need < phases[own]), "{} of {:?}", own, phases);
            let lowest = plot.pin.unwrap_or_else(|| start(plot));
            let asked = need.filter(|need| *need >= lowest).and_then(|need| above(plot, need));
            prop_assert_eq!(phases[own], asked.unwrap_or(lowest), "{} of {:?}", own, phases);
        }
    }
}

proptest! {
    #![proptest_config(few(16))]

    #[test]
    fn names_do_not_matter(plots in plots()) {
        prop_assert_eq!(resolved(&plots, misleading, true), resolved(&plots, plain, true));
    }

    #[test]
    fn weak_edges_never_change_a_phase(plots in plots()) {
        prop_assert_eq!(resolved(&plots, plain, true), resolved(&plots, plain, false));
    }
}
