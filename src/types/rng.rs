use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

/// The output of SplitMix64 (Steele, Lea and Flood 2014) for a state. Different states have
/// different outputs; the outputs of successive multiples of [`GOLDEN`] look random.
#[inline]
pub const fn splitmix(state: u64) -> u64 {
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The step between states of [`splitmix`]: 2⁶⁴ divided by the golden ratio, made odd.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The seeded generator behind every random choice of the engine.
///
/// Names Xoshiro256++ rather than the crate's default small generator, so that a seed
/// gives the same playouts on every platform and with every version of the crate.
#[derive(Clone, Debug)]
pub struct Generator(Xoshiro256PlusPlus);

impl Generator {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Generator {
        Generator(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// 64 uniform bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `n`, uniform up to a bias below n/2³²; 0 if `n` is 0.
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

    /// Approximately normal, with mean 0 and standard deviation 1: a sum of three uniform
    /// numbers, within ±3.
    pub fn bell(&mut self) -> f32 {
        2.0 * (self.unit() + self.unit() + self.unit() - 1.5)
    }

    /// Draw an item with probability proportional to its weight; `None` if no weight is above 0.
    pub fn draw<T>(&mut self, items: impl Iterator<Item = (T, f32)> + Clone) -> Option<T> {
        let weighted = items.filter(|(_, weight)| *weight > 0.0);
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
