//! Products of 16-bit integers, two at a time, with 32-bit sums.
//!
//! A vector of sums holds integers in place of floats until [`Arithmetic::to_single`] converts them.

use super::{Arithmetic, InstructionSet, Simd, Vector};
use super::{avx2::Avx2, avx2::Avx2Vector, avx512::Avx512, avx512::Avx512Vector};
use std::arch::x86_64::*;

/// A token for products of 16-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Int16 {
    /// AVX2, by a multiplication and an addition.
    Avx2(Avx2Int16),
    /// AVX-VNNI.
    AvxVnni(AvxVnni),
    /// AVX-512 VNNI.
    Avx512Vnni(Avx512Vnni),
}

/// Run the body with the token in an [`Int16`] in a variable of the token's type; the body is
/// compiled for each type.
macro_rules! with_int16 {
    ($set:expr, $how:ident => $body:expr) => {
        match $set {
            $crate::net::kernels::Int16::Avx2($how) => $body,
            $crate::net::kernels::Int16::AvxVnni($how) => $body,
            $crate::net::kernels::Int16::Avx512Vnni($how) => $body,
        }
    };
}
pub(in crate::net) use with_int16;

impl Int16 {
    /// Name in Ponnuki.
    pub fn name(self) -> &'static str {
        match self {
            Int16::Avx2(_) => Avx2Int16::NAME,
            Int16::AvxVnni(_) => AvxVnni::NAME,
            Int16::Avx512Vnni(_) => Avx512Vnni::NAME,
        }
    }

    /// Return the instruction set for vectors.
    pub fn single(self) -> InstructionSet {
        match self {
            Int16::Avx2(how) => InstructionSet::Avx2(how.vectors()),
            Int16::AvxVnni(how) => InstructionSet::Avx2(how.vectors()),
            Int16::Avx512Vnni(how) => InstructionSet::Avx512(how.vectors()),
        }
    }
}

