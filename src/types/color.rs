use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// One of the two players.
///
/// ```
/// use ponnuki::types::Color;
///
/// assert_eq!(Color::Black.opponent(), Color::White);
/// assert_eq!(Color::White.sign(), -1);
/// assert_eq!("w".parse(), Ok(Color::White));
/// assert_eq!(format!("{}, {}", Color::Black, Color::White.letter()), "Black, W");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Color {
    /// Moves first in an even game.
    Black = 1,
    /// Moves second in an even game and receives komi.
    White = 2,
}

impl Color {
    /// Both colours, Black first.
    pub const BOTH: [Color; 2] = [Color::Black, Color::White];

    /// The other player.
    #[inline]
    pub const fn opponent(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// The players of alternating moves, without end; this one moves first.
    pub fn alternating(self) -> impl Iterator<Item = Color> {
        std::iter::successors(Some(self), |c| Some(c.opponent()))
    }

    /// 0 for Black, 1 for White: an index into per-colour pairs.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize - 1
    }

    /// `B` or `W`, as in game records and results.
    pub const fn letter(self) -> char {
        match self {
            Color::Black => 'B',
            Color::White => 'W',
        }
    }

    /// +1 for Black, −1 for White: the sign of a score counted for Black.
    #[inline]
    pub const fn sign(self) -> i32 {
        match self {
            Color::Black => 1,
            Color::White => -1,
        }
    }
}

/// Error: the text names no player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected black or white")]
pub struct InvalidColor;

/// `black`, `white` or the first letter, in any case.
impl FromStr for Color {
    type Err = InvalidColor;

    fn from_str(word: &str) -> Result<Color, InvalidColor> {
        match word.to_ascii_lowercase().as_str() {
            "b" | "black" => Ok(Color::Black),
            "w" | "white" => Ok(Color::White),
            _ => Err(InvalidColor),
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Color::Black => "Black",
            Color::White => "White",
        })
    }
}

/// The state of an array cell. `Border` is every cell outside the board.
///
/// The discriminants are the two-bit codes of [`crate::board::Neighbourhood`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum PointState {
    /// An empty point of the board.
    Empty = 0,
    /// A black stone.
    Black = 1,
    /// A white stone.
    White = 2,
    /// Not a point of the board.
    #[default]
    Border = 3,
}

impl PointState {
    /// The colour of the stone, if there is one.
    #[inline]
    pub const fn color(self) -> Option<Color> {
        match self {
            PointState::Black => Some(Color::Black),
            PointState::White => Some(Color::White),
            PointState::Empty | PointState::Border => None,
        }
    }

    /// Is there a stone?
    #[inline]
    pub const fn is_stone(self) -> bool {
        matches!(self, PointState::Black | PointState::White)
    }
}

impl From<Color> for PointState {
    #[inline]
    fn from(c: Color) -> Self {
        match c {
            Color::Black => PointState::Black,
            Color::White => PointState::White,
        }
    }
}
