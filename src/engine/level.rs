//! Playing like a weaker player.

use super::decide::Found;
use crate::search::RootMove;
use crate::types::{Generator, Move};

/// How a level from 1 to 10 differs from full strength: it looks less far, and it
/// does not always prefer the better of two moves that look nearly as good. It
/// never plays a move that it thinks bad.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Level {
    /// Playouts a move: so few that the priors choose most of what is looked at.
    pub playouts: u64,
    /// Moves within so much of the best win rate may be chosen …
    within: f32,
    /// … if they have at least this share of its visits.
    share: f32,
}

/// Playouts at level 1; each level has twice those of the one below.
const FEWEST: u64 = 16;

impl Level {
    /// The level of this number, from 1 to 10.
    pub fn new(number: u8) -> Level {
        let above = number.clamp(1, 10) - 1;
        Level {
            playouts: FEWEST << above,
            within: 0.05,
            share: 0.4,
        }
    }

    /// The move to make: one of those that look nearly as good as the best, the
    /// more visited ones more often.
    pub fn choose(self, found: &Found, seed: u64) -> Option<Move> {
        let best = found.moves.first()?;
        let good = |m: &&RootMove| {
            m.mv != Move::Pass
                && m.stats.visits as f32 >= self.share * best.stats.visits as f32
                && m.stats.mean() >= best.stats.mean() - self.within
        };
        let candidates: Vec<&RootMove> = found.moves.iter().filter(good).collect();
        let sum: u32 = candidates.iter().map(|m| m.stats.visits).sum();
        if sum == 0 {
            return None;
        }
        let mut at = Generator::new(seed).below(sum);
        for m in candidates {
            if at < m.stats.visits {
                return Some(m.mv);
            }
            at -= m.stats.visits;
        }
        None
    }
}
