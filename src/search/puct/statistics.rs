use crate::search::node::{Prior, Statistics};
use crate::search::sync::{
    AtomicU32,
    Ordering::{AcqRel, Relaxed},
};

/// Results of a node and its subtree, for *the player who made its move*.
///
/// After each visit a node's mean is recomputed from those of its children
/// ([`Results::update_mean`]), so that good moves weigh more.
#[derive(Debug, Default)]
pub struct Results {
    arrived: Arrivals,
    /// Mean over the node and its subtree: win probability, lead, squared utility, weight.
    mean: [Number; 4],
    /// Mean of the node alone: win probability, lead and weight.
    own: [Number; 3],
    /// The node's bucket in [`Bias`](super::bias::Bias), from 1; 0 if it has none.
    bucket: AtomicU32,
    /// Contribution to the bucket: weighted errors of win probability and lead, and their weight.
    bias_sums: [Number; 3],
}

/// Number of visits whose results have arrived at a node.
#[derive(Debug, Default)]
pub(in crate::search) struct Arrivals(AtomicU32);

impl Arrivals {
    /// Count a visit, then call `work` until no other visit arrives meanwhile. `work` computes
    /// the node's result from those below it. Of simultaneous arrivals, the last write includes
    /// the results of all.
    pub(in crate::search) fn arrive(&self, mut work: impl FnMut()) {
        let mut seen = self.0.fetch_add(1, AcqRel).wrapping_add(1);
        loop {
            work();
            // A plain load could be reordered before the writes of `work`.
            let now = self.0.fetch_add(0, AcqRel);
            if now == seen {
                return;
            }
            seen = now;
        }
    }
}

/// An atomic `f32`.
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

    /// Add atomically.
    pub fn add(&self, x: f32) {
        let more = |old| Some((f32::from_bits(old) + x).to_bits());
        // Cannot fail: the function always returns a value.
        let _ = self.0.fetch_update(Relaxed, Relaxed, more);
    }

    /// Store a value and return the old one.
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
    /// Squared utility.
    pub squares: f32,
    /// Total weight of the evaluations. An evaluation has weight 1 unless its error is known.
    pub weight: f32,
}

impl Mean {
    /// The same mean from the opponent's point of view.
    pub fn turned(self) -> Mean {
        Mean {
            wins: 1.0 - self.wins,
            lead: -self.lead,
            ..self
        }
    }

    /// The weighted mean of this one and another.
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
    /// Visits whose results have arrived.
    #[inline]
    pub fn arrived(&self) -> u32 {
        self.arrived.0.load(Relaxed)
    }

    /// The mean over the node and its subtree.
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

    /// The mean over the evaluations of the node alone, with `squares` 0.
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

    /// Add an evaluation of the node itself.
    pub(super) fn add_own(&self, wins: f32, lead: f32, weight: f32) {
        let one = Mean {
            wins,
            lead,
            squares: 0.0,
            weight,
        };
        // Two simultaneous evaluations are of the same position, so either may count twice.
        let mean = self.own().with(one);
        self.own[0].store(mean.wins);
        self.own[1].store(mean.lead);
        self.own[2].add(weight);
    }

    /// Count the arrival of a visit's result and recompute the mean.
    pub(super) fn update_mean(&self, mut mean: impl FnMut() -> Mean) {
        self.arrived.arrive(|| {
            let now = mean();
            let numbers = [now.wins, now.lead, now.squares, now.weight];
            for (number, x) in self.mean.iter().zip(numbers) {
                number.store(x);
            }
        });
    }

    /// The node's bucket for bias correction, if it has one.
    #[inline]
    pub fn bucket(&self) -> Option<usize> {
        (self.bucket.load(Relaxed) as usize).checked_sub(1)
    }

    /// Assign the node to a bucket.
    pub fn set_bucket(&self, bucket: usize) {
        self.bucket.store(bucket as u32 + 1, Relaxed);
    }

    /// Contribution to the bucket: weighted errors of win probability and lead, and their weight.
    pub fn bias_sums(&self) -> [f32; 3] {
        [0, 1, 2].map(|i| self.bias_sums[i].load())
    }

    /// Replace the contribution and return the difference, new minus old.
    pub fn replace_bias_sums(&self, sums: [f32; 3]) -> [f32; 3] {
        [0, 1, 2].map(|i| sums[i] - self.bias_sums[i].swap(sums[i]))
    }

    fn numbers(&self) -> impl Iterator<Item = &Number> {
        self.mean.iter().chain(&self.own).chain(&self.bias_sums)
    }
}

impl Statistics for Results {
    type Prior = Probability;

    fn clear(&self) {
        self.arrived.0.store(0, Relaxed);
        self.bucket.store(0, Relaxed);
        self.numbers().for_each(|n| n.store(0.0));
    }

    fn detach_children(&self) {
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
