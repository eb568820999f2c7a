use super::Point;
use std::fmt;
use thiserror::Error;

/// Columns and rows of a board, each from 1 to 25.
///
/// Boards of a single row or column occur in game records and in tests that count all games.
/// Commands, options and queries, which start games, take sides from 2.
///
/// ```
/// use ponnuki::types::BoardSize;
///
/// let size = BoardSize::new(13, 9)?;
/// assert_eq!((size.width(), size.height(), size.area()), (13, 9, 117));
/// assert_eq!(size.to_string(), "13x9");
/// assert!(BoardSize::new(26, 26).is_err());
/// # Ok::<(), ponnuki::types::InvalidSize>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BoardSize {
    width: u8,
    height: u8,
}

/// Error: a width or height outside 1…25.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("board size {width}x{height} is not within 1…25")]
pub struct InvalidSize {
    /// Columns asked for.
    pub width: u32,
    /// Rows asked for.
    pub height: u32,
}

impl BoardSize {
    /// Largest number of columns or rows.
    pub const MAX: u8 = 25;

    /// A board of `width` columns and `height` rows.
    ///
    /// # Errors
    /// [`InvalidSize`] unless both are from 1 to 25.
    pub fn new(width: u32, height: u32) -> Result<BoardSize, InvalidSize> {
        let ok = |n: u32| (1..=Self::MAX as u32).contains(&n);
        if ok(width) && ok(height) {
            Ok(BoardSize {
                width: width as u8,
                height: height as u8,
            })
        } else {
            Err(InvalidSize { width, height })
        }
    }

    /// A square board.
    ///
    /// # Panics
    /// If `n` is not from 1 to 25. Use it for constants, and [`BoardSize::new`] for input.
    pub const fn square(n: u8) -> BoardSize {
        assert!(n >= 1 && n <= Self::MAX, "board size within 1…25");
        BoardSize {
            width: n,
            height: n,
        }
    }

    /// Number of columns.
    #[inline]
    pub const fn width(self) -> u8 {
        self.width
    }

    /// Number of rows.
    #[inline]
    pub const fn height(self) -> u8 {
        self.height
    }

    /// Columns and rows, as numbers to compute indices with.
    #[inline]
    pub const fn dims(self) -> (usize, usize) {
        (self.width as usize, self.height as usize)
    }

    /// Number of points.
    #[inline]
    pub const fn area(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Lines between a point and the nearest edge: 0 on the first line.
    #[inline]
    pub fn lines_to_edge(self, p: Point) -> u8 {
        let across = p.x().min(self.width - 1 - p.x());
        across.min(p.y()).min(self.height - 1 - p.y())
    }

    /// Is the cell a point of a board of this size?
    #[inline]
    pub const fn contains(self, p: Point) -> bool {
        let raw = p.raw();
        raw > super::STRIDE && p.x() < self.width && p.y() < self.height
    }

    /// All points, row by row from A1.
    pub fn points(self) -> impl Iterator<Item = Point> + Clone {
        (0..self.height).flat_map(move |y| (0..self.width).map(move |x| Point::new(x, y)))
    }

    /// All points, row by row from the top, as in diagrams and most protocols.
    pub fn from_the_top(self) -> impl Iterator<Item = Point> + Clone {
        let rows = (0..self.height).rev();
        rows.flat_map(move |y| (0..self.width).map(move |x| Point::new(x, y)))
    }

    /// Letters of the columns.
    pub fn columns(self) -> impl Iterator<Item = char> {
        (0..self.width).map(|x| Point::new(x, 0).column())
    }

    /// Draw a board as lines of text, one per row from the top. Each has one cell per point,
    /// separated by blanks.
    pub fn rows<T: fmt::Display>(self, cell: impl Fn(Point) -> T) -> impl Iterator<Item = String> {
        (0..self.height).rev().map(move |y| {
            let cells = (0..self.width).map(|x| cell(Point::new(x, y)).to_string());
            cells.collect::<Vec<_>>().join(" ")
        })
    }

    /// Number of array cells, counted from cell 0, that hold the board and its border.
    #[inline]
    pub const fn cells(self) -> usize {
        (self.height as usize + 2) * super::STRIDE as usize + 1
    }
}

/// `19x19`.
impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}
