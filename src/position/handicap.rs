//! Handicap stones: their placement, and the number in a game.

use super::{Position, Turn};
use crate::board::Board;
use crate::types::{BoardSize, Color, Move, Point, PointState};
use std::sync::Arc;
use thiserror::Error;

/// The reason that handicap stones were not placed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HandicapError {
    /// There are stones on the board, or turns have been played.
    #[error("board not empty")]
    BoardNotEmpty,
    /// The number of stones is not allowed on this board.
    #[error("invalid number of stones")]
    InvalidNumber,
    /// A point is named twice.
    #[error("repeated vertex {0}")]
    Repeated(Point),
    /// A point is not on the board.
    #[error("bad vertex list: {0} is off the board")]
    OffBoard(Point),
}

/// The largest fixed handicap on a board (GTP version 2, section 4.1.1, applied to
/// width and height of a rectangular board).
pub fn max_fixed_handicap(size: BoardSize) -> u32 {
    let (w, h) = (size.width(), size.height());
    if w < 7 || h < 7 {
        0
    } else if w % 2 == 1 && h % 2 == 1 && w > 7 && h > 7 {
        9
    } else {
        4
    }
}

/// The traditional points for `n` handicap stones, 2 to [`max_fixed_handicap`], in
/// the order of diagram 8 of the New Zealand rules.
///
/// # Errors
/// [`HandicapError::InvalidNumber`] for any other `n`.
pub fn fixed_handicap(size: BoardSize, n: u32) -> Result<Vec<Point>, HandicapError> {
    if n < 2 || n > max_fixed_handicap(size) {
        return Err(HandicapError::InvalidNumber);
    }
    let lines = |n: u8| {
        let edge = if n < 13 { 2 } else { 3 };
        [edge, n / 2, n - 1 - edge]
    };
    let (x, y) = (lines(size.width()), lines(size.height()));
    let at = |i: usize, j: usize| Point::new(x[i], y[j]);
    let centre = at(1, 1);
    let mut points = vec![
        at(0, 0),
        at(2, 2),
        at(0, 2),
        at(2, 0),
        at(0, 1),
        at(2, 1),
        at(1, 0),
        at(1, 2),
    ];
    match n {
        5 | 7 => {
            points.truncate(n as usize - 1);
            points.push(centre);
        }
        9 => points.push(centre),
        _ => points.truncate(n as usize),
    }
    Ok(points)
}

/// The star points of a board: the points of its largest fixed handicap.
pub fn star_points(size: BoardSize) -> Vec<Point> {
    fixed_handicap(size, max_fixed_handicap(size)).unwrap_or_default()
}

impl Position {
    /// Number of stones placed as handicap before the first turn, by a handicap command
    /// or a record.
    pub fn placed_handicap(&self) -> u32 {
        self.handicap
    }

    /// The handicap declared by [`Position::declare_handicap`], if any.
    pub fn declared_handicap(&self) -> Option<u32> {
        self.declared_handicap
    }

    /// Declare the number of handicap stones of the game that the set-up stones come from. Stones
    /// on the board and later turns no longer affect it.
    pub fn declare_handicap(&mut self, n: u32) {
        self.declared_handicap = Some(n);
    }

    /// Place Black's handicap stones on an empty board; White moves next.
    ///
    /// # Errors
    /// [`HandicapError`] names the reason. The position is then unchanged.
    pub fn place_handicap(&mut self, points: &[Point]) -> Result<(), HandicapError> {
        if !self.turns.is_empty() || self.size().points().any(|p| !self.board.is_empty(p)) {
            return Err(HandicapError::BoardNotEmpty);
        }
        if points.is_empty() || points.len() >= self.size().area() {
            return Err(HandicapError::InvalidNumber);
        }
        let mut start = Board::new(self.size());
        for &p in points {
            if !self.size().contains(p) {
                return Err(HandicapError::OffBoard(p));
            }
            start
                .place(Color::Black, p)
                .map_err(|_| HandicapError::Repeated(p))?;
        }
        self.board.copy_from(&start);
        self.start = Arc::new(start);
        self.handicap = points.len() as u32;
        self.declared_handicap = None;
        self.set_to_move(Color::White);
        Ok(())
    }

    /// The number of Black's handicap stones: set-up stones plus Black's plays before
    /// White's first stone, skipping single passes of White. 0 if that is one stone (an
    /// ordinary first move), or if White has set-up stones. If White moves again right after its
    /// first stone or a pass before that, Black's plays are set-up, not handicap. A
    /// [declared](Position::declare_handicap) handicap takes precedence.
    pub fn handicap(&self) -> u32 {
        self.handicap_stones().stones
    }

