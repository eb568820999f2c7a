//! Pseudo-liberties packed into one word.

use crate::types::Point;

/// The pseudo-liberties of a chain: count (12 bits), sum of the points' numbers
/// (20 bits) and sum of their squares (32 bits).
///
/// No field overflows: each pseudo-liberty is another edge of the grid, which has at most
/// 1,200, and points are numbered below 703.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Liberties(u64);

impl Liberties {
    #[inline]
    pub(super) const fn of(p: Point) -> Liberties {
        let n = p.raw() as u64;
        Liberties((1 << 52) | (n << 32) | (n * n))
    }

    /// Return these liberties if the condition holds, otherwise none, without a branch.
    #[inline]
    pub(super) const fn if_true(self, condition: bool) -> Liberties {
        Liberties(self.0 & (condition as u64).wrapping_neg())
    }

    #[inline]
    pub(super) const fn count(self) -> u64 {
        self.0 >> 52
    }

    #[inline]
    pub(super) fn add(&mut self, other: Liberties) {
        self.0 = self.0.wrapping_add(other.0);
    }

    #[inline]
    pub(super) fn remove(&mut self, other: Liberties) {
        self.0 = self.0.wrapping_sub(other.0);
    }

    /// Is `p` the only liberty? It must be one of them.
    #[inline]
    pub(super) const fn only(self, p: Point) -> bool {
        self.0 == Liberties::of(p).0.wrapping_mul(self.count())
    }

    /// Are there no liberties, or all at the same point? Unlike
    /// [`Liberties::single`] this works for sums over several chains.
    #[inline]
    pub(super) const fn at_most_one(self) -> bool {
        let sum = self.0 >> 32 & 0xf_ffff;
        self.count() * (self.0 & 0xffff_ffff) == sum * sum
    }

    /// The only liberty of a chain; `None` if it is not in atari.
    #[inline]
    pub(super) const fn single(self) -> Option<Point> {
        let count = self.count();
        if count == 0 || count > 4 {
            return None;
        }
        let sum = self.0 >> 32 & 0xf_ffff;
        let squares = self.0 & 0xffff_ffff;
        if count * squares == sum * sum {
            Some(Point::from_raw((sum / count) as u16))
        } else {
            None
        }
    }
}
