use crate::search::node::{Prior, Statistics};
use crate::search::sync::{AtomicU64, Ordering::Relaxed};

/// Results of the playouts through a node, for *the player who made its move*.
#[derive(Debug, Default)]
pub struct Results {
    /// Sum of values, from 0 to 1 each, in units of 2⁻¹⁶.
    value: AtomicU64,
    /// AMAF visits in the upper half and the sum of their values (an `f32`) in the lower, in
    /// one word so that they are consistent.
    amaf: AtomicU64,
}

/// One unit of [`Results::value`].
const UNIT: f32 = 65536.0;

impl Results {
    /// Add the result of a visit.
    #[inline]
    pub(in crate::search) fn add(&self, value: f32) {
        self.value.fetch_add((value * UNIT) as u64, Relaxed);
    }

    /// Sum of the values; visits under way count as losses.
    #[inline]
    pub fn value(&self) -> f32 {
        self.value.load(Relaxed) as f32 / UNIT
    }

    /// Add an AMAF result. One of two simultaneous updates may be lost; this is cheaper than a
    /// locked instruction for every move of a playout.
    #[inline]
    pub(in crate::search) fn add_amaf(&self, value: f32) {
        let old = self.amaf.load(Relaxed);
        let sum = f32::from_bits(old as u32) + value;
        let new = (old >> 32).wrapping_add(1) << 32 | sum.to_bits() as u64;
        self.amaf.store(new, Relaxed);
    }

    /// AMAF visits and the sum of their values.
    #[inline]
    pub fn amaf(&self) -> (u32, f32) {
        let amaf = self.amaf.load(Relaxed);
        ((amaf >> 32) as u32, f32::from_bits(amaf as u32))
    }
}

impl Statistics for Results {
    type Prior = PriorVisits;

    fn clear(&self) {
        self.value.store(0, Relaxed);
        self.amaf.store(0, Relaxed);
    }

    fn copy_from(&self, other: &Results) {
        self.value.store(other.value.load(Relaxed), Relaxed);
        self.amaf.store(other.amaf.load(Relaxed), Relaxed);
    }

    /// Does nothing: a node's own results already include its subtree.
    fn detach_children(&self) {}
}

/// A prior as an equivalent number of visits with results, for the player of the move.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PriorVisits {
    /// Number of visits.
    pub visits: f32,
    /// Sum of their values.
    pub value: f32,
}

/// Both fields are stored in units of 1/64.
const PRIOR_UNIT: f32 = 64.0;

impl Prior for PriorVisits {
    #[inline]
    fn to_bits(self) -> u32 {
        let half = |x: f32| (x * PRIOR_UNIT).clamp(0.0, u16::MAX as f32) as u32;
        half(self.visits) << 16 | half(self.value)
    }

    #[inline]
    fn from_bits(bits: u32) -> PriorVisits {
        PriorVisits {
            visits: (bits >> 16) as f32 / PRIOR_UNIT,
            value: (bits & 0xffff) as f32 / PRIOR_UNIT,
        }
    }
}
