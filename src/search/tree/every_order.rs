//! Tests of what workers see of each other, in every order that the memory model allows.
#![cfg(all(test, every_order))]

use super::{CHUNK, ROOT};
use crate::search::sync::{AtomicU32, Ordering};
use crate::search::{puct, rave};
use crate::types::{Move, Point};
use loom::sync::Arc;
use loom::thread;

type Tree = super::Tree<rave::Results>;
type NewChild = super::NewChild<rave::PriorVisits>;

fn child(number: u16) -> NewChild {
    NewChild {
        mv: Move::Play(Point::from_raw(27 + number)),
        prior: rave::PriorVisits {
            visits: f32::from(number),
            value: 1.0,
        },
    }
}

/// Run `work` in two workers at once and return both results.
fn two<T, R>(shared: &Arc<T>, work: fn(&T, u16) -> R) -> [R; 2]
where
    T: Send + Sync + 'static,
    R: Send + 'static,
{
    let other = Arc::clone(shared);
    let other = thread::spawn(move || work(&other, 1));
    let mine = work(shared, 0);
    [mine, other.join().unwrap()]
}

/// Is the root expanded? Asserts that it has both children whole or none.
fn check(tree: &Tree) -> bool {
    let children = tree.children(ROOT);
    for (i, found) in (1..).zip(children) {
        assert_eq!(found.mv(), child(i).mv);
        assert_eq!(found.prior(), child(i).prior);
    }
    assert!(matches!(children.len(), 0 | 2));
    !children.is_empty()
}

#[test]
fn one_worker_expands_and_the_other_sees_all_or_no_children() {
    loom::model(|| {
        let tree = Arc::new(Tree::new(0));
        let expanded = two(&tree, |tree, _| {
            tree.node(ROOT).enter();
            if tree.claim(ROOT) {
                assert!(tree.expand(ROOT, &[child(1), child(2)]));
                return true;
            }
            if check(tree) {
                let first = tree.node(tree.first_child(ROOT));
                first.enter();
                first.statistics.add(0.5);
            }
            false
        });
        assert_ne!(expanded[0], expanded[1]);
        assert!(check(&tree));
        assert_eq!(tree.node(ROOT).visits(), 2);
        let first = tree.node(tree.first_child(ROOT));
        assert_eq!(first.statistics.value() * 2.0, first.visits() as f32);
    });
}

#[test]
fn linked_children_are_complete() {
    loom::model(|| {
        let tree = Arc::new(Tree::new(0));
        let two_children = [child(1), child(2)];
        assert!(tree.claim(ROOT) && tree.expand(ROOT, &two_children));
        let linked = two(&tree, |tree, worker| {
            let leaf = tree.first_child(ROOT) + u32::from(worker);
            assert!(tree.claim(leaf));
            let linked = tree.link(leaf, 7);
            if !linked {
                assert!(tree.expand(leaf, &[child(1), child(2)]));
                tree.share(leaf, 7);
            }
            for (i, found) in (1..).zip(tree.children(leaf)) {
                assert_eq!((found.mv(), found.prior()), (child(i).mv, child(i).prior));
            }
            assert_eq!(tree.children(leaf).len(), 2);
            linked
        });
        assert!(linked != [true, true]);
        let first = tree.first_child(ROOT);
        let same = tree.first_child(first) == tree.first_child(first + 1);
        assert_eq!(same, linked != [false, false]);
    });
}

#[test]
fn simultaneous_allocations_do_not_overlap() {
    loom::model(|| {
        let tree = Arc::new(Tree::new(0));
        assert!(tree.claim(ROOT) && tree.expand(ROOT, &[child(1), child(2)]));
        let begin = tree.first_child(ROOT);
        let mut at = two(&tree, |tree, worker| {
            let leaf = tree.first_child(ROOT) + u32::from(worker);
            let children = [child(worker), child(worker)];
            assert!(tree.claim(leaf) && tree.expand(leaf, &children));
            let found = tree.children(leaf);
            assert!(found.iter().all(|n| n.mv() == child(worker).mv));
            tree.first_child(leaf)
        });
        at.sort_unstable();
        assert_eq!(at, [begin + 2, begin + 4]);
    });
}

#[test]
fn failed_expansion_releases_the_claim() {
    loom::model(|| {
        let tree = Arc::new(Tree::new(0));
        let many = [child(1); CHUNK as usize];
        assert!(tree.claim(ROOT) && !tree.expand(ROOT, &many));
        let expanded = two(&tree, |tree, _| {
            let many = [child(1); CHUNK as usize];
            tree.claim(ROOT) && tree.expand(ROOT, &many)
        });
        assert_eq!(expanded, [false, false]);
        assert!(tree.children(ROOT).is_empty());
        assert!(tree.claim(ROOT));
    });
}

#[test]
fn simultaneous_arrivals_lose_no_result() {
    loom::model(|| {
        // A node's sum, and the values of its two children.
        let family = Arc::new((puct::Arrivals::default(), [0; 3].map(AtomicU32::new)));
        two(&family, |(arrivals, [sum, below @ ..]), worker| {
            below[usize::from(worker)].store(1 + u32::from(worker), Ordering::Relaxed);
            arrivals.arrive(|| {
                let all = below.iter().map(|b| b.load(Ordering::Relaxed));
                sum.store(all.sum(), Ordering::Relaxed);
            });
        });
        assert_eq!(family.1[0].load(Ordering::Relaxed), 3);
    });
}

#[test]
fn simultaneous_amaf_updates_may_lose_one_but_never_tear() {
    loom::model(|| {
        let results = Arc::new(rave::Results::default());
        two(&results, |results, _| {
            results.add(1.0);
            results.add_amaf(0.5);
        });
        assert_eq!(results.value(), 2.0);
        let (visits, sum) = results.amaf();
        assert!(visits == 1 || visits == 2);
        assert_eq!(sum * 2.0, visits as f32);
    });
}
