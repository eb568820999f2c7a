//! Parsing of lines and arguments.

use super::error::{GtpError, quote};
use crate::types::{BoardSize, Color, Move, Point};
use crate::util::truth;
use std::time::Duration;

/// Longest time a client may set, in seconds: the largest signed 32-bit integer, which some
/// clients send for no limit.
const MAX_SECONDS: f64 = i32::MAX as f64;

/// Preprocess a line of input (section 3.1 of the specification): delete control
/// characters, cut off the comment, turn tabs into blanks.
///
/// Bytes that are not UTF-8 become replacement characters. Byte order marks are
/// dropped.
pub fn clean(line: &[u8]) -> String {
    String::from_utf8_lossy(line)
        .chars()
        .take_while(|&c| c != '#')
        .filter_map(|c| match c {
            '\t' => Some(' '),
            '\u{feff}' => None,
            c if c.is_control() => None,
            c => Some(c),
        })
        .collect::<String>()
        .trim()
        .to_owned()
}

/// Is the line the comment with which GoGui interrupts a running command?
pub fn is_interrupt(line: &[u8]) -> bool {
    line.trim_ascii() == b"# interrupt"
}

/// A non-blank [cleaned](clean) line, split into its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The digits of the id to echo; empty if there is none.
    pub id: &'a str,
    /// The command name; empty if the line is only an id.
    pub name: &'a str,
    /// The text after the name, trimmed.
    pub rest: &'a str,
}

impl<'a> Request<'a> {
    /// Split a cleaned line.
    pub fn new(line: &'a str) -> Request<'a> {
        let (first, rest) = split_word(line);
        if !first.is_empty() && first.bytes().all(|b| b.is_ascii_digit()) {
            let (name, rest) = split_word(rest);
            Request {
                id: first,
                name,
                rest,
            }
        } else {
            Request {
                id: "",
                name: first,
                rest,
            }
        }
    }
}

/// Split off the first word; the rest is trimmed.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

/// The arguments of a command.
#[derive(Clone, Debug)]
pub struct Args<'a> {
    rest: &'a str,
    words: Vec<&'a str>,
}

impl<'a> Args<'a> {
    /// Split the text after a command name into arguments.
    pub fn new(rest: &'a str) -> Args<'a> {
        Args {
            rest,
            words: rest.split_whitespace().collect(),
        }
    }

    /// All arguments as one string, for commands that take the rest of the line.
    pub fn rest(&self) -> &'a str {
        self.rest
    }

