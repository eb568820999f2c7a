//! The surroundings of a problem: walls that are assumed to hold, and regions for proofs.

use super::ProofRegion;
use crate::adjudicate::region::Region;
use crate::adjudicate::walls::Reliance;
use crate::board::Board;
use crate::types::{Color, Point, PointSet};

/// Minimum liberties outside a region for a chain that proofs assume to hold. With two, its
/// opponent could put it in atari from outside.
const STEADY: usize = 3;

/// A board and the chains that bound a problem on it.
#[derive(Clone, Debug)]
pub(super) struct Around {
    pub(super) board: Board,
    /// Stones of chains that bound the problem.
    pub(super) wall: PointSet,
    /// Stones proved or assumed to be beyond capture.
    pub(super) firm: PointSet,
    /// What firm stones rely on.
    pub(super) reliances: Vec<Reliance>,
}

impl Around {
    /// Firm stones that rely on no point `inside`.
    pub(super) fn firm_around(&self, inside: &PointSet) -> PointSet {
        let mut firm = self.firm;
        Reliance::remove(&self.reliances, &mut firm, |p| inside.contains(p));
        firm
    }

    /// Stones of chains that are assumed to hold around these points.
    pub(super) fn steady(&self, inside: &PointSet) -> PointSet {
        let mut steady = self.firm_around(inside);
        let chains = self.board.chains().map(|(_, stones)| stones);
        for stones in chains.filter(|stones| self.wall.contains(stones[0])) {
            let liberties = self.board.liberties_of(stones.iter().copied());
            if liberties.iter().filter(|&&q| !inside.contains(q)).count() >= STEADY {
                steady.extend(stones);
            }
        }
        steady
    }

    /// The region of these points for proofs; `None` if they are too many.
    pub(super) fn proof_region(&self, points: Vec<Point>, defender: Color) -> Option<ProofRegion> {
        let steady = self.steady(&points.iter().collect());
        let region = |c: Color| {
            Region::of_points(&self.board, points.clone(), |p| {
                let own = self.board.at(p).color() == Some(c) && steady.contains(p);
                Some(if own { c } else { c.opponent() })
            })
        };
        let (life, kill) = (region(defender)?, region(defender.opponent())?);
        Some(ProofRegion { life, kill })
    }

    /// Extend the points of a region outwards from the points `at`, where the opponent of `c` is
    /// assumed to connect to safety. This adds their neighbours, except steady stones. With a stone
    /// of `c` it adds its chain and the liberties of that chain.
    pub(super) fn widened(&self, points: &[Point], at: &[Point], c: Color) -> Vec<Point> {
        let board = &self.board;
        let inside = points.iter().collect();
        let steady = self.steady(&inside);
        let mut points = points.to_vec();
        let mut add = |p: Point| {
            if !points.contains(&p) {
                points.push(p);
            }
        };
        for q in at.iter().flat_map(|p| p.neighbours()) {
            if !board.size().contains(q) || inside.contains(q) || steady.contains(q) {
                continue;
            }
            add(q);
            if board.at(q).color() == Some(c) {
                let stones = || board.chain_stones(q);
                stones()
                    .chain(board.liberties_of(stones()))
                    .for_each(&mut add);
            }
        }
        points
    }
}
