//! Playouts: both sides play on to the end by a quick policy, and the board is
//! counted.
//!
//! Two policies: [`Light`] plays uniformly and fills no eyes; [`Heavy`] answers
//! the last moves first. Neither allocates: a [`Playout`] owns the buffers, one
//! to a thread.

mod amaf;
mod heavy;
mod ownership;
mod params;

pub use amaf::Amaf;
pub use heavy::Heavy;
pub use ownership::Ownership;
pub use params::PlayoutParams;

use crate::board::Board;
use crate::rules::SuicideRule;
use crate::types::{Color, Generator, Move, POINTS, Point, PointState};

/// How a playout chooses its next move.
pub trait Policy {
    /// A legal move for `c`, or a pass when nothing sensible is left. `last` and
    /// `before` are the points of the last two turns, [`Point::NONE`] for passes.
    ///
    /// May reorder the board's list of empty points, nothing else.
    fn choose(
        &self,
        board: &mut Board,
        c: Color,
        last: Point,
        before: Point,
        rng: &mut Generator,
    ) -> Move;
}

/// Uniformly random play that fills no eyes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Light {
    /// Which suicides are legal.
    pub suicide: Option<SuicideRule>,
}

impl Policy for Light {
    #[inline]
    fn choose(&self, board: &mut Board, c: Color, _: Point, _: Point, rng: &mut Generator) -> Move {
        board.random_play(c, self.suicide.unwrap_or(SuicideRule::Forbidden), rng)
    }
}

/// The end of a playout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Black's area minus White's, in points, komi not counted.
    pub area: i32,
    /// Moves played, passes not counted.
    pub moves: u32,
}

/// A board to play on and the AMAF map of what was played.
#[derive(Clone, Debug)]
pub struct Playout {
    /// The position being played out; [`Playout::run`] leaves the final one.
    pub board: Board,
    /// First player at each point.
    pub amaf: Amaf,
}

impl Playout {
    /// Buffers for boards of the size of this one.
    pub fn new(board: &Board) -> Playout {
        Playout {
            board: board.clone(),
            amaf: Amaf::default(),
        }
    }

    /// Play on from the board as it stands until both sides pass in turn, or
    /// three moves a point have been played, and count.
    ///
    /// `last` and `before` are the points of the two turns before, if they were
    /// plays. The AMAF map is added to, not cleared.
    #[inline]
    pub fn run<P: Policy>(
        &mut self,
        policy: &P,
        to_move: Color,
        last: Option<Point>,
        before: Option<Point>,
        rng: &mut Generator,
    ) -> End {
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
                    self.amaf.note(c, p);
                    passes = 0;
                    moves += 1;
                    before = last;
                    last = p;
                }
            }
            c = c.opponent();
        }
        End {
            area: area(&self.board),
            moves,
        }
    }
}

/// Black's stones and eyes minus White's, on a board that has been played out:
/// an empty point counts for the colour that holds all its neighbours.
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

/// Whose a point is at the end of a playout.
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

/// Black's groups minus White's on a board that has been played out: stones and
/// eyes of one colour that touch are one group.
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
