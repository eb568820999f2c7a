//! The arena of nodes: chunks that are taken as they are needed, up to a cap.
//!
//! The children of a node form one block of consecutive nodes within one chunk.
//! Blocks are handed out in ascending order, so a block always stands behind the
//! block of its parent; [`Tree::keep_subtree`] relies on that to slide what it
//! keeps to the front in one pass, without other memory.

use super::node::{BUSY, Node, NodeId};
use super::policy::Statistics;
use crate::types::Move;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

const CHUNK: u32 = 1 << 14;

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
