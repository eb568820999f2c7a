//! Products of pairs of 16-bit numbers on platforms without them: an uninhabited token.

use super::{Arithmetic, InstructionSet, Portable, Simd};
use std::convert::Infallible;

/// Would prove that the processor has these products. The field is private: if the compiler saw
/// that the type is uninhabited, it would warn about unreachable code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing(Infallible);

impl Missing {
    /// Name in Ponnuki.
    pub const NAME: &'static str = "products of pairs";

    /// The name.
    pub fn name(self) -> &'static str {
        Missing::NAME
    }

    /// The instruction set for vectors.
    pub fn single(self) -> InstructionSet {
        InstructionSet::Portable(self.vectors())
    }

    /// Return `None`.
    pub fn detect() -> Option<Missing> {
        None
    }
}

/// Run the body with the token of integer products in a variable.
macro_rules! with_int16 {
    ($set:expr, $how:ident => $body:expr) => {{
        let $how = $set;
        $body
    }};
}
pub(in crate::net) use with_int16;

type Vector = <Portable as Simd>::Vector;

impl Arithmetic for Missing {
    type Simd = Portable;
    type Element = u32;
    type ElementVector = [u32; Portable::LANES / 2];
    type Weights = [u32; Portable::LANES];
    type Register = Missing;
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

    fn write(self, _: Vector, _: Vector, _: &mut Self::ElementVector) {
        match self.0 {}
    }

    fn repeat(self, _: u32) -> Missing {
        self
    }

    fn load(self, _: &Self::Weights) -> Missing {
        self
    }

    fn add_products(self, _: Vector, _: Missing, _: Missing) -> Vector {
        match self.0 {}
    }
}
