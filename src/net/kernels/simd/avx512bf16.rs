//! AVX-512 BF16: products of bfloat16 numbers, two at a time.

use super::{Arithmetic, Avx512, Simd, avx512::Avx512Vector};
use std::arch::x86_64::*;

/// Proves that the processor has AVX-512 F and AVX-512 BF16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bf16(Avx512);

impl Bf16 {
    /// Name in Ponnuki.
    pub const NAME: &'static str = "AVX-512-BF16";

    /// Return the token if the processor has the instructions and is from AMD. AMD processors
    /// compute twice as many of these products as in single precision, Intel's only as many
    /// (measured: 2.0 times on a Zen 5, no gain on a Sapphire Rapids; Zen 4 was not tested).
    pub fn detect() -> Option<Bf16> {
        let vectors = Avx512::detect()?;
        let found = is_x86_feature_detected!("avx512bf16") && maker() == *b"AuthenticAMD";
        found.then_some(Bf16(vectors))
    }
}

/// Return the vendor of the processor, from CPUID.
#[allow(unused_unsafe, reason = "a safe function in newer versions of Rust")]
fn maker() -> [u8; 12] {
    // SAFETY: a processor with AVX-512 has CPUID.
    let found = unsafe { __cpuid(0) };
    let parts = [found.ebx, found.edx, found.ecx].map(u32::to_le_bytes);
    std::array::from_fn(|i| parts[i / 4][i % 4])
}

/// A register of sixteen pairs of bfloat16 numbers.
#[derive(Clone, Copy)]
pub struct PairRegister(__m512bh);

impl Arithmetic for Bf16 {
    type Simd = Avx512;
    type Element = u32;
    type ElementVector = [u32; 8];
    type Weights = [u32; 16];
    type Register = PairRegister;
    const INPUTS: usize = 2;

    #[inline(always)]
    fn vectors(self) -> Avx512 {
        self.0
    }

    super::vectorize_for!("avx512f,avx512bf16");

    #[inline(always)]
    fn element_vectors(numbers: &mut [u32]) -> &mut [[u32; 8]] {
        numbers.as_chunks_mut().0
    }

    #[inline(always)]
    fn weight_vectors(weights: &[u32]) -> &[[u32; 16]] {
        weights.as_chunks().0
    }

    #[inline(always)]
    fn write(self, numbers: Avx512Vector, _: Avx512Vector, to: &mut [u32; 8]) {
        // SAFETY: the intrinsic needs the instruction set, which the token `self` proves; a
        // register of sixteen two-byte numbers has the size of the array.
        *to = unsafe { std::mem::transmute::<__m256bh, [u32; 8]>(_mm512_cvtneps_pbh(numbers.0)) };
    }

    #[inline(always)]
    fn repeat(self, number: u32) -> PairRegister {
        // SAFETY: the intrinsic needs the instruction set, which the token `self` proves;
        // both register types hold any 64 bytes.
        PairRegister(unsafe {
            std::mem::transmute::<__m512i, __m512bh>(_mm512_set1_epi32(number.cast_signed()))
        })
    }

    #[inline(always)]
    fn load(self, weights: &[u32; 16]) -> PairRegister {
        // SAFETY: the intrinsic needs the instruction set, which the token `self` proves,
        // and reads as many bytes as the array has, at any alignment; both register types hold
        // any 64 bytes.
        PairRegister(unsafe {
            std::mem::transmute::<__m512i, __m512bh>(_mm512_loadu_si512(weights.as_ptr().cast()))
        })
    }

    #[inline(always)]
    fn add_products(self, sum: Avx512Vector, x: PairRegister, w: PairRegister) -> Avx512Vector {
        // SAFETY: the intrinsic needs only the instruction set, which the token `self` proves.
        Avx512Vector(unsafe { _mm512_dpbf16_ps(sum.0, x.0, w.0) })
    }
}
