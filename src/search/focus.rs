//! Moves that a search excludes, and extra results that it keeps.

use crate::types::{Color, Move};

/// Moves that a search excludes, and extra results that it keeps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Focus {
    /// Moves to exclude.
    pub restrictions: Vec<Restriction>,
    /// Keep the final ownership separately for each root move.
    pub move_ownership: bool,
}

/// Moves that a player must not try near the root.
#[derive(Clone, Debug, PartialEq)]
pub struct Restriction {
    /// The restricted player.
    pub player: Color,
    /// The listed moves.
    pub moves: Vec<Move>,
    /// Forbid all moves except the listed ones? Otherwise the listed ones are forbidden.
    pub all_but: bool,
    /// Number of turns from the root in which the restriction applies.
    pub until_depth: usize,
}

/// Does any of these restrictions forbid a move `depth` turns from the root?
pub fn forbids(restrictions: &[Restriction], player: Color, m: Move, depth: usize) -> bool {
    let mut all = restrictions.iter();
    all.any(|r| r.forbids(player, m, depth))
}

impl Restriction {
    /// Allow a player only these moves, in the first `until_depth` turns.
    pub fn only(player: Color, moves: Vec<Move>, until_depth: usize) -> Restriction {
        Restriction {
            player,
            moves,
            all_but: true,
            until_depth,
        }
    }

    /// Is a move forbidden `depth` turns from the root (0 at the root itself)?
    fn forbids(&self, player: Color, m: Move, depth: usize) -> bool {
        self.player == player && depth < self.until_depth && self.moves.contains(&m) != self.all_but
    }
}

impl Focus {
    /// Does any restriction apply to this player at this depth?
    pub fn restricts(&self, player: Color, depth: usize) -> bool {
        let applies = |r: &Restriction| r.player == player && depth < r.until_depth;
        self.restrictions.iter().any(applies)
    }

    /// Does any restriction forbid a move?
    pub fn forbids(&self, player: Color, m: Move, depth: usize) -> bool {
        forbids(&self.restrictions, player, m, depth)
    }
}
