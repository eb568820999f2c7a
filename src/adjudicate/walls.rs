//! The stones that bound hypothetical play, and what they rely on.

use crate::types::{POINTS, Point};

/// The stones that bound hypothetical play, by [`Point::index`].
#[derive(Clone, Debug)]
pub struct Walls {
    /// Stones proved to be beyond capture.
    pub proved: Vec<bool>,
    /// Proved stones, and stones assumed to be beyond capture. Findings that depend on assumed
    /// stones have [`Finding::assumes`](super::Finding::assumes) set.
    pub believed: Vec<bool>,
    /// Believed stones, and stones with many liberties that are expected to live. Used only for
    /// chains whose status the other walls leave unsettled.
    pub expected: Vec<bool>,
    pub(super) reliances: Vec<Reliance>,
}

impl Walls {
    /// Walls of proved stones only.
    pub fn proved(stones: Vec<bool>) -> Walls {
        Walls {
            believed: stones.clone(),
            expected: stones.clone(),
            proved: stones,
            reliances: Vec::new(),
        }
    }

    /// The proved walls, except those that rely on a point `inside`.
    pub(super) fn relying_elsewhere(&self, inside: impl Fn(Point) -> bool) -> Vec<bool> {
        let mut walls = self.proved.clone();
        Reliance::remove(&self.reliances, &mut walls, inside);
        walls
    }

    /// The sets of walls, in the order in which they are used.
    pub(super) fn in_turn(&self, prove: bool) -> Vec<&[bool]> {
        if !prove {
            // Without proofs, expected walls do harm: over 2,371 recorded games they cost one
            // correct winner and four exact margins.
            return vec![&self.believed];
        }
        let mut walls: Vec<&[bool]> = vec![&self.proved, &self.believed, &self.expected];
        walls.dedup();
        walls
    }
}

/// Points on which chains beyond capture rely. Their owner must answer each move of the opponent
/// there.
#[derive(Clone, Debug)]
pub struct Reliance {
    pub stones: Vec<Point>,
    pub points: Vec<Point>,
    /// A stone of the chain to which they connect.
    pub to: Option<Point>,
}

impl Reliance {
    /// Remove from `walls`, by [`Point::index`], stones that rely on a point `inside`, or connect
    /// to such stones. A move there could threaten more than these stones, so the answer might not
    /// save them. `all` must list a chain after the one to which it connects.
    pub fn remove(all: &[Reliance], walls: &mut [bool], inside: impl Fn(Point) -> bool) {
        let mut removed = [false; POINTS];
        for reliance in all {
            let falls = reliance.points.iter().any(|&p| inside(p))
                || reliance.to.is_some_and(|p| removed[p.index()]);
            for p in reliance.stones.iter().filter(|_| falls) {
                removed[p.index()] = true;
                walls[p.index()] = false;
            }
        }
    }
}
