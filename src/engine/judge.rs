//! The judgement at the end of a game: one value that the pass decision,
//! `final_status_list` and `final_score` all read.

use crate::position::{Position, Score};
use crate::types::Point;

/// What becomes of a chain when the game stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChainStatus {
    /// It stays, with territory.
    Alive,
    /// It stays, in seki.
    Seki,
    /// It is taken off.
    Dead,
}

/// The status of every chain and the count that follows from it.
#[derive(Clone, Debug)]
pub struct Judgement {
    chains: Vec<(Vec<Point>, ChainStatus)>,
    score: Score,
}

impl Judgement {
    /// Judge a position.
    pub fn of(position: &Position) -> Judgement {
        let board = position.board();
        let mut chains = Vec::new();
        for p in board.size().points() {
            if board.at(p).is_stone() && board.chain(p) == p {
                chains.push((board.chain_stones(p).collect(), ChainStatus::Alive));
            }
        }
        Judgement {
            chains,
            score: position.score(&[], |_| false),
        }
    }

    /// Every chain of the board with its status.
    pub fn chains(&self) -> &[(Vec<Point>, ChainStatus)] {
        &self.chains
    }

    /// The count with the dead stones taken off.
    pub fn score(&self) -> &Score {
        &self.score
    }
}
