//! Zobrist keys (Zobrist 1970): one random 64-bit number for each stone of each
//! colour on each point; the hash of a position is the exclusive or of the
//! numbers of its stones.
//!
//! The keys come from SplitMix64 (Steele, Lea and Flood 2014) with the fixed seed
//! [`SEED`], computed at compile time, so that hashes agree between builds,
//! platforms and runs. The point's cell number selects the key; as it does not
//! depend on the board's size, equal stones on boards of different size have
//! equal hashes. The empty board hashes to 0.

use crate::types::{Color, POINTS, Point};

/// The letters `Ponnuki` as a number.
pub const SEED: u64 = 0x0050_6f6e_6e75_6b69;

const fn splitmix(state: u64) -> u64 {
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

static KEYS: [[u64; POINTS]; 2] = {
    let mut keys = [[0; POINTS]; 2];
    let mut state = SEED;
    let mut i = 0;
    while i < POINTS {
        let mut c = 0;
        while c < 2 {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            keys[c][i] = splitmix(state);
            c += 1;
        }
        i += 1;
    }
    keys
};

/// Mixed into the hash of a position when White is the player that matters:
/// situational and own-move repetition tell the two players apart with it.
pub const WHITE: u64 = splitmix(!SEED);

/// The key of a stone of this colour on this point.
#[inline]
pub fn key(color: Color, p: Point) -> u64 {
    KEYS[color.index()][p.index()]
}
