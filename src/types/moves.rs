use super::Point;
use std::fmt;

/// A turn: a stone on a point, or a pass.
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
    /// No stone is played.
    Pass,
    /// A stone is played on the point.
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

    /// The cell number of the point, 0 for a pass: a compact form for tree nodes.
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

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Pass => f.pad("pass"),
            Move::Play(p) => fmt::Display::fmt(p, f),
        }
    }
}
