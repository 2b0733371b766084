//! Random streams of manifests: Argo CD's order keeps every reference, each object leaves once, twice is once.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use argocd_ladder::emit::{self, Selection};
use argocd_ladder::load::settings::Waves;
use argocd_ladder::model::Ladder;
use argocd_ladder::{Options, build, build_from_text};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;

use crate::few;

/// An object: what it is, which earlier ones it names, whose address it knows, and the wave it carries already.
#[derive(Debug, Clone)]
struct Piece {
    kind: usize,
    names: Vec<usize>,
    calls: Vec<usize>,
    wave: Option<i8>,
}

/// In the order in which Argo CD applies kinds of one wave.
const KINDS: &[(&str, &str)] = &[
    ("v1", "Secret"),
    ("v1", "ConfigMap"),
    ("v1", "Service"),
    ("apps/v1", "Deployment"),
    ("batch/v1", "Job"),
];

const DEPLOYMENT: usize = 3;

/// References lead backwards, so that no loop of strong edges arises; addresses are weak and may lead anywhere.
fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let piece = (0..KINDS.len(), vec(0..10_usize, 0..3), vec(0..10_usize, 0..2), weighted(0.3, -3..4_i8))
        .prop_map(|(kind, names, calls, wave)| Piece { kind, names, calls, wave });
    vec(piece, 1..10).prop_map(|mut pieces| {
        let count = pieces.len();
        for (own, piece) in pieces.iter_mut().enumerate() {
            piece.names = within(own, &piece.names);
            piece.calls = within(count, &piece.calls);
        }
        pieces
    })
}

/// The numbers as different numbers below a limit; none where there are none.
fn within(limit: usize, numbers: &[usize]) -> Vec<usize> {
    let below: BTreeSet<usize> = numbers.iter().filter_map(|number| number.checked_rem(limit)).collect();
    below.into_iter().collect()
}

/// Whether the reference is a field of a pod, which needs its target only to be there.
fn is_mounted(from: &Piece, to: &Piece) -> bool {
    KINDS[from.kind].1 == "Deployment" && to.kind < 2
}

/// The documents of the pieces, in order.
fn documents(pieces: &[Piece]) -> Vec<String> {
    let id = |target: usize| {
        let (version, kind) = KINDS[pieces[target].kind];
        let group = version.split_once('/').map_or("", |(group, _)| group);
        format!("{group}/namespaces/default/{kind}/p{target}")
    };
    let document = |(own, piece): (usize, &Piece)| {
        let (mounted, named): (Vec<usize>, Vec<usize>) =
            piece.names.iter().partition(|target| is_mounted(piece, &pieces[**target]));
        let (version, kind) = KINDS[piece.kind];
        let waits: Vec<String> = named.into_iter().map(id).collect();
        let mut text = format!(
            "apiVersion: {version}\nkind: {kind}\nmetadata:\n  name: p{own}\n  annotations:\n    \
             config.kubernetes.io/depends-on: \"{}\"\n",
            waits.join(",")
        );
        if let Some(wave) = piece.wave {
            writeln!(text, "    argocd.argoproj.io/sync-wave: \"{wave}\"").expect("text takes it");
        }
        if piece.kind == DEPLOYMENT {
            write!(
                text,
                "spec:\n  template:\n    metadata: {{labels: {{app: p{own}}}}}\n    spec:\n      containers:\n        \
                 - name: main\n          env:\n"
            )
            .expect("text takes it");
            for target in &piece.calls {
                writeln!(text, "            - {{name: URL{target}, value: \"http://s{target}\"}}")
                    .expect("text takes it");
            }
            text += "          envFrom:\n";
        }
        for target in mounted {
            let field = if KINDS[pieces[target].kind].1 == "Secret" { "secretRef" } else { "configMapRef" };
            writeln!(text, "            - {field}: {{name: p{target}}}").expect("text takes it");
        }
        text
    };
    let service = |own: usize| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata:\n  name: s{own}\nspec: {{selector: {{app: p{own}}}}}\n"
        )
    };
    let deployments = (0..pieces.len()).filter(|own| pieces[*own].kind == DEPLOYMENT);
    pieces.iter().enumerate().map(document).chain(deployments.map(service)).collect()
}

