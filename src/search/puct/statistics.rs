use crate::search::policy::{Prior, Statistics};
use crate::search::sync::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Results of the evaluations through a node, for *the player who made its move*.
#[derive(Debug, Default)]
pub struct Results {
    /// Sum of win probabilities, in units of 2⁻¹⁶.
    wins: AtomicU64,
    /// Sum of leads, in points: an `f32`.
    lead: AtomicU32,
    /// Sum of squared utilities: an `f32`.
    squares: AtomicU32,
}

/// One unit of [`Results::wins`].
const UNIT: f32 = 65536.0;

/// Sums over the evaluations through a node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    /// Of win probabilities; visits under way count as losses.
    pub wins: f32,
    /// Of leads, in points.
    pub lead: f32,
    /// Of squared utilities.
    pub squares: f32,
}

impl Results {
    /// The result of a visit. A search with a network makes few visits: none may get
    /// lost.
    pub(in crate::search) fn add(&self, wins: f32, lead: f32, utility: f32) {
        self.wins.fetch_add((wins * UNIT) as u64, Relaxed);
        let add = |sum: &AtomicU32, x: f32| {
            let more = |old| Some((f32::from_bits(old) + x).to_bits());
            // Never refused: the function always has a new value.
            let _ = sum.fetch_update(Relaxed, Relaxed, more);
        };
        add(&self.lead, lead);
        add(&self.squares, utility * utility);
    }

    /// The sums.
    #[inline]
    pub fn sums(&self) -> Sums {
        Sums {
            wins: self.wins.load(Relaxed) as f32 / UNIT,
            lead: f32::from_bits(self.lead.load(Relaxed)),
            squares: f32::from_bits(self.squares.load(Relaxed)),
        }
    }
}

impl Statistics for Results {
    type Prior = Probability;

    fn clear(&self) {
        self.wins.store(0, Relaxed);
        self.lead.store(0, Relaxed);
        self.squares.store(0, Relaxed);
    }

    fn copy_from(&self, other: &Results) {
        self.wins.store(other.wins.load(Relaxed), Relaxed);
        self.lead.store(other.lead.load(Relaxed), Relaxed);
        self.squares.store(other.squares.load(Relaxed), Relaxed);
    }
}

/// A network's probability of a move, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Probability(pub f32);

impl Prior for Probability {
    #[inline]
    fn to_bits(self) -> u32 {
        self.0.to_bits()
    }

    #[inline]
    fn from_bits(bits: u32) -> Probability {
        Probability(f32::from_bits(bits))
    }
}
