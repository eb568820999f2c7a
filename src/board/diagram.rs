//! Boards as text, without coordinates, as [`Board::from_diagram`] reads them. Diagrams with
//! coordinates and marks are those of `diagram` in [`crate::gtp`] and [`crate::page::Diagram`].

use super::{Board, SetUpError};
use crate::types::{BoardSize, Color, Point, PointState};

/// Rows from the top: `.` empty, `X` Black, `O` White. [`Board::from_diagram`] reads this
/// form.
impl std::fmt::Display for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let stone = |p| match self.at(p) {
            PointState::Black => 'X',
            PointState::White => 'O',
            _ => '.',
        };
        let mut rows = self.size.rows(stone);
        rows.try_for_each(|row| writeln!(f, "{row}"))
    }
}

impl std::fmt::Debug for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "Board {} ko {} hash {:016x}",
            self.size, self.ko, self.hash
        )?;
        std::fmt::Display::fmt(self, f)
    }
}

impl Board {
    /// Parse a diagram: one line per row from the top, `X` or `#` for Black, `O` for
    /// White, any other character for empty. Blanks and blank lines are skipped.
    ///
    /// # Errors
    /// If the rows differ in length, the width or height is not within 1…25, or a
    /// chain has no liberty.
    pub fn from_diagram(diagram: &str) -> Result<Board, SetUpError> {
        let rows: Vec<Vec<char>> = diagram
            .lines()
            .map(|l| l.chars().filter(|c| !c.is_whitespace()).collect::<Vec<_>>())
            .filter(|r| !r.is_empty())
            .collect();
        let width = rows.first().map_or(0, Vec::len);
        if rows.iter().any(|r| r.len() != width) {
            return Err(SetUpError::Ragged);
        }
        let size = BoardSize::new(width as u32, rows.len() as u32).map_err(SetUpError::Size)?;
        let mut b = Board::new(size);
        for (row, y) in rows.iter().zip((0..size.height()).rev()) {
            for (c, x) in row.iter().zip(0..) {
                let color = match c {
                    'X' | '#' => Color::Black,
                    'O' => Color::White,
                    _ => continue,
                };
                b.place(color, Point::new(x, y))?;
            }
        }
        match b.without_liberties() {
            Some(p) => Err(SetUpError::NoLiberty(p)),
            None => Ok(b),
        }
    }
}
