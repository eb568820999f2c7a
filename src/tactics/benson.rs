//! Unconditional life (Benson, "Life in the Game of Go", 1976): chains that stay
//! on the board even if their owner never plays again.

use crate::board::Board;
use crate::types::{Color, POINTS, Point, PointState};

/// The unconditionally alive stones of `c`, and the points of the regions that only
/// such chains enclose: two arrays indexed by [`Point::index`].
///
/// A region is a maximal connected set of points without stones of `c`. It is
/// vital to a chain that encloses it if all its empty points are liberties of
/// the chain. Chains with fewer than two vital regions are dropped, and regions
/// that a dropped chain borders, until nothing changes.
///
/// The second array marks the points of regions all of whose enclosing chains
/// survive and which are vital to at least one of them: there the opponent has
/// no living stones.
///
/// ```
/// use ponnuki::board::Board;
/// use ponnuki::tactics::pass_alive;
/// use ponnuki::types::{Color, Point};
///
/// let board = Board::from_diagram(
///     ". X . X O
///      X X X X O
///      O O O O .",
/// )?;
/// let (alive, eyes) = pass_alive(&board, Color::Black);
/// assert!(alive[Point::new(1, 2).index()]);
/// assert!(eyes[Point::new(0, 2).index()] && eyes[Point::new(2, 2).index()]);
/// // White has one eye.
/// assert!(!pass_alive(&board, Color::White).0.contains(&true));
/// # Ok::<(), String>(())
/// ```
pub fn pass_alive(board: &Board, c: Color) -> (Vec<bool>, Vec<bool>) {
    let own = PointState::from(c);
    let mut seen = [false; POINTS];
    struct Region {
        points: Vec<Point>,
        chains: Vec<Point>,
        vital_to: Vec<Point>,
        healthy: bool,
    }
    let mut regions: Vec<Region> = Vec::new();
    for p in board.size().points() {
        if board.at(p) == own || seen[p.index()] {
            continue;
        }
        let points = board.flood(p, &mut seen, |q| {
            board.at(q) != own && board.at(q) != PointState::Border
        });
        let mut chains: Vec<Point> = Vec::new();
        for q in points.iter().flat_map(|p| p.neighbours()) {
            if board.at(q) == own && !chains.contains(&board.chain(q)) {
                chains.push(board.chain(q));
            }
        }
        let touches = |p: Point, chain: Point| {
            p.neighbours()
                .iter()
                .any(|&q| board.at(q) == own && board.chain(q) == chain)
        };
        let vital_to = chains
            .iter()
            .copied()
            .filter(|&chain| {
                points
                    .iter()
                    .all(|&p| !board.is_empty(p) || touches(p, chain))
            })
            .collect();
        regions.push(Region {
            points,
            chains,
            vital_to,
            healthy: true,
        });
    }
    let mut alive: Vec<Point> = board
        .size()
        .points()
        .filter(|&p| board.at(p) == own && board.chain(p) == p)
        .collect();
    loop {
        let before = alive.len();
        alive.retain(|chain| {
            regions
                .iter()
                .filter(|r| r.healthy && r.vital_to.contains(chain))
                .count()
                >= 2
        });
        for r in &mut regions {
            r.healthy = r.healthy && r.chains.iter().all(|c| alive.contains(c));
        }
        if alive.len() == before {
            break;
        }
    }
    let mut stones = vec![false; POINTS];
    let mut territory = vec![false; POINTS];
    for chain in &alive {
        for s in board.chain_stones(*chain) {
            stones[s.index()] = true;
        }
    }
    for r in &regions {
        if r.healthy && !r.vital_to.is_empty() {
            for p in &r.points {
                territory[p.index()] = true;
            }
        }
    }
    (stones, territory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_eyes_live_and_one_does_not() {
        let b = Board::from_diagram(
            ". X . X .
             X X X X .
             . . . . .
             O O O O .
             . . . O .",
        )
        .unwrap();
        let (black, eyes) = pass_alive(&b, Color::Black);
        assert!(black[Point::new(1, 4).index()] && black[Point::new(3, 3).index()]);
        assert!(eyes[Point::new(0, 4).index()] && eyes[Point::new(2, 4).index()]);
        assert!(!eyes[Point::new(4, 4).index()]);
        let (white, _) = pass_alive(&b, Color::White);
        assert!(white.iter().all(|&a| !a));
    }
}
