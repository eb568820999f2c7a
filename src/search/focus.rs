//! What a search is to leave out and to report beyond the usual.

use crate::types::{Color, Move};

/// What a search is to leave out and to report beyond the usual.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Focus {
    /// Moves to leave out.
    pub restrictions: Vec<Restriction>,
    /// Keep the final ownership by the move at the root.
    pub move_ownership: bool,
}

/// Moves that a player may not try near the root.
#[derive(Clone, Debug, PartialEq)]
pub struct Restriction {
    /// Whose moves.
    pub player: Color,
    /// Which.
    pub moves: Vec<Move>,
    /// All but these, instead of these.
    pub all_but: bool,
    /// In the first so many turns from the root.
    pub until_depth: usize,
}

impl Restriction {
    /// Is a move left out, `depth` turns from the root (0 at the root itself)?
    pub fn forbids(&self, player: Color, m: Move, depth: usize) -> bool {
        self.player == player && depth < self.until_depth && self.moves.contains(&m) != self.all_but
    }
}

impl Focus {
    /// Does any restriction bear on what this player may try there?
    pub fn restricts(&self, player: Color, depth: usize) -> bool {
        let bears = |r: &Restriction| r.player == player && depth < r.until_depth;
        self.restrictions.iter().any(bears)
    }

    /// Does any restriction leave a move out?
    pub fn forbids(&self, player: Color, m: Move, depth: usize) -> bool {
        self.restrictions
            .iter()
            .any(|r| r.forbids(player, m, depth))
    }
}
