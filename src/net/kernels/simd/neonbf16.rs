//! NEON BF16: products of bfloat16 numbers, of two rows and two columns at a time. Stable Rust has
//! no intrinsics for them.

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
    ///
    /// BFMMLA computes four times as many products as FMLA. In LLVM's model of Neoverse V1
    /// (Graviton 3), every vector unit executes one of either per cycle. For Apple's processors no
    /// such figure was found. No time was measured: the gain is known only in instructions per
    /// evaluation (docs/notes/measurements.md).
    pub fn detect() -> Option<Bf16> {
        let vectors = Neon::detect()?;
        let found = std::arch::is_aarch64_feature_detected!("bf16");
        found.then_some(Bf16(vectors))
    }
}

/// Two registers of four pairs of bfloat16 numbers. Each holds two pairs of weights of two columns;
/// or both hold the same two pairs of inputs of two rows.
#[derive(Clone, Copy)]
pub struct PairRegister([uint32x4_t; 2]);

/// Add the products of two pairs in each of two rows and two columns to four sums.
#[target_feature(enable = "neon,bf16")]
#[inline]
fn square(sums: float32x4_t, x: uint32x4_t, w: uint32x4_t) -> float32x4_t {
    let mut sums = sums;
    // SAFETY: the instruction changes only the register of `sums`.
    unsafe {
        asm!(
            "bfmmla {sums:v}.4s, {x:v}.8h, {w:v}.8h",
            sums = inout(vreg) sums, x = in(vreg) x, w = in(vreg) w,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    sums
}

/// Round eight numbers to the nearest bfloat16, ties to even.
#[target_feature(enable = "neon,bf16")]
#[inline]
fn round([low, high]: [float32x4_t; 2]) -> uint32x4_t {
    let rounded;
    // SAFETY: the instructions change only the register of `rounded` and the status flags of
    // floating-point arithmetic.
    unsafe {
        asm!(
            "bfcvtn {rounded:v}.4h, {low:v}.4s",
            "bfcvtn2 {rounded:v}.8h, {high:v}.4s",
            rounded = out(vreg) rounded, low = in(vreg) low, high = in(vreg) high,
            options(pure, nomem, nostack)
        );
    }
    rounded
}

impl Arithmetic for Bf16 {
    type Simd = Neon;
    type Element = u32;
    type ElementVector = [u32; 4];
    type Weights = [u32; 8];
    type Register = PairRegister;
    const INPUTS: usize = 2;
    const ROWS: [usize; 4] = [0, 8, 6, 4];
    const BY_ROW_PAIR: bool = true;

    #[inline(always)]
    fn vectors(self) -> Neon {
        self.0
    }

    super::vectorize_for!("neon,bf16");

    #[inline(always)]
    fn element_vectors(numbers: &mut [u32]) -> &mut [[u32; 4]] {
        numbers.as_chunks_mut().0
    }

    #[inline(always)]
    fn weight_vectors(weights: &[u32]) -> &[[u32; 8]] {
        weights.as_chunks().0
    }

    #[inline(always)]
    fn elements_per_column(inputs: usize) -> usize {
        inputs.div_ceil(4) * 2
    }

    fn place(element: usize, column: usize, columns: usize) -> usize {
        (element / 2 * columns + column) * 2 + element % 2
    }

    #[inline(always)]
    fn write(self, numbers: NeonVector, _: NeonVector, to: &mut [u32; 4]) {
        // SAFETY: `round` and the intrinsic need the instruction set, which the token `self`
        // proves; the intrinsic writes as many numbers as the array has, at any alignment.
        unsafe { vst1q_u32(to.as_mut_ptr(), round(numbers.0)) }
    }

    #[inline(always)]
    fn repeat(self, number: u32) -> PairRegister {
        // SAFETY: the intrinsic needs only the instruction set, which the token `self` proves.
        PairRegister(unsafe { [vdupq_n_u32(number); 2] })
    }

    #[inline(always)]
    fn load_row_pair(self, [first, second]: [&[u32; 2]; 2]) -> PairRegister {
        // SAFETY: the intrinsics need the instruction set, which the token `self` proves, and
        // read as many numbers as the arrays have, at any alignment.
        PairRegister(unsafe {
            [vcombine_u32(vld1_u32(first.as_ptr()), vld1_u32(second.as_ptr())); 2]
        })
    }

    #[inline(always)]
    fn load(self, weights: &[u32; 8]) -> PairRegister {
        let from = weights.as_ptr();
        // SAFETY: the intrinsics need the instruction set, which the token `self` proves, and
        // read as many numbers as the array has, at any alignment.
        PairRegister(unsafe { [vld1q_u32(from), vld1q_u32(from.add(4))] })
    }

    #[inline(always)]
    fn add_products(self, sum: NeonVector, _: PairRegister, _: PairRegister) -> NeonVector {
        debug_assert!(false, "an even number of elements leaves no remainder");
        sum
    }

    #[inline(always)]
    fn add_products_by_row_pair(
        self,
        sums: NeonVector,
        x: PairRegister,
        w: PairRegister,
    ) -> NeonVector {
        let ([left, right], [x, _], [v, w]) = (sums.0, x.0, w.0);
        // SAFETY: `square` needs only the instruction set, which the token `self` proves.
        NeonVector(unsafe { [square(left, x, v), square(right, x, w)] })
    }

    #[inline(always)]
    fn separate_rows(self, [first, second]: [NeonVector; 2]) -> [NeonVector; 2] {
        let ([a, b], [c, d]) = (first.0, second.0);
        // SAFETY: the intrinsics need only the instruction set, which the token `self` proves;
        // both register types hold any 16 bytes.
        unsafe {
            let [a, b, c, d] = [
                vreinterpretq_f64_f32(a),
                vreinterpretq_f64_f32(b),
                vreinterpretq_f64_f32(c),
                vreinterpretq_f64_f32(d),
            ];
            let upper = [vtrn1q_f64(a, b), vtrn1q_f64(c, d)];
            let lower = [vtrn2q_f64(a, b), vtrn2q_f64(c, d)];
            [
                NeonVector([
                    vreinterpretq_f32_f64(upper[0]),
                    vreinterpretq_f32_f64(upper[1]),
                ]),
                NeonVector([
                    vreinterpretq_f32_f64(lower[0]),
                    vreinterpretq_f32_f64(lower[1]),
                ]),
            ]
        }
    }
}