    /// The handicap for the score and for the komi, which may differ.
    pub(super) fn handicap_stones(&self) -> Handicap {
        handicap_of(&self.set_up(), self.turns.iter())
    }

    /// The stones before the first turn.
    pub(super) fn set_up(&self) -> SetUp {
        let stones = |c| {
            let points = self.size().points();
            let own = points.filter(|&p| self.start.at(p) == PointState::from(c));
            own.count() as u32
        };
        SetUp {
            black: stones(Color::Black).max(self.handicap),
            white: stones(Color::White),
            declared: self.declared_handicap,
        }
    }

    /// Can no further turn change the number of handicap stones?
    pub fn handicap_is_final(&self) -> bool {
        let next = |i: usize| self.turns.get(i + 1).map_or(self.to_move, |t| t.color);
        self.declared_handicap.is_some()
            || self.set_up().white > 0
            || self.turns.iter().enumerate().any(|(i, t)| {
                let played = t.mv != Move::Pass;
                t.color == Color::White && (played || next(i) == Color::White)
                    // With White to move, the last turn may become the first of two in a row.
                    && (i + 1 < self.turns.len() || next(i) == Color::Black)
            })
    }

    /// Is this turn a handicap pass: a pass of White after a play of Black, before
    /// White's first stone (New Zealand rules, "handicap")?
    pub(super) fn is_handicap_pass(&self, turn: usize) -> bool {
        let t = &self.turns[turn];
        self.may_be_handicap_pass(t.color, t.mv)
            && gives_handicap(&self.set_up(), self.turns[..turn].iter().rev())
    }

    /// Would this move, played next, be a handicap pass?
    pub(super) fn would_be_handicap_pass(&self, c: Color, m: Move) -> bool {
        // While White has no stone, only the last turn matters.
        self.may_be_handicap_pass(c, m)
            && !self.white_has_played
            && gives_handicap(&self.set_up(), self.turns.iter().rev().take(1))
    }

    /// Is this a pass of White under rules where such passes may give handicap?
    fn may_be_handicap_pass(&self, c: Color, m: Move) -> bool {
        self.rules.handicap_by_passes && (c, m) == (Color::White, Move::Pass)
    }
}

/// Stones set up before the first turn, placed handicap included.
#[derive(Clone, Copy, Debug)]
pub(super) struct SetUp {
    black: u32,
    white: u32,
    /// See [`Position::declare_handicap`].
    declared: Option<u32>,
}

/// The handicap of a game, in stones. A single stone counts as 0 unless declared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Handicap {
    /// All handicap stones; see [`Position::handicap`].
    pub stones: u32,
    /// The handicap stones before White's first turn. Only these choose the komi, except under
    /// rules with [`handicap_by_passes`](crate::rules::Ruleset::handicap_by_passes): under other
    /// rules a pass of White has its ordinary cost.
    pub before_white: u32,
}

/// The handicap of a game with these set-up stones and turns.
pub(super) fn handicap_of<'a>(set_up: &SetUp, turns: impl Iterator<Item = &'a Turn>) -> Handicap {
    let with_set_up = |plays: u32| match set_up.black + plays {
        1 => 0,
        stones => stones,
    };
    if let Some(n) = set_up.declared {
        return Handicap {
            stones: n,
            before_white: n,
        };
    }
    if set_up.white > 0 {
        return Handicap::default();
    }
    let (mut plays, mut before_white) = (0, None);
    let mut turns = turns.peekable();
    while let Some(t) = turns.next() {
        if t.color == Color::Black {
            plays += u32::from(t.mv != Move::Pass);
            continue;
        }
        if turns.peek().is_some_and(|n| n.color == Color::White) {
            (plays, before_white) = (0, Some(0));
            break;
        }
        before_white.get_or_insert(plays);
        if t.mv != Move::Pass {
            break;
        }
    }
    Handicap {
        stones: with_set_up(plays),
        before_white: with_set_up(before_white.unwrap_or(plays)),
    }
}

/// Does a pass of White after these turns, latest first, give handicap?
pub(super) fn gives_handicap<'a>(
    set_up: &SetUp,
    mut latest_first: impl Iterator<Item = &'a Turn>,
) -> bool {
    let played = |t: &Turn, c| t.color == c && t.mv != Move::Pass;
    set_up.declared.is_none()
        && set_up.white == 0
        && latest_first.next().is_some_and(|t| played(t, Color::Black))
        && !latest_first.any(|t| played(t, Color::White))
}
