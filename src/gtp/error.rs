use crate::types::Point;
use std::fmt;
use thiserror::Error;

/// Longest quotation of a client's word in an error, in characters.
const QUOTED: usize = 40;

/// The text of a `?` reply: one of the protocol's messages, optionally followed by a
/// colon and details.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message}{detail}")]
pub struct GtpError {
    message: &'static str,
    /// Empty, or begins with the colon.
    detail: String,
    /// An argument is missing; the command's synopsis says which.
    lacks_argument: bool,
}

impl GtpError {
    /// Create an error with a message and no detail.
    pub const fn new(message: &'static str) -> GtpError {
        GtpError {
            message,
            detail: String::new(),
            lacks_argument: false,
        }
    }

    /// Create an error that reads `message: detail`.
    pub fn with(message: &'static str, detail: impl fmt::Display) -> GtpError {
        GtpError {
            message,
            detail: format!(": {detail}"),
            lacks_argument: false,
        }
    }

    /// Create an error about a point that is not on the board.
    pub fn off_board(message: &'static str, p: Point) -> GtpError {
        GtpError::with(message, format_args!("{p} is not on the board"))
    }

    /// Create the error for a missing argument; the dispatcher adds the command's synopsis.
    pub fn lacking_argument() -> GtpError {
        GtpError {
            lacks_argument: true,
            ..GtpError::syntax("an argument is missing")
        }
    }

    /// Is an argument missing?
    pub fn lacks_argument(&self) -> bool {
        self.lacks_argument
    }

    /// Create a syntax error: an argument is missing, superfluous or malformed.
    pub fn syntax(detail: impl fmt::Display) -> GtpError {
        GtpError::with("syntax error", detail)
    }

    /// Create the syntax error `expected WHAT, got 'WORD'`.
    pub fn expected(what: &str, word: &str) -> GtpError {
        GtpError::syntax(format_args!("expected {what}, got {}", quote(word)))
    }
}

/// Quote a client's word, cut to [`QUOTED`] characters.
pub(super) fn quote(word: &str) -> String {
    match word.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("'{}…'", word.get(..end).unwrap_or_default()),
        None => format!("'{word}'"),
    }
}
