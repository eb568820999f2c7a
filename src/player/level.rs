//! Playing like a weaker player: it looks less far, and does not always prefer the
//! better of two moves that look nearly as good. It never plays a move that it
//! thinks bad.

use crate::analysis::{AnalysisReport, MoveReport, Profile};
use crate::types::{Generator, Move};

/// Moves within so much of the best win rate may be chosen.
const WITHIN: f32 = 0.05;

/// They must have at least this share of its visits.
const SHARE: f32 = 0.4;

/// Playouts a move at a level from 1 to 10.
pub(super) fn playouts(profile: &Profile, level: u8) -> u64 {
    profile.level_playouts << (level.clamp(1, 10) - 1)
}

/// The move to make: one of those that look nearly as good as the best, the more
/// visited ones more often.
pub(super) fn choose(found: &AnalysisReport, seed: u64) -> Option<Move> {
    let best = found.moves.first()?;
    let good = |m: &&MoveReport| {
        m.mv != Move::Pass
            && m.visits as f32 >= SHARE * best.visits as f32
            && m.win_rate >= best.win_rate - WITHIN
    };
    let candidates: Vec<&MoveReport> = found.moves.iter().filter(good).collect();
    let sum: u32 = candidates.iter().map(|m| m.visits).sum();
    if sum == 0 {
        return None;
    }
    let mut at = Generator::new(seed).below(sum);
    for m in candidates {
        if at < m.visits {
            return Some(m.mv);
        }
        at -= m.visits;
    }
    None
}
