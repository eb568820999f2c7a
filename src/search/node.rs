use super::sync::{AtomicU16, AtomicU32, Ordering::Relaxed};
use crate::types::Move;
use std::fmt::Debug;

/// Index of a node in the arena.
pub type NodeId = u32;

/// A policy's results in a node. Workers read and write them at the same time.
pub trait Statistics: Debug + Default + Send + Sync + 'static {
    /// What is known about a move before it is tried.
    type Prior: Prior;

    /// Clear all results.
    fn clear(&self);

    /// Copy the results of another node.
    fn copy_from(&self, other: &Self);

    /// Prepare to drop the node's children: keep their results in the node.
    fn detach_children(&self);
}

/// What is known about a move before it is tried, in 32 bits.
pub trait Prior: Copy + Debug + Default + Send + Sync + 'static {
    /// Encode.
    fn to_bits(self) -> u32;

    /// Decode.
    fn from_bits(bits: u32) -> Self;
}

/// A move in the tree: its children, its visits, and the policy's statistics.
///
/// Every field is atomic. All but `children` use relaxed order: a worker may see a visit whose
/// result has not arrived yet, which only adds a little bias. The children must be seen as a whole,
/// so one store to `children` publishes them, with release/acquire order.
#[derive(Debug, Default)]
pub struct Node<S> {
    /// Results of the visits.
    pub statistics: S,
    mv: AtomicU16,
    child_count: AtomicU16,
    /// Length of the block if this node is its first, otherwise 0.
    pub(super) block: AtomicU16,
    /// In the first node of a block: the block's new place when the tree is compacted.
    pub(super) moved: AtomicU32,
    /// First child. 0: not expanded; [`BUSY`]: a worker is expanding it.
    pub(super) children: AtomicU32,
    visits: AtomicU32,
    /// The prior, in the policy's own encoding.
    prior: AtomicU32,
}

/// [`Node::children`] while a worker expands the node.
pub(super) const BUSY: u32 = u32::MAX;

impl<S: Statistics> Node<S> {
    /// Reset the node to this move and prior, without visits or children.
    pub(super) fn init(&self, m: Move, prior: S::Prior) {
        self.mv.store(m.to_raw(), Relaxed);
        self.child_count.store(0, Relaxed);
        self.block.store(0, Relaxed);
        self.moved.store(0, Relaxed);
        self.children.store(0, Relaxed);
        self.visits.store(0, Relaxed);
        self.statistics.clear();
        self.set_prior(prior);
    }

    /// Copy another node, with its link to its children.
    pub(super) fn copy_from(&self, other: &Self) {
        let copy16 = |a: &AtomicU16, b: &AtomicU16| a.store(b.load(Relaxed), Relaxed);
        let copy32 = |a: &AtomicU32, b: &AtomicU32| a.store(b.load(Relaxed), Relaxed);
        copy16(&self.mv, &other.mv);
        copy16(&self.child_count, &other.child_count);
        copy16(&self.block, &other.block);
        copy32(&self.children, &other.children);
        copy32(&self.visits, &other.visits);
        copy32(&self.prior, &other.prior);
        self.statistics.copy_from(&other.statistics);
    }

    /// The move that leads here.
    #[inline]
    pub fn mv(&self) -> Move {
        Move::from_raw(self.mv.load(Relaxed))
    }

    #[inline]
    pub(super) fn child_count(&self) -> u32 {
        self.child_count.load(Relaxed) as u32
    }

    #[inline]
    pub(super) fn set_child_count(&self, n: u16) {
        self.child_count.store(n, Relaxed);
    }

    /// Visits, including those whose results have not arrived.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    /// Count the visit of a worker that passes through. It counts as a loss until its
    /// result arrives: this virtual loss keeps other workers off the same path.
    #[inline]
    pub(super) fn enter(&self) {
        self.visits.fetch_add(1, Relaxed);
    }

    /// Take back a visit that will have no result.
    #[inline]
    pub(super) fn leave(&self) {
        self.visits.fetch_sub(1, Relaxed);
    }

    /// The move's prior.
    #[inline]
    pub fn prior(&self) -> S::Prior {
        S::Prior::from_bits(self.prior.load(Relaxed))
    }

    /// Change the prior.
    pub(super) fn set_prior(&self, prior: S::Prior) {
        self.prior.store(prior.to_bits(), Relaxed);
    }
}
