//! Ladders: can a chain in atari, or with two liberties, be chased to its end?

use crate::board::Board;
use crate::rules::SuicideRule;
use crate::types::{Color, Point};

/// Plies after which a ladder counts as escaped: more than any straight ladder
/// across a 25x25 board takes.
const DEPTH: u32 = 120;

/// Is the chain at `p` captured in a ladder? The attacker begins if `attacker_first`,
/// otherwise the defender.
///
/// The defender extends or captures a neighbouring chain in atari; the attacker
/// plays on one of the two liberties. Repetition is left to the depth limit, kos
/// count as forbidden only when retaken at once. `nodes` is a budget of board
/// positions; when it runs out the answer is `false`.
///
/// ```
/// use ponnuki::board::Board;
/// use ponnuki::tactics::captured_in_ladder;
/// use ponnuki::types::Point;
///
/// let board = Board::from_diagram(
///     ". . . . . .
///      . . . . . .
///      . . . . . .
///      . . X X . .
///      . X O . . .
///      . . X . . .",
/// )?;
/// let stone = Point::new(2, 1);
/// assert!(captured_in_ladder(&board, stone, true, &mut 1000));
/// # Ok::<(), ponnuki::board::SetUpError>(())
/// ```
pub fn captured_in_ladder(board: &Board, p: Point, attacker_first: bool, nodes: &mut u32) -> bool {
    let Some(owner) = board.at(p).color() else {
        return false;
    };
    if attacker_first {
        attack(board, owner, p, DEPTH, nodes)
    } else {
        defended_in_vain(board, owner, p, DEPTH, nodes)
    }
}

fn attack(board: &Board, owner: Color, p: Point, depth: u32, nodes: &mut u32) -> bool {
    let libs = board.liberties_up_to::<3>(p);
    match libs.len() {
        0 | 1 => return true,
        2 => {}
        _ => return false,
    }
    if depth == 0 || *nodes == 0 {
        return false;
    }
    let attacker = owner.opponent();
    libs.iter().any(|&q| {
        if *nodes == 0 || !board.is_legal(attacker, q, SuicideRule::Forbidden) {
            return false;
        }
        *nodes -= 1;
        let mut b = board.clone();
        b.play_unchecked(attacker, q);
        // An attacker whose own chain is now in atari is captured instead.
        if b.atari(q).is_some() && b.chain_len(q) > 1 {
            return false;
        }
        defended_in_vain(&b, owner, p, depth - 1, nodes)
    })
}

fn defended_in_vain(board: &Board, owner: Color, p: Point, depth: u32, nodes: &mut u32) -> bool {
    let Some(liberty) = board.atari(p) else {
        return attack(board, owner, p, depth, nodes);
    };
    if depth == 0 || *nodes == 0 {
        return false;
    }
    let mut escapes: smallvec::SmallVec<[Point; 8]> = smallvec::smallvec![liberty];
    for s in board.chain_stones(p) {
        for q in s.neighbours() {
            if board.at(q).color() == Some(owner.opponent())
                && let Some(capture) = board.atari(q)
                && !escapes.contains(&capture)
            {
                escapes.push(capture);
            }
        }
    }
    escapes.iter().all(|&q| {
        if !board.is_legal(owner, q, SuicideRule::Forbidden) {
            return true;
        }
        if *nodes == 0 {
            return false;
        }
        *nodes -= 1;
        let mut b = board.clone();
        b.play_unchecked(owner, q);
        attack(&b, owner, p, depth - 1, nodes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ladder_works_until_a_breaker_stands_in_its_way() {
        let free = Board::from_diagram(
            ". . . . . . .
             . . . . . . .
             . . . . . . .
             . . . . . . .
             . . X . . . .
             . X O . . . .
             . . X . . . .",
        )
        .unwrap();
        let stone = Point::new(2, 1);
        assert!(!captured_in_ladder(&free, stone, false, &mut 1000));
        let ladder = Board::from_diagram(
            ". . . . . . .
             . . . . . . .
             . . . . . . .
             . . . . . . .
             . . X X . . .
             . X O . . . .
             . . X . . . .",
        )
        .unwrap();
        assert!(captured_in_ladder(&ladder, stone, true, &mut 1000));
        let broken = Board::from_diagram(
            ". . . . . . .
             . . . . . . .
             . . . . . . .
             . . . . . . .
             . . X X . . .
             . X O . O . .
             . . X . . . .",
        )
        .unwrap();
        assert!(!captured_in_ladder(&broken, stone, false, &mut 1000));
    }
}
