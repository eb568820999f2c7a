//! Playouts: a fast policy plays both sides to the end, and the board is scored.
//!
//! The policy, [`Heavy`], answers the last moves first. It does not allocate: each thread has a
//! [`Playout`] that owns the buffers.

mod amaf;
mod heavy;
mod ownership;
mod params;

pub use amaf::Amaf;
pub use heavy::Heavy;
pub use ownership::Ownership;
pub use params::PlayoutParams;

use crate::board::Board;
use crate::types::{Color, Generator, Move, POINTS, Point, PointState};

/// The result of a playout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayoutEnd {
    /// Black's area minus White's, in points, without komi.
    pub area: i32,
    /// Number of moves played, without passes.
    pub moves: u32,
}

/// The board of a playout, and the AMAF map of its moves.
#[derive(Clone, Debug)]
pub struct Playout {
    /// The position to play out. [`Playout::run`] leaves the final position here.
    pub board: Board,
    /// The player who played first at each point.
    pub amaf: Amaf,
}

impl Playout {
    /// A playout that starts from a copy of this board.
    pub fn new(board: &Board) -> Playout {
        Playout {
            board: board.clone(),
            amaf: Amaf::default(),
        }
    }

    /// Play from the current board until two passes in a row, or until three moves per
    /// point of the board have been played, and score the result.
    ///
    /// `last` and `before` are the points of the two preceding turns, `None` for passes.
    /// Moves are added to the AMAF map, which is not cleared.
    #[inline]
    pub fn run(
        &mut self,
        policy: &Heavy,
        to_move: Color,
        last: Option<Point>,
        before: Option<Point>,
        rng: &mut Generator,
    ) -> PlayoutEnd {
        let mut c = to_move;
        let mut last = last.unwrap_or(Point::NONE);
        let mut before = before.unwrap_or(Point::NONE);
        let mut passes = 0;
        let mut moves = 0;
        let limit = 3 * self.board.size().area() as u32;
        while passes < 2 && moves < limit {
            match policy.choose(&mut self.board, c, last, before, rng) {
                Move::Pass => {
                    self.board.clear_ko();
                    passes += 1;
                    before = last;
                    last = Point::NONE;
                }
                Move::Play(p) => {
                    self.board.play_unchecked(c, p);
                    self.amaf.record(c, p);
                    passes = 0;
                    moves += 1;
                    before = last;
                    last = p;
                }
            }
            c = c.opponent();
        }
        PlayoutEnd {
            area: area(&self.board),
            moves,
        }
    }
}

/// Black's stones and eyes minus White's, on a board that has been played out. An
/// empty point belongs to the colour that holds all its neighbours.
pub fn area(board: &Board) -> i32 {
    let mut balance = board.stone_balance();
    for &p in board.empty_points() {
        balance += match owner(board, p) {
            Some(c) => c.sign(),
            None => 0,
        };
    }
    balance
}

/// The owner of a point at the end of a playout.
#[inline]
pub fn owner(board: &Board, p: Point) -> Option<Color> {
    match board.at(p) {
        PointState::Empty => {
            let around = board.around(p);
            Color::BOTH.into_iter().find(|&c| around.surrounded_by(c))
        }
        stone => stone.color(),
    }
}

/// Black's groups minus White's on a board that has been played out. A group is a
/// connected set of stones and eyes of one colour.
pub fn group_balance(board: &Board) -> i32 {
    let mut seen = [false; POINTS];
    let mut balance = 0;
    for p in board.size().points() {
        if let Some(c) = board.at(p).color()
            && !seen[p.index()]
        {
            balance += c.sign();
            board.flood(p, &mut seen, |q| owner(board, q) == Some(c));
        }
    }
    balance
}
