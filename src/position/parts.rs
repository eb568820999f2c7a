//! A game whose board was changed otherwise than by play, as records do it: stones set up in
//! the middle, or a move on a stone. The rules judge it from there on; what was played before
//! is kept.

use super::{Position, Turn};
use crate::board::Board;
use crate::types::{Color, Point};
use std::sync::Arc;

/// What was played before the board was set up: as much as it takes to play it again. (A board
/// takes a hundred times the memory of its stones.)
#[derive(Clone, Debug)]
pub(super) struct Part {
    stones: Vec<(Color, Point)>,
    captured: [u32; 2],
    handicap: u32,
    settled_handicap: Option<u32>,
    first: Color,
    turns: Vec<Turn>,
    to_move: Color,
}

impl Part {
    fn of(p: Position) -> Part {
        Part {
            stones: p.start.stones().collect(),
            captured: Color::BOTH.map(|c| p.start.captured(c)),
            handicap: p.handicap,
            settled_handicap: p.settled_handicap,
            first: p.first,
            turns: p.turns,
            to_move: p.to_move,
        }
    }

    /// The end of this part, under the rules and komi of the game.
    fn position(&self, game: &Position) -> Position {
        // They have stood on one board.
        let start = Board::with_stones(game.size(), self.stones.iter().copied());
        let mut start = start.unwrap_or_else(|_| Board::new(game.size()));
        for (c, n) in Color::BOTH.into_iter().zip(self.captured) {
            start.add_captured(c, n);
        }
        let mut p = Position::from_board(start, self.first, game.rules);
        p.komi = game.komi;
        p.handicap = self.handicap;
        p.settled_handicap = self.settled_handicap;
        for t in &self.turns {
            p.play_unchecked(t.color, t.mv);
        }
        p.to_move = self.to_move;
        p
    }
}

impl Position {
    /// Go on from another board, set up in the middle of the game. No turn before it can be
    /// repeated or taken back, but all stay, as a [part](Position::parts) of the game. Rules,
    /// komi, the turn, and the handicap if it is settled stay too.
    pub fn change_board(&mut self, board: Board) {
        let begun = self.handicap_is_settled() && !self.turns.is_empty();
        let handicap = self.settled_handicap.or(begun.then(|| self.handicap()));
        let mut new = Position::from_board(board, self.to_move, self.rules);
        new.komi = self.komi;
        new.settled_handicap = handicap;
        new.before = std::mem::take(&mut self.before);
        let old = std::mem::replace(self, new);
        if !old.turns.is_empty() {
            Arc::make_mut(&mut self.before).push(Part::of(old));
        }
    }

    /// The game in parts, the oldest first: each ends where the board was
    /// [set up](Position::change_board) next, and the last is this position. All but the last have
    /// turns.
    pub fn parts(&self) -> impl Iterator<Item = Position> + '_ {
        let before = self.before.iter().map(|part| part.position(self));
        before.chain(std::iter::once_with(|| self.clone()))
    }
}
