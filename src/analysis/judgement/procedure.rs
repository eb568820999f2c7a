//! The hypothetical play by which a position is judged, and the effort.

use crate::adjudicate::{Conduct, Dame, Effort, First, Procedure, Retake};
use crate::board::Board;
use crate::position::Position;
use crate::rules::Settlement;
use crate::types::{Color, Move};
use std::time::Instant;

/// The treatment of dame: a position without plays is judged as it stands; in a game dame count as
/// filled.
pub fn dame(position: &Position) -> Dame {
    if position.turns().iter().all(|t| t.mv == Move::Pass) {
        Dame::AsTheyStand
    } else {
        Dame::Filled
    }
}

/// The procedure for a position. A diagram under rules that confirm life and death gets Article 7
/// to the letter. In a game that goes on, the player to move begins; otherwise the owner does.
pub fn procedure(position: &Position) -> Procedure {
    let confirmed = position.rules().settlement == Settlement::Confirmation;
    let goes_on = !position.turns().is_empty() && !position.is_over();
    Procedure {
        first: match dame(position) {
            Dame::AsTheyStand if confirmed => First::Attacker,
            Dame::Filled if goes_on => First::Player(position.to_move()),
            _ => First::Owner,
        },
        conduct: Conduct {
            retake: if confirmed {
                Retake::AfterPassForIt
            } else {
                Retake::AfterAnyMove
            },
            suicide: position.rules().suicide,
            ko: position.rules().ko,
        },
    }
}

/// The boards that superko looks back to in hypothetical play, the present one included. None if the
/// rules have no such play.
pub fn earlier(position: &Position) -> Vec<(Color, Board)> {
    match position.rules().settlement {
        Settlement::PlayOut => Vec::new(),
        Settlement::Agreement | Settlement::Confirmation => position.earlier_boards(),
    }
}

/// Effort of the confirmation: highest for a diagram judged by Article 7, which needs proofs, less
/// for all else, and lowest while a clock is running.
pub fn effort(how: Procedure, thoroughness: Thoroughness) -> Effort {
    match thoroughness {
        Thoroughness::Quick => QUICK,
        Thoroughness::Thorough if how == Procedure::ARTICLE_7 => Effort::default(),
        Thoroughness::Thorough => PLAYED,
    }
}

/// Effort of a judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub enum Thoroughness {
    /// A clock is running.
    Quick,
    /// No clock is running. A diagram judged by Article 7 gets all the effort that its proofs need.
    Thorough,
}

/// Effort for all but diagrams judged by Article 7, while no clock is running.
const PLAYED: Effort = Effort {
    nodes: 100_000,
    total: 1_000_000,
    empty: 20,
    prove: false,
    until: None,
};

/// Effort while a clock runs, and always for searches with the other player first.
pub const QUICK: Effort = Effort {
    nodes: 20_000,
    total: 200_000,
    empty: 14,
    prove: false,
    until: None,
};

/// Has this time passed?
pub fn is_late(until: Option<Instant>) -> bool {
    until.is_some_and(|t| Instant::now() >= t)
}

/// The effort with a deadline.
pub fn within(effort: Effort, until: Option<Instant>) -> Effort {
    Effort { until, ..effort }
}
