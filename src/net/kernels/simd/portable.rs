//! Portable vectors: arrays, which the compiler vectorizes as it can.

use super::{Simd, Vector};
use half::bf16;

/// Token for code that every processor runs; it proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portable;

/// A vector of eight numbers.
#[derive(Clone, Copy, Debug)]
pub struct PortableVector([f32; 8]);

/// Define lane-by-lane operations on two vectors.
macro_rules! lane_by_lane {
    ($($op:ident($a:ident, $b:ident) $value:expr;)+) => {
        $(
            #[inline(always)]
            fn $op(self, other: Self) -> Self {
                let mut out = self.0;
                for ($a, $b) in out.iter_mut().zip(other.0) {
                    *$a = $value;
                }
                PortableVector(out)
            }
        )+
    };
}

impl Simd for Portable {
    type Vector = PortableVector;
    type Lanes = [f32; 8];
    type WeightPairs = [i32; 8];
    const LANES: usize = 8;
    const ROWS: [usize; 4] = [0, 4, 2, 1];
    const NAME: &'static str = "portable";

    fn detect() -> Option<Self> {
        Some(Portable)
    }

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        kernel()
    }

    #[inline(always)]
    fn splat(self, x: f32) -> PortableVector {
        PortableVector([x; 8])
    }

    #[inline(always)]
    fn load(self, from: &[f32; 8]) -> PortableVector {
        PortableVector(*from)
    }

    #[inline(always)]
    fn widen(self, from: &[i32; 8]) -> [PortableVector; 2] {
        [from.map(|n| n as f32), from.map(|n| (n << 16) as f32)].map(PortableVector)
    }

    #[inline(always)]
    fn weight_pairs(numbers: &[i32]) -> &[[i32; 8]] {
        numbers.as_chunks().0
    }

    #[inline(always)]
    fn lanes(numbers: &[f32]) -> &[[f32; 8]] {
        numbers.as_chunks().0
    }

    #[inline(always)]
    fn lanes_mut(numbers: &mut [f32]) -> &mut [[f32; 8]] {
        numbers.as_chunks_mut().0
    }
}

impl Vector for PortableVector {
    type Lanes = [f32; 8];

    #[inline(always)]
    fn splat(self, x: f32) -> Self {
        PortableVector([x; 8])
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; 8]) {
        *to = self.0;
    }

    #[inline(always)]
    fn store_rounded(self, to: &mut [bf16]) {
        for i in 0..8 {
            let bits = self.0[i].to_bits();
            let rounded = bits.wrapping_add(0x7fff + (bits >> 16 & 1));
            to[i] = bf16::from_bits((rounded >> 16) as u16);
        }
    }

    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        // A fused operation would call the library on processors without an instruction
        // for it.
        self.mul(a).add(b)
    }

    #[inline(always)]
    fn round(self) -> Self {
        // Adding and subtracting 1.5 · 2²³ rounds off the fraction.
        const SHIFT: f32 = 12_582_912.0;
        PortableVector(self.0.map(|x| (x + SHIFT) - SHIFT))
    }

    lane_by_lane! {
        add(a, b) *a + b;
        sub(a, b) *a - b;
        mul(a, b) *a * b;
        div(a, b) *a / b;
        max(a, b) if *a > b { *a } else { b };
        min(a, b) if *a < b { *a } else { b };
        // The bits of 2ⁿ: its exponent, biased by 127.
        scale(a, n) *a * f32::from_bits(((n as i32 + 127) << 23) as u32);
    }
}
