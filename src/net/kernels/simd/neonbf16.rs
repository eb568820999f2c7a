//! NEON BF16: products of bfloat16 numbers, two at a time. Stable Rust has no intrinsics for them.

use super::{Arithmetic, Neon, Simd, neon::NeonVector};
use std::arch::aarch64::*;
use std::arch::asm;

/// Proves that the processor has NEON and its instructions for bfloat16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bf16(Neon);

impl Bf16 {
    /// Name in Ponnuki.
    pub const NAME: &'static str = "NEON-BF16";

    /// Return the token if the processor has the instructions.
    pub fn detect() -> Option<Bf16> {
        let vectors = Neon::detect()?;
        let found = std::arch::is_aarch64_feature_detected!("bf16");
        found.then_some(Bf16(vectors))
    }
}

/// A register of eight pairs. Elements of a row need only the first half.
#[derive(Clone, Copy)]
pub struct Pairs([uint32x4_t; 2]);

/// Add the products of four pairs to four sums.
#[target_feature(enable = "neon,bf16")]
#[inline]
fn dot(sum: float32x4_t, x: uint32x4_t, w: uint32x4_t) -> float32x4_t {
    let mut sum = sum;
    // SAFETY: the instruction changes only the register of `sum`.
    unsafe {
        asm!(
            "bfdot {sum:v}.4s, {w:v}.8h, {x:v}.8h",
            sum = inout(vreg) sum, w = in(vreg) w, x = in(vreg) x,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sum
}

/// Add the products of pair `N` of `x` and four pairs to four sums.
#[target_feature(enable = "neon,bf16")]
#[inline]
fn dot_lane<const N: i32>(sum: float32x4_t, x: uint32x4_t, w: uint32x4_t) -> float32x4_t {
    let mut sum = sum;
    // SAFETY: the instruction changes only the register of `sum`.
    unsafe {
        asm!(
            "bfdot {sum:v}.4s, {w:v}.8h, {x:v}.2h[{lane}]",
            sum = inout(vreg) sum, w = in(vreg) w, x = in(vreg) x, lane = const N,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sum
}

/// Round eight numbers to the nearest bfloat16, ties to even.
#[target_feature(enable = "neon,bf16")]
#[inline]
fn round([low, high]: [float32x4_t; 2]) -> uint32x4_t {
    let rounded;
    // SAFETY: the instructions change only the register of `rounded`.
    unsafe {
        asm!(
            "bfcvtn {rounded:v}.4h, {low:v}.4s",
            "bfcvtn2 {rounded:v}.8h, {high:v}.4s",
            rounded = out(vreg) rounded, low = in(vreg) low, high = in(vreg) high,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    rounded
}

impl Arithmetic for Bf16 {
    type Simd = Neon;
    type Number = u32;
    type Numbers = [u32; 4];
    type Weights = [u32; 8];
    type Register = Pairs;
    const INPUTS: usize = 2;
    const BY_LANE: bool = true;

    #[inline(always)]
    fn vectors(self) -> Neon {
        self.0
    }

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "neon,bf16")]
        fn compiled<R>(kernel: impl FnOnce() -> R) -> R {
            kernel()
        }
        // SAFETY: `compiled` needs only the instruction set; the token `self` proves it, since
        // only `detect` creates tokens.
        unsafe { compiled(kernel) }
    }

    #[inline(always)]
    fn numbers(numbers: &mut [u32]) -> &mut [[u32; 4]] {
        numbers.as_chunks_mut().0
    }

    #[inline(always)]
    fn pack(weights: &[u32]) -> &[[u32; 8]] {
        weights.as_chunks().0
    }

    #[inline(always)]
    fn write(self, numbers: NeonVector, to: &mut [u32; 4]) {
        // SAFETY: `round` and the intrinsic need the instruction set, which the token `self`
        // proves; the intrinsic writes as many numbers as the array has, at any alignment.
        unsafe { vst1q_u32(to.as_mut_ptr(), round(numbers.0)) }
    }

    #[inline(always)]
    fn repeat(self, number: u32) -> Pairs {
        // SAFETY: the intrinsic needs only the instruction set, which the token `self` proves.
        Pairs(unsafe { [vdupq_n_u32(number); 2] })
    }

    #[inline(always)]
    fn load_four(self, numbers: &[u32; 4]) -> Pairs {
        // SAFETY: the intrinsic needs the instruction set, which the token `self` proves, and
        // reads as many numbers as the array has, at any alignment.
        Pairs(unsafe { [vld1q_u32(numbers.as_ptr()); 2] })
    }

    #[inline(always)]
    fn load(self, weights: &[u32; 8]) -> Pairs {
        let from = weights.as_ptr();
        // SAFETY: the intrinsics need the instruction set, which the token `self` proves, and
        // read as many numbers as the array has, at any alignment.
        Pairs(unsafe { [vld1q_u32(from), vld1q_u32(from.add(4))] })
    }

    #[inline(always)]
    fn add_products(self, sum: NeonVector, x: Pairs, w: Pairs) -> NeonVector {
        let ([x, y], [v, w], [sum, other]) = (x.0, w.0, sum.0);
        // SAFETY: `dot` needs only the instruction set, which the token `self` proves.
        NeonVector(unsafe { [dot(sum, x, v), dot(other, y, w)] })
    }

    #[inline(always)]
    fn add_products_by_lane<const N: i32>(self, sum: NeonVector, x: Pairs, w: Pairs) -> NeonVector {
        let ([x, _], [v, w], [sum, other]) = (x.0, w.0, sum.0);
        // SAFETY: `dot_lane` needs only the instruction set, which the token `self` proves.
        NeonVector(unsafe { [dot_lane::<N>(sum, x, v), dot_lane::<N>(other, x, w)] })
    }
}
