//! Playing below full strength. The engine searches less and does not always prefer the
//! better of two nearly equal moves. With a network, the lower levels also mistake bad moves for
//! good.

use crate::analysis::{AnalysisReport, MoveReport};
use crate::types::{Generator, Move};

/// The highest level: full strength.
const FULL: u8 = 10;

/// Playouts per move at the levels below full strength, about four times as many at each level.
const PLAYOUTS: [u64; 9] = [4, 16, 64, 256, 1024, 2500, 10_000, 40_000, 160_000];

/// Evaluations per move with a network. One is worth about 2,500 playouts.
const EVALUATIONS: [u64; 9] = [1, 1, 1, 1, 1, 1, 4, 16, 80];

/// Largest difference in win rate between the best move and a chosen one.
const WITHIN: f32 = 0.05;

/// How a level chooses among moves.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Selectivity {
    /// Minimum share of the best move's visits, or of its prior if there are no visits.
    share: f32,
    /// A move's probability is proportional to its share to the power of
    /// 1 / `temperature`: higher temperatures prefer the best moves less.
    temperature: f32,
}

/// The choice of a player who recognises good moves.
const GOOD: Selectivity = Selectivity {
    share: 0.4,
    temperature: 1.0,
};

/// The choices of the lowest levels with a network.
const LOW_LEVELS: [Selectivity; 5] = {
    const fn choice(share: f32, temperature: f32) -> Selectivity {
        Selectivity { share, temperature }
    }
    [
        choice(0.0001, 3.0),
        choice(0.0005, 2.0),
        choice(0.002, 2.0),
        choice(0.02, 1.5),
        choice(0.05, 1.0),
    ]
};

/// A level below full strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Level(u8);

impl Level {
    /// The level for a number from 1 to 10; `None` at full strength.
    pub fn new(level: u8) -> Option<Level> {
        (level < FULL).then_some(Level(level.max(1)))
    }

    /// Playouts per move; with a network, evaluations.
    pub fn playouts(self, network: bool) -> u64 {
        let at = usize::from(self.0) - 1;
        if network {
            EVALUATIONS[at]
        } else {
            PLAYOUTS[at]
        }
    }

    fn selectivity(self, network: bool) -> Selectivity {
        let at = usize::from(self.0) - 1;
        let low = LOW_LEVELS.get(at).filter(|_| network);
        *low.unwrap_or(&GOOD)
    }

    /// Sample a play (never a pass) among those that this level considers nearly as good as the
    /// best. Better ones are likelier.
    pub fn choose(self, found: &AnalysisReport, network: bool, seed: u64) -> Option<Move> {
        let best = found.moves.first()?;
        let selectivity = self.selectivity(network);
        let visited = best.visits > 0;
        let share = |m: &MoveReport| match visited {
            true => m.visits as f32 / best.visits as f32,
            false => m.prior / best.prior,
        };
        let good = |m: &&MoveReport| {
            m.mv != Move::Pass
                && share(m) >= selectivity.share
                && (!visited || m.win_rate >= best.win_rate - WITHIN)
        };
        let weight = |m: &MoveReport| share(m).powf(1.0 / selectivity.temperature);
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
            assert!(more || low.selectivity(true).share < high.selectivity(true).share);
        }
    }
}
