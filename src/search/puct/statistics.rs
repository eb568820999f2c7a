use crate::search::policy::{Prior, Statistics};
use crate::search::sync::{
    AtomicU32,
    Ordering::{AcqRel, Relaxed},
};

/// What the evaluations of a node and of all below it come to, for *the player who made
/// its move*.
///
/// A node's mean is worked out afresh from those of its children after each visit
/// ([`Results::settle`]), so that it can weigh them by what they are worth.
#[derive(Debug, Default)]
pub struct Results {
    arrived: Arrivals,
    /// Over the node and all below it.
    mean: [Number; 4],
    /// Of the node alone: win probability, lead and weight.
    own: [Number; 3],
    /// The bucket of [`Bias`](super::bias::Bias) that the node's error goes to, from 1; 0
    /// if it is in none.
    bucket: AtomicU32,
    /// What the node has put there.
    given: [Number; 3],
}

/// How many visits have arrived at a node.
#[derive(Debug, Default)]
pub(in crate::search) struct Arrivals(AtomicU32);

impl Arrivals {
    /// One more; `work` reads what visits have left below and writes what follows for the
    /// node, once or more often. Of several at once the one that counts last sees what all
    /// have left, and what the others write does not outlive what it writes.
    pub(in crate::search) fn arrive(&self, mut work: impl FnMut()) {
        let mut seen = self.0.fetch_add(1, AcqRel).wrapping_add(1);
        loop {
            work();
            // A plain load could overtake what has been written.
            let now = self.0.fetch_add(0, AcqRel);
            if now == seen {
                return;
            }
            seen = now;
        }
    }
}

/// An `f32` that workers share.
#[derive(Debug, Default)]
pub(super) struct Number(AtomicU32);

impl Number {
    #[inline]
    pub fn load(&self) -> f32 {
        f32::from_bits(self.0.load(Relaxed))
    }

    #[inline]
    pub fn store(&self, x: f32) {
        self.0.store(x.to_bits(), Relaxed);
    }

    /// Add to it; nothing is lost.
    pub fn add(&self, x: f32) {
        let more = |old| Some((f32::from_bits(old) + x).to_bits());
        // Never refused: the function always has a new value.
        let _ = self.0.fetch_update(Relaxed, Relaxed, more);
    }

    /// Store a value and say which it replaces.
    pub fn swap(&self, x: f32) -> f32 {
        f32::from_bits(self.0.swap(x.to_bits(), Relaxed))
    }
}

/// A mean over evaluations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    /// Win probability.
    pub wins: f32,
    /// Lead in points.
    pub lead: f32,
    /// Square of the utility.
    pub squares: f32,
    /// Weight of all evaluations together: one counts 1 unless its certainty is known.
    pub weight: f32,
}

impl Mean {
    /// The same as the opponent sees it.
    pub fn turned(self) -> Mean {
        Mean {
            wins: 1.0 - self.wins,
            lead: -self.lead,
            ..self
        }
    }

    /// The mean of this one and another of that weight.
    pub fn with(self, other: Mean) -> Mean {
        let weight = self.weight + other.weight;
        if weight <= 0.0 {
            return self;
        }
        let share = other.weight / weight;
        let mix = |a: f32, b: f32| a + (b - a) * share;
        Mean {
            wins: mix(self.wins, other.wins),
            lead: mix(self.lead, other.lead),
            squares: mix(self.squares, other.squares),
            weight,
        }
    }
}

impl Results {
    /// Visits whose result has arrived.
    #[inline]
    pub fn arrived(&self) -> u32 {
        self.arrived.0.load(Relaxed)
    }

    /// The mean over the node and all below it.
    #[inline]
    pub fn mean(&self) -> Mean {
        let [wins, lead, squares, weight] = &self.mean;
        Mean {
            wins: wins.load(),
            lead: lead.load(),
            squares: squares.load(),
            weight: weight.load(),
        }
    }

    /// What the evaluations of the node alone come to; without squares.
    #[inline]
    pub fn own(&self) -> Mean {
        let [wins, lead, weight] = &self.own;
        Mean {
            wins: wins.load(),
            lead: lead.load(),
            squares: 0.0,
            weight: weight.load(),
        }
    }

    /// An evaluation of the node itself.
    pub(super) fn add_own(&self, wins: f32, lead: f32, weight: f32) {
        let one = Mean {
            wins,
            lead,
            squares: 0.0,
            weight,
        };
        // Of two at once, which are of the same position, either may count twice.
        let mean = self.own().with(one);
        self.own[0].store(mean.wins);
        self.own[1].store(mean.lead);
        self.own[2].add(weight);
    }

    /// A visit has arrived: work the mean out afresh.
    pub(super) fn settle(&self, mut mean: impl FnMut() -> Mean) {
        self.arrived.arrive(|| {
            let now = mean();
            let numbers = [now.wins, now.lead, now.squares, now.weight];
            for (number, x) in self.mean.iter().zip(numbers) {
                number.store(x);
            }
        });
    }

    /// The bucket that the node's error goes to, if it is in one.
    #[inline]
    pub fn bucket(&self) -> Option<usize> {
        (self.bucket.load(Relaxed) as usize).checked_sub(1)
    }

    /// Put the node in a bucket.
    pub fn set_bucket(&self, bucket: usize) {
        self.bucket.store(bucket as u32 + 1, Relaxed);
    }

    /// Sums of win probability, lead and weight that the node has put into its bucket.
    pub fn given(&self) -> [f32; 3] {
        [0, 1, 2].map(|i| self.given[i].load())
    }

    /// Give other sums instead; by how much they differ from those before.
    pub fn give(&self, sums: [f32; 3]) -> [f32; 3] {
        [0, 1, 2].map(|i| sums[i] - self.given[i].swap(sums[i]))
    }

    fn numbers(&self) -> impl Iterator<Item = &Number> {
        self.mean.iter().chain(&self.own).chain(&self.given)
    }
}

impl Statistics for Results {
    type Prior = Probability;

    fn clear(&self) {
        self.arrived.0.store(0, Relaxed);
        self.bucket.store(0, Relaxed);
        self.numbers().for_each(|n| n.store(0.0));
    }

    fn stand_alone(&self) {
        let mean = self.mean();
        for (own, mean) in self.own.iter().zip([mean.wins, mean.lead, mean.weight]) {
            own.store(mean);
        }
    }

    fn copy_from(&self, other: &Results) {
        let copy = |a: &AtomicU32, b: &AtomicU32| a.store(b.load(Relaxed), Relaxed);
        copy(&self.arrived.0, &other.arrived.0);
        copy(&self.bucket, &other.bucket);
        self.numbers()
            .zip(other.numbers())
            .for_each(|(a, b)| copy(&a.0, &b.0));
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
