use super::Position;
use super::handicap::SetUp;
use crate::board::Board;
use crate::types::{Color, Move, PointSet, splitmix};
use std::sync::OnceLock;

/// A position that lines start from, with precomputed facts about its history.
#[derive(Debug)]
pub struct Root {
    pub(super) position: Position,
    /// By colour: the points where it had a stone at any time.
    pub(super) stood: [PointSet; 2],
    pub(super) set_up: SetUp,
    /// Komi plus compensation, if no further turn can change them.
    pub(super) white_bonus: Option<f64>,
    pub(super) passes: u32,
    pub(super) button: Option<Color>,
    pub(super) over: bool,
    /// See [`Position::pass_balance`].
    pub(super) pass_balance: i32,
    /// See [`Root::small_captures`].
    small_captures: OnceLock<u64>,
    earlier: OnceLock<[Board; 2]>,
}

impl Root {
    /// A root at this position. Lines start with its player to move.
    pub fn new(position: Position) -> Root {
        let mut stood = [PointSet::default(); 2];
        for p in position.size().points() {
            if let Some(c) = position.start().at(p).color() {
                stood[c.index()].insert(p);
            }
        }
        for t in position.turns() {
            if let Move::Play(p) = t.mv {
                stood[t.color.index()].insert(p);
            }
        }
        Root {
            stood,
            set_up: position.set_up(),
            white_bonus: position.handicap_is_final().then(|| position.white_bonus()),
            passes: position.consecutive_passes(),
            button: position.button(),
            over: position.is_over(),
            pass_balance: position.pass_balance(),
            small_captures: OnceLock::new(),
            earlier: OnceLock::new(),
            position,
        }
    }

    /// The position.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The boards one and two turns before the root.
    pub(super) fn earlier(&self) -> &[Board; 2] {
        self.earlier.get_or_init(|| {
            let position = &self.position;
            [1, 2].map(|n| match position.turns().len().checked_sub(n) {
                Some(left) => position.at_turn(left).board().clone(),
                None => position.start().clone(),
            })
        })
    }

    /// The contribution of the game's small captures to [`Line::key`](super::Line::key).
    pub(super) fn small_captures(&self) -> u64 {
        *self.small_captures.get_or_init(|| {
            let mut board = self.position.start().clone();
            let captures = self.position.turns().iter().map(|t| {
                let before = board.hash();
                let taken = captured_by(&mut board, t.color, t.mv);
                small_capture(before, taken)
            });
            captures.fold(0, |all, one| all ^ one)
        })
    }
}

/// The largest capture, in stones, after which a position can soon recur.
const SMALL: u32 = 2;

/// Make a move and return the number of stones captured.
#[inline]
pub(super) fn captured_by(board: &mut Board, c: Color, m: Move) -> u32 {
    let captured = |board: &Board| board.captured(Color::Black) + board.captured(Color::White);
    let before = captured(board);
    board.play_move(c, m);
    captured(board) - before
}

/// The contribution of a capture of `taken` stones to [`Line::key`](super::Line::key). `before`
/// is the hash of the board before it.
#[inline]
pub(super) fn small_capture(before: u64, taken: u32) -> u64 {
    match taken {
        1..=SMALL => splitmix(before),
        _ => 0,
    }
}
