//! The arena of nodes: chunks that are taken as they are needed, up to a cap.
//!
//! The children of a node form one block of consecutive nodes within one chunk.
//! Blocks are handed out in ascending order, so a block always stands behind the
//! block of its parent; [`Tree::keep_subtree`] relies on that to slide what it
//! keeps to the front in one pass, without other memory.
//!
//! # What workers may see of each other
//!
//! * A node's children appear at once and whole. [`Tree::claim`] gives one worker the
//!   right to expand a node; what [`Tree::expand`] writes into the block, moves, priors
//!   and their number, is published by its last store, with release, and read after a load
//!   with acquire in [`Tree::children`]. Until then others find no children.
//! * Blocks do not overlap: each is taken from `next` in one atomic step.
//! * Visits and results are relaxed. A visit may be seen before its result, and of two
//!   results either order, but none is lost; of AMAF updates one of two at once may be.
//! * Everything else ([`Tree::clear`], [`Tree::replace_children`],
//!   [`Tree::keep_subtree`]) is for when no worker runs.
//!
//! `RUSTFLAGS="--cfg loom" cargo test --lib every_order` checks the first three in every order
//! that the memory model allows.

use super::node::{BUSY, Node, NodeId};
use super::policy::Statistics;
use super::sync::{AtomicU32, Ordering};
use crate::types::Move;
use std::sync::OnceLock;

#[cfg(not(all(loom, test)))]
const CHUNK: u32 = 1 << 14;
/// Exhaustion wants few nodes.
#[cfg(all(loom, test))]
const CHUNK: u32 = 8;

/// A search tree that workers share.
#[derive(Debug)]
pub struct Tree<S> {
    chunks: Vec<OnceLock<Box<[Node<S>]>>>,
    next: AtomicU32,
}

/// The root of every tree.
pub const ROOT: NodeId = 0;

/// A child to be.
#[derive(Clone, Copy, Debug)]
pub struct NewChild<P> {
    /// The move.
    pub mv: Move,
    /// What is known of it.
    pub prior: P,
}

impl<P: Default> NewChild<P> {
    /// A move of which nothing is known yet.
    pub fn new(mv: Move) -> NewChild<P> {
        NewChild {
            mv,
            prior: P::default(),
        }
    }
}

impl<S: Statistics> Tree<S> {
    /// An empty tree that never takes more than `memory` bytes, or one chunk of
    /// 16,384 nodes if that is more.
    pub fn new(memory: usize) -> Tree<S> {
        let chunk_bytes = CHUNK as usize * size_of::<Node<S>>();
        // Ids are 32 bits wide, and one is taken for BUSY.
        let chunks = (memory / chunk_bytes).clamp(1, (u32::MAX / CHUNK) as usize - 1);
        let tree = Tree {
            chunks: (0..chunks).map(|_| OnceLock::new()).collect(),
            next: AtomicU32::new(0),
        };
        tree.clear();
        tree
    }

    /// Drop all nodes but an unexpanded root. No worker may be running.
    pub fn clear(&self) {
        self.forget(1, self.len());
        self.next.store(1, Ordering::Relaxed);
        self.node(ROOT).init(Move::Pass, S::Prior::default());
        self.node(ROOT).block.store(1, Ordering::Relaxed);
    }

    /// Nodes in use, gaps at the ends of chunks included.
    pub fn len(&self) -> u32 {
        self.next.load(Ordering::Relaxed)
    }

    /// Has it but an unexpanded root?
    pub fn is_empty(&self) -> bool {
        self.len() <= 1
    }

    /// Most nodes it can hold.
    pub fn capacity(&self) -> u32 {
        self.chunks.len() as u32 * CHUNK
    }

