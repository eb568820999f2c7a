//! Products of bfloat16 numbers on platforms without them: an uninhabited token.

use super::{Arithmetic, Portable, Simd};
use std::convert::Infallible;

/// Would prove that the processor has these products. The field is private: if the compiler saw
/// that the type is uninhabited, it would warn about unreachable code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bf16(Infallible);

impl Bf16 {
    /// Name in Ponnuki.
    pub const NAME: &'static str = "BF16";

    /// Return `None`.
    pub fn detect() -> Option<Bf16> {
        None
    }
}

type Vector = <Portable as Simd>::Vector;

impl Arithmetic for Bf16 {
    type Simd = Portable;
    type Element = u32;
    type ElementVector = [u32; Portable::LANES / 2];
    type Weights = [u32; Portable::LANES];
    type Register = Bf16;
    const INPUTS: usize = 2;

    fn vectors(self) -> Portable {
        match self.0 {}
    }

    fn vectorize<R>(self, _: impl FnOnce() -> R) -> R {
        match self.0 {}
    }

    fn element_vectors(numbers: &mut [u32]) -> &mut [Self::ElementVector] {
        numbers.as_chunks_mut().0
    }

    fn weight_vectors(weights: &[u32]) -> &[Self::Weights] {
        weights.as_chunks().0
    }

    fn write(self, _: Vector, _: &mut Self::ElementVector) {
        match self.0 {}
    }

    fn repeat(self, _: u32) -> Bf16 {
        self
    }

    fn load(self, _: &Self::Weights) -> Bf16 {
        self
    }

    fn add_products(self, _: Vector, _: Bf16, _: Bf16) -> Vector {
        match self.0 {}
    }
}
