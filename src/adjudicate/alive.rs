//! What stands in a region whatever happens, and where nothing can live.
//!
//! The search asks this of every state, so it works on the two words of bits that a
//! state is: to build a board for [`crate::tactics::pass_alive`] would cost more than
//! the rest of the search. A test compares the two.

use super::region::{Bits, Region};
use crate::types::Color;

/// Empty points that one chain encloses alone, within which it cannot be kept from
/// living although its opponent plays first. Smaller rooms are searched: the nine
/// points of a square in the corner are a ko ("carpenter's square").
pub const ROOM: u32 = 12;

/// A chain needs more points than this to live among stones that are beyond
/// capture: two eyes, and stones around them, take eight even in a corner.
const CRAMPED: u32 = 7;

impl Region {
    /// Stones of `c` among `own` that stay on the board even if `c` never plays
    /// again in the region (Benson 1976), safe neighbours included; those in
    /// `alive` are taken to stand. `other` are the opponent's stones. With `suicide`
    /// the opponent may fill an eye with several stones and give them up.
    pub fn unconditional(
        &self,
        c: Color,
        own: Bits,
        other: Bits,
        suicide: bool,
        alive: Bits,
    ) -> Bits {
        let mut chains: Vec<Bits> = Vec::new();
        let mut standing = alive;
        for chain in self.parts(own & !alive) {
            if chain & self.safe[c.index()] != 0 {
                standing |= chain;
            } else {
                chains.push(chain);
            }
        }
        if chains.is_empty() {
            return standing;
        }
        let mut enclosed = self.enclosed(c, own);
        loop {
            let before = chains.len();
            let all = standing | chains.iter().fold(0, |a, b| a | b);
            // A region counts while all chains around it stand.
            enclosed.retain(|&r| self.around_set(r) & own & !all == 0);
            chains.retain(|&chain| {
                let liberties = self.around_set(chain);
                let to_fill = |r: Bits| if suicide { r } else { r & !other };
                let vital = enclosed
                    .iter()
                    .filter(|&&r| to_fill(r) & !liberties == 0 && r & liberties != 0);
                vital.count() >= 2
            });
            if chains.len() == before {
                break;
            }
        }
        standing | chains.iter().fold(0, |a, b| a | b)
    }

    /// The parts without stones `own` of `c` that no safe chain of the opponent
    /// touches.
    fn enclosed(&self, c: Color, own: Bits) -> Vec<Bits> {
        let hostile = self.safe[c.opponent().index()];
        self.parts(self.all() & !own)
            .filter(|r| r & hostile == 0)
            .collect()
    }

    /// Stones of `c` that cannot be captured if `c` answers each intrusion on the
    /// spot: those that are [unconditionally alive](Self::unconditional), and chains
    /// that enclose two empty parts alone, or one with room for two eyes.
    pub fn pass_alive(&self, c: Color, own: Bits, other: Bits, suicide: bool) -> Bits {
        let mut answered = 0;
        let enclosed = self.enclosed(c, own);
        if !enclosed.is_empty() {
            for chain in self.parts(own) {
                let mut eyes = 0;
                for &r in &enclosed {
                    let around = self.around_set(r) & own;
                    // Beside a safe chain a room may be taken point by point: the
                    // chain in question need not touch them all.
                    let alone = r & self.safe[c.index()] == 0 || r.count_ones() == 1;
                    if alone && r & other == 0 && around & chain != 0 && around & !chain == 0 {
                        eyes += if r.count_ones() >= ROOM { 2 } else { 1 };
                    }
                }
                if eyes >= 2 {
                    answered |= chain;
                }
            }
        }
        self.unconditional(c, own, other, suicide, answered)
    }

    /// Points on which a stone of `c` could be of use to live: not those that stones
    /// of the opponent beyond capture, `hostile`, cut off with too little room.
    pub fn open_to(&self, c: Color, hostile: Bits) -> Bits {
        self.parts(self.all() & !hostile)
            .filter(|part| part & self.safe[c.index()] != 0 || part.count_ones() > CRAMPED)
            .fold(0, |all, part| all | part)
    }
}