/// Define the token for products of integers beside vectors of another token.
macro_rules! define_int16 {
    (
        $(#[$doc:meta])*
        $Token:ident = $name:literal, enabled by $features:literal, found by $detect:expr;
        $Simd:ident, $Vector:ident of $lanes:literal; $Pairs:ident in $Register:ty;
        repeat $repeat:ident, load $load:ident;
        write($numbers:ident, $to:ident) $write:expr;
        add_products($sum:ident, $x:ident, $w:ident) $add_products:expr;
        to_single($sums:ident) $to_single:expr;
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $Token($Simd);

        #[doc = concat!("A register of ", $lanes, " pairs of integers.")]
        #[derive(Clone, Copy)]
        pub struct $Pairs($Register);

        impl $Token {
            /// Name in Ponnuki.
            pub const NAME: &'static str = $name;

            /// Return the token if the processor has the instructions.
            pub fn detect() -> Option<$Token> {
                let vectors = $Simd::detect()?;
                $detect.then_some($Token(vectors))
            }
        }

        impl Arithmetic for $Token {
            type Simd = $Simd;
            type Element = u32;
            type ElementVector = [u32; $lanes / 2];
            type Weights = [u32; $lanes];
            type Register = $Pairs;
            const INPUTS: usize = 2;
            const INTEGERS: bool = true;

            #[inline(always)]
            fn vectors(self) -> $Simd {
                self.0
            }

            $crate::net::kernels::simd::vectorize_for!($features);

            #[inline(always)]
            fn element_vectors(numbers: &mut [u32]) -> &mut [Self::ElementVector] {
                numbers.as_chunks_mut().0
            }

            #[inline(always)]
            fn weight_vectors(weights: &[u32]) -> &[Self::Weights] {
                weights.as_chunks().0
            }

            #[inline(always)]
            fn write(self, numbers: $Vector, factor: $Vector, to: &mut Self::ElementVector) {
                // Adding 1.5 · 2²³ rounds to an integer, and leaves that in the lower bits.
                let shift = self.0.splat(12_582_912.0);
                let ($numbers, $to) = (numbers.mul_add(factor, shift).0, to.as_mut_ptr());
                // SAFETY: the intrinsics need the instruction set, which the token `self` proves,
                // and write as many bytes as the array has, at any alignment.
                unsafe { $write }
            }

            #[inline(always)]
            fn repeat(self, pair: u32) -> $Pairs {
                // SAFETY: the intrinsic needs only the instruction set, which the token `self`
                // proves.
                $Pairs(unsafe { $repeat(pair.cast_signed()) })
            }

            #[inline(always)]
            fn load(self, weights: &Self::Weights) -> $Pairs {
                // SAFETY: the intrinsic needs the instruction set, which the token `self` proves,
                // and reads as many bytes as the array has, at any alignment.
                $Pairs(unsafe { $load(weights.as_ptr().cast()) })
            }

            #[inline(always)]
            fn add_products(self, sums: $Vector, x: $Pairs, w: $Pairs) -> $Vector {
                let ($sum, $x, $w) = (sums.0, x.0, w.0);
                // SAFETY: the intrinsics need only the instruction set, which the token `self`
                // proves.
                $Vector(unsafe { $add_products })
            }

            #[inline(always)]
            fn to_single(self, sums: $Vector) -> $Vector {
                let $sums = sums.0;
                // SAFETY: the intrinsics need only the instruction set, which the token `self`
                // proves.
                $Vector(unsafe { $to_single })
            }
        }
    };
}

/// Write the lower halves of eight numbers.
///
/// # Safety
/// The processor must have AVX2, and `to` must be valid for writing 16 bytes.
#[inline(always)]
unsafe fn write_eight(numbers: __m256, to: *mut u32) {
    // SAFETY: the caller guarantees both; the intrinsics need no alignment.
    unsafe {
        // The lower two bytes of each four, in each half, then the two halves.
        let bytes = _mm256_setr_epi8(
            0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1, //
            0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1,
        );
        let halves = _mm256_shuffle_epi8(_mm256_castps_si256(numbers), bytes);
        let all = _mm256_permute4x64_epi64::<0b1000>(halves);
        _mm_storeu_si128(to.cast(), _mm256_castsi256_si128(all));
    }
}

define_int16! {
    /// Proves that the processor has AVX2 and FMA.
    Avx2Int16 = "AVX2-INT16", enabled by "avx2,fma", found by true;
    Avx2, Avx2Vector of 8; Avx2Pairs in __m256i;
    repeat _mm256_set1_epi32, load _mm256_loadu_si256;
    write(numbers, to) write_eight(numbers, to);
    add_products(sums, x, w) {
        let sums = _mm256_castps_si256(sums);
        _mm256_castsi256_ps(_mm256_add_epi32(sums, _mm256_madd_epi16(x, w)))
    };
    to_single(sums) _mm256_cvtepi32_ps(_mm256_castps_si256(sums));
}

define_int16! {
    /// Proves that the processor has AVX2, FMA and AVX-VNNI.
    AvxVnni = "AVX-VNNI", enabled by "avx2,fma,avxvnni",
        found by is_x86_feature_detected!("avxvnni");
    Avx2, Avx2Vector of 8; AvxVnniPairs in __m256i;
    repeat _mm256_set1_epi32, load _mm256_loadu_si256;
    write(numbers, to) write_eight(numbers, to);
    add_products(sums, x, w) {
        _mm256_castsi256_ps(_mm256_dpwssd_avx_epi32(_mm256_castps_si256(sums), x, w))
    };
    to_single(sums) _mm256_cvtepi32_ps(_mm256_castps_si256(sums));
}

define_int16! {
    /// Proves that the processor has AVX-512 F and AVX-512 VNNI.
    Avx512Vnni = "AVX-512-VNNI", enabled by "avx512f,avx512vnni",
        found by is_x86_feature_detected!("avx512vnni");
    Avx512, Avx512Vector of 16; Avx512VnniPairs in __m512i;
    repeat _mm512_set1_epi32, load _mm512_loadu_si512;
    write(numbers, to) {
        let lower = _mm512_cvtepi32_epi16(_mm512_castps_si512(numbers));
        _mm256_storeu_si256(to.cast(), lower)
    };
    add_products(sums, x, w) {
        _mm512_castsi512_ps(_mm512_dpwssd_epi32(_mm512_castps_si512(sums), x, w))
    };
    to_single(sums) _mm512_cvtepi32_ps(_mm512_castps_si512(sums));
}
