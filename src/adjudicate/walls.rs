//! The stones that bound hypothetical play, and the points on which they rely.

use crate::types::{Point, PointSet};

/// The stones that bound hypothetical play.
#[derive(Clone, Debug, Default)]
pub struct Walls {
    /// Stones proved to be beyond capture.
    pub proved: PointSet,
    /// Proved stones, and stones around territory whose owner is estimated as certain. Findings that
    /// depend on stones without a proof have [`Finding::assumes`](super::Finding::assumes) set.
    pub certain: PointSet,
    /// Certain stones, and stones with many liberties that are likely to live. Used only for chains
    /// whose status the other walls leave unsettled.
    pub likely: PointSet,
    /// Certain stones, and all others whose owner is estimated as certain, however few their
    /// liberties. Used only for large chains whose status the other walls leave unsettled.
    pub estimated: PointSet,
    /// What the proved stones rely on.
    pub(super) reliances: Vec<Reliance>,
}

impl Walls {
    /// Walls of proved stones only.
    pub fn proved(stones: PointSet) -> Walls {
        Walls {
            proved: stones,
            certain: stones,
            likely: stones,
            estimated: stones,
            reliances: Vec::new(),
        }
    }

    /// The proved walls, except those that rely on a point `inside`.
    pub(super) fn relying_elsewhere(&self, inside: impl Fn(Point) -> bool) -> PointSet {
        let mut walls = self.proved;
        Reliance::remove(&self.reliances, &mut walls, inside);
        walls
    }

    /// The sets of walls between which chains are searched, one set after the other. Without
    /// `prove` only the certain walls.
    pub(super) fn in_turn(&self, prove: bool) -> Vec<&PointSet> {
        if !prove {
            // Without proofs, likely walls do harm: over 2,371 recorded games they cost one correct
            // winner and four exact margins.
            return vec![&self.certain];
        }
        let mut walls = vec![&self.proved, &self.certain, &self.likely];
        walls.dedup();
        walls
    }
}

/// Points on which chains beyond capture rely. Their owner must answer each move of the opponent
/// there.
#[derive(Clone, Debug)]
pub struct Reliance {
    /// The stones of these chains.
    pub stones: Vec<Point>,
    /// The points.
    pub points: Vec<Point>,
    /// A stone of the chain to which they connect, if they live by that.
    pub to: Option<Point>,
}

impl Reliance {
    /// Remove from `walls` stones that rely on a point `inside`, or connect to such stones. A move
    /// there could threaten more than these stones, so the answer might not save them. `all` must
    /// list a chain after the one to which it connects.
    pub fn remove(all: &[Reliance], walls: &mut PointSet, inside: impl Fn(Point) -> bool) {
        let mut removed = PointSet::default();
        for reliance in all {
            let falls = reliance.points.iter().any(|&p| inside(p))
                || reliance.to.is_some_and(|p| removed.contains(p));
            for &p in reliance.stones.iter().filter(|_| falls) {
                removed.insert(p);
                walls.remove(p);
            }
        }
    }
}
