use std::fmt;

/// Longest quotation of a client's own words in an error, in characters.
const QUOTED: usize = 40;

/// The text of a `?` reply: one of the protocol's messages, and what exactly is
/// wrong behind a colon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GtpError {
    message: &'static str,
    detail: Option<String>,
}

impl GtpError {
    /// The message of the specification alone.
    pub const fn new(message: &'static str) -> GtpError {
        GtpError {
            message,
            detail: None,
        }
    }

    /// The message, followed by `: detail`.
    pub fn with(message: &'static str, detail: impl fmt::Display) -> GtpError {
        GtpError {
            message,
            detail: Some(detail.to_string()),
        }
    }

    /// An argument that is missing, too many, or not of its kind.
    pub fn syntax(detail: impl fmt::Display) -> GtpError {
        GtpError::with("syntax error", detail)
    }

    /// `expected WHAT, got 'WORD'`.
    pub fn expected(what: &str, word: &str) -> GtpError {
        GtpError::syntax(format_args!("expected {what}, got {}", quote(word)))
    }
}

impl fmt::Display for GtpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.detail {
            Some(detail) => write!(f, "{}: {detail}", self.message),
            None => f.write_str(self.message),
        }
    }
}

impl std::error::Error for GtpError {}

/// A client's word in quotes, cut where it would flood a terminal.
pub(super) fn quote(word: &str) -> String {
    match word.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("'{}…'", word.get(..end).unwrap_or_default()),
        None => format!("'{word}'"),
    }
}
