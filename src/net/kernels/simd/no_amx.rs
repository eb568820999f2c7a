//! AMX on platforms without it: an uninhabited token.

use super::{Portable, TileProduct};

/// Would prove that the processor has AMX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amx {}

impl Amx {
    /// Name used by the vendor.
    pub const NAME: &'static str = "AMX";

    /// Return `None`.
    pub fn detect() -> Option<Amx> {
        None
    }

    /// The token for vectors.
    pub fn vectors(self) -> Portable {
        match self {}
    }

    /// Compute a tile product.
    pub(in super::super) fn multiply(self, _: TileProduct<'_>) {
        match self {}
    }
}
