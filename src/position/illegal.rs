//! Which moves are legal, and why others are not.

use super::Position;
use crate::rules::{Citations, KoRule, Ruleset};
use crate::types::{Color, Move, Point};
use std::fmt;
use thiserror::Error;

/// The earlier position that a play would repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// The position before the first turn.
    Start,
    /// The position after a turn.
    Turn {
        /// Its number, from 1.
        number: u32,
        /// The player who made it.
        color: Color,
    },
}

impl fmt::Display for Earlier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Earlier::Start => f.write_str("the starting position"),
            Earlier::Turn { number, color } => write!(f, "the position after {color} {number}"),
        }
    }
}

/// The reason that a move is illegal. [`IllegalMove::in_words`] adds the article of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// The point is not on the board.
    #[error("{0} is not on the board")]
    OffBoard(Point),
    /// The point is not empty.
    #[error("{0} is occupied")]
    Occupied(Point),
    /// The immediate recapture of a ko.
    #[error("the ko at {0} may not be retaken at once")]
    Ko(Point),
    /// Suicide of this many stones.
    #[error("suicide of {}", stones(*.0))]
    Suicide(u32),
    /// A whole-board position would recur.
    #[error("repeats {earlier} ({})", name(*rule))]
    Repetition {
        /// The ko rule that forbids it.
        rule: KoRule,
        /// The position that would be repeated.
        earlier: Earlier,
    },
}

impl IllegalMove {
    /// The reason and the article that forbids the move under `rules`:
    /// `repeats the position after White 34 (New Zealand rules, move)`. For unnamed
    /// rules, the kind of ko rule replaces the article.
    pub fn in_words(&self, rules: &Ruleset) -> String {
        let article = |of: fn(&Citations) -> &'static str| {
            rules
                .preset()
                .map(|p| of(&p.cites))
                .filter(|a| !a.is_empty())
        };
        let article = match self {
            IllegalMove::OffBoard(_) | IllegalMove::Occupied(_) => None,
            IllegalMove::Ko(_) | IllegalMove::Repetition { .. } => article(|c| c.repetition),
            IllegalMove::Suicide(_) => article(|c| c.suicide),
        };
        match (self, article) {
            (_, None) => self.to_string(),
            (IllegalMove::Repetition { earlier, .. }, Some(a)) => {
                format!("repeats {earlier} ({a})")
            }
            (_, Some(a)) => format!("{self} ({a})"),
        }
    }
}

fn stones(n: u32) -> String {
    match n {
        1 => "a single stone".to_owned(),
        n => format!("{n} stones"),
    }
}

fn name(rule: KoRule) -> &'static str {
    match rule {
        KoRule::Simple => "ko",
        KoRule::Positional => "positional superko",
        KoRule::Situational => "situational superko",
        KoRule::OwnMoves => "superko against the player's own earlier moves",
        KoRule::Spight => "positional superko since the last pass",
    }
}

impl Position {
    /// Check that this player may make this move.
    ///
    /// `c` need not be the player to move: clients may play the same colour twice. A
    /// simple ko binds only the opponent of the capturer.
    ///
    /// # Errors
    /// [`IllegalMove`] names the rule that forbids it.
    pub fn legality(&self, c: Color, m: Move) -> Result<(), IllegalMove> {
        let Move::Play(p) = m else { return Ok(()) };
        if !self.size().contains(p) {
            return Err(IllegalMove::OffBoard(p));
        }
        if !self.board.is_empty(p) {
            return Err(IllegalMove::Occupied(p));
        }
        if let Some(stones) = self.board.suicide_len(c, p)
            && !self.rules.allows_suicide_of(stones)
        {
            return Err(IllegalMove::Suicide(stones));
        }
        if self.rules.ko == KoRule::Simple {
            let by_opponent = self.turns.last().is_none_or(|t| t.color != c);
            if self.board.ko() == Some(p) && by_opponent {
                return Err(IllegalMove::Ko(p));
            }
            return Ok(());
        }
        match self.repeats(c, self.board.hash_after(c, p)) {
            Some(earlier) => Err(IllegalMove::Repetition {
                rule: self.rules.ko,
                earlier,
            }),
            None => Ok(()),
        }
    }

    /// Check that at least one server's rules allow this move. Ko, superko and suicide of several
    /// stones, on which servers differ, are allowed.
    ///
    /// # Errors
    /// [`IllegalMove`] names the rule that forbids it everywhere.
    pub fn legality_on_some_server(&self, c: Color, m: Move) -> Result<(), IllegalMove> {
        match self.legality(c, m) {
            Err(
                IllegalMove::Ko(_) | IllegalMove::Repetition { .. } | IllegalMove::Suicide(2..),
            ) => Ok(()),
            legality => legality,
        }
    }

    /// All legal plays of a player, in the order of
    /// [`BoardSize::points`](crate::types::BoardSize::points).
    pub fn legal_plays(&self, c: Color) -> impl Iterator<Item = Point> + '_ {
        self.size()
            .points()
            .filter(move |&p| self.legality(c, Move::Play(p)).is_ok())
    }
}
