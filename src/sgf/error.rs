use crate::board::SetUpError;
use crate::types::Color;
use thiserror::Error;

/// The reason that a record could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SgfError {
    /// The text has no `(;` (if it breaks off, followed by the properties of a game), and no opening
    /// parenthesis followed by them.
    #[error("no game record: '(;' with the properties of a game is missing")]
    NoGame,
    /// The record is in another format: GIB, NGF or UGF.
    #[error("a record in the format {0}, not SGF")]
    OtherFormat(&'static str),
    /// The text is in the named encoding, which is not supported.
    #[error("the encoding {0} is not supported")]
    Encoding(String),
    /// A value of the named property is not closed by `]`.
    #[error("the value of {0} is not closed by ']'")]
    Unclosed(String),
    /// The main line has more than this many nodes or values.
    #[error("the main line has more than {0} nodes or values")]
    TooLong(usize),
    /// The record is of another game (GM).
    #[error("GM[{0}] is not Go")]
    OtherGame(String),
    /// The board size (SZ) is invalid, or not from 1 to 25.
    #[error("SZ[{0}] is not a board size from 1 to 25")]
    Size(String),
    /// A set-up value (AB, AW, AE) is not a point of the board.
    #[error("{property}[{value}] after move {after} is not a point of the board")]
    Point {
        /// The property.
        property: String,
        /// The value.
        value: String,
        /// Number of moves before it.
        after: usize,
    },
    /// A chain of a set-up position has no liberty.
    #[error("set-up position: {0}")]
    Setup(SetUpError),
    /// A move is impossible because it is off the board.
    #[error("move {number}, {color} {vertex}: {why}")]
    Move {
        /// Number of the move in the record, from 1.
        number: usize,
        /// The player.
        color: Color,
        /// The text of the record.
        vertex: String,
        /// What is wrong with the move.
        why: &'static str,
    },
}
