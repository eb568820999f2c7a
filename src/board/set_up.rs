use crate::types::{InvalidSize, Point};
use std::fmt;

/// Why stones cannot be set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetUpError {
    /// The rows of a diagram differ in length.
    Ragged,
    /// There is no board of the size of a diagram.
    Size(InvalidSize),
    /// A stone is to go where there is no empty point of the board.
    NotEmpty(Point),
    /// The chain at this point would have no liberty.
    NoLiberty(Point),
}

impl fmt::Display for SetUpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetUpError::Ragged => f.write_str("rows of a diagram differ in length"),
            SetUpError::Size(e) => e.fmt(f),
            SetUpError::NotEmpty(p) => write!(f, "{p} is not an empty point"),
            SetUpError::NoLiberty(p) => write!(f, "the chain at {p} has no liberty"),
        }
    }
}

impl std::error::Error for SetUpError {}
