//! Objects to the ordered tasks of a sync. A Namespace or CRD is moved before its first user and takes over that
//! user's wave and hook; since every object without namespace counts as in the destination namespace, so do cluster-scoped ones.

use std::collections::BTreeMap;

use super::prune::set_prune_waves;
use super::{Hook, HookUse, Object, hooks, kind_rank, wave};

/// One sync of one Application.
#[derive(Clone, Copy, Debug)]
pub struct Sync<'a> {
    /// Destination namespace of the Application, may be empty.
    pub namespace: &'a str,
    /// Objects to apply, each once: of repeated ones Argo CD keeps the last.
    pub target: &'a [Object<'a>],
    /// Live objects of the Application that are not in `target`.
    pub live: &'a [Object<'a>],
    /// Whether the Application has the sync option `PruneLast=true`.
    pub prune_last: bool,
}

/// One object at its place in the sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// Index into `live` for a prune task, else into `target`.
    pub object: usize,
    /// The hook it runs in.
    pub hook: Hook,
    /// The wave it runs in, which need not be the wave its annotations say.
    pub wave: i64,
    /// Whether the object is a hook.
    pub is_hook: bool,
    /// Whether the object is deleted instead of applied.
    pub prune: bool,
}

/// A task with what its place depends on.
struct Placed<'a> {
    task: Task,
    object: &'a Object<'a>,
    rank: i32,
    tie: usize,
}

/// The tasks of a sync in Argo CD's order; where that is left to chance, in input order.
#[must_use]
pub fn tasks(sync: &Sync) -> Vec<Task> {
    tasks_breaking_ties(sync, |_| 0)
}

/// The tasks of a sync, with those equal in hook, wave, kind rank and name ordered by `tie`: Argo CD gives them no order.
#[must_use]
pub fn tasks_breaking_ties(sync: &Sync, tie: impl Fn(&Task) -> usize) -> Vec<Task> {
    let mut tasks = unordered_tasks(sync);
    set_prune_waves(&mut tasks, sync);
    let place = |task: Task| {
        let objects = if task.prune { sync.live } else { sync.target };
        let object = &objects[task.object];
        Placed { task, object, rank: kind_rank(object.kind), tie: tie(&task) }
    };
    let mut placed: Vec<_> = tasks.into_iter().map(place).collect();
    placed.sort_by(|a, b| a.key().cmp(&b.key()));
    let placed = promote(placed, Placed::namespace, |user| user.namespace_used(sync));
    let placed = promote(placed, Placed::kind_defined, |user| Some(user.kind_used()));
    placed.into_iter().map(|placed| placed.task).collect()
}

/// Ordered tasks cut into the steps of a sync: those of one hook and wave run together, prunes first.
pub fn wave_batches(tasks: &[Task]) -> impl Iterator<Item = &[Task]> {
    tasks.chunk_by(|a, b| (a.hook, a.wave) == (b.hook, b.wave))
}

/// One task for every object and hook it runs in, with the wave its annotations say.
fn unordered_tasks(sync: &Sync) -> Vec<Task> {
    let mut tasks = Vec::with_capacity(sync.target.len() + sync.live.len());
    for (index, object) in sync.target.iter().enumerate() {
        let task = Task::of(index, object);
        match hooks(object.annotations) {
            HookUse::NotHook => tasks.push(task),
            HookUse::Hooks(hooks) => {
                tasks.extend(hooks.into_iter().map(|hook| Task { hook, is_hook: true, ..task }));
            }
            HookUse::Skip | HookUse::DeleteOnly | HookUse::Ignored => {}
        }
    }
    for (index, object) in sync.live.iter().enumerate() {
        // Argo CD prunes neither hooks that are left over nor live objects that say `Skip`.
        if hooks(object.annotations) == HookUse::NotHook {
            let task = Task::of(index, object);
            tasks.push(Task { prune: true, ..task });
        }
    }
    tasks
}

impl Task {
    fn of(index: usize, object: &Object) -> Task {
        let wave = object.wave.unwrap_or_else(|| wave(object.annotations));
        Task { object: index, hook: Hook::Sync, wave, is_hook: false, prune: false }
    }
}

impl<'a> Placed<'a> {
    fn key(&self) -> (Hook, i64, i32, &'a str, usize) {
        let Task { hook, wave, .. } = self.task;
        (hook, wave, self.rank, self.object.name, self.tie)
    }

    fn namespace(&self) -> Option<&'a str> {
        let is_namespace = self.object.group.is_empty() && self.object.kind == "Namespace";
        is_namespace.then_some(self.object.name)
    }

    fn namespace_used(&self, sync: &Sync<'a>) -> Option<&'a str> {
        let candidates = [self.object.namespace, sync.namespace];
        candidates.into_iter().find(|name| !name.is_empty())
    }

    fn kind_defined(&self) -> Option<(&'a str, &'a str)> {
        let Object { group, kind, .. } = *self.object;
        let is_crd = (group, kind) == ("apiextensions.k8s.io", "CustomResourceDefinition");
        self.object.defines.filter(|_| is_crd)
    }

    fn kind_used(&self) -> (&'a str, &'a str) {
        (self.object.group, self.object.kind)
    }
}

