//! Playing like a weaker player: it looks less far, and does not always prefer the
//! better of two moves that look nearly as good. It never plays a move that it
//! thinks bad.

use super::decide::Found;
use crate::search::RootMove;
use crate::types::{Generator, Move};

/// Playouts at level 1; each level has twice those of the one below.
const FEWEST: u64 = 16;

/// Moves within so much of the best win rate may be chosen …
const WITHIN: f32 = 0.05;

/// … if they have at least this share of its visits.
const SHARE: f32 = 0.4;

/// Playouts a move at a level from 1 to 10: so few that the priors choose most of
/// what is looked at.
pub(super) fn playouts(level: u8) -> u64 {
    FEWEST << (level.clamp(1, 10) - 1)
}

/// The move to make: one of those that look nearly as good as the best, the more
/// visited ones more often.
pub(super) fn choose(found: &Found, seed: u64) -> Option<Move> {
    let best = found.moves.first()?;
    let good = |m: &&RootMove| {
        m.mv != Move::Pass
            && m.stats.visits as f32 >= SHARE * best.stats.visits as f32
            && m.stats.mean() >= best.stats.mean() - WITHIN
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
