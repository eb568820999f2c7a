use super::owner;
use crate::board::Board;
use crate::types::{Color, POINTS, Point};

/// Sums of who owned each point at the end of playouts, or of who will by the
/// evaluations of a network.
#[derive(Clone, Debug)]
pub struct Ownership {
    /// By cell: Black's ownership less White's, and its squares, both in units of
    /// 1/[`SHARES`].
    sums: Vec<[i64; 2]>,
    playouts: u32,
}

/// Parts of a point that a network's ownership is rounded to.
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
    /// Add the end of a playout.
    pub fn add(&mut self, board: &Board) {
        self.playouts += 1;
        for p in board.size().points() {
            let sign = i64::from(owner(board, p).map_or(0, Color::sign));
            let [balance, squares] = &mut self.sums[p.index()];
            *balance += sign * SHARES;
            *squares += sign * sign * SHARES;
        }
    }

    /// Add expected ownership, by [`Point::index`], from −1 (White's) to 1
    /// (Black's).
    pub fn add_expected(&mut self, expected: &[f32]) {
        self.playouts += 1;
        for ([balance, squares], share) in self.sums.iter_mut().zip(expected) {
            *balance += (share * SHARES as f32) as i64;
            *squares += (share * share * SHARES as f32) as i64;
        }
    }

    /// Add another sum to this one.
    pub fn merge(&mut self, other: &Ownership) {
        self.playouts += other.playouts;
        for ([balance, squares], [b, s]) in self.sums.iter_mut().zip(&other.sums) {
            *balance += b;
            *squares += s;
        }
    }

    /// Take the mean ownership of a point from another sum.
    pub fn take(&mut self, other: &Ownership, p: Point) {
        let all = (SHARES * i64::from(self.playouts)) as f32;
        self.sums[p.index()] = other.means(p).map(|mean| (mean * all) as i64);
    }

    /// Number of playouts, or evaluations, in the sum.
    pub fn playouts(&self) -> u32 {
        self.playouts
    }

    /// Mean ownership of a point, from −1 (always White's) to 1 (always Black's).
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
