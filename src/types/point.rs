use std::fmt;

/// Distance in cells from a point to the point above it, on every board.
///
/// One column of border serves as the right edge of one row and the left edge of
/// the next, so 25 columns need a stride of 26. The stride is the same for all
/// board sizes, so points are too, and neighbour offsets are constants.
pub const STRIDE: u16 = 26;

/// Upper bound on cell numbers: a power of two above the 703 cells of a 25x25
/// board with its border, so that a mask replaces the bounds check.
const CELLS: usize = 1024;

/// Elements before cell 0 and after the last cell of an array, so that the
/// neighbours of every cell are within the array.
const MARGIN: usize = STRIDE as usize + 1;

/// Length of an array indexed by [`Point::index`].
///
/// Because of the margin on either side, the compiler can prove that points and their
/// neighbours are in bounds, and omits the checks.
pub const POINTS: usize = CELLS + 2 * MARGIN;

/// A point of the board, or a cell of the border around it.
///
/// `x` counts columns from the left and `y` rows from the bottom, both from 0, like
/// the coordinates A1, B1, … of the Go Text Protocol. A `Point` does not know the
/// board size; see [`crate::types::BoardSize::contains`].
///
/// ```
/// use ponnuki::types::{BoardSize, Point};
///
/// let p = Point::new(8, 0);
/// assert_eq!(p.to_string(), "J1"); // there is no column I
/// assert_eq!((p.x(), p.y()), (8, 0));
/// assert!(BoardSize::square(9).contains(p));
/// assert!(!BoardSize::square(7).contains(p));
/// // An array indexed by point holds any cell on or around any board.
/// let mut visits = [0; ponnuki::types::POINTS];
/// visits[p.index()] += 1;
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Point(u16);

impl Point {
    /// Cell 0, which is border on every board. Stands for "no point".
    pub const NONE: Point = Point(0);

    /// The array index of cell 0; the other cells follow in order.
    pub const FIRST_INDEX: usize = MARGIN;

    /// The point in column `x`, row `y`.
    ///
    /// # Panics
    /// If `x` or `y` is 25 or more, in debug builds.
    #[inline]
    pub const fn new(x: u8, y: u8) -> Point {
        debug_assert!(x < 25 && y < 25);
        Point((y as u16 + 1) * STRIDE + x as u16 + 1)
    }

    /// The cell with this raw number, which must be below 1024.
    #[inline]
    pub const fn from_raw(raw: u16) -> Point {
        debug_assert!((raw as usize) < CELLS);
        Point(raw)
    }

    /// The raw cell number.
    #[inline]
    pub const fn raw(self) -> u16 {
        self.0
    }

    /// Index into arrays of [`POINTS`] elements, never out of bounds.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 as usize & (CELLS - 1)) + MARGIN
    }

    /// Indices of the [neighbours](Point::neighbours), never out of bounds.
    #[inline]
    pub const fn neighbour_indices(self) -> [usize; 4] {
        let i = self.index();
        [i - STRIDE as usize, i - 1, i + 1, i + STRIDE as usize]
    }

    /// Indices of the cells [around](Point::around), never out of bounds.
    #[inline]
    pub const fn around_indices(self) -> [usize; 8] {
        let (i, up) = (self.index(), STRIDE as usize);
        [
            i - up,
            i - 1,
            i + 1,
            i + up,
            i - up - 1,
            i - up + 1,
            i + up - 1,
            i + up + 1,
        ]
    }

    /// Column from the left, from 0.
    #[inline]
    pub const fn x(self) -> u8 {
        ((self.0 - 1) % STRIDE) as u8
    }

    /// Row from the bottom, from 0.
    #[inline]
    pub const fn y(self) -> u8 {
        ((self.0 - 1) / STRIDE - 1) as u8
    }

    /// Distance in king's moves.
    pub fn king_distance(self, other: Point) -> u8 {
        let (dx, dy) = (self.x().abs_diff(other.x()), self.y().abs_diff(other.y()));
        dx.max(dy)
    }

    /// The four orthogonally adjacent cells: below, left, right, above.
    #[inline]
    pub const fn neighbours(self) -> [Point; 4] {
        [
            self.offset(-(STRIDE as i16)),
            self.offset(-1),
            self.offset(1),
            self.offset(STRIDE as i16),
        ]
    }

    /// The four diagonally adjacent cells: below left, below right, above left, above right.
    #[inline]
    pub const fn diagonals(self) -> [Point; 4] {
        [
            self.offset(-(STRIDE as i16) - 1),
            self.offset(-(STRIDE as i16) + 1),
            self.offset(STRIDE as i16 - 1),
            self.offset(STRIDE as i16 + 1),
        ]
    }

    /// The eight surrounding cells, [neighbours](Point::neighbours) first, then
    /// [diagonals](Point::diagonals).
    #[inline]
    pub const fn around(self) -> [Point; 8] {
        let (n, d) = (self.neighbours(), self.diagonals());
        [n[0], n[1], n[2], n[3], d[0], d[1], d[2], d[3]]
    }

    /// Letter of the column, skipping I.
    pub fn column(self) -> char {
        let letter = b"ABCDEFGHJKLMNOPQRSTUVWXYZ".get(self.x() as usize);
        letter.copied().unwrap_or(b'?') as char
    }

    /// The cell `delta` cells later in the array, wrapping at its ends.
    #[inline]
    pub const fn offset(self, delta: i16) -> Point {
        Point(self.0.wrapping_add_signed(delta) & (CELLS as u16 - 1))
    }
}

/// Board coordinates: column letter, then row number.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Point::NONE {
            return f.pad("none");
        }
        f.pad(&format!("{}{}", self.column(), self.y() as u16 + 1))
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_round_trip() {
        for y in 0..25 {
            for x in 0..25 {
                let p = Point::new(x, y);
                assert_eq!((p.x(), p.y()), (x, y));
                assert!(p.index() < POINTS);
            }
        }
        assert_eq!(Point::new(8, 0).to_string(), "J1");
        assert_eq!(Point::new(24, 24).to_string(), "Z25");
    }
}
