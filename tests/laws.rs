//! Laws that hold for every tree: random small trees against a resolver so naive that it is plainly right.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::{env, fs};

use argocd_ladder::emit::{self, Selection};
use argocd_ladder::model::Ladder;
use argocd_ladder::{Options, build, build_from_text};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use tempfile::TempDir;

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
struct Plot {
    domain: usize,
    role: &'static str,
    pin: Option<u32>,
    waits: Vec<usize>,
    talks: Vec<usize>,
}

/// Up to eight components; waits mostly lead to the same or an earlier domain, so that many trees have an order.
fn plots() -> impl Strategy<Value = Vec<Plot>> {
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
type Naming = fn(usize) -> String;

fn plain(number: usize) -> String {
    format!("c{number}")
}

/// Names in another order, with parts that look like roles.
fn misleading(number: usize) -> String {
    format!("{}-vault-crds-{}", ["z", "m", "a", "q"][number % 4], 9 - number)
}

/// The tree on disk; weak edges only if asked for.
fn tree(plots: &[Plot], naming: Naming, with_talk: bool) -> TempDir {
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

/// The same few trees in every run; `PROPTEST_CASES=10000` looks at as many new ones.
fn few(cases: u32) -> ProptestConfig {
    let usual = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if env::var_os("PROPTEST_CASES").is_some() {
        return usual;
    }
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(155), ..usual }
}

proptest! {
    #![proptest_config(few(64))]

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
    #![proptest_config(few(24))]

    #[test]
    fn names_do_not_matter(plots in plots()) {
        prop_assert_eq!(resolved(&plots, misleading, true), resolved(&plots, plain, true));
    }

    #[test]
    fn weak_edges_never_change_a_phase(plots in plots()) {
        prop_assert_eq!(resolved(&plots, plain, true), resolved(&plots, plain, false));
    }
}

/// An object of a random stream: what it is, which others it names, and the wave it carries already.
#[derive(Debug, Clone)]
struct Piece {
    kind: usize,
    names: Vec<usize>,
    wave: Option<i8>,
}

const KINDS: &[(&str, &str)] = &[
    ("v1", "ConfigMap"),
    ("v1", "Secret"),
    ("apps/v1", "Deployment"),
    ("batch/v1", "Job"),
    ("v1", "Service"),
];

fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let piece = (0..KINDS.len(), vec(0..10_usize, 0..3), proptest::option::weighted(0.3, -3..4_i8));
    vec(piece.prop_map(|(kind, names, wave)| Piece { kind, names, wave }), 1..10)
}

/// References lead backwards, so that no loop of strong edges arises.
fn stream(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for (own, piece) in pieces.iter().enumerate() {
        let (version, kind) = KINDS[piece.kind];
        let targets = piece.names.iter().filter(|_| own > 0).map(|target| target % own);
        let waits: Vec<String> = targets
            .map(|target| {
                let (version, kind) = KINDS[pieces[target].kind];
                let group = version.split_once('/').map_or("", |(group, _)| group);
                format!("{group}/namespaces/default/{kind}/p{target}")
            })
            .collect();
        let wave = piece
            .wave
            .map_or_else(String::new, |wave| format!("    argocd.argoproj.io/sync-wave: \"{wave}\"\n"));
        write!(
            text,
            "---\napiVersion: {version}\nkind: {kind}\nmetadata:\n  name: p{own}\n  annotations:\n{wave}    \
             config.kubernetes.io/depends-on: \"{}\"\n",
            waits.join(",")
        )
        .expect("text takes it");
    }
    text
}

/// A stream through the ladder.
fn filtered(text: &str) -> (Ladder, String) {
    let ladder = build_from_text(text, &Options::default()).expect("references lead backwards");
    let sequence = emit::sequence(&ladder, &Selection::default());
    let mut out = Vec::new();
    emit::write(&ladder, &sequence, &mut out).expect("memory takes it");
    (ladder, String::from_utf8(out).expect("UTF-8"))
}

proptest! {
    #![proptest_config(few(32))]

    #[test]
    fn output_fed_back_in_is_unchanged(pieces in pieces()) {
        let (_, once) = filtered(&stream(&pieces));
        let (_, twice) = filtered(&once);
        prop_assert_eq!(twice, once);
    }

    #[test]
    fn no_resource_precedes_one_it_waits_for_and_each_leaves_once(pieces in pieces()) {
        let (ladder, out) = filtered(&stream(&pieces));
        let place = |number: usize| out.find(&format!("\n  name: p{number}\n"));
        for (own, piece) in pieces.iter().enumerate() {
            prop_assert_eq!(out.matches(&format!("\n  name: p{own}\n")).count(), 1);
            for target in piece.names.iter().filter(|_| own > 0).map(|target| target % own) {
                prop_assert!(place(target) < place(own), "p{} before p{}:\n{}", target, own, out);
            }
        }
        prop_assert!(ladder.findings.iter().all(|finding| finding.rule != "order-broken"));
    }

    #[test]
    fn documents_in_another_order_give_the_same_bytes(pieces in pieces(), turn in 0..10_usize) {
        let text = stream(&pieces);
        let mut documents: Vec<&str> = text.split("---\n").filter(|document| !document.is_empty()).collect();
        let length = documents.len();
        documents.rotate_left(turn % length);
        let turned = format!("---\n{}", documents.join("---\n"));
        prop_assert_eq!(filtered(&turned).1, filtered(&text).1);
    }
}