    /// The node of this id, which must have come from this tree.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node<S> {
        let chunk = self.chunks[(id / CHUNK) as usize]
            .get_or_init(|| (0..CHUNK).map(|_| Node::default()).collect());
        &chunk[(id % CHUNK) as usize]
    }

    /// The children of a node, empty while it is not expanded.
    #[inline]
    pub fn children(&self, id: NodeId) -> &[Node<S>] {
        let node = self.node(id);
        let first = node.children.load(Ordering::Acquire);
        if first == 0 || first == BUSY {
            return &[];
        }
        let chunk = self.chunks[(first / CHUNK) as usize].get();
        let at = (first % CHUNK) as usize;
        chunk.map_or(&[], |c| &c[at..at + node.child_count() as usize])
    }

    /// Id of the first child; meaningful while [`Tree::children`] is not empty.
    #[inline]
    pub fn first_child(&self, id: NodeId) -> NodeId {
        self.node(id).children.load(Ordering::Acquire)
    }

    /// The child that makes this move.
    pub fn child(&self, id: NodeId, m: Move) -> Option<NodeId> {
        let at = self.children(id).iter().position(|n| n.mv() == m)?;
        Some(self.first_child(id) + at as NodeId)
    }

    /// Claim the right to expand a node; false if it is expanded or claimed.
    pub fn claim(&self, id: NodeId) -> bool {
        self.node(id)
            .children
            .compare_exchange(0, BUSY, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    /// Give a [claimed](Tree::claim) node its children. False, and the node as
    /// before, if there are none or the arena is full.
    pub fn expand(&self, id: NodeId, children: &[NewChild<S::Prior>]) -> bool {
        let node = self.node(id);
        let Some(first) = self.allocate(children.len() as u32) else {
            node.children.store(0, Ordering::Release);
            return false;
        };
        for (i, c) in children.iter().enumerate() {
            self.node(first + i as u32).init(c.mv, c.prior);
        }
        let head = self.node(first);
        head.block.store(children.len() as u16, Ordering::Relaxed);
        head.parent.store(id, Ordering::Relaxed);
        node.set_child_count(children.len() as u16);
        node.children.store(first, Ordering::Release);
        true
    }

    /// Give an expanded node other children, which keep what is known of those that
    /// it has already, priors aside. False, and the node as before, if the arena is
    /// full. No worker may be running.
    pub fn replace_children(&self, id: NodeId, children: &[NewChild<S::Prior>]) -> bool {
        let node = self.node(id);
        let old = self.first_child(id);
        let known: Vec<Move> = self.children(id).iter().map(Node::mv).collect();
        node.children.store(BUSY, Ordering::Relaxed);
        if !self.expand(id, children) {
            node.children.store(old, Ordering::Release);
            return false;
        }
        let first = self.first_child(id);
        for (to, child) in (first..).zip(children) {
            if let Some(at) = known.iter().position(|&m| m == child.mv) {
                let block = self.node(to).block.load(Ordering::Relaxed);
                let parent = self.node(to).parent.load(Ordering::Relaxed);
                self.node(to).copy_from(self.node(old + at as NodeId));
                self.node(to).set_prior(child.prior);
                self.node(to).block.store(block, Ordering::Relaxed);
                self.node(to).parent.store(parent, Ordering::Relaxed);
                self.adopt(to);
            }
        }
        true
    }

    /// Where a block of `len` nodes goes if the nodes before `free` are taken.
    fn fit(free: u32, len: u32) -> u32 {
        if free % CHUNK + len <= CHUNK {
            free
        } else {
            (free / CHUNK + 1) * CHUNK
        }
    }

    fn allocate(&self, len: u32) -> Option<NodeId> {
        if len == 0 || len > CHUNK {
            return None;
        }
        let capacity = self.capacity();
        let mut start = 0;
        self.next
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| {
                start = Self::fit(free, len);
                (start + len <= capacity).then_some(start + len)
            })
            .ok()?;
        Some(start)
    }

    /// Make this node the root and drop all that is not below it. No worker may
    /// be running.
    pub fn keep_subtree(&self, root: NodeId) {
        const MARK: u16 = 1 << 15;
        let relaxed = Ordering::Relaxed;
        if root == ROOT {
            return;
        }
        let end = self.len();
        let mut stack = vec![root];
        while let Some(id) = stack.pop() {
            let first = self.first_child(id);
            if first == 0 {
                continue;
            }
            self.node(first).block.fetch_or(MARK, relaxed);
            let count = self.children(id).len() as u32;
            stack.extend((first..first + count).filter(|&c| self.first_child(c) != 0));
        }
        self.node(ROOT).copy_from(self.node(root));
        self.node(ROOT).block.store(1, relaxed);
        self.adopt(ROOT);
        let mut free = 1;
        let mut at = 1;
        while at < end {
            let block = self.node(at).block.load(relaxed);
            let len = (block & !MARK) as u32;
            if len == 0 {
                at = (at / CHUNK + 1) * CHUNK;
                continue;
            }
            if block & MARK != 0 {
                let to = Self::fit(free, len);
                let parent = self.node(at).parent.load(relaxed);
                self.node(parent).children.store(to, relaxed);
                for i in 0..len {
                    if to != at {
                        self.node(to + i).copy_from(self.node(at + i));
                    }
                    self.adopt(to + i);
                }
                self.node(to).block.store(len as u16, relaxed);
                for gap in free..to {
                    self.node(gap).block.store(0, relaxed);
                }
                free = to + len;
            }
            at += len;
        }
        self.forget(free, end);
        self.next.store(free, relaxed);
    }

    /// Nodes that are not in use head no block: the scan of
    /// [`Tree::keep_subtree`] relies on it in the gaps at the ends of chunks.
    fn forget(&self, from: NodeId, to: NodeId) {
        for id in from..to {
            self.node(id).block.store(0, Ordering::Relaxed);
        }
    }

    /// Tell the children of a node that has moved where it stands.
    fn adopt(&self, id: NodeId) {
        let first = self.first_child(id);
        if first != 0 {
            self.node(first).parent.store(id, Ordering::Relaxed);
        }
    }

    /// The moves that have been visited most, from a node on, for at most `len`
    /// moves, each with its visits.
    pub fn principal_variation(&self, from: NodeId, len: usize) -> Vec<(Move, u32)> {
        let mut id = from;
        let mut moves = Vec::new();
        while moves.len() < len {
            let Some((at, node)) = self
                .children(id)
                .iter()
                .enumerate()
                .max_by_key(|(i, n)| (n.visits(), std::cmp::Reverse(*i)))
                .filter(|(_, n)| n.visits() > 0)
            else {
                break;
            };
            moves.push((node.mv(), node.visits()));
            id = self.first_child(id) + at as NodeId;
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::rave::{Equivalent, Results};
    use crate::types::{Generator, Point};

    type Tree = super::Tree<Results>;
    type NewChild = super::NewChild<Equivalent>;

    /// Grow a random tree in which every node's move tells its path.
    fn grow(tree: &Tree, rng: &mut Generator, expansions: usize) {
        let mut leaves = vec![ROOT];
        for _ in 0..expansions {
            let at = rng.below(leaves.len() as u32) as usize;
            let id = leaves.swap_remove(at);
            let n = 1 + rng.below(300);
            let children: Vec<_> = (0..n)
                .map(|i| NewChild::new(Move::Play(Point::from_raw(27 + i as u16))))
                .collect();
            assert!(tree.claim(id));
            if !tree.expand(id, &children) {
                return;
            }
            for i in 0..n {
                leaves.push(tree.first_child(id) + i);
                tree.node(tree.first_child(id) + i).enter();
            }
        }
    }

    fn shape(tree: &Tree, id: NodeId) -> Vec<(u16, u32, usize)> {
        let mut out = Vec::new();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let n = tree.node(id);
            let children = tree.children(id).len();
            out.push((n.mv().to_raw(), n.visits(), children));
            let first = tree.first_child(id);
            stack.extend((0..children as u32).map(|i| first + i));
        }
        out
    }

    #[test]
    fn a_kept_subtree_is_the_same_tree() {
        for seed in 0..20 {
            let mut rng = Generator::new(seed);
            let tree = Tree::new(64 << 20);
            grow(&tree, &mut rng, 400);
            for _ in 0..3 {
                let expanded: Vec<_> = (0..tree.children(ROOT).len() as u32)
                    .map(|i| tree.first_child(ROOT) + i)
                    .filter(|&c| tree.first_child(c) != 0)
                    .collect();
                let Some(&keep) = expanded.first() else { break };
                let before = shape(&tree, keep);
                let len = tree.len();
                tree.keep_subtree(keep);
                assert_eq!(shape(&tree, ROOT), before);
                assert!(tree.len() <= len);
                grow_from_leaves(&tree, &mut rng);
            }
        }
    }

    fn grow_from_leaves(tree: &Tree, rng: &mut Generator) {
        for i in 0..tree.children(ROOT).len() as u32 {
            let id = tree.first_child(ROOT) + i;
            if rng.chance(128) && tree.claim(id) {
                tree.expand(id, &[NewChild::new(Move::Pass); 7]);
            }
        }
    }

    #[test]
    fn a_full_arena_refuses_and_goes_on() {
        let tree = Tree::new(0);
        let mut rng = Generator::new(7);
        grow(&tree, &mut rng, 10_000);
        assert!(tree.len() <= tree.capacity());
        assert!(tree.len() > tree.capacity() - 301);
    }
}

#[cfg(all(test, loom))]
mod every_order {
    use super::*;
    use crate::search::{puct, rave};
    use crate::types::Point;
    use loom::sync::Arc;
    use loom::thread;

    type Tree = super::Tree<rave::Results>;
    type NewChild = super::NewChild<rave::Equivalent>;

    fn child(number: u16) -> NewChild {
        NewChild {
            mv: Move::Play(Point::from_raw(27 + number)),
            prior: rave::Equivalent {
                visits: f32::from(number),
                value: 1.0,
            },
        }
    }

    /// The same by two workers at once; what each came to.
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

    /// Are these two children whole?
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
    fn of_two_workers_one_expands_and_the_other_sees_all_or_nothing() {
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
    fn blocks_that_are_taken_at_once_lie_apart() {
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
    fn a_full_arena_leaves_the_node_to_be_claimed_again() {
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
    fn no_result_of_a_network_is_lost() {
        loom::model(|| {
            let results = Arc::new(puct::Results::default());
            two(&results, |results, worker| {
                results.add(0.5, f32::from(worker) + 1.0, 2.0);
            });
            let sums = results.sums();
            assert_eq!((sums.wins, sums.lead, sums.squares), (1.0, 3.0, 8.0));
        });
    }

    #[test]
    fn of_two_amaf_results_at_once_one_may_be_lost_but_none_is_torn() {
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
}
