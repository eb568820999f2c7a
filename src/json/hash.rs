//! Symmetry-invariant position hashes: 128 bits as 32 hexadecimal digits.

use crate::board::Board;
use crate::net::Symmetry;
use crate::position::Position;
use crate::types::{Color, GOLDEN, Point, splitmix};

/// Hash of a position, the same if the position is rotated or mirrored. It depends on the stones,
/// the board size, the player to move and the ko point. Different positions share a hash with
/// probability 2⁻¹²⁸.
pub fn symmetric(position: &Position) -> String {
    let size = position.size().dims();
    let (width, height) = size;
    let hashes = (0..Symmetry::count(size)).map(|number| {
        let symmetry = Symmetry::new(number, size);
        hash(position, |p| {
            let row = height - 1 - usize::from(p.y());
            let place = symmetry.of(row * width + usize::from(p.x()), size);
            Point::new((place % width) as u8, (height - 1 - place / width) as u8)
        })
    });
    // The smallest hash over all symmetries.
    format!("{:032X}", hashes.min().unwrap_or_default())
}

/// Zobrist hash of a position whose points are mapped by `place`.
fn hash(position: &Position, place: impl Fn(Point) -> Point) -> u128 {
    let board: &Board = position.board();
    let size = board.size();
    let stones = size.points().filter_map(|p| {
        let c = board.at(p).color()?;
        Some(number(c.index() as u64, place(p).raw().into()))
    });
    let mut hash = stones.fold(0, |all, n| all ^ n);
    hash ^= number(2, (position.to_move() == Color::White).into());
    if let Some(ko) = board.ko() {
        hash ^= number(3, place(ko).raw().into());
    }
    hash ^ number(4, u64::from(size.width()) << 8 | u64::from(size.height()))
}

/// Pseudorandom number for a feature of a kind: two words of SplitMix64.
fn number(kind: u64, which: u64) -> u128 {
    let word = |i: u64| {
        let state = (kind << 40 | which << 8 | i) + 1;
        u128::from(splitmix(state.wrapping_mul(GOLDEN)))
    };
    word(0) << 64 | word(1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::rules::Ruleset;
    use crate::types::{BoardSize, Move};

    fn game(moves: &[(u8, u8)], size: (u32, u32)) -> Position {
        let size = BoardSize::new(size.0, size.1).unwrap();
        let mut game = Position::new(size, Ruleset::default());
        for &(x, y) in moves {
            game.play(game.to_move(), Move::Play(Point::new(x, y)))
                .unwrap();
        }
        game
    }

    #[test]
    fn only_symmetric_positions_share_a_hash() {
        let moves = [(2, 3), (4, 4), (0, 1)];
        let here = game(&moves, (7, 7));
        let turned = game(&moves.map(|(x, y)| (6 - y, x)), (7, 7));
        assert_eq!(symmetric(&here), symmetric(&turned));
        let other = game(&[(2, 3), (4, 4), (0, 2)], (7, 7));
        assert_ne!(symmetric(&here), symmetric(&other));
        // Rectangular boards are not rotated by a right angle.
        let wide = game(&[(2, 3)], (7, 5));
        let mirrored = game(&[(4, 1)], (7, 5));
        assert_eq!(symmetric(&wide), symmetric(&mirrored));
    }

    #[test]
    fn hash_depends_on_player_to_move_and_ko() {
        let here = game(&[(2, 3)], (7, 7));
        let mut other = here.clone();
        other.set_to_move(Color::Black);
        assert_ne!(symmetric(&here), symmetric(&other));
        let order = [
            (1, 0),
            (2, 0),
            (0, 1),
            (3, 1),
            (1, 2),
            (2, 2),
            (6, 6),
            (1, 1),
            (2, 1),
        ];
        let ko = game(&order, (7, 7));
        assert!(ko.board().ko().is_some());
        let mut without = Position::from_board(ko.start().clone(), ko.first(), *ko.rules());
        for p in ko.size().points() {
            if let Some(c) = ko.board().at(p).color() {
                without.play_unchecked(c, Move::Play(p));
            }
        }
        without.set_to_move(ko.to_move());
        assert_eq!(without.board().hash(), ko.board().hash());
        assert_ne!(symmetric(&ko), symmetric(&without));
    }
}
