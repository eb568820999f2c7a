//! AMX where there is none: a token that does not exist.

use super::Portable;
use crate::net::kernels::tiles::Product;

/// Would prove that the processor has AMX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amx {}

impl Amx {
    /// What the makers call it.
    pub const NAME: &'static str = "AMX";

    /// Nothing.
    pub fn detect() -> Option<Amx> {
        None
    }

    /// The proof of its vectors.
    pub fn vectors(self) -> Portable {
        match self {}
    }

    /// Take a product.
    pub(in super::super) fn multiply(self, _: Product<'_>) {
        match self {}
    }
}
