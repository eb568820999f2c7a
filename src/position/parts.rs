//! Games whose board was changed otherwise than by a legal move, as in records: stones set up in
//! the middle, or a move on an occupied point. The rules apply from there on; earlier turns are
//! kept.

use super::{Position, Turn};
use crate::board::Board;
use crate::types::{Color, Point};
use std::sync::Arc;

/// A part of the game before the board was set up, in the form needed to replay it. (A board
/// takes a hundred times the memory of its stones.)
#[derive(Clone, Debug)]
pub(super) struct Part {
    stones: Vec<(Color, Point)>,
    captured: [u32; 2],
    handicap: u32,
    declared_handicap: Option<u32>,
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
            declared_handicap: p.declared_handicap,
            first: p.first,
            turns: p.turns,
            to_move: p.to_move,
        }
    }

    /// The final position of this part, under the rules and komi of `game`.
    fn position(&self, game: &Position) -> Position {
        // Cannot fail: the stones come from a board of this size.
        let start = Board::with_stones(game.size(), self.stones.iter().copied());
        let mut start = start.unwrap_or_else(|_| Board::new(game.size()));
        for (c, n) in Color::BOTH.into_iter().zip(self.captured) {
            start.add_captured(c, n);
        }
        let mut p = Position::from_board(start, self.first, game.rules);
        p.komi = game.komi;
        p.handicap = self.handicap;
        p.declared_handicap = self.declared_handicap;
        for t in &self.turns {
            p.play_unchecked(t.color, t.mv);
        }
        p.to_move = self.to_move;
        p
    }
}

impl Position {
    /// Replace the board in the middle of the game. Earlier turns become a
    /// [part](Position::parts) of the game: superko ignores them and they cannot be undone.
    /// Keeps the rules, komi, the player to move, and the handicap if it is final.
    pub fn change_board(&mut self, board: Board) {
        let is_final = self.handicap_is_final() && !self.turns.is_empty();
        let handicap = self.declared_handicap.or(is_final.then(|| self.handicap()));
        let mut new = Position::from_board(board, self.to_move, self.rules);
        new.komi = self.komi;
        new.declared_handicap = handicap;
        new.earlier_parts = std::mem::take(&mut self.earlier_parts);
        let old = std::mem::replace(self, new);
        if !old.turns.is_empty() {
            Arc::make_mut(&mut self.earlier_parts).push(Part::of(old));
        }
    }

    /// The final position of each part of the game, oldest first. A part ends where the board was
    /// [set up](Position::change_board); the last is this position. All but the last have turns.
    pub fn parts(&self) -> impl Iterator<Item = Position> + '_ {
        let earlier = self.earlier_parts.iter().map(|part| part.position(self));
        earlier.chain(std::iter::once_with(|| self.clone()))
    }
}
