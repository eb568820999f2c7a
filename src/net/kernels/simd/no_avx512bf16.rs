//! AVX-512 BF16 on platforms without it: an uninhabited token.

use super::{Arithmetic, Portable, Simd};
use std::convert::Infallible;

/// Would prove that the processor has AVX-512 BF16. The field is private: if the compiler saw
/// that the type is uninhabited, it would warn about unreachable code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Avx512Bf16(Infallible);

impl Avx512Bf16 {
    /// Name in Ponnuki.
    pub const NAME: &'static str = "AVX-512-BF16";

    /// Return `None`.
    pub fn detect() -> Option<Avx512Bf16> {
        None
    }
}

type Vector = <Portable as Simd>::Vector;

impl Arithmetic for Avx512Bf16 {
    type Simd = Portable;
    type Number = u32;
    type Numbers = [u32; Portable::LANES / 2];
    type Weights = [u32; Portable::LANES];
    type Register = Avx512Bf16;
    const INPUTS: usize = 2;

    fn vectors(self) -> Portable {
        match self.0 {}
    }

    fn vectorize<R>(self, _: impl FnOnce() -> R) -> R {
        match self.0 {}
    }

    fn numbers(numbers: &mut [u32]) -> &mut [Self::Numbers] {
        numbers.as_chunks_mut().0
    }

    fn pack(weights: &[u32]) -> &[Self::Weights] {
        weights.as_chunks().0
    }

    fn write(self, _: Vector, _: &mut Self::Numbers) {
        match self.0 {}
    }

    fn repeat(self, _: u32) -> Avx512Bf16 {
        self
    }

    fn load(self, _: &Self::Weights) -> Avx512Bf16 {
        self
    }

    fn add_products(self, _: Vector, _: Avx512Bf16, _: Avx512Bf16) -> Vector {
        match self.0 {}
    }
}
