//! The arena of nodes: chunks allocated on demand, up to a limit.
//!
//! The children of a node form one block of consecutive nodes within one chunk. Nodes of
//! the same position (transpositions) may [share](Tree::link) a block; the tree is then an
//! acyclic graph. [`Tree::keep_subtree`] moves the blocks that it keeps to the front, in
//! place.
//!
//! # What workers see of each other's writes
//!
//! * A node's children appear all at once. [`Tree::claim`] gives one worker the right to
//!   expand a node. [`Tree::expand`] writes moves, priors and their number, and publishes
//!   them by its last store, with release; [`Tree::children`] loads with acquire. Until
//!   then other workers find no children.
//! * Blocks do not overlap: each is taken from `next` in one atomic step.
//! * Visits and results are relaxed. A visit may be seen before its result, and two
//!   results in either order. No result is lost, except that one of two simultaneous AMAF
//!   updates may be.
//! * A shared block is published by the worker that made it, through the lock of
//!   [`Tree::share`], and again by each worker that links a node to it.
//! * All other methods that write ([`Tree::clear`], [`Tree::replace_children`],
//!   [`Tree::keep_subtree`]) require that no worker runs.
//!
//! `RUSTFLAGS="--cfg loom" cargo test --lib every_order` checks the first three in every order
//! that the memory model allows.

use super::node::{BUSY, Node, NodeId};
use super::policy::Statistics;
use super::sync::{AtomicBool, AtomicU32, Mutex, Ordering, locked};
use crate::types::Move;
use ahash::AHasher;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::sync::OnceLock;

#[cfg(not(all(loom, test)))]
const CHUNK: u32 = 1 << 14;
/// Exhaustive tests need few nodes.
#[cfg(all(loom, test))]
const CHUNK: u32 = 8;

/// A search tree shared by workers.
#[derive(Debug)]
pub struct Tree<S> {
    chunks: Vec<OnceLock<Box<[Node<S>]>>>,
    next: AtomicU32,
    /// Has an expansion failed because the arena is full?
    full: AtomicBool,
    /// Blocks that other nodes may share, by the key of the parent's position.
    shared: [Mutex<HashMap<u64, Block, Hasher>>; SHARDS],
}

/// Hasher for position keys, which are hashes, and node ids, which are not.
type Hasher = BuildHasherDefault<AHasher>;

/// Number of parts of the table of shared blocks, each with its own lock.
const SHARDS: usize = 64;

/// The children of a node: the first, and their number.
type Block = (NodeId, u16);

/// Flag in the length of a block that is kept.
const MARK: u16 = 1 << 15;

/// The root of every tree.
pub const ROOT: NodeId = 0;

/// A child to create.
#[derive(Clone, Copy, Debug)]
pub struct NewChild<P> {
    /// The move.
    pub mv: Move,
    /// Its prior.
    pub prior: P,
}

impl<P: Default> NewChild<P> {
    /// A move with the default prior.
    pub fn new(mv: Move) -> NewChild<P> {
        NewChild {
            mv,
            prior: P::default(),
        }
    }
}

impl<S: Statistics> Tree<S> {
    /// Create an empty tree of at most `memory` bytes, or of one chunk of 16,384 nodes if
    /// that is more.
    pub fn new(memory: usize) -> Tree<S> {
        let chunk_bytes = CHUNK as usize * size_of::<Node<S>>();
        // Ids have 32 bits, and BUSY is reserved.
        let chunks = (memory / chunk_bytes).clamp(1, (u32::MAX / CHUNK) as usize - 1);
        let tree = Tree {
            chunks: (0..chunks).map(|_| OnceLock::new()).collect(),
            next: AtomicU32::new(0),
            full: AtomicBool::new(false),
            shared: [(); SHARDS].map(|()| Mutex::new(HashMap::default())),
        };
        tree.clear();
        tree
    }

    /// Drop all nodes but an unexpanded root. No worker may be running.
    pub fn clear(&self) {
        self.forget(1, self.len());
        self.next.store(1, Ordering::Relaxed);
        self.full.store(false, Ordering::Relaxed);
        self.node(ROOT).init(Move::Pass, S::Prior::default());
        self.node(ROOT).block.store(1, Ordering::Relaxed);
        self.shared.iter().for_each(|part| locked(part).clear());
    }

    /// Number of nodes in use, including gaps at the ends of chunks.
    pub fn len(&self) -> u32 {
        self.next.load(Ordering::Relaxed)
    }

