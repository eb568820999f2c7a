use super::owner;
use crate::board::Board;
use crate::types::{Color, POINTS, Point};

/// Sums of the ownership of each point at the end of playouts, or as predicted by a
/// network.
#[derive(Clone, Debug)]
pub struct Ownership {
    /// For each cell, the sum of Black's ownership minus White's and the sum of its
    /// squares, both in units of 1/[`SHARES`].
    sums: Vec<[i64; 2]>,
    playouts: u32,
}

/// Fixed-point units in an ownership of 1; finer network values are truncated.
const SHARES: i64 = 1 << 12;

impl Default for Ownership {
    fn default() -> Self {
        Ownership {
            sums: vec![[0; 2]; POINTS],
            playouts: 0,
        }
    }
}

impl Ownership {
    /// Add the final board of a playout.
    pub fn add(&mut self, board: &Board) {
        self.playouts += 1;
        for p in board.size().points() {
            let sign = i64::from(owner(board, p).map_or(0, Color::sign));
            let [balance, squares] = &mut self.sums[p.index()];
            *balance += sign * SHARES;
            *squares += sign * sign * SHARES;
        }
    }

    /// Add a predicted ownership, by [`Point::index`], from −1 (White) to 1 (Black).
    pub fn add_expected(&mut self, expected: &[f32]) {
        self.playouts += 1;
        for ([balance, squares], share) in self.sums.iter_mut().zip(expected) {
            *balance += (share * SHARES as f32) as i64;
            *squares += (share * share * SHARES as f32) as i64;
        }
    }

    /// Add the sums of `other`.
    pub fn merge(&mut self, other: &Ownership) {
        self.playouts += other.playouts;
        for ([balance, squares], [b, s]) in self.sums.iter_mut().zip(&other.sums) {
            *balance += b;
            *squares += s;
        }
    }

    /// Replace the mean ownership of a point with that of `other`.
    pub fn replace_from(&mut self, other: &Ownership, p: Point) {
        let all = (SHARES * i64::from(self.playouts)) as f32;
        self.sums[p.index()] = other.means(p).map(|mean| (mean * all) as i64);
    }

    /// Number of playouts or evaluations added.
    pub fn playouts(&self) -> u32 {
        self.playouts
    }

    /// Mean ownership of a point, from −1 (always White) to 1 (always Black).
    pub fn of(&self, p: Point) -> f32 {
        self.means(p)[0]
    }

    /// Standard deviation of the ownership of a point, from 0 to 1.
    pub fn deviation(&self, p: Point) -> f32 {
        let [mean, square] = self.means(p);
        (square - mean * mean).max(0.0).sqrt()
    }

    fn means(&self, p: Point) -> [f32; 2] {
        if self.playouts == 0 {
            return [0.0; 2];
        }
        let all = (SHARES * i64::from(self.playouts)) as f32;
        self.sums[p.index()].map(|sum| sum as f32 / all)
    }
}
