//! Playing like a weaker player: it looks less far, and does not always prefer the
//! better of two moves that look nearly as good. It never plays a move that it
//! thinks bad.

use crate::analysis::{AnalysisReport, MoveReport};
use crate::types::{Generator, Move};

/// The highest level: full strength.
const FULL: u8 = 10;

/// Playouts of a move at the levels below, each about four times those before it.
const PLAYOUTS: [u64; 9] = [4, 16, 64, 256, 1024, 2500, 10_000, 40_000, 160_000];

/// Where there is a network, these levels have so many evaluations instead. One is worth
/// about 2,500 playouts.
const EVALUATIONS: [u64; 4] = [1, 4, 16, 80];

/// The lowest of them.
const BY_NETWORK: u8 = FULL - EVALUATIONS.len() as u8;

/// A level of those that are below full strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Level(u8);

impl Level {
    /// A level from 1 to 10; `None` at full strength.
    pub fn new(level: u8) -> Option<Level> {
        (level < FULL).then_some(Level(level.max(1)))
    }

    /// Is a network too strong for it?
    pub fn only_playouts(self) -> bool {
        self.0 < BY_NETWORK
    }

    /// Playouts of a move, by a network if there is one.
    pub fn playouts(self, network: bool) -> u64 {
        match self.0.checked_sub(BY_NETWORK).filter(|_| network) {
            Some(at) => EVALUATIONS[usize::from(at)],
            None => PLAYOUTS[usize::from(self.0) - 1],
        }
    }
}

/// Moves within so much of the best win rate may be chosen.
const WITHIN: f32 = 0.05;

/// They must have at least this share of its visits, or of its prior where only the priors
/// are known.
const SHARE: f32 = 0.4;

/// The move to make: one of those that look nearly as good as the best, the more
/// visited ones more often.
pub(super) fn choose(found: &AnalysisReport, seed: u64) -> Option<Move> {
    let best = found.moves.first()?;
    let weight = |m: &MoveReport| match best.visits {
        0 => m.prior,
        _ => m.visits as f32,
    };
    let good = |m: &&MoveReport| {
        m.mv != Move::Pass
            && weight(m) >= SHARE * weight(best)
            && m.win_rate >= best.win_rate - WITHIN
    };
    let candidates = found.moves.iter().filter(good);
    Generator::new(seed).draw(candidates.map(|m| (m.mv, weight(m))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise_to_full_strength() {
        let levels: Vec<Level> = (0..=u8::MAX).filter_map(Level::new).collect();
        assert_eq!(levels[1..], [1, 2, 3, 4, 5, 6, 7, 8, 9].map(Level));
        for pair in levels[1..].windows(2) {
            let [low, high] = pair else { unreachable!() };
            assert!(low.playouts(false) < high.playouts(false));
            let by_network = low.only_playouts() && !high.only_playouts();
            assert!(by_network || low.playouts(true) < high.playouts(true));
        }
    }
}
