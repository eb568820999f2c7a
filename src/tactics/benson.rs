//! Unconditional life (Benson, "Life in the Game of Go", 1976): chains that cannot be
//! captured even if their owner always passes.
//!
//! The life-and-death search needs this for millions of positions, so [`crate::adjudicate`] has the
//! algorithm on bitsets too (`Region::unconditional`). A test there compares the two.

use crate::board::Board;
use crate::types::{Color, POINTS, Point, PointState};

/// The unconditionally alive chains of one colour, and the regions it encloses.
#[derive(Clone, Debug, Default)]
pub struct Unconditional {
    /// The stones of the unconditionally alive chains.
    pub stones: Vec<Point>,
    /// The maximal connected sets of points without stones of the colour; empty if the
    /// colour has no stone.
    pub regions: Vec<Enclosure>,
}

/// A maximal connected set of points without stones of a colour.
#[derive(Clone, Debug)]
pub struct Enclosure {
    /// Its points.
    pub points: Vec<Point>,
    /// Chains to which the region is vital, each given by one stone: every point that must be
    /// filled is a liberty of the chain.
    pub vital_to: Vec<Point>,
    /// Number of points not adjacent to a stone of the colour, counted up to 2.
    pub inner: usize,
    /// Does the region contain stones?
    pub has_stones: bool,
    /// Are all chains around the region alive?
    pub healthy: bool,
}

/// Find the unconditionally alive chains of `c` with Benson's algorithm: drop chains with
/// fewer than two healthy vital regions, mark the regions that a dropped chain borders as
/// unhealthy, and repeat until nothing changes.
///
/// To capture, the opponent must fill the empty points of a region. With `suicide` all its points
/// count, because the opponent may remove its own stones there by suicide.
pub fn unconditional(board: &Board, c: Color, suicide: bool) -> Unconditional {
    let own = PointState::from(c);
    let mut seen = [false; POINTS];
    let mut regions: Vec<Enclosure> = Vec::new();
    let mut region_of = [usize::MAX; POINTS];
    let touches = |p: Point, chain: Point| {
        let around = p.neighbours().into_iter();
        around
            .filter(|&q| board.at(q) == own)
            .any(|q| board.chain(q) == chain)
    };
    let mut chains = Vec::new();
    for p in board.size().points() {
        if board.at(p) == own && board.chain(p) == p {
            chains.push(p);
        }
        // Every region has an empty point, because stones have liberties.
        if !board.is_empty(p) || seen[p.index()] {
            continue;
        }
        let outside = |q: Point| board.at(q) != own && board.at(q) != PointState::Border;
        let points = board.flood(p, &mut seen, outside);
        let mut vital_to: Vec<Point> = Vec::new();
        for q in p.neighbours() {
            if board.at(q) == own && !vital_to.contains(&board.chain(q)) {
                vital_to.push(board.chain(q));
            }
        }
        let filled = |q: &Point| suicide || board.is_empty(*q);
        vital_to.retain(|&chain| {
            points
                .iter()
                .filter(|q| filled(q))
                .all(|&q| touches(q, chain))
        });
        let is_inner = |q: &&Point| q.neighbours().iter().all(|&r| board.at(r) != own);
        for q in &points {
            region_of[q.index()] = regions.len();
        }
        regions.push(Enclosure {
            inner: points.iter().filter(is_inner).take(2).count(),
            has_stones: points.iter().any(|&q| !board.is_empty(q)),
            points,
            vital_to,
            healthy: true,
        });
    }
    if chains.is_empty() {
        return Unconditional::default();
    }
    loop {
        let before = chains.len();
        let mut dropped = Vec::new();
        chains.retain(|&chain| {
            let vital = |r: &&Enclosure| r.healthy && r.vital_to.contains(&chain);
            let lives = regions.iter().filter(vital).count() >= 2;
            if !lives {
                dropped.push(chain);
            }
            lives
        });
        for q in dropped.iter().flat_map(|&chain| board.chain_stones(chain)) {
            for r in q.neighbours() {
                if let Some(region) = regions.get_mut(region_of[r.index()]) {
                    region.healthy = false;
                }
            }
        }
        if chains.len() == before {
            break;
        }
    }
    Unconditional {
        stones: chains
            .iter()
            .flat_map(|&chain| board.chain_stones(chain))
            .collect(),
        regions,
    }
}

/// Find the stones of the unconditionally alive chains of `c`, and the points of the regions that
/// only such chains enclose and that are vital to at least one of them. Both are maps by
/// [`Point::index`]. The opponent has no living stones in these regions.
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
/// # Ok::<(), ponnuki::board::SetUpError>(())
/// ```
pub fn pass_alive(board: &Board, c: Color) -> (Vec<bool>, Vec<bool>) {
    let mut stones = vec![false; POINTS];
    let mut territory = vec![false; POINTS];
    let alive = unconditional(board, c, false);
    for s in alive.stones {
        stones[s.index()] = true;
    }
    for r in alive.regions {
        if r.healthy && !r.vital_to.is_empty() {
            for p in r.points {
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
