//! The 3x3 patterns of MoGo (Gelly, Wang, Munos and Teytaud, "Modification of UCT with Patterns in
//! Monte-Carlo Go", INRIA report 6062, 2006): shapes near the last move that suggest a play on
//! their empty middle point.

use crate::board::Neighbourhood;

/// The set of neighbourhoods that match a pattern, as 65,536 bits.
///
/// It holds each shape in both colours, so it does not depend on the player to move.
///
/// ```
/// use ponnuki::board::Board;
/// use ponnuki::tactics::Patterns;
/// use ponnuki::types::Point;
///
/// let patterns = Patterns::new();
/// // A hane at the head of two stones, and a point without stones around it.
/// let board = Board::from_diagram(
///     ". . . . . . .
///      . O X . . . .
///      . O X . . . .
///      . . . . . . .",
/// )?;
/// assert!(patterns.contains(board.around(Point::new(2, 0))));
/// assert!(!patterns.contains(board.around(Point::new(5, 2))));
/// # Ok::<(), ponnuki::board::SetUpError>(())
/// ```
pub struct Patterns(Box<[u64]>);

/// Each entry is a 3x3 square, rows from the top, with the point to play in the
/// middle. `X` and `O` are stones of different colours; `x` is anything on the board
/// except `X`, and `o` anything except `O`; `.` is empty, `#` off the board, `?`
/// anything.
const SHAPES: [[&str; 3]; 13] = [
    // Hane: enclosing, at the side, turning, and the diagonal attachment.
    ["XOX", ". .", "???"],
    ["XO.", ". .", "?.?"],
    ["XO?", "X .", "x.?"],
    [".O.", "X .", "..."],
    // Cuts: open, peeped at, wedged, and at the knight's move.
    ["XO?", "O o", "?o?"],
    ["XO?", "O X", "???"],
    ["?X?", "O O", "ooo"],
    ["OX?", "o O", "???"],
    // At the edge: chase, block a cut, block a connection, descend, cut.
    ["X.?", "O ?", "##?"],
    ["OX?", "X O", "###"],
    ["?X?", "x O", "###"],
    ["?XO", "x x", "###"],
    ["?OX", "X O", "###"],
];

/// The index into `Point::around` for each cell of a 3x3 square, row by row from the
/// top left; `None` for the middle.
const SLOT: [Option<usize>; 9] = [
    Some(6),
    Some(3),
    Some(7),
    Some(1),
    None,
    Some(2),
    Some(4),
    Some(0),
    Some(5),
];

impl Patterns {
    /// Build the set by expanding symmetries, colours and wild cards.
    pub fn new() -> Patterns {
        let mut set = Patterns(vec![0; Neighbourhood::COUNT / 64].into_boxed_slice());
        for shape in SHAPES {
            let mut cells: Vec<char> = shape.concat().chars().collect();
            for _ in 0..2 {
                for _ in 0..4 {
                    set.add(&cells, 0, 0);
                    let swapped: Vec<char> = cells.iter().map(|&c| swap(c)).collect();
                    set.add(&swapped, 0, 0);
                    cells = rotate(&cells);
                }
                cells = transpose(&cells);
            }
        }
        set
    }

    /// Does the neighbourhood match a pattern?
    #[inline]
    pub fn contains(&self, n: Neighbourhood) -> bool {
        self.0[n.0 as usize / 64] >> (n.0 % 64) & 1 != 0
    }

    /// Add all neighbourhoods that equal `code` before cell `i` and match `cells` from there on.
    fn add(&mut self, cells: &[char], i: usize, code: u16) {
        let Some(&cell) = cells.get(i) else {
            self.0[code as usize / 64] |= 1 << (code % 64);
            return;
        };
        let Some(slot) = SLOT[i] else {
            return self.add(cells, i + 1, code);
        };
        let states: &[u16] = match cell {
            '.' => &[0],
            'X' => &[1],
            'O' => &[2],
            '#' => &[3],
            'x' => &[0, 2],
            'o' => &[0, 1],
            _ => &[0, 1, 2, 3],
        };
        for s in states {
            self.add(cells, i + 1, code | s << (2 * slot));
        }
    }
}

impl Default for Patterns {
    fn default() -> Self {
        Patterns::new()
    }
}

impl std::fmt::Debug for Patterns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Patterns")
    }
}

fn swap(c: char) -> char {
    match c {
        'X' => 'O',
        'O' => 'X',
        'x' => 'o',
        'o' => 'x',
        other => other,
    }
}

/// A quarter turn of nine cells.
fn rotate(c: &[char]) -> Vec<char> {
    [6, 3, 0, 7, 4, 1, 8, 5, 2].iter().map(|&i| c[i]).collect()
}

fn transpose(c: &[char]) -> Vec<char> {
    [0, 3, 6, 1, 4, 7, 2, 5, 8].iter().map(|&i| c[i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::types::Point;

    fn matches(diagram: &str, x: u8, y: u8) -> bool {
        let b = Board::from_diagram(diagram).unwrap();
        Patterns::new().contains(b.around(Point::new(x, y)))
    }

    #[test]
    fn known_shapes() {
        // A hane at the head of two stones, in the centre.
        assert!(matches(
            ". . . . .\n. X O X .\n. . . . .\n. . . . .\n. . . . .",
            2,
            2
        ));
        // An open cut.
        assert!(matches(
            ". . . . .\n. X O . .\n. O . . .\n. . . . .\n. . . . .",
            2,
            2
        ));
        // No stones, or a single stone.
        assert!(!matches(
            ". . . . .\n. . . . .\n. . . . .\n. . . . .\n. . . . .",
            2,
            2
        ));
        assert!(!matches(
            ". . . . .\n. X . . .\n. . . . .\n. . . . .\n. . . . .",
            2,
            2
        ));
        // Blocking a cut on the first line.
        assert!(matches(
            ". . . . .\n. . . . .\n. . . . .\n. O X . .\n. X . O .",
            2,
            0
        ));
    }

    #[test]
    fn patterns_are_symmetric_in_colour() {
        let p = Patterns::new();
        for code in 0..=u16::MAX {
            let n = Neighbourhood(code);
            let flip = |s: u16| match s {
                1 => 2,
                2 => 1,
                s => s,
            };
            let swapped = (0..8).fold(0, |c, i| c | flip(code >> (2 * i) & 3) << (2 * i));
            assert_eq!(p.contains(n), p.contains(Neighbourhood(swapped)));
        }
    }
}
