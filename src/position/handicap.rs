//! Handicap stones: where they go, and how many a game has.

use super::{Position, Turn};
use crate::board::Board;
use crate::types::{BoardSize, Color, Move, Point, PointState};
use std::fmt;
use std::sync::Arc;

/// Why handicap stones were not placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandicapError {
    /// Stones are on the board, or turns have been played.
    BoardNotEmpty,
    /// The board has no such number of handicap points.
    InvalidNumber,
    /// A point is named twice.
    Repeated(Point),
    /// A point is not on the board.
    OffBoard(Point),
}

impl fmt::Display for HandicapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HandicapError::BoardNotEmpty => f.write_str("board not empty"),
            HandicapError::InvalidNumber => f.write_str("invalid number of stones"),
            HandicapError::Repeated(p) => write!(f, "repeated vertex {p}"),
            HandicapError::OffBoard(p) => write!(f, "bad vertex list: {p} is off the board"),
        }
    }
}

impl std::error::Error for HandicapError {}

/// The largest number of stones with fixed points on a board (GTP version 2,
/// section 4.1.1, read for each direction of a rectangular board).
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

/// The traditional points for `n` handicap stones, from 2 to
/// [`max_fixed_handicap`], in the order of the New Zealand rules' diagram 8.
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

/// The points marked on a board of this size: those of the largest fixed handicap.
pub fn star_points(size: BoardSize) -> Vec<Point> {
    fixed_handicap(size, max_fixed_handicap(size)).unwrap_or_default()
}

impl Position {
    /// Stones placed as handicap before the first turn, by a handicap command or
    /// a record.
    pub fn placed_handicap(&self) -> u32 {
        self.handicap
    }

    /// The handicap that was [settled](Position::settle_handicap), if it was.
    pub fn settled_handicap(&self) -> Option<u32> {
        self.settled_handicap
    }

    /// The set-up stones come from a game of so many handicap stones, which they do not show.
    pub fn settle_handicap(&mut self, n: u32) {
        self.settled_handicap = Some(n);
    }

    /// Place Black's handicap stones on an empty board; White moves next.
    ///
    /// # Errors
    /// [`HandicapError`] names the reason; nothing has changed then.
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
        self.settled_handicap = None;
        self.set_to_move(Color::White);
        Ok(())
    }

    /// Black's handicap stones: those set up, and Black's plays before White's first
    /// stone, single passes of White between them skipped. 0 when that is one stone
    /// (an ordinary first move), and when White has set-up stones. Plays after which
    /// White moves twice in a row set up a position and are no handicap. One that was
    /// [settled](Position::settle_handicap) stays.
    pub fn handicap(&self) -> u32 {
        self.handicap_stones().stones
    }

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
            settled: self.settled_handicap,
        }
    }

    /// Is the number of handicap stones the same whatever is played from here?
    pub fn handicap_is_settled(&self) -> bool {
        let next = |i: usize| self.turns.get(i + 1).map_or(self.to_move, |t| t.color);
        self.settled_handicap.is_some()
            || self.set_up().white > 0
            || self.turns.iter().enumerate().any(|(i, t)| {
                let played = t.mv != Move::Pass;
                t.color == Color::White && (played || next(i) == Color::White)
                    // After two turns of White's the last may still be the first.
                    && (i + 1 < self.turns.len() || next(i) == Color::Black)
            })
    }

    /// Is this turn one of the passes by which White gives handicap: after a play
    /// of Black's, before White has a stone (New Zealand rules, "handicap")?
    pub(super) fn is_handicap_pass(&self, turn: usize) -> bool {
        let t = &self.turns[turn];
        self.may_be_handicap(t.color, t.mv)
            && gives_handicap(&self.set_up(), self.turns[..turn].iter().rev())
    }

    /// Would this turn, if it came next, be such a pass?
    pub(super) fn would_be_handicap(&self, c: Color, m: Move) -> bool {
        // While White has no stone, the last turn alone decides.
        self.may_be_handicap(c, m)
            && !self.white_has_played
            && gives_handicap(&self.set_up(), self.turns.iter().rev().take(1))
    }

    fn may_be_handicap(&self, c: Color, m: Move) -> bool {
        self.rules.handicap_by_passes && (c, m) == (Color::White, Move::Pass)
    }
}

/// Stones set up before the first turn, placed handicap included.
#[derive(Clone, Copy, Debug)]
pub(super) struct SetUp {
    black: u32,
    white: u32,
    /// What the handicap is, whatever they say.
    settled: Option<u32>,
}

/// Handicap stones of a game; one stone is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Handicap {
    /// All of them; see [`Position::handicap`].
    pub stones: u32,
    /// Those before White's first turn. A pass gives further ones under no rules but those
    /// with [`handicap_by_passes`](crate::rules::Ruleset::handicap_by_passes); it costs
    /// White what a pass costs.
    pub before_a_pass: u32,
}

/// The handicap of a game with these set-up stones and turns.
pub(super) fn handicap_of<'a>(set_up: &SetUp, turns: impl Iterator<Item = &'a Turn>) -> Handicap {
    let beside = |plays: u32| match set_up.black + plays {
        1 => 0,
        stones => stones,
    };
    if let Some(n) = set_up.settled {
        return Handicap {
            stones: n,
            before_a_pass: n,
        };
    }
    if set_up.white > 0 {
        return Handicap::default();
    }
    let (mut plays, mut before_a_pass) = (0, None);
    let mut turns = turns.peekable();
    while let Some(t) = turns.next() {
        if t.color == Color::Black {
            plays += u32::from(t.mv != Move::Pass);
            continue;
        }
        if turns.peek().is_some_and(|n| n.color == Color::White) {
            (plays, before_a_pass) = (0, Some(0));
            break;
        }
        before_a_pass.get_or_insert(plays);
        if t.mv != Move::Pass {
            break;
        }
    }
    Handicap {
        stones: beside(plays),
        before_a_pass: beside(before_a_pass.unwrap_or(plays)),
    }
}

/// Does a pass of White's after these turns, the last one first, give handicap?
pub(super) fn gives_handicap<'a>(
    set_up: &SetUp,
    mut latest_first: impl Iterator<Item = &'a Turn>,
) -> bool {
    let played = |t: &Turn, c| t.color == c && t.mv != Move::Pass;
    set_up.settled.is_none()
        && set_up.white == 0
        && latest_first.next().is_some_and(|t| played(t, Color::Black))
        && !latest_first.any(|t| played(t, Color::White))
}
