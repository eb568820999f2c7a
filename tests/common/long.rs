//! Games longer than any real one.

use ponnuki::position::Position;
use ponnuki::rules::preset;
use ponnuki::types::{BoardSize, Generator, Move};

/// A random game of `turns` turns that repeats few positions.
pub fn game(turns: usize) -> Position {
    let rules = preset("tromp-taylor").unwrap().rules;
    let mut game = Position::new(BoardSize::square(19), rules);
    let mut rng = Generator::new(1);
    for _ in 0..turns {
        let c = game.to_move();
        let plays = game.board().empty_points();
        let mut tried = (0..20).map(|_| Move::Play(plays[rng.below(plays.len() as u32) as usize]));
        let legal = tried.find(|&m| game.legality(c, m).is_ok());
        game.play_unchecked(c, legal.unwrap_or(Move::Pass));
    }
    game
}