    /// Number of arguments.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Argument `i`, counted from 0, if it was given.
    pub fn get(&self, i: usize) -> Option<&'a str> {
        self.words.get(i).copied()
    }

    /// Argument `i`, counted from 0.
    ///
    /// # Errors
    /// A syntax error with the synopsis if it is missing: the command table checks only the
    /// number of arguments, and some need others.
    pub fn word(&self, i: usize) -> Result<&'a str, GtpError> {
        self.get(i).ok_or_else(GtpError::lacking_argument)
    }

    /// Argument `i` as a colour: `b`, `w`, `black` or `white` in any case.
    ///
    /// # Errors
    /// A syntax error for anything else.
    pub fn color(&self, i: usize) -> Result<Color, GtpError> {
        let word = self.word(i)?;
        word.parse()
            .map_err(|_| GtpError::expected("a colour", word))
    }

    /// Argument `i` as a move: a vertex or `pass`. The point may lie outside the
    /// current board.
    ///
    /// # Errors
    /// A syntax error for anything else.
    pub fn vertex(&self, i: usize) -> Result<Move, GtpError> {
        expected_vertex(self.word(i)?)
    }

    /// Argument `i` as a point of a board of this size.
    ///
    /// # Errors
    /// A syntax error if it is not a vertex; an error with this message if it is a pass or off
    /// the board.
    pub fn point(
        &self,
        i: usize,
        size: BoardSize,
        message: &'static str,
    ) -> Result<Point, GtpError> {
        match self.vertex(i)? {
            Move::Play(p) if size.contains(p) => Ok(p),
            Move::Play(p) => Err(GtpError::off_board(message, p)),
            Move::Pass => Err(GtpError::with(message, "pass is not a point")),
        }
    }

    /// Argument `i` as a non-negative integer.
    ///
    /// # Errors
    /// A syntax error for anything else.
    pub fn integer(&self, i: usize) -> Result<u32, GtpError> {
        let word = self.word(i)?;
        word.parse()
            .map_err(|_| GtpError::expected("a whole number from 0", word))
    }

    /// Argument `i` as a boolean: `true`, `1`, `yes` or `on`, or the opposites.
    ///
    /// # Errors
    /// A syntax error for anything else.
    pub fn truth(&self, i: usize) -> Result<bool, GtpError> {
        let word = self.word(i)?;
        truth(word).ok_or_else(|| GtpError::expected("true or false", word))
    }

    /// Argument `i` as a finite number.
    ///
    /// # Errors
    /// A syntax error for anything else.
    pub fn float(&self, i: usize) -> Result<f64, GtpError> {
        let word = self.word(i)?;
        match word.parse::<f64>() {
            Ok(x) if x.is_finite() => Ok(x),
            _ => Err(GtpError::expected("a number", word)),
        }
    }

    /// Argument `i` as a time in seconds. The specification has only integers, but
    /// some clients send fractions.
    ///
    /// # Errors
    /// A syntax error for anything but a number from 0 to 2147483647.
    pub fn seconds(&self, i: usize) -> Result<Duration, GtpError> {
        let seconds = self.float(i)?;
        if !(0.0..=MAX_SECONDS).contains(&seconds) {
            let what = format!("seconds from 0 to {MAX_SECONDS}");
            return Err(GtpError::expected(&what, self.word(i)?));
        }
        Duration::try_from_secs_f64(seconds).map_err(GtpError::syntax)
    }

    /// Argument `i` as the width or height of a board, from 2 to 25.
    ///
    /// # Errors
    /// `unacceptable size` for anything else.
    pub fn side(&self, i: usize) -> Result<u32, GtpError> {
        let word = self.word(i)?;
        match word.parse::<u32>() {
            Ok(n) if (2..=u32::from(BoardSize::MAX)).contains(&n) => Ok(n),
            _ => Err(GtpError::with(
                "unacceptable size",
                format_args!("{} is not from 2 to {}", quote(word), BoardSize::MAX),
            )),
        }
    }
}

/// Parse a move: column letter (no I) and row number, or `pass`.
pub fn vertex(word: &str) -> Option<Move> {
    word.parse().ok()
}

/// Parse a move as [`vertex`] does.
///
/// # Errors
/// A syntax error for anything else.
pub fn expected_vertex(word: &str) -> Result<Move, GtpError> {
    vertex(word).ok_or_else(|| match is_in_column_i(word) {
        true => GtpError::expected("a vertex (there is no column I: J follows H)", word),
        false => GtpError::expected("a vertex", word),
    })
}

/// Does the word look like a vertex in the nonexistent column I?
pub fn is_in_column_i(word: &str) -> bool {
    let row = word.strip_prefix(['i', 'I']).unwrap_or_default();
    !row.is_empty() && row.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cleaned_as_specified() {
        assert_eq!(clean(b"play\tb\x01 D4\r\n"), "play b D4");
        assert_eq!(clean(b"name # comment"), "name");
        assert_eq!(clean(b"# only"), "");
        assert_eq!(clean(b" \t \r"), "");
        assert_eq!(clean(b"\xef\xbb\xbfname"), "name");
        assert_eq!(clean(b"na\xffme"), "na\u{fffd}me");
        assert_eq!(clean("name\u{85}".as_bytes()), "name");
    }

    #[test]
    fn requests_have_an_id_only_before_a_name() {
        let r = Request::new("00012 play b  D4");
        assert_eq!((r.id, r.name, r.rest), ("00012", "play", "b  D4"));
        let r = Request::new("12name");
        assert_eq!((r.id, r.name, r.rest), ("", "12name", ""));
        let r = Request::new("12");
        assert_eq!((r.id, r.name, r.rest), ("12", "", ""));
        let r = Request::new("-1 name");
        assert_eq!((r.id, r.name), ("", "-1"));
    }

    #[test]
    fn vertices() {
        assert_eq!(vertex("a1"), Some(Move::Play(Point::new(0, 0))));
        assert_eq!(vertex("J9"), Some(Move::Play(Point::new(8, 8))));
        assert_eq!(vertex("z25"), Some(Move::Play(Point::new(24, 24))));
        assert_eq!(vertex("PaSs"), Some(Move::Pass));
        for bad in [
            "", "i5", "a0", "a26", "a", "5", "a+5", "a-5", "aa5", "a5x", "ä5", "a٣",
        ] {
            assert_eq!(vertex(bad), None, "{bad}");
        }
    }
}
