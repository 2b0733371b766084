//! Rules between groups against all pairs they mean: the same order, the fewest waves, and a loop where there is one.

use std::fmt::Write as _;
use std::fs;
use std::sync::LazyLock;

use argocd_ladder::catalogue::{Catalogue, Rows};
use argocd_ladder::load::settings::Waves;
use argocd_ladder::{Options, build, build_from_text_with};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::few;

static CATALOGUE: LazyLock<Catalogue> =
    LazyLock::new(|| Catalogue::new(&Rows::default()).expect("its rows read"));

/// One object: the groups it is in, and its rules as (`after` or before, group).
#[derive(Debug, Clone)]
struct Member {
    groups: Vec<usize>,
    rules: Vec<(bool, usize)>,
}

fn members() -> impl Strategy<Value = Vec<Member>> {
    let member = (vec(0..4_usize, 0..2), vec((any::<bool>(), 0..4_usize), 0..2));
    vec(member.prop_map(|(groups, rules)| Member { groups, rules }), 1..8)
}

fn stream(members: &[Member], first: usize) -> String {
    let mut text = String::new();
    for (number, member) in members.iter().enumerate() {
        let number = first + number;
        let head = format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c{number}\n");
        write!(text, "{head}  annotations:\n    a: b\n").expect("text takes it");
        for (count, group) in member.groups.iter().enumerate() {
            writeln!(text, "    kapp.k14s.io/change-group.{count}: g{group}").expect("text takes it");
        }
        for (count, (after, group)) in member.rules.iter().enumerate() {
            let side = if *after { "after" } else { "before" };
            writeln!(text, "    kapp.k14s.io/change-rule.{count}: upsert {side} upserting g{group}")
                .expect("text takes it");
        }
    }
    text
}

/// Who waits for whom, pair by pair.
fn pairs(members: &[Member]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (own, member) in members.iter().enumerate() {
        for (after, group) in &member.rules {
            let others = members.iter().enumerate().filter(|(other, _)| *other != own);
            for (other, _) in others.filter(|(_, other)| other.groups.contains(group)) {
                pairs.push(if *after { (own, other) } else { (other, own) });
            }
        }
    }
    pairs
}

/// The lowest waves that keep all pairs; none where they close a loop.
fn naive(members: &[Member]) -> Option<Vec<i64>> {
    let pairs = pairs(members);
    let mut waves = vec![6400; members.len()];
    for _ in 0..=members.len() {
        let too_low = pairs.iter().copied().find(|(from, to)| waves[*from] <= waves[*to]);
        let Some(_) = too_low else { return Some(waves) };
        for (from, to) in &pairs {
            waves[*from] = waves[*from].max(waves[*to] + 1);
        }
    }
    None
}

/// Two objects in each component, all in one Application with as few waves as can be.
fn spread(members: &[Member]) -> Option<Vec<i64>> {
    let root = tempfile::tempdir().expect("a temporary directory can be made");
    for (number, own) in members.chunks(2).enumerate() {
        let folder = root.path().join(format!("c{number}"));
        fs::create_dir(&folder).expect("a folder can be made");
        fs::write(folder.join("component.yaml"), format!("name: c{number}\n"))
            .expect("a file can be written");
        fs::write(folder.join("all.yaml"), stream(own, number * 2)).expect("a file can be written");
    }
    let options = Options { waves: Some(Waves::Dense), ..Options::default() };
    Some(build(root.path(), &options).ok()?.waves)
}

proptest! {
    #![proptest_config(few(200))]

    #[test]
    fn groups_wait_as_all_their_pairs_would(members in members()) {
        let ladder = build_from_text_with(&stream(&members, 0), &CATALOGUE, &Options::default()).ok();
        prop_assert_eq!(ladder.map(|ladder| ladder.waves), naive(&members));
    }
}

proptest! {
    #![proptest_config(few(30))]

    #[test]
    fn groups_wait_as_all_their_pairs_would_across_components(members in members()) {
        let Some(waves) = spread(&members) else { return Ok(()) };
        for (from, to) in pairs(&members) {
            prop_assert!(waves[to] < waves[from], "{} before {} in {:?}", to, from, waves);
        }
    }
}
