//! The status of a chain, and the procedure that decides it.

use super::line::End;
use super::play::{Conduct, Retake};
use crate::rules::{KoRule, SuicideRule};
use crate::types::{Color, Move, Point};

/// Why a chain is alive or dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Life {
    /// Alive: the opponent cannot capture it.
    Uncapturable,
    /// Alive: its capture enables a new stone that the opponent cannot capture, on one
    /// of the chain's own points.
    NewStone,
    /// Alive: its capture enables such a stone elsewhere in the area that the capture opens up.
    NewStoneNearby,
    /// Dead: it can be captured without enabling such a stone.
    Dead,
    /// Dead: it can be captured, and is so large that what follows is not searched.
    Captured,
    /// Unknown: the search reached a limit, or the region is too large.
    Unsettled,
}

impl Life {
    /// Is the chain alive? `None` if unknown.
    pub fn is_alive(self) -> Option<bool> {
        match self {
            Life::Uncapturable | Life::NewStone | Life::NewStoneNearby => Some(true),
            Life::Dead | Life::Captured => Some(false),
            Life::Unsettled => None,
        }
    }
}

/// A move of hypothetical play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hypothetical {
    /// A stone on this point.
    Play(Point),
    /// A pass for the ko in which the stone on this point captured.
    KoPass(Point),
    /// A pass.
    Pass,
}

impl Hypothetical {
    /// The move as played on the board.
    pub fn on_board(self) -> Move {
        match self {
            Hypothetical::Play(p) => Move::Play(p),
            Hypothetical::KoPass(_) | Hypothetical::Pass => Move::Pass,
        }
    }

    /// `White A9` or `Black passes for the ko at B9`, as a move of `c`.
    pub fn in_words(self, c: Color) -> String {
        match self {
            Hypothetical::Play(p) => format!("{c} {p}"),
            Hypothetical::KoPass(p) => format!("{c} passes for the ko at {p}"),
            Hypothetical::Pass => format!("{c} passes"),
        }
    }
}

/// The result of the confirmation for one chain.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The chain.
    pub stones: Vec<Point>,
    /// Its owner.
    pub owner: Color,
    /// Did its owner play first?
    pub owner_first: bool,
    /// Alive or dead, and why.
    pub life: Life,
    /// Play that shows why the chain is alive or dead; empty if none is needed or found.
    pub line: Vec<(Color, Hypothetical)>,
    /// What the last position of [`line`](Self::line) shows.
    pub end: End<Point>,
    /// Does the result depend on surrounding chains that are only assumed to be beyond capture?
    pub assumes: bool,
    /// Number of states searched for this result.
    pub nodes: u64,
}

/// The player who moves first in the search about a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum First {
    /// The opponent, as in Article 7.
    Attacker,
    /// The owner: players who stop early may still make the last protective moves. A chain is then
    /// dead if even the first move does not save it.
    Owner,
    /// The player to move in a game that goes on.
    Player(Color),
}

impl First {
    /// The player who moves first, given the chain's owner.
    pub fn color(self, owner: Color) -> Color {
        match self {
            First::Attacker => owner.opponent(),
            First::Owner => owner,
            First::Player(c) => c,
        }
    }

    /// Does the game go on, so that its player to move matters?
    pub fn goes_on(self) -> bool {
        matches!(self, First::Player(_))
    }

    /// Does the owner of the chain move first?
    pub fn is_owner(self, owner: Color) -> bool {
        self.color(owner) == owner
    }

    /// The other player first.
    pub fn other(self) -> First {
        match self {
            First::Attacker => First::Owner,
            First::Owner => First::Attacker,
            First::Player(c) => First::Player(c.opponent()),
        }
    }
}

/// The first player and the rules of hypothetical play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Procedure {
    /// The player who moves first.
    pub first: First,
    /// Rules of the play.
    pub conduct: Conduct,
}

impl Procedure {
    /// Article 7 of the Japanese rules of 1989, taken literally.
    pub const ARTICLE_7: Procedure = Procedure {
        first: First::Attacker,
        conduct: Conduct {
            retake: Retake::AfterPassForIt,
            suicide: SuicideRule::Forbidden,
            ko: KoRule::Simple,
        },
    };
}
