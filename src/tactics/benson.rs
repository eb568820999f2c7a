//! Unconditional life (Benson, "Life in the Game of Go", 1976): chains that cannot be
//! captured even if their owner always passes.
//!
//! The life-and-death search needs this for millions of positions, so [`crate::adjudicate`] has the
//! algorithm on bitsets too (`Region::unconditional`). A test there compares the two.

use crate::board::Board;
use crate::types::{Color, POINTS, Point, PointState};

/// The unconditionally alive chains of one colour, and the regions around its stones.
#[derive(Clone, Debug, Default)]
pub struct Unconditional {
    /// The stones of the unconditionally alive chains.
    pub stones: Vec<Point>,
    /// The maximal connected sets of points without stones of the colour; empty if the
    /// colour has no stone.
    pub regions: Vec<Enclosure>,
}

impl Unconditional {
    /// Is the point in an eye of these chains: a region that only they enclose, and that is vital
    /// to at least one of them? The opponent has no living stones there.
    pub fn is_in_eye(&self, p: Point) -> bool {
        let is_eye = |r: &&Enclosure| r.healthy && !r.vital_to.is_empty();
        self.regions
            .iter()
            .filter(is_eye)
            .any(|r| r.points.contains(&p))
    }
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
    /// Does the region contain stones? They are the opponent's.
    pub has_stones: bool,
    /// Are all chains around the region unconditionally alive?
    pub healthy: bool,
}

/// Find the unconditionally alive chains of `c` with Benson's algorithm: drop chains with
/// fewer than two healthy vital regions, mark the regions that a dropped chain borders as
/// unhealthy, and repeat until nothing changes.
///
/// To capture, the opponent must fill the empty points of a region. With `suicide` all its points
/// count, because the opponent may remove its own stones there by suicide.
///
/// ```
/// use ponnuki::board::Board;
/// use ponnuki::tactics::unconditional;
/// use ponnuki::types::{Color, Point};
///
/// let board = Board::from_diagram(
///     ". X . X O
///      X X X X O
///      O O O O .",
/// )?;
/// let black = unconditional(&board, Color::Black, false);
/// assert!(black.stones.contains(&Point::new(1, 2)));
/// assert!(black.is_in_eye(Point::new(0, 2)) && black.is_in_eye(Point::new(2, 2)));
/// // White has one eye.
/// assert!(unconditional(&board, Color::White, false).stones.is_empty());
/// # Ok::<(), ponnuki::board::SetUpError>(())
/// ```
pub fn unconditional(board: &Board, c: Color, suicide: bool) -> Unconditional {
    let own = PointState::from(c);
    let points = board.size().points();
    let mut chains: Vec<Point> = points
        .filter(|&p| board.at(p) == own && board.chain(p) == p)
        .collect();
    if chains.is_empty() {
        return Unconditional::default();
    }
    let mut regions = enclosures(board, own, suicide);
    let mut region_of = [usize::MAX; POINTS];
    for (i, region) in regions.iter().enumerate() {
        for q in &region.points {
            region_of[q.index()] = i;
        }
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

/// The maximal connected sets of points without `own` stones, before any chain is dropped.
fn enclosures(board: &Board, own: PointState, suicide: bool) -> Vec<Enclosure> {
    let mut seen = [false; POINTS];
    let mut regions = Vec::new();
    let touches = |p: Point, chain: Point| {
        let around = p.neighbours().into_iter();
        around
            .filter(|&q| board.at(q) == own)
            .any(|q| board.chain(q) == chain)
    };
    for p in board.size().points() {
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
        let to_fill = |q: &Point| suicide || board.is_empty(*q);
        vital_to.retain(|&chain| {
            points
                .iter()
                .filter(|q| to_fill(q))
                .all(|&q| touches(q, chain))
        });
        let is_inner = |q: &&Point| q.neighbours().iter().all(|&r| board.at(r) != own);
        regions.push(Enclosure {
            inner: points.iter().filter(is_inner).take(2).count(),
            has_stones: points.iter().any(|&q| !board.is_empty(q)),
            points,
            vital_to,
            healthy: true,
        });
    }
    regions
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
        let at = |(x, y)| Point::new(x, y);
        let black = unconditional(&b, Color::Black, false);
        assert!(
            [(1, 4), (3, 3)]
                .map(at)
                .iter()
                .all(|p| black.stones.contains(p))
        );
        assert!([(0, 4), (2, 4)].map(at).iter().all(|&p| black.is_in_eye(p)));
        assert!(!black.is_in_eye(at((4, 4))));
        assert!(unconditional(&b, Color::White, false).stones.is_empty());
    }
}