    /// Is there only an unexpanded root?
    pub fn is_empty(&self) -> bool {
        self.len() <= 1
    }

    /// Has an expansion failed for lack of room since the tree was last cleared or compacted?
    pub fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    /// Maximum number of nodes.
    pub fn capacity(&self) -> u32 {
        self.chunks.len() as u32 * CHUNK
    }

    /// The node with this id, which must come from this tree.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node<S> {
        let chunk = self.chunks[(id / CHUNK) as usize]
            .get_or_init(|| (0..CHUNK).map(|_| Node::default()).collect());
        &chunk[(id % CHUNK) as usize]
    }

    /// The children of a node; empty until it is expanded.
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

    /// Id of the first child; valid only if [`Tree::children`] is not empty.
    #[inline]
    pub fn first_child(&self, id: NodeId) -> NodeId {
        self.node(id).children.load(Ordering::Acquire)
    }

    /// The child that makes this move.
    pub fn child(&self, id: NodeId, m: Move) -> Option<NodeId> {
        let at = self.children(id).iter().position(|n| n.mv() == m)?;
        Some(self.first_child(id) + at as NodeId)
    }

    /// Claim the right to expand a node. Returns false if it is already expanded or claimed.
    pub fn claim(&self, id: NodeId) -> bool {
        self.node(id)
            .children
            .compare_exchange(0, BUSY, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    /// Give a [claimed](Tree::claim) node its children. Returns false and releases the claim
    /// if `children` is empty or the arena is full.
    pub fn expand(&self, id: NodeId, children: &[NewChild<S::Prior>]) -> bool {
        let node = self.node(id);
        let Some(first) = self.allocate(children.len() as u32) else {
            node.children.store(0, Ordering::Release);
            return false;
        };
        for (i, c) in children.iter().enumerate() {
            self.node(first + i as u32).init(c.mv, c.prior);
        }
        let len = children.len() as u16;
        self.node(first).block.store(len, Ordering::Relaxed);
        node.set_child_count(len);
        node.children.store(first, Ordering::Release);
        true
    }

    fn part(&self, key: u64) -> &Mutex<HashMap<u64, Block, Hasher>> {
        &self.shared[key as usize % SHARDS]
    }

    /// Give a [claimed](Tree::claim) node the children that were [shared](Tree::share) under
    /// this key. Returns false and keeps the claim if there are none.
    pub fn link(&self, id: NodeId, key: u64) -> bool {
        let Some(&(first, len)) = locked(self.part(key)).get(&key) else {
            return false;
        };
        let node = self.node(id);
        node.set_child_count(len);
        node.children.store(first, Ordering::Release);
        true
    }

    /// Let nodes with the same key share the children of this expanded node, unless the key
    /// already has shared children. Equal keys must mean equal positions, and no position may
    /// recur below itself.
    pub fn share(&self, id: NodeId, key: u64) {
        let block = (self.first_child(id), self.children(id).len() as u16);
        locked(self.part(key)).entry(key).or_insert(block);
    }

    /// Replace the children of an expanded node. Moves that it already has keep everything
    /// except their priors. Returns false and changes nothing if the arena is full. No worker
    /// may be running.
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
                self.node(to).copy_from(self.node(old + at as NodeId));
                self.node(to).set_prior(child.prior);
                self.node(to).block.store(block, Ordering::Relaxed);
            }
        }
        true
    }

    /// The place of a block of `len` nodes if all nodes before `free` are taken.
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
        let taken = self
            .next
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |free| {
                start = Self::fit(free, len);
                (start + len <= capacity).then_some(start + len)
            });
        if taken.is_err() {
            self.full.store(true, Ordering::Relaxed);
        }
        taken.is_ok().then_some(start)
    }

    /// Drop the subtrees below the least visited nodes, to free at least half of the arena if
    /// possible. These nodes keep their values. No worker may be running.
    pub fn prune(&self) {
        // Number of children by the binary digits of the parent's visits.
        let digits = |id: NodeId| (u32::BITS - self.node(id).visits().leading_zeros()) as usize;
        let mut below = [0u32; u32::BITS as usize + 1];
        self.each_expanded(ROOT, |id| {
            let count = self.children(id).len() as u32;
            let sum = &mut below[digits(id)];
            *sum = sum.saturating_add(count);
            true
        });
        let mut kept = 0;
        let mut enough = |sum: &u32| {
            kept += u64::from(*sum);
            kept <= u64::from(self.capacity() / 2)
        };
        let least = below.len() - below.iter().rev().take_while(|s| enough(s)).count();
        self.each_expanded(ROOT, |id| {
            let keeps = id == ROOT || digits(id) >= least;
            if !keeps {
                let node = self.node(id);
                node.statistics.detach_children();
                node.set_child_count(0);
                node.children.store(0, Ordering::Relaxed);
            }
            keeps
        });
        self.compact(ROOT);
    }

    /// Visit the expanded nodes from this one down, each block once. Descend below a node only
    /// if `see` returns true.
    fn each_expanded(&self, from: NodeId, mut see: impl FnMut(NodeId) -> bool) {
        let mut seen = HashSet::<NodeId, Hasher>::default();
        let mut open = vec![from];
        while let Some(id) = open.pop() {
            let (first, count) = (self.first_child(id), self.children(id).len() as u32);
            if count > 0 && see(id) && seen.insert(first) {
                open.extend(first..first + count);
            }
        }
    }

    /// Make this node the root and drop everything that is not below it. No worker may be
    /// running.
    pub fn keep_subtree(&self, root: NodeId) {
        if root != ROOT {
            self.compact(root);
        }
    }

    /// Make this node the root and move everything below it to the front.
    fn compact(&self, root: NodeId) {
        let relaxed = Ordering::Relaxed;
        let end = self.len();
        self.mark(root);
        self.node(ROOT).copy_from(self.node(root));
        self.node(ROOT).block.store(1, relaxed);
        // Compute each block's new place, then update the nodes that point to it.
        let mut free = 1;
        for (at, len) in self.marked(end) {
            let to = Self::fit(free, len);
            self.node(at).moved.store(to, relaxed);
            free = to + len;
        }
        let follow = |id: NodeId| {
            let first = self.first_child(id);
            if first != 0 {
                let to = self.node(first).moved.load(relaxed);
                self.node(id).children.store(to, relaxed);
            }
        };
        follow(ROOT);
        for (at, len) in self.marked(end) {
            (at..at + len).for_each(follow);
        }
        for part in &self.shared {
            locked(part).retain(|_, (first, _)| {
                let head = self.node(*first);
                *first = head.moved.load(relaxed);
                head.block.load(relaxed) & MARK != 0
            });
        }
        let mut free = 1;
        for (at, len) in self.marked(end) {
            let to = self.node(at).moved.load(relaxed);
            if to != at {
                for i in 0..len {
                    self.node(to + i).copy_from(self.node(at + i));
                }
            }
            self.node(to).block.store(len as u16, relaxed);
            for gap in free..to {
                self.node(gap).block.store(0, relaxed);
            }
            free = to + len;
        }
        self.forget(free, end);
        self.next.store(free, relaxed);
        self.full.store(false, relaxed);
    }

    /// Mark the blocks below a node as kept.
    fn mark(&self, id: NodeId) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let first = self.first_child(id);
            let expanded = |id: NodeId| self.first_child(id) != 0;
            if first != 0 && self.node(first).block.fetch_or(MARK, Ordering::Relaxed) & MARK == 0 {
                let count = self.children(id).len() as u32;
                open.extend((first..first + count).filter(|&c| expanded(c)));
            }
        }
    }

    /// The marked blocks and their lengths, in arena order. Each block is read only when the
    /// iterator reaches it.
    fn marked(&self, end: NodeId) -> impl Iterator<Item = (NodeId, u32)> + '_ {
        let mut at = 1;
        std::iter::from_fn(move || {
            while at < end {
                let (here, block) = (at, self.node(at).block.load(Ordering::Relaxed));
                let len = u32::from(block & !MARK);
                at = match len {
                    0 => (at / CHUNK + 1) * CHUNK,
                    _ => at + len,
                };
                if block & MARK != 0 {
                    return Some((here, len));
                }
            }
            None
        })
    }

    /// Mark nodes as unused. Unused nodes have block length 0; the scan of
    /// [`Tree::keep_subtree`] relies on this in the gaps at the ends of chunks.
    fn forget(&self, from: NodeId, to: NodeId) {
        for id in from..to {
            self.node(id).block.store(0, Ordering::Relaxed);
        }
    }

    /// Call `see` for every visited node. No worker may be running.
    pub fn walk(&self, mut see: impl FnMut(&Node<S>)) {
        let mut seen = HashSet::<NodeId, Hasher>::default();
        let mut open = vec![ROOT];
        while let Some(id) = open.pop() {
            see(self.node(id));
            let first = self.first_child(id);
            if first != 0 && seen.insert(first) {
                let children = self.children(id).iter().zip(first..);
                // An unvisited move has nothing below it.
                open.extend(children.filter(|(n, _)| n.visits() > 0).map(|(_, id)| id));
            }
        }
    }

    /// The principal variation from a node: the most visited move at each step, with its
    /// visits, for at most `len` moves.
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

    /// Grow a random tree of up to `expansions` expansions.
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
    fn keep_subtree_preserves_the_subtree() {
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

    /// Grow a random graph: a leaf gets new children, or shares those of a node at least as
    /// deep.
    fn grow_shared(tree: &Tree, rng: &mut Generator, expansions: usize) {
        let mut leaves = vec![(ROOT, 0)];
        let mut keys: Vec<(u64, u32)> = Vec::new();
        for key in 0..expansions as u64 {
            let at = rng.below(leaves.len() as u32) as usize;
            let (id, depth) = leaves.swap_remove(at);
            assert!(tree.claim(id));
            let known: Vec<u64> = keys.iter().filter(|k| k.1 > depth).map(|k| k.0).collect();
            if !known.is_empty() && rng.chance(128) {
                assert!(tree.link(id, known[rng.below(known.len() as u32) as usize]));
                continue;
            }
            let children: Vec<_> = (0..1 + rng.below(20))
                .map(|i| NewChild::new(Move::Play(Point::from_raw(27 + i as u16))))
                .collect();
            assert!(tree.expand(id, &children));
            tree.share(id, key);
            keys.push((key, depth + 1));
            let first = tree.first_child(id);
            for child in first..first + children.len() as u32 {
                leaves.push((child, depth + 1));
                tree.node(child).enter();
            }
        }
    }

    /// The blocks below a node, each once, in order of discovery. For each node of a block:
    /// its visits and the index of its children's block.
    fn blocks(tree: &Tree, id: NodeId) -> Vec<Vec<(u32, Option<usize>)>> {
        let mut found = vec![tree.first_child(id)];
        let mut out: Vec<Vec<_>> = Vec::new();
        while let Some(&first) = found.get(out.len()) {
            let len = u32::from(tree.node(first).block.load(Ordering::Relaxed));
            let nodes = (first..first + len).map(|id| {
                let below = tree.first_child(id);
                let number = (below != 0).then(|| {
                    let known = found.iter().position(|&b| b == below);
                    known.unwrap_or_else(|| {
                        found.push(below);
                        found.len() - 1
                    })
                });
                (tree.node(id).visits(), number)
            });
            out.push(nodes.collect());
        }
        out
    }

    #[test]
    fn keep_subtree_moves_shared_blocks_once() {
        let mut links = 0;
        for seed in 0..50 {
            let mut rng = Generator::new(seed);
            let tree = Tree::new(8 << 20);
            grow_shared(&tree, &mut rng, 300);
            for _ in 0..3 {
                let children = tree.children(ROOT).iter().zip(tree.first_child(ROOT)..);
                let expanded = children.filter(|(_, id)| tree.first_child(*id) != 0);
                let Some((_, keep)) = expanded.last() else {
                    break;
                };
                let before = blocks(&tree, keep);
                let visits = tree.node(keep).visits();
                tree.keep_subtree(keep);
                let after = blocks(&tree, ROOT);
                assert_eq!(after, before);
                assert_eq!(tree.node(ROOT).visits(), visits);
                let nodes = after.iter().map(Vec::len).sum::<usize>();
                assert_eq!(tree.len() as usize, 1 + nodes, "all else is gone");
                let parents = after.iter().flatten().filter(|n| n.1.is_some()).count();
                links += parents - (after.len() - 1);
                // Exactly the keys of the kept blocks can still be linked.
                let leaf = tree.first_child(ROOT) + tree.children(ROOT).len() as u32 - 1;
                let kept = (0..300).filter(|&key| {
                    tree.node(leaf).children.store(BUSY, Ordering::Relaxed);
                    tree.link(leaf, key)
                });
                assert_eq!(kept.count(), after.len());
                tree.node(leaf).children.store(0, Ordering::Relaxed);
            }
        }
        assert!(links > 1000, "{links}");
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
    fn full_arena_refuses_expansion() {
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
}
