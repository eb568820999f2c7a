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
//!   updates, or of a node's own evaluations, may be.
//! * A shared block is published by the worker that made it, through the lock of
//!   [`Tree::share`], and again by each worker that links a node to it.
//! * All other methods that write ([`Tree::clear`], [`Tree::replace_children`],
//!   [`Tree::keep_subtree`], [`Tree::prune`]) require that no worker runs.
//!
//! `RUSTFLAGS="--cfg every_order" cargo test --lib every_order` checks the first four in every
//! order that the memory model allows.

mod compact;
mod every_order;

use super::node::{BUSY, Node, NodeId, Statistics};
use super::sync::{AtomicBool, AtomicU32, Mutex, Ordering, locked};
use crate::types::Move;
use ahash::AHasher;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::sync::OnceLock;

#[cfg(not(all(every_order, test)))]
const CHUNK: u32 = 1 << 14;
/// Exhaustive tests need few nodes.
#[cfg(all(every_order, test))]
const CHUNK: u32 = 8;

/// A search tree shared by workers.
#[derive(Debug)]
pub struct Tree<S> {
    chunks: Vec<OnceLock<Box<[Node<S>]>>>,
    next: AtomicU32,
    /// Has an expansion failed because the arena is full?
    full: AtomicBool,
    /// Blocks that other nodes may share, by the key of the parent's position.
    shared: [Mutex<HashMap<u64, Block, Hasher>>; PARTS],
}

/// Hasher for position keys, which are hashes, and node ids, which are not.
type Hasher = BuildHasherDefault<AHasher>;

/// Number of parts of the table of shared blocks, each with its own lock.
const PARTS: usize = 64;

/// The children of a node: the first, and their number.
type Block = (NodeId, u16);

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
            shared: [(); PARTS].map(|()| Mutex::new(HashMap::default())),
        };
        tree.clear();
        tree
    }

    /// Drop all nodes but an unexpanded root. No worker may be running.
    pub fn clear(&self) {
        self.mark_unused(1, self.len());
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

    /// Bytes allocated for nodes.
    pub fn bytes(&self) -> usize {
        let used = self.chunks.iter().filter(|chunk| chunk.get().is_some());
        used.count() * CHUNK as usize * size_of::<Node<S>>()
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

    /// Id of the first child: 0 for an unexpanded node, meaningless while a worker expands it.
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
        &self.shared[key as usize % PARTS]
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

    /// Mark nodes as unused. Unused nodes have block length 0; the scan of
    /// [`Tree::keep_subtree`] relies on this in the gaps at the ends of chunks.
    fn mark_unused(&self, from: NodeId, to: NodeId) {
        for id in from..to {
            self.node(id).block.store(0, Ordering::Relaxed);
        }
    }

    /// Call `see` for the root and every visited node. No worker may be running.
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
