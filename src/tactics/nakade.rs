//! The vital point of a small eye space.

use crate::board::Board;
use crate::types::{Color, Point};
use smallvec::SmallVec;

/// The vital point of a small eye space, where the owner makes two eyes or the opponent plays
/// nakade: the middle of three, pyramid four, bulky five, crossed five, or rabbity (flower) six.
///
/// `p` is any empty point of the space. Returns `None` if the space has fewer
/// than three or more than six points, is not enclosed by stones of one colour,
/// or has no single vital point (a line of four, a square).
///
/// The degrees of its points identify a shape. The vital point has more neighbours within the space
/// than any other point. All other points are adjacent to it, except one in the bulky five and in
/// the rabbity six.
///
/// ```
/// use ponnuki::board::Board;
/// use ponnuki::tactics::vital_point;
/// use ponnuki::types::Point;
///
/// let board = Board::from_diagram(
///     "X X X X
///      . . . X",
/// )?;
/// assert_eq!(vital_point(&board, Point::new(0, 0)), Some(Point::new(1, 0)));
/// # Ok::<(), ponnuki::board::SetUpError>(())
/// ```
pub fn vital_point(board: &Board, p: Point) -> Option<Point> {
    // Most calls are in open space and end within a few steps, so test the precomputed
    // neighbourhoods for borders before visiting neighbours.
    let mut space = [Point::NONE; 7];
    space[0] = p;
    let (mut len, mut next) = (1, 0);
    let mut borders = [false; 2];
    while next < len {
        let around = board.around(space[next]);
        borders[0] |= around.adjacent(Color::Black) > 0;
        borders[1] |= around.adjacent(Color::White) > 0;
        if borders[0] && borders[1] {
            return None;
        }
        if around.has_empty() {
            for q in space[next].neighbours() {
                if board.is_empty(q) && !space[..len].contains(&q) {
                    if len == 6 {
                        return None;
                    }
                    space[len] = q;
                    len += 1;
                }
            }
        }
        next += 1;
    }
    if len < 3 || borders == [false; 2] {
        return None;
    }
    let space = &space[..len];
    // All empty neighbours of a point of the space belong to the space.
    let degree = |p: Point| board.around(p).empty_count() as usize;
    let degrees: SmallVec<[usize; 8]> = space.iter().map(|&q| degree(q)).collect();
    let edges: usize = degrees.iter().sum::<usize>() / 2;
    let max = degrees.iter().copied().max()?;
    if degrees.iter().filter(|&&d| d == max).count() != 1 {
        return None;
    }
    // Points, highest degree and edges. A tree of n points has n − 1 edges; a 2x2 square adds one.
    let vital = matches!(
        (space.len(), max, edges),
        (3, 2, 2) | (4, 3, 3) | (5, 4, 4) | (5, 3, 5) | (6, 4, 6)
    );
    let at = degrees.iter().position(|&d| d == max)?;
    vital.then(|| space[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vital(diagram: &str) -> Option<String> {
        let b = Board::from_diagram(diagram).unwrap();
        // Tests the space at A1.
        vital_point(&b, Point::new(0, 0)).map(|p| p.to_string())
    }

    #[test]
    fn shapes() {
        assert_eq!(vital("X X X X .\n. . . X ."), Some("B1".into()));
        assert_eq!(vital("X X X X X .\n. . . . X ."), None, "four in a line");
        assert_eq!(vital("X X X .\n. . X .\n. . X ."), None, "square four");
        assert_eq!(
            vital("X X X X .\nX . X X .\n. . . X ."),
            Some("B1".into()),
            "pyramid"
        );
        assert_eq!(
            vital("X X X X .\n. . X X .\n. . . X ."),
            Some("B1".into()),
            "bulky five"
        );
        assert_eq!(vital("X X X .\n. X X .\n. . O ."), None, "two colours");
        assert_eq!(vital(". . .\n. . ."), None);
    }
}
