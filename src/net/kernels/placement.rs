//! How and where the outputs of a layer are written.

/// How to write sums to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// Replace the contents.
    Set,
    /// Add to the contents.
    Add,
}

/// The places of a board's points in a buffer of points. A point's channels are a whole row of the
/// buffer, and a place is the index of that row.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// Place of each point, by rows of the board.
    pub(super) at: Vec<u32>,
    /// One more than the largest place.
    pub(super) end: usize,
}

impl Placement {
    /// Place the points without gaps.
    pub fn dense(points: usize) -> Placement {
        Placement {
            at: (0..points as u32).collect(),
            end: points,
        }
    }

    /// Place the points of a board of `size` (columns, rows) in rows of `pitch` points, with
    /// a border.
    pub fn padded(size: (usize, usize), pitch: usize, border: usize) -> Placement {
        let at = |i: usize| (i / size.0 + border) * pitch + i % size.0 + border;
        let at: Vec<u32> = (0..size.0 * size.1).map(|i| at(i) as u32).collect();
        let end = at.last().map_or(0, |&last| last as usize + 1);
        Placement { at, end }
    }

    /// Return the place of a point of the board.
    ///
    /// # Panics
    /// If the board has no such point.
    pub fn of(&self, point: usize) -> usize {
        self.at[point] as usize
    }
}
