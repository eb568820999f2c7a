//! The eight symmetries of the board.

use super::forward::Features;

/// A symmetry: bit 0 exchanges top and bottom, bit 1 left and right, bit 2 columns
/// and rows, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetry(u8);

impl Symmetry {
    /// How many a board of so many columns and rows has: all eight if it is square,
    /// otherwise the first four.
    pub fn count(size: (usize, usize)) -> u8 {
        if size.0 == size.1 { 8 } else { 4 }
    }

    /// Everything stays where it is.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// The symmetry of a number, or one of those that an oblong board has.
    pub fn new(number: u8, size: (usize, usize)) -> Symmetry {
        Symmetry(number % Symmetry::count(size))
    }

    /// Its number, from 0 to 7.
    pub fn number(self) -> u8 {
        self.0
    }

    /// Where the point at a place goes, counted in rows from the first.
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

    /// Move the planes, with a buffer to do it in.
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
