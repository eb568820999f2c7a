use crate::board::SetUpError;
use crate::types::Color;
use std::fmt;

/// The reason that a record could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SgfError {
    /// The text has neither `(;` nor an opening parenthesis followed by a property.
    NoGame,
    /// The record is in another format: GIB, NGF or UGF.
    OtherFormat(&'static str),
    /// The text is in the named encoding, which is not supported.
    Encoding(String),
    /// A value of the named property is not closed by `]`.
    Unclosed(String),
    /// The main line has more than this many nodes or values.
    TooLong(usize),
    /// The record is of another game (GM).
    OtherGame(String),
    /// The board size (SZ) is invalid, or not within 1…25.
    Size(String),
    /// A set-up value (AB, AW, AE) is not a point of the board.
    Point {
        /// The property.
        property: String,
        /// The value.
        value: String,
        /// Number of moves before it.
        after: usize,
    },
    /// A chain of a set-up position has no liberty.
    Setup(SetUpError),
    /// A move is impossible because it is off the board.
    Move {
        /// Number of the move in the record, from 1.
        number: usize,
        /// Who played.
        color: Color,
        /// The point as `D4`, or the text of the record if it is not a point.
        vertex: String,
        /// What is wrong with the move.
        why: &'static str,
    },
}

impl fmt::Display for SgfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SgfError::NoGame => f.write_str("no game record: '(;' is missing"),
            SgfError::OtherFormat(name) => write!(f, "a record in the format {name}, not SGF"),
            SgfError::Encoding(name) => write!(f, "the encoding {name} is not supported"),
            SgfError::Unclosed(p) => write!(f, "the value of {p} is not closed by ']'"),
            SgfError::TooLong(most) => {
                write!(f, "the main line has more than {most} nodes or values")
            }
            SgfError::OtherGame(gm) => write!(f, "GM[{gm}] is not Go"),
            SgfError::Size(sz) => write!(f, "SZ[{sz}] is not a board size within 1…25"),
            SgfError::Point {
                property,
                value,
                after,
            } => write!(
                f,
                "{property}[{value}] after move {after} is not a point of the board"
            ),
            SgfError::Setup(why) => write!(f, "set-up position: {why}"),
            SgfError::Move {
                number,
                color,
                vertex,
                why,
            } => write!(f, "move {number}, {color} {vertex}: {why}"),
        }
    }
}

impl std::error::Error for SgfError {}
