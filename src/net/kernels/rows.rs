//! How and where outputs are written.

/// How to write sums to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// Replace the contents.
    Set,
    /// Add to the contents.
    Add,
}

/// Positions of a board's points in a buffer, counted in points.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Position of each point, by rows of the board.
    pub(super) at: Vec<u32>,
    /// One more than the largest position.
    pub(super) end: usize,
}

impl Rows {
    /// Place the points without gaps.
    pub fn dense(points: usize) -> Rows {
        Rows {
            at: (0..points as u32).collect(),
            end: points,
        }
    }

    /// Place the points of a board of `size` (columns, rows) in rows of `pitch` points, with
    /// a border.
    pub fn padded(size: (usize, usize), pitch: usize, border: usize) -> Rows {
        let at = |i: usize| (i / size.0 + border) * pitch + i % size.0 + border;
        let at: Vec<u32> = (0..size.0 * size.1).map(|i| at(i) as u32).collect();
        let end = at.last().map_or(0, |&last| last as usize + 1);
        Rows { at, end }
    }

    /// Return the position of a board point.
    ///
    /// # Panics
    /// If the board has no such point.
    pub fn of(&self, point: usize) -> usize {
        self.at[point] as usize
    }
}
