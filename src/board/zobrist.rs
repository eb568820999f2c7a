//! Zobrist keys (Zobrist 1970): one random 64-bit number for each colour on each
//! point. The hash of a position is the exclusive or of the keys of its stones.
//!
//! The keys come from SplitMix64 (Steele, Lea and Flood 2014) with the fixed seed
//! [`SEED`], computed at compile time, so that hashes agree between builds,
//! platforms and runs. The point's cell number selects the key. It does not depend
//! on the board size, so equal stones on boards of different sizes have equal
//! hashes. The empty board hashes to 0.

use crate::types::{Color, GOLDEN, POINTS, Point, splitmix};

/// The letters `Ponnuki` as a number.
pub const SEED: u64 = 0x0050_6f6e_6e75_6b69;

static KEYS: [[u64; POINTS]; 2] = {
    let mut keys = [[0; POINTS]; 2];
    let mut state = SEED;
    let mut i = 0;
    while i < POINTS {
        let mut c = 0;
        while c < 2 {
            state = state.wrapping_add(GOLDEN);
            keys[c][i] = splitmix(state);
            c += 1;
        }
        i += 1;
    }
    keys
};

/// The key of a stone of this colour on this point.
#[inline]
pub fn key(color: Color, p: Point) -> u64 {
    KEYS[color.index()][p.index()]
}
