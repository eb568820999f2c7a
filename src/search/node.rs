use crate::types::Move;
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Index of a node in the arena.
pub type NodeId = u32;

/// One move in the tree, with the results of the playouts that went through it.
///
/// Every field is atomic and read and written relaxed: a worker may see a visit
/// whose value has not arrived yet, which costs nothing but a little bias. What
/// must be seen together is published by one store: the children, with
/// release/acquire on `children`, and the AMAF pair, in one word.
///
/// Values are win probabilities for *the player who made the move*.
#[derive(Debug, Default)]
pub struct Node {
    mv: AtomicU16,
    child_count: AtomicU16,
    /// Length of the block that this node is the first of, 0 for others.
    pub(super) block: AtomicU16,
    /// First of a block only: whose children they are.
    pub(super) parent: AtomicU32,
    /// 0: not expanded; [`BUSY`]: a worker is expanding it.
    pub(super) children: AtomicU32,
    visits: AtomicU32,
    /// Sum of values, in units of 2⁻¹⁶.
    value: AtomicU64,
    /// AMAF visits and sum of values (an `f32`) in the upper and lower half; with a
    /// network the sums of leads and of squared utilities, both `f32`.
    amaf: AtomicU64,
    /// Prior visits and sum of prior values, in units of 1/64; with a network the
    /// prior probability, an `f32`.
    prior: AtomicU32,
}

/// [`Node::children`] while a worker expands the node.
pub(super) const BUSY: u32 = u32::MAX;

/// One value unit of [`Node::value`].
const UNIT: f32 = 65536.0;

/// One unit of [`Node::prior`].
const PRIOR_UNIT: f32 = 64.0;

/// The statistics of a node at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stats {
    /// Visits, those under way included.
    pub visits: u32,
    /// Sum of values, those under way counting as losses.
    pub value: f32,
    /// Visits in the AMAF sense.
    pub amaf_visits: u32,
    /// Sum of AMAF values.
    pub amaf_value: f32,
    /// Equivalent visits of the prior.
    pub prior_visits: f32,
    /// Sum of their values.
    pub prior_value: f32,
}

/// What is known of a move before it is tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Prior {
    /// Equivalent visits and their summed value, for the player of the move.
    Visits(f32, f32),
    /// A network's probability.
    Policy(f32),
}

/// The statistics of a node in a search with a network.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NetStats {
    /// Visits, those under way included.
    pub visits: u32,
    /// Sum of win probabilities, those under way counting as losses.
    pub wins: f32,
    /// Sum of leads, in points.
    pub lead: f32,
    /// Sum of squared utilities.
    pub squares: f32,
    /// The network's probability of the move.
    pub policy: f32,
}

impl Stats {
    /// Mean value for the player who made the move; the prior's where there are
    /// no visits.
    pub fn mean(&self) -> f32 {
        if self.visits > 0 {
            self.value / self.visits as f32
        } else if self.prior_visits > 0.0 {
            self.prior_value / self.prior_visits
        } else {
            0.5
        }
    }
}

impl Node {
    /// Start afresh as this move with this prior.
    pub(super) fn init(&self, m: Move, prior: Prior) {
        self.mv.store(m.to_raw(), Relaxed);
        self.child_count.store(0, Relaxed);
        self.block.store(0, Relaxed);
        self.parent.store(0, Relaxed);
        self.children.store(0, Relaxed);
        self.visits.store(0, Relaxed);
        self.value.store(0, Relaxed);
        self.amaf.store(0, Relaxed);
        self.set_prior(prior);
    }

    /// Give it another prior.
    pub(super) fn set_prior(&self, prior: Prior) {
        let half = |x: f32| (x * PRIOR_UNIT).clamp(0.0, u16::MAX as f32) as u32;
        let word = match prior {
            Prior::Visits(visits, value) => half(visits) << 16 | half(value),
            Prior::Policy(p) => p.to_bits(),
        };
        self.prior.store(word, Relaxed);
    }

    /// Become a copy of another node, its place in the tree included.
    pub(super) fn copy_from(&self, other: &Node) {
        let copy16 = |a: &AtomicU16, b: &AtomicU16| a.store(b.load(Relaxed), Relaxed);
        let copy32 = |a: &AtomicU32, b: &AtomicU32| a.store(b.load(Relaxed), Relaxed);
        let copy64 = |a: &AtomicU64, b: &AtomicU64| a.store(b.load(Relaxed), Relaxed);
        copy16(&self.mv, &other.mv);
        copy16(&self.child_count, &other.child_count);
        copy16(&self.block, &other.block);
        copy32(&self.parent, &other.parent);
        copy32(&self.children, &other.children);
        copy32(&self.visits, &other.visits);
        copy64(&self.value, &other.value);
        copy64(&self.amaf, &other.amaf);
        copy32(&self.prior, &other.prior);
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

    /// Visits, those under way included.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.visits.load(Relaxed)
    }

    /// A worker passes through: a visit with, so far, the value of a loss. This
    /// is the virtual loss that keeps other workers off the same path.
    #[inline]
    pub(super) fn enter(&self) {
        self.visits.fetch_add(1, Relaxed);
    }

    /// The result of a visit that has [entered](Node::enter).
    #[inline]
    pub(super) fn add(&self, value: f32) {
        self.value.fetch_add((value * UNIT) as u64, Relaxed);
    }

    /// One more AMAF result. Two workers at once may lose one of two updates,
    /// which is cheaper than a locked instruction for every move of a playout.
    #[inline]
    pub(super) fn add_amaf(&self, value: f32) {
        let old = self.amaf.load(Relaxed);
        let sum = f32::from_bits(old as u32) + value;
        let new = (old >> 32).wrapping_add(1) << 32 | sum.to_bits() as u64;
        self.amaf.store(new, Relaxed);
    }

    /// What else a network said of a visit. A search with a network makes few
    /// visits: none may get lost.
    pub(super) fn add_judged(&self, lead: f32, utility: f32) {
        let add = |old: u64| {
            let leads = f32::from_bits((old >> 32) as u32) + lead;
            let squares = f32::from_bits(old as u32) + utility * utility;
            Some(u64::from(leads.to_bits()) << 32 | u64::from(squares.to_bits()))
        };
        // Never refused: the function always has a new value.
        let _ = self.amaf.fetch_update(Relaxed, Relaxed, add);
    }

    /// All numbers of the node, in a search with a network.
    #[inline]
    pub fn net_stats(&self) -> NetStats {
        let sums = self.amaf.load(Relaxed);
        NetStats {
            visits: self.visits.load(Relaxed),
            wins: self.value.load(Relaxed) as f32 / UNIT,
            lead: f32::from_bits((sums >> 32) as u32),
            squares: f32::from_bits(sums as u32),
            policy: f32::from_bits(self.prior.load(Relaxed)),
        }
    }

    /// All numbers of the node, in a search with playouts.
    #[inline]
    pub fn stats(&self) -> Stats {
        let amaf = self.amaf.load(Relaxed);
        let prior = self.prior.load(Relaxed);
        Stats {
            visits: self.visits.load(Relaxed),
            value: self.value.load(Relaxed) as f32 / UNIT,
            amaf_visits: (amaf >> 32) as u32,
            amaf_value: f32::from_bits(amaf as u32),
            prior_visits: (prior >> 16) as f32 / PRIOR_UNIT,
            prior_value: (prior & 0xffff) as f32 / PRIOR_UNIT,
        }
    }
}
