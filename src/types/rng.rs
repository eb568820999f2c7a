use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

/// SplitMix64 (Steele, Lea and Flood 2014): the number of a state. States that differ have
/// numbers that differ; those of successive multiples of [`GOLDEN`] look random.
#[inline]
pub const fn splitmix(state: u64) -> u64 {
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// 2⁶⁴ divided by the golden ratio, odd: the step between states of [`splitmix`].
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The seeded generator behind every random choice of the engine.
///
/// Xoshiro256++ by name, not the crate's default for small generators, so that a seed
/// gives the same playouts on every platform and after every update of the crate.
#[derive(Clone, Debug)]
pub struct Generator(Xoshiro256PlusPlus);

impl Generator {
    /// The generator of this seed.
    pub fn new(seed: u64) -> Generator {
        Generator(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// 64 uniform bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `n`, uniform but for a bias below n/2³²; 0 if `n` is 0.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        (((self.0.next_u64() >> 32) * n as u64) >> 32) as u32
    }

    /// True with probability `numerator`/256.
    #[inline]
    pub fn chance(&mut self, numerator: u32) -> bool {
        ((self.0.next_u64() >> 56) as u32) < numerator
    }

    /// Uniform in [0, 1).
    #[inline]
    pub fn unit(&mut self) -> f32 {
        (self.0.next_u64() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Normal, near enough, with mean 0 and standard deviation 1: the sum of three even
    /// draws, never beyond ±3.
    pub fn bell(&mut self) -> f32 {
        2.0 * (self.unit() + self.unit() + self.unit() - 1.5)
    }

    /// One of these, drawn by their weights; `None` if none has a weight above 0.
    pub fn draw<T>(&mut self, of: impl Iterator<Item = (T, f32)> + Clone) -> Option<T> {
        let weighted = of.filter(|(_, weight)| *weight > 0.0);
        let sum: f32 = weighted.clone().map(|(_, weight)| weight).sum();
        let mut left = self.unit() * sum;
        let mut last = None;
        for (item, weight) in weighted {
            left -= weight;
            last = Some(item);
            if left < 0.0 {
                break;
            }
        }
        last
    }
}