/// Moves every task that provides something after its first use to just before that use.
fn promote<'a, K: Ord>(
    ordered: Vec<Placed<'a>>,
    provided: impl Fn(&Placed<'a>) -> Option<K>,
    used: impl Fn(&Placed<'a>) -> Option<K>,
) -> Vec<Placed<'a>> {
    let mut first_use: BTreeMap<K, usize> = BTreeMap::new();
    let mut kept: Vec<Placed> = Vec::with_capacity(ordered.len());
    let mut moved: Vec<(usize, Placed)> = Vec::new();
    for mut placed in ordered {
        let mut earlier_use = None;
        if placed.task.prune {
            // Of no use to anybody, and in need of nothing.
        } else if let Some(key) = provided(&placed) {
            earlier_use = first_use.get(&key).copied();
        } else if let Some(key) = used(&placed) {
            first_use.entry(key).or_insert(kept.len());
        }
        if let Some(index) = earlier_use {
            placed.task.hook = kept[index].task.hook;
            placed.task.wave = kept[index].task.wave;
            moved.push((index, placed));
        } else {
            kept.push(placed);
        }
    }
    insert_before(kept, moved)
}

/// Inserts each moved task before the kept one at its index, several at one index in the order given.
fn insert_before<'a>(kept: Vec<Placed<'a>>, mut moved: Vec<(usize, Placed<'a>)>) -> Vec<Placed<'a>> {
    moved.sort_by_key(|(index, _)| *index);
    let mut merged = Vec::with_capacity(kept.len() + moved.len());
    let mut moved = moved.into_iter().peekable();
    for (index, placed) in kept.into_iter().enumerate() {
        while let Some((_, before)) = moved.next_if(|(at, _)| *at == index) {
            merged.push(before);
        }
        merged.push(placed);
    }
    merged
}

#[cfg(test)]
mod tests {
    use proptest::{collection, prop_assert, proptest};

    use super::super::names::{HOOK, WAVE};
    use super::*;

    const CRD: (&str, &str) = ("apiextensions.k8s.io", "CustomResourceDefinition");
    const DESTINATION: &str = "app";

    /// An object with its own annotations.
    struct Made(Vec<(String, String)>, Object<'static>);

    fn made(group: &'static str, kind: &'static str, name: &'static str) -> Made {
        let object = Object { group, kind, namespace: "", name, annotations: &[], wave: None, defines: None };
        Made(Vec::new(), object)
    }

    impl Made {
        fn hook(self, value: &str) -> Made {
            self.with(HOOK, value)
        }

        fn wave(self, value: i64) -> Made {
            self.with(WAVE, &value.to_string())
        }

        fn with(mut self, key: &str, value: &str) -> Made {
            self.0.push((key.to_owned(), value.to_owned()));
            self
        }

        fn namespace(mut self, namespace: &'static str) -> Made {
            self.1.namespace = namespace;
            self
        }

        fn defines(mut self, group: &'static str, kind: &'static str) -> Made {
            self.1.defines = Some((group, kind));
            self
        }
    }

    fn objects(made: &[Made]) -> Vec<Object<'_>> {
        let bind = made.iter().map(|Made(annotations, object)| Object { annotations, ..*object });
        bind.collect()
    }

    /// The tasks as `hook/wave name`.
    fn ordered(target: &[Made], live: &[Made]) -> Vec<String> {
        let (target, live) = (objects(target), objects(live));
        let sync = Sync { namespace: DESTINATION, target: &target, live: &live, prune_last: false };
        let describe = |task: Task| {
            let objects = if task.prune { &live } else { &target };
            let Task { hook, wave, .. } = task;
            format!("{hook}/{wave} {}", objects[task.object].name)
        };
        tasks(&sync).into_iter().map(describe).collect()
    }

    #[test]
    fn tasks_are_ordered_by_hook_then_wave_then_kind_then_name() {
        let target = [
            made("", "Pod", "pod"),
            made("", "Service", "service"),
            made("", "PersistentVolume", "volume"),
            made("", "Job", "fail").hook("SyncFail"),
            made("", "", "late").wave(1),
            made("", "", "b"),
            made("", "", "a"),
            made("", "", "early").wave(-1),
            made("", "", ""),
            made("", "Job", "pre").hook("PreSync"),
            made("", "Job", "post").hook("PostSync"),
            made("", "ConfigMap", "config"),
        ];
        let expected = [
            "PreSync/0 pre",
            "Sync/-1 early",
            "Sync/0 config",
            "Sync/0 volume",
            "Sync/0 service",
            "Sync/0 pod",
            "Sync/0 ",
            "Sync/0 a",
            "Sync/0 b",
            "Sync/1 late",
            "PostSync/0 post",
            "SyncFail/0 fail",
        ];
        assert_eq!(ordered(&target, &[]), expected);
    }

    #[test]
    fn a_namespace_comes_before_a_custom_resource() {
        let target = [made("argoproj.io", "Workflow", "a"), made("", "Namespace", "b")];
        assert_eq!(ordered(&target, &[]), ["Sync/0 b", "Sync/0 a"]);
    }

    #[test]
    fn a_namespace_follows_its_first_user_into_an_earlier_hook() {
        let target = [
            made("batch", "Job", "job1").namespace("ns1").hook("PreSync"),
            made("batch", "Job", "job2").namespace("ns2").hook("PreSync"),
            made("", "Namespace", "ns1"),
            made("", "Namespace", "ns2"),
        ];
        let expected = ["PreSync/0 ns1", "PreSync/0 job1", "PreSync/0 ns2", "PreSync/0 job2"];
        assert_eq!(ordered(&target, &[]), expected);
    }

    #[test]
    fn a_crd_follows_its_first_custom_resource_and_never_moves_later() {
        let resource = || made("argoproj.io", "Workflow", "cr");
        let crd = || made(CRD.0, CRD.1, "crd").defines("argoproj.io", "Workflow");
        let early = [resource().hook("PreSync"), crd()];
        assert_eq!(ordered(&early, &[]), ["PreSync/0 crd", "PreSync/0 cr"]);
        let late = [resource(), crd().wave(-5)];
        assert_eq!(ordered(&late, &[]), ["Sync/-5 crd", "Sync/0 cr"]);
        let foreign = [resource().wave(-1), made("x", CRD.1, "crd").defines("argoproj.io", "Workflow")];
        assert_eq!(ordered(&foreign, &[]), ["Sync/-1 cr", "Sync/0 crd"]);
    }

    #[test]
    fn a_cluster_scoped_object_drags_the_destination_namespace_along() {
        let target = [
            made("", "Namespace", DESTINATION),
            made("rbac.authorization.k8s.io", "ClusterRole", "role").wave(-10),
        ];
        assert_eq!(ordered(&target, &[]), ["Sync/-10 app", "Sync/-10 role"]);
    }

    #[test]
    fn a_namespace_with_several_hooks_lines_up_before_its_first_user() {
        let target = [
            made("", "Namespace", "ns").hook("Sync,PostSync").wave(3),
            made("", "Pod", "pod").namespace("ns").wave(-1),
            made("", "Pod", "other").wave(-2),
        ];
        let expected = ["Sync/-2 other", "Sync/-1 ns", "Sync/-1 ns", "Sync/-1 pod"];
        assert_eq!(ordered(&target, &[]), expected);
    }

    #[test]
    fn pruned_objects_neither_move_nor_make_others_move() {
        let target = [made("", "Namespace", DESTINATION).wave(2)];
        let live = [
            made("", "Pod", "pod").wave(1),
            made("", "Pod", "left-hook").hook("Sync"),
            made("", "Pod", "skipped").hook("Skip"),
        ];
        assert_eq!(ordered(&target, &live), ["Sync/1 pod", "Sync/2 app"]);
    }

    #[test]
    fn objects_that_argo_cd_leaves_out_have_no_task() {
        let left_out = ["Skip", "Garbage", "PreDelete", "PostDelete"];
        let target = left_out.map(|value| made("", "Pod", "pod").hook(value));
        assert!(ordered(&target, &[]).is_empty());
    }

    #[test]
    fn a_batch_is_one_hook_and_one_wave() {
        let count = |target: &[Made]| {
            let sync =
                Sync { namespace: DESTINATION, target: &objects(target), live: &[], prune_last: false };
            wave_batches(&tasks(&sync)).count()
        };
        let pod = || made("", "Pod", "pod");
        assert_eq!(count(&[]), 0);
        assert_eq!(count(&[pod().wave(-1)]), 1);
        assert_eq!(count(&[pod().wave(-1).hook("PreSync"), pod().wave(1).hook("PostSync")]), 2);
    }
    proptest! {
        #[test]
        fn each_hook_and_wave_is_one_batch_whatever_moves(
            picks in collection::vec((0..4_usize, 0..3_usize, -2..3_i64, 0..4_usize), 0..30)
        ) {
            let make = |(kind, name, wave, hook): (usize, usize, i64, usize)| {
                let (group, kind) = [("", "Namespace"), ("", "Pod"), ("x", "Thing"), CRD][kind];
                let name = ["a", "b", DESTINATION][name];
                let hook = ["PreSync", "Sync,PostSync", "SyncFail", "Sync"][hook];
                made(group, kind, name).wave(wave).hook(hook).defines("x", "Thing")
            };
            let target: Vec<_> = picks.into_iter().map(make).collect();
            let target = objects(&target);
            let sync = Sync { namespace: DESTINATION, target: &target, live: &[], prune_last: false };
            let ordered = tasks(&sync);
            let steps: Vec<_> = wave_batches(&ordered).map(|batch| (batch[0].hook, batch[0].wave)).collect();
            prop_assert!(steps.is_sorted_by(|a, b| a < b), "{steps:?}");
        }
    }
}
