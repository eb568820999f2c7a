//! The vital point of a small eye space.

use crate::board::Board;
use crate::types::{Color, Point, PointState};
use smallvec::SmallVec;

/// The point on which the owner of a small eye space would make two eyes and the
/// opponent kills: the middle of three, the middle of the pyramid four, of the
/// bulky and crossed five and of the flower six.
///
/// `p` is any empty point of the space. Returns `None` if the space has fewer
/// than three or more than six points, is not enclosed by stones of one colour,
/// or has no single vital point (a line of four, a square).
///
/// Such a shape is recognised by its degrees: one point has more neighbours
/// within the space than any other, and all of the space but at most one point
/// (the bulk of the five, the two of the six) touches it.
pub fn vital_point(board: &Board, p: Point) -> Option<Point> {
    let mut space: SmallVec<[Point; 8]> = SmallVec::new();
    space.push(p);
    let mut owner: Option<Color> = None;
    let mut next = 0;
    while next < space.len() {
        for q in space[next].neighbours() {
            match board.at(q) {
                PointState::Border => {}
                PointState::Empty => {
                    if !space.contains(&q) {
                        if space.len() == 6 {
                            return None;
                        }
                        space.push(q);
                    }
                }
                stone => {
                    let c = stone.color();
                    if owner.is_some() && owner != c {
                        return None;
                    }
                    owner = c;
                }
            }
        }
        next += 1;
    }
    owner?;
    if space.len() < 3 {
        return None;
    }
    let degree = |p: Point| {
        p.neighbours().iter().filter(|q| space.contains(q)).count()
    };
    let degrees: SmallVec<[usize; 8]> = space.iter().map(|&q| degree(q)).collect();
    let edges: usize = degrees.iter().sum::<usize>() / 2;
    let max = degrees.iter().copied().max()?;
    if degrees.iter().filter(|&&d| d == max).count() != 1 {
        return None;
    }
    // Edges within the space: a tree of n points has n − 1; one square adds one.
    let vital = match (space.len(), max, edges) {
        (3, 2, 2) | (4, 3, 3) | (5, 4, 4) | (5, 3, 5) | (6, 4, 6) => true,
        _ => false,
    };
    let at = degrees.iter().position(|&d| d == max)?;
    vital.then(|| space[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vital(diagram: &str) -> Option<String> {
        let b = Board::from_diagram(diagram).unwrap();
        // The space under test is the one at A1.
        vital_point(&b, Point::new(0, 0)).map(|p| p.to_string())
    }

    #[test]
    fn shapes() {
        assert_eq!(vital("X X X X .\n. . . X ."), Some("B1".into()));
        assert_eq!(vital("X X X X X .\n. . . . X ."), None, "four in a line");
        assert_eq!(vital("X X X .\n. . X .\n. . X ."), None, "square four");
        assert_eq!(vital("X X X X .\nX . X X .\n. . . X ."), Some("B1".into()), "pyramid");
        assert_eq!(vital("X X X X .\n. . X X .\n. . . X ."), Some("B1".into()), "bulky five");
        assert_eq!(vital("X X X .\n. X X .\n. . O ."), None, "two colours");
        assert_eq!(vital(". . .\n. . ."), None);
    }
}
