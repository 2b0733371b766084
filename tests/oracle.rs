//! Random syncs, ordered by us and by the real gitops-engine: the lists of tasks must be the same, text by text.
//! Where the engine itself leaves the order to chance, ours is told the engine's choice; all that follows from it is compared.

#![expect(clippy::disallowed_methods, reason = "tests read files and start programs")]

#[path = "oracle/cases.rs"]
mod cases;
#[path = "oracle/program.rs"]
mod program;

use std::collections::BTreeMap;
use std::env;

use argocd_ladder::argocd::{HookUse, Object, Sync, Task, delete_policies, hooks, tasks_breaking_ties};
use fastrand::Rng;
use serde_json::Value;

use cases::{Case, Made};
use program::Oracle;

const SEED: u64 = 20_260_914;
const BATCH: usize = 2_000;

#[test]
fn tasks_are_ordered_as_gitops_engine_orders_them() {
    let oracle = Oracle::build();
    let mut rng = Rng::with_seed(SEED);
    let mut left = case_count();
    while left > 0 {
        let batch: Vec<Case> = (0..left.min(BATCH)).map(|_| Case::random(&mut rng)).collect();
        let questions: Vec<Value> = batch.iter().map(Case::question).collect();
        let answers = oracle.answers("order", &questions);
        for ((case, question), answer) in batch.iter().zip(&questions).zip(&answers) {
            assert_eq!(answer.get("error"), None, "{question}");
            let theirs: Vec<Line> = texts(&answer["tasks"]).map(Line::parse).collect();
            assert_eq!(our_lines(case, &theirs), theirs, "{question}");
            compare_delete_policies(case, &answer["policies"]);
        }
        left -= batch.len();
    }
}

fn case_count() -> usize {
    let count = env::var("LADDER_ORACLE_CASES").unwrap_or_else(|_| "3000".to_owned());
    count.parse().expect("LADDER_ORACLE_CASES is a number")
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(Value::as_str)
}

/// A task as text, its object apart from the rest.
#[derive(Debug, PartialEq)]
struct Line {
    place: String,
    object: String,
    prune: bool,
}

impl Line {
    /// From `Sync/-2 resource group/Kind:namespace/name live->target (,,)`.
    fn parse(text: &str) -> Line {
        let words: Vec<_> = text.split(' ').collect();
        Line { place: words[..2].join(" "), object: words[2].to_owned(), prune: words[3].ends_with("->nil") }
    }

    fn of(task: Task, case: &Case) -> Line {
        let Task { hook, wave, .. } = task;
        let role = if task.is_hook { "hook" } else { "resource" };
        Line { place: format!("{hook}/{wave} {role}"), object: object_text(task, case), prune: task.prune }
    }
}

fn object_text(task: Task, case: &Case) -> String {
    let made = made(task, case);
    let Made { group, kind, name, .. } = made;
    let namespace = if task.prune { made.namespace } else { made.namespace_in(case.namespace) };
    format!("{group}/{kind}:{namespace}/{name}")
}

fn made(task: Task, case: &Case) -> &Made {
    let objects = if task.prune { &case.live } else { &case.target };
    &objects[task.object]
}

fn our_lines(case: &Case, theirs: &[Line]) -> Vec<Line> {
    let [target, live] =
        [&case.target, &case.live].map(|objects| objects.iter().map(Made::object).collect::<Vec<Object>>());
    let sync = Sync { namespace: case.namespace, target: &target, live: &live, prune_last: case.prune_last };
    let places = places_by_object(theirs);
    // The tasks of one object keep the order of their hooks, even where a move makes the hooks equal.
    let tie = |task: &Task| {
        let nth = match hooks(&made(*task, case).annotations) {
            HookUse::Hooks(hooks) => hooks.iter().position(|hook| *hook == task.hook),
            _ => None,
        };
        let own_places = places.get(&(object_text(*task, case), task.prune));
        let place = own_places.and_then(|own| own.get(nth.unwrap_or(0)));
        place.copied().unwrap_or(0)
    };
    let ours = tasks_breaking_ties(&sync, tie);
    ours.into_iter().map(|task| Line::of(task, case)).collect()
}

fn places_by_object(lines: &[Line]) -> BTreeMap<(String, bool), Vec<usize>> {
    let mut places: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (place, line) in lines.iter().enumerate() {
        let key = (line.object.clone(), line.prune);
        places.entry(key).or_default().push(place);
    }
    places
}

fn compare_delete_policies(case: &Case, policies: &Value) {
    for (index, made) in case.target.iter().enumerate() {
        // The engine sees `Skip,PreDelete` as no hook; the controller, whose business it is, does.
        if hooks(&made.annotations) == HookUse::DeleteOnly {
            continue;
        }
        let mut theirs: Vec<_> = texts(&policies[index]).map(str::to_owned).collect();
        theirs.sort_unstable();
        theirs.dedup();
        let ours = delete_policies(&made.annotations);
        let mut ours: Vec<_> = ours.iter().map(|policy| format!("{policy:?}")).collect();
        ours.sort_unstable();
        assert_eq!(ours, theirs, "{:?}", made.annotations);
    }
}