fn stream(documents: &[String]) -> String {
    format!("---\n{}", documents.join("---\n"))
}

/// The ladder's manifests.
fn written(ladder: &Ladder) -> String {
    let sequence = emit::sequence(ladder, &Selection::default());
    let mut out = Vec::new();
    let documents = emit::documents(ladder, &sequence).expect("every document takes a wave");
    emit::write(&documents, &mut out).expect("memory takes it");
    String::from_utf8(out).expect("UTF-8")
}

/// A stream through the ladder.
fn filtered(text: &str) -> String {
    written(&build_from_text(text, &Options::default()).expect("references lead backwards"))
}

/// The pieces spread over components, three in each, each component on the rung its references ask for.
fn spread(pieces: &[Piece], waves: Waves) -> Ladder {
    let root = tempfile::tempdir().expect("a temporary directory can be made");
    for (number, own) in documents(pieces).chunks(3).enumerate() {
        let folder = root.path().join(format!("c{number}"));
        fs::create_dir(&folder).expect("a folder can be made");
        let descriptor = format!("name: c{number}\ncomponentType: config\n");
        fs::write(folder.join("component.yaml"), descriptor).expect("a file can be written");
        fs::write(folder.join("all.yaml"), stream(own)).expect("a file can be written");
    }
    let options = Options { waves: Some(waves), ..Options::default() };
    build(root.path(), &options).expect("references lead backwards")
}

/// Who comes too early: waves first, then, for what need only be there, the order of kinds.
fn too_early(pieces: &[Piece], ladder: &Ladder) -> Vec<String> {
    let wave = |number: usize| {
        let name = format!("p{number}");
        let position = ladder.resources.iter().position(|resource| resource.id.name == name);
        ladder.waves[position.expect("every piece is there")]
    };
    let mut found = Vec::new();
    for (own, piece) in pieces.iter().enumerate() {
        for target in piece.names.iter().copied() {
            let to = &pieces[target];
            let by_kind = is_mounted(piece, to) && to.kind < piece.kind;
            if wave(target) > wave(own) || (wave(target) == wave(own) && !by_kind) {
                found.push(format!("p{own} (wave {}) before p{target} (wave {})", wave(own), wave(target)));
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(few(16))]

    #[test]
    fn output_fed_back_in_is_unchanged(pieces in pieces()) {
        let once = filtered(&stream(&documents(&pieces)));
        prop_assert_eq!(filtered(&once), once);
    }

    #[test]
    fn documents_in_another_order_give_the_same_bytes(pieces in pieces(), turn in 0..10_usize) {
        let mut documents = documents(&pieces);
        let straight = filtered(&stream(&documents));
        let length = documents.len();
        documents.rotate_left(turn % length);
        documents.reverse();
        prop_assert_eq!(filtered(&stream(&documents)), straight);
    }

    #[test]
    fn nobody_precedes_what_they_wait_for_and_each_leaves_once(pieces in pieces()) {
        for waves in [Waves::Banded, Waves::Dense] {
            let ladder = spread(&pieces, waves);
            let early = too_early(&pieces, &ladder);
            prop_assert!(early.is_empty(), "{:?}: {:?}", waves, early);
            prop_assert!(ladder.findings.iter().all(|finding| finding.rule != "order-broken"));
            let out = written(&ladder);
            for own in 0..pieces.len() {
                prop_assert_eq!(out.matches(&format!("\n  name: p{own}\n")).count(), 1);
            }
        }
    }

    #[test]
    fn dense_waves_are_no_more_than_banded_ones_and_have_no_gaps(pieces in pieces()) {
        let used = |waves| {
            let mut used = spread(&pieces, waves).waves;
            used.sort_unstable();
            used.dedup();
            used
        };
        let dense = used(Waves::Dense);
        prop_assert!(dense.len() <= used(Waves::Banded).len());
        prop_assert!(dense.iter().enumerate().all(|(number, wave)| usize::try_from(*wave) == Ok(number)), "{:?}", dense);
    }
}
