//! Ladder search: can a chain with one or two liberties be captured by successive ataris?
//!
//! Networks are given a slightly different reading, with which they were trained: `LadderReader` in
//! [`crate::net`].

use crate::board::Board;
use crate::rules::SuicideRule;
use crate::types::{Color, Point};
use smallvec::SmallVec;
use std::ops::{Index, IndexMut};

/// Depth in plies at which the chain counts as escaped: more than any straight ladder
/// across a 25x25 board needs.
const DEPTH: usize = 120;

/// The boards after each ply of a line of play. They are too large for the stack, and are reused
/// for the next line.
#[derive(Debug, Default)]
pub struct Plies(Vec<Board>);

impl Plies {
    /// Start a line at a copy of this board.
    pub fn start(&mut self, board: &Board) {
        match self.0.first_mut() {
            Some(first) => first.copy_from(board),
            None => self.0.push(board.clone()),
        }
    }

    /// Copy the board of this ply to the next ply, and play there.
    pub fn play(&mut self, ply: usize, c: Color, q: Point) {
        let (line, next) = self.0.split_at_mut(ply + 1);
        match next.first_mut() {
            Some(next) => next.copy_from(&line[ply]),
            None => {
                let next = line[ply].clone();
                self.0.push(next);
            }
        }
        self.0[ply + 1].play_unchecked(c, q);
    }
}

impl Index<usize> for Plies {
    type Output = Board;

    fn index(&self, ply: usize) -> &Board {
        &self.0[ply]
    }
}

impl IndexMut<usize> for Plies {
    fn index_mut(&mut self, ply: usize) -> &mut Board {
        &mut self.0[ply]
    }
}

/// The plays by which `owner` captures a chain next to its chain at `p`.
pub fn capturing_plays(board: &Board, p: Point, owner: Color) -> SmallVec<[Point; 8]> {
    let mut plays = SmallVec::new();
    for s in board.chain_stones(p) {
        for q in s.neighbours() {
            if board.at(q).color() == Some(owner.opponent())
                && let Some(capture) = board.atari(q)
                && !plays.contains(&capture)
            {
                plays.push(capture);
            }
        }
    }
    plays
}

/// A ladder search.
#[derive(Debug, Default)]
pub struct LadderSearch {
    boards: Plies,
    /// Number of positions left to search.
    nodes: u32,
}

impl LadderSearch {
    /// Is the chain at `p` captured in a ladder? The opponent starts with a play at `attack`.
    /// Without one, the owner moves first if the chain is in atari, else the opponent.
    ///
    /// The owner extends, or captures an adjacent chain in atari. The opponent plays on one of the
    /// two liberties. Only the immediate recapture of a ko is forbidden, and the depth limit ends
    /// longer repetitions. False also if `nodes` positions do not suffice.
    ///
    /// ```
    /// use ponnuki::board::Board;
    /// use ponnuki::tactics::LadderSearch;
    /// use ponnuki::types::Point;
    ///
    /// let board = Board::from_diagram(
    ///     ". . . . . .
    ///      . . . . . .
    ///      . . . . . .
    ///      . . X . . .
    ///      . X O . . .
    ///      . . X . . .",
    /// )?;
    /// let (stone, atari) = (Point::new(2, 1), Point::new(3, 2));
    /// let mut ladders = LadderSearch::default();
    /// assert!(ladders.is_captured(&board, stone, Some(atari), 1000));
    /// assert!(!ladders.is_captured(&board, stone, None, 1000));
    /// # Ok::<(), ponnuki::board::SetUpError>(())
    /// ```
    pub fn is_captured(
        &mut self,
        board: &Board,
        p: Point,
        attack: Option<Point>,
        nodes: u32,
    ) -> bool {
        let Some(owner) = board.at(p).color() else {
            return false;
        };
        self.nodes = nodes;
        self.boards.start(board);
        if let Some(q) = attack {
            self.boards[0].play_unchecked(owner.opponent(), q);
        }
        self.owner_fails(0, owner, p)
    }

    /// Does the chain's opponent, to move, capture it?
    fn opponent_captures(&mut self, ply: usize, owner: Color, p: Point) -> bool {
        let liberties = self.boards[ply].liberties_up_to::<3>(p);
        match liberties.len() {
            0 | 1 => return true,
            2 => {}
            _ => return false,
        }
        if ply >= DEPTH || self.nodes == 0 {
            return false;
        }
        liberties.iter().any(|&q| {
            if self.nodes == 0 || !self.is_legal(ply, owner.opponent(), q) {
                return false;
            }
            self.play(ply, owner.opponent(), q);
            // If the opponent's own chain of several stones is now in atari, the owner captures it.
            let next = &self.boards[ply + 1];
            let in_atari = next.atari(q).is_some() && next.chain_len(q) > 1;
            !in_atari && self.owner_fails(ply + 1, owner, p)
        })
    }

    /// Does the owner fail to save the chain? The owner moves if it is in atari, else the opponent.
    fn owner_fails(&mut self, ply: usize, owner: Color, p: Point) -> bool {
        let board = &self.boards[ply];
        let Some(liberty) = board.atari(p) else {
            return self.opponent_captures(ply, owner, p);
        };
        if ply >= DEPTH || self.nodes == 0 {
            return false;
        }
        let mut escapes = capturing_plays(board, p, owner);
        escapes.retain(|q| *q != liberty);
        escapes.insert(0, liberty);
        escapes.iter().all(|&q| {
            if !self.is_legal(ply, owner, q) {
                return true;
            }
            if self.nodes == 0 {
                return false;
            }
            self.play(ply, owner, q);
            self.opponent_captures(ply + 1, owner, p)
        })
    }

    fn is_legal(&self, ply: usize, c: Color, q: Point) -> bool {
        self.boards[ply].is_legal(c, q, SuicideRule::Forbidden)
    }

    fn play(&mut self, ply: usize, c: Color, q: Point) {
        self.nodes -= 1;
        self.boards.play(ply, c, q);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::BoardSize;

    #[test]
    fn a_ladder_breaker_saves_the_stone() {
        let mut search = LadderSearch::default();
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
        assert!(!search.is_captured(&free, stone, None, 1000));
        assert!(search.is_captured(&free, stone, Some(Point::new(3, 2)), 1000));
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
        assert!(search.is_captured(&ladder, stone, None, 1000));
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
        assert!(!search.is_captured(&broken, stone, None, 1000));
    }

    #[test]
    fn a_ladder_across_the_largest_board_needs_little_stack() {
        let mut board = Board::new(BoardSize::square(25));
        for (x, y) in [(2, 2), (1, 1), (2, 0)] {
            board.play_unchecked(Color::Black, Point::new(x, y));
        }
        let stone = Point::new(2, 1);
        board.play_unchecked(Color::White, stone);
        let search = move || {
            LadderSearch::default().is_captured(&board, stone, Some(Point::new(3, 2)), 1000)
        };
        let thread = std::thread::Builder::new().stack_size(256 << 10);
        assert!(thread.spawn(search).unwrap().join().unwrap());
    }
}
