use crate::rules::{Citations, KoRule, Ruleset};
use crate::types::{Color, Point};
use std::fmt;

/// The earlier position that a play would repeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// The position before the first turn.
    Start,
    /// The position after a turn.
    Turn {
        /// Its number, from 1.
        number: u32,
        /// Who made it.
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

/// Why a move is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllegalMove {
    /// The point is not on the board.
    OffBoard(Point),
    /// The point is not empty.
    Occupied(Point),
    /// The immediate recapture of a ko.
    Ko(Point),
    /// This many own stones would be left without liberties.
    Suicide(u32),
    /// A whole-board position would come again.
    Repetition {
        /// Which rule forbids it.
        rule: KoRule,
        /// What would be repeated.
        earlier: Earlier,
    },
}

impl IllegalMove {
    /// The reason with the article that forbids the move, for the rules in force:
    /// `repeats the position after White 34 (New Zealand rules, move)`. Rules
    /// without a name are cited by the kind of their ko rule.
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

/// Without knowing the ruleset: no article is cited.
impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IllegalMove::OffBoard(p) => write!(f, "{p} is not on the board"),
            IllegalMove::Occupied(p) => write!(f, "{p} is occupied"),
            IllegalMove::Ko(p) => write!(f, "the ko at {p} may not be retaken at once"),
            IllegalMove::Suicide(1) => f.write_str("suicide of a single stone"),
            IllegalMove::Suicide(n) => write!(f, "suicide of {n} stones"),
            IllegalMove::Repetition { rule, earlier } => {
                let rule = match rule {
                    KoRule::Simple => "ko",
                    KoRule::Positional => "positional superko",
                    KoRule::Situational => "situational superko",
                    KoRule::OwnMoves => "superko against the player's own earlier moves",
                    KoRule::Spight => "positional superko since the last pass",
                };
                write!(f, "repeats {earlier} ({rule})")
            }
        }
    }
}

impl std::error::Error for IllegalMove {}
