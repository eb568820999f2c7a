use super::{BoardSize, Point};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A move: a play on a point, or a pass.
///
/// ```
/// use ponnuki::types::{Move, Point};
///
/// let m = Move::Play(Point::new(3, 3));
/// assert_eq!(m.to_string(), "D4");
/// assert_eq!(m.point(), Some(Point::new(3, 3)));
/// assert_eq!(Move::Pass.point(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A pass.
    Pass,
    /// A play on the point.
    Play(Point),
}

impl Move {
    /// The point played on, if any.
    #[inline]
    pub const fn point(self) -> Option<Point> {
        match self {
            Move::Pass => None,
            Move::Play(p) => Some(p),
        }
    }

    /// The cell number of the point, or 0 for a pass: a compact form for tree nodes.
    #[inline]
    pub const fn to_raw(self) -> u16 {
        match self {
            Move::Pass => 0,
            Move::Play(p) => p.raw(),
        }
    }

    /// The inverse of [`Move::to_raw`].
    #[inline]
    pub const fn from_raw(raw: u16) -> Move {
        if raw == 0 {
            Move::Pass
        } else {
            Move::Play(Point::from_raw(raw))
        }
    }
}

/// Error: the text is not a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a vertex like D4, or pass")]
pub struct InvalidVertex;

/// A vertex of the Go Text Protocol, in either case: a letter other than I and a row from 1
/// to 25, or `pass`. It may lie off the board in use.
impl FromStr for Move {
    type Err = InvalidVertex;

    fn from_str(word: &str) -> Result<Move, InvalidVertex> {
        if word.eq_ignore_ascii_case("pass") {
            return Ok(Move::Pass);
        }
        let mut chars = word.chars();
        let x = match chars.next().ok_or(InvalidVertex)?.to_ascii_uppercase() {
            c @ 'A'..='H' => c as u8 - b'A',
            c @ 'J'..='Z' => c as u8 - b'B',
            _ => return Err(InvalidVertex),
        };
        let row = chars.as_str();
        if !row.bytes().all(|b| b.is_ascii_digit()) {
            return Err(InvalidVertex);
        }
        match row.parse::<u8>() {
            Ok(y @ 1..=BoardSize::MAX) => Ok(Move::Play(Point::new(x, y - 1))),
            _ => Err(InvalidVertex),
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Pass => f.pad("pass"),
            Move::Play(p) => fmt::Display::fmt(p, f),
        }
    }
}
