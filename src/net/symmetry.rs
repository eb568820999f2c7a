//! The eight symmetries of the board.

use super::planes::Features;

/// A symmetry: bit 0 swaps top and bottom, then bit 1 left and right, then bit 2 columns
/// and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetry(u8);

impl Symmetry {
    /// Count the symmetries of a board of `size` (columns, rows): eight if it is square,
    /// otherwise four.
    pub fn count(size: (usize, usize)) -> u8 {
        if size.0 == size.1 { 8 } else { 4 }
    }

    /// The identity.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// Create a symmetry by number, modulo those that the board has.
    pub fn new(number: u8, size: (usize, usize)) -> Symmetry {
        Symmetry(number % Symmetry::count(size))
    }

    /// Return the number, from 0 to 7.
    pub fn number(self) -> u8 {
        self.0
    }

    /// Map a point's index, counted by rows.
    #[inline]
    pub fn of(self, place: usize, size: (usize, usize)) -> usize {
        let (mut x, mut y) = (place % size.0, place / size.0);
        if self.0 & 1 != 0 {
            y = size.1 - 1 - y;
        }
        if self.0 & 2 != 0 {
            x = size.0 - 1 - x;
        }
        if self.0 & 4 != 0 {
            (x, y) = (y, x);
        }
        y * size.0 + x
    }

    /// Transform the planes, using a scratch buffer.
    pub fn apply(self, features: &mut Features, buffer: &mut Vec<u32>) {
        if self == Symmetry::IDENTITY {
            return;
        }
        buffer.clear();
        buffer.resize(features.planes.len(), 0);
        for (place, &bits) in features.planes.iter().enumerate() {
            buffer[self.of(place, features.size)] = bits;
        }
        std::mem::swap(&mut features.planes, buffer);
    }
}
