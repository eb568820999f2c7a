use crate::board::SetUpError;
use crate::types::Color;
use std::fmt;

/// Why a record could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SgfError {
    /// There is neither `(;` nor a parenthesis with a property after it in the text.
    NoGame,
    /// A record in another format: GIB, NGF or UGF.
    OtherFormat(&'static str),
    /// Text in an encoding that is not read; its name.
    Encoding(String),
    /// A value is not closed by `]`; with the property's name.
    Unclosed(String),
    /// The main line has more than so many nodes or values.
    TooLong(usize),
    /// It is a record of another game (GM).
    OtherGame(String),
    /// A board size (SZ) that is none, or not within 1…25.
    Size(String),
    /// A set-up stone (AB, AW, AE) whose value is no point of the board.
    Point {
        /// The property.
        property: String,
        /// The value.
        value: String,
        /// Moves read before it.
        after: usize,
    },
    /// A set-up position with a chain that has no liberty.
    Setup(SetUpError),
    /// A play that is not possible: off the board.
    Move {
        /// Its number in the record, from 1.
        number: usize,
        /// Who played.
        color: Color,
        /// Where: a point as `D4`, or the record's own text if it is none.
        vertex: String,
        /// What is wrong with it.
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
            SgfError::TooLong(most) => write!(f, "more than {most} nodes or values in a line"),
            SgfError::OtherGame(gm) => write!(f, "GM[{gm}] is not Go"),
            SgfError::Size(sz) => write!(f, "SZ[{sz}] is not a board size within 1…25"),
            SgfError::Point {
                property,
                value,
                after,
            } => write!(
                f,
                "{property}[{value}] after move {after} is no point of the board"
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
