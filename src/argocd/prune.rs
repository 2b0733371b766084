//! Waves of prune tasks. Argo CD mirrors the waves among the pruned objects only, so pruning runs backwards
//! but still meets the waves of the applied objects by number.

use super::names::SYNC_OPTIONS;
use super::{Annotations, Hook, Sync, Task, annotation_items};

/// Gives the prune tasks the waves Argo CD gives them.
pub(super) fn set_prune_waves(tasks: &mut [Task], sync: &Sync) {
    mirror_prune_waves(tasks);
    let after_all = last_sync_wave(tasks).wrapping_add(1);
    for task in tasks.iter_mut().filter(|task| task.prune) {
        if sync.prune_last || wants_prune_last(sync.live[task.object].annotations) {
            task.wave = after_all;
        }
    }
}

/// Swaps the lowest prune wave with the highest, the second lowest with the second highest, and so on.
fn mirror_prune_waves(tasks: &mut [Task]) {
    let pruned = tasks.iter().filter(|task| task.prune);
    let mut waves: Vec<i64> = pruned.map(|task| task.wave).collect();
    waves.sort_unstable();
    waves.dedup();
    for task in tasks.iter_mut().filter(|task| task.prune) {
        let place = waves.partition_point(|wave| *wave < task.wave);
        task.wave = waves[waves.len() - 1 - place];
    }
}

/// The highest wave in `Sync`, prune tasks included, and at least 0.
fn last_sync_wave(tasks: &[Task]) -> i64 {
    let in_sync = tasks.iter().filter(|task| task.hook == Hook::Sync);
    in_sync.map(|task| task.wave).max().unwrap_or(0).max(0)
}

fn wants_prune_last(annotations: &Annotations) -> bool {
    annotation_items(annotations, SYNC_OPTIONS).any(|option| option == "PruneLast=true")
}

#[cfg(test)]
mod tests {
    use super::super::names::WAVE;
    use super::super::{Object, tasks};
    use super::*;

    type Owned = Vec<Vec<(String, String)>>;

    fn annotated(waves: &[i64], last: &[i64]) -> Owned {
        let option = (SYNC_OPTIONS.to_owned(), "Prune=true, PruneLast=true".to_owned());
        let annotations = |wave: &i64| {
            let wave_text = (WAVE.to_owned(), wave.to_string());
            let options = last.contains(wave).then(|| option.clone());
            std::iter::once(wave_text).chain(options).collect()
        };
        waves.iter().map(annotations).collect()
    }

    fn pods<'a>(annotations: &'a Owned, names: &'a [String]) -> Vec<Object<'a>> {
        let pod = |(annotations, name): (&'a Vec<_>, &'a String)| Object {
            group: "",
            kind: "Pod",
            namespace: "app",
            name,
            annotations,
            wave: None,
            defines: None,
        };
        annotations.iter().zip(names).map(pod).collect()
    }

    /// The waves of applied and of pruned pods after the sync has placed them, in input order.
    fn placed(apply: &[i64], prune: &[i64], last: &[i64], prune_last: bool) -> [Vec<i64>; 2] {
        let names: Vec<_> = ('a'..='z').map(String::from).collect();
        let (target, live) = (annotated(apply, &[]), annotated(prune, last));
        let (target, live) = (pods(&target, &names), pods(&live, &names));
        let sync = Sync { namespace: "app", target: &target, live: &live, prune_last };
        let mut ordered = tasks(&sync);
        ordered.sort_by_key(|task| task.object);
        [false, true].map(|prune| {
            let chosen = ordered.iter().filter(|task| task.prune == prune);
            chosen.map(|task| task.wave).collect()
        })
    }

    #[test]
    fn prune_waves_are_mirrored_among_themselves() {
        for (apply, prune, expected) in [
            (vec![], vec![0, 1, 2, 3, 4], vec![4, 3, 2, 1, 0]),
            (vec![0, 2], vec![1, 3, 4], vec![4, 3, 1]),
            (vec![-1, 3, 5], vec![1, 3, 3, 4, 5], vec![5, 4, 4, 3, 1]),
            (vec![0], vec![7], vec![7]),
        ] {
            let [applied, pruned] = placed(&apply, &prune, &[], false);
            assert_eq!(pruned, expected, "{prune:?}");
            assert_eq!(applied, apply);
        }
    }

    #[test]
    fn prune_last_comes_one_wave_after_all_of_sync() {
        for (apply, prune, expected) in [
            (vec![], vec![1, 2, 3, 4], vec![5; 4]),
            (vec![], vec![0, 0, 0, 0], vec![1; 4]),
            (vec![2], vec![1, 7], vec![8, 8]),
            (vec![-5], vec![-7], vec![1]),
        ] {
            let [_, pruned] = placed(&apply, &prune, &[], true);
            assert_eq!(pruned, expected, "{prune:?}");
        }
    }

    #[test]
    fn prune_last_may_be_asked_for_by_a_single_object() {
        let [_, pruned] = placed(&[], &[1, 2, 3, 4], &[2], false);
        assert_eq!(pruned, [4, 5, 2, 1]);
    }
}
