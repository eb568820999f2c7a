//! Playing like a weaker player: it looks less far, and does not always prefer the
//! better of two moves that look nearly as good; the lower levels take a move for good that
//! is not.

use crate::analysis::{AnalysisReport, MoveReport};
use crate::types::{Generator, Move};

/// The highest level: full strength.
const FULL: u8 = 10;

/// Playouts of a move at the levels below, each about four times those before it.
const PLAYOUTS: [u64; 9] = [4, 16, 64, 256, 1024, 2500, 10_000, 40_000, 160_000];

/// Where there is a network, so many of its evaluations instead. One is worth about 2,500
/// playouts.
const EVALUATIONS: [u64; 9] = [1, 1, 1, 1, 1, 1, 4, 16, 80];

/// Moves that have been searched are chosen within so much of the best win rate.
const WITHIN: f32 = 0.05;

/// Among which moves a level chooses.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Taste {
    /// They have at least this share of the best move's visits, or of its prior where only
    /// the priors are known.
    share: f32,
    /// A share to the power of one over this is how often a move is made: the higher, the
    /// less the best are preferred.
    temperature: f32,
}

/// That of a player who sees what is good.
const GOOD: Taste = Taste {
    share: 0.4,
    temperature: 1.0,
};

/// Those of the levels below it, where there is a network.
const TASTES: [Taste; 5] = {
    const fn taste(share: f32, temperature: f32) -> Taste {
        Taste { share, temperature }
    }
    [
        taste(0.0001, 3.0),
        taste(0.0005, 2.0),
        taste(0.002, 2.0),
        taste(0.02, 1.5),
        taste(0.05, 1.0),
    ]
};

/// A level of those that are below full strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Level(u8);

impl Level {
    /// A level from 1 to 10; `None` at full strength.
    pub fn new(level: u8) -> Option<Level> {
        (level < FULL).then_some(Level(level.max(1)))
    }

    /// Playouts of a move, by a network if there is one.
    pub fn playouts(self, network: bool) -> u64 {
        let at = usize::from(self.0) - 1;
        if network {
            EVALUATIONS[at]
        } else {
            PLAYOUTS[at]
        }
    }

    fn taste(self, network: bool) -> Taste {
        let at = usize::from(self.0) - 1;
        let low = TASTES.get(at).filter(|_| network);
        *low.unwrap_or(&GOOD)
    }

    /// The move to make instead of the best, which is no pass: one of those that look nearly
    /// as good to this level, the better ones more often.
    pub fn choose(self, found: &AnalysisReport, network: bool, seed: u64) -> Option<Move> {
        let best = found.moves.first()?;
        let taste = self.taste(network);
        let visited = best.visits > 0;
        let share = |m: &MoveReport| match visited {
            true => m.visits as f32 / best.visits as f32,
            false => m.prior / best.prior,
        };
        let good = |m: &&MoveReport| {
            m.mv != Move::Pass
                && share(m) >= taste.share
                && (!visited || m.win_rate >= best.win_rate - WITHIN)
        };
        let weight = |m: &MoveReport| share(m).powf(1.0 / taste.temperature);
        let candidates = found.moves.iter().filter(good);
        Generator::new(seed).draw(candidates.map(|m| (m.mv, weight(m))))
    }
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
            let more = low.playouts(true) < high.playouts(true);
            assert!(more || low.taste(true).share < high.taste(true).share);
        }
    }
}
