//! Tokens and number arrays of a network file.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use crate::util::open_regular;
use flate2::bufread::MultiGzDecoder;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::str::FromStr;
use thiserror::Error;

/// Error from reading a network file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{layer}{}{what}", if layer.is_empty() { "" } else { ": " })]
pub struct NetError {
    /// The layer being read; empty at the beginning of the file.
    pub layer: String,
    /// What was expected, and what was found.
    pub what: String,
}

impl NetError {
    pub(super) fn new(layer: &str, what: impl Into<String>) -> NetError {
        NetError {
            layer: layer.to_owned(),
            what: what.into(),
        }
    }
}

/// Longest token accepted.
const LONGEST_TOKEN: usize = 200;

/// Maximum count of numbers in one array: twice as many as in the largest layer of the largest
/// networks in use.
const MOST_PER_ARRAY: usize = 1 << 25;

/// Maximum count of numbers in a file (2 GiB): several times as many as in the largest networks
/// in use.
const MOST_PER_FILE: usize = 1 << 29;

/// Numbers allocated at a time, so that memory use depends on how many numbers a file
/// contains, not on how many it declares.
const CHUNK: usize = 1 << 18;

/// Reader of a network file.
pub struct Tokens {
    input: Box<dyn BufRead>,
    layer: String,
    /// Count of further numbers that the file may contain.
    left: usize,
}

impl Tokens {
    /// Open a file, compressed with gzip or not.
    pub fn open(path: &Path) -> Result<Tokens, NetError> {
        let failed = |e: io::Error| NetError::new("", e.to_string());
        let file = open_regular(path).map_err(failed)?;
        Tokens::new(BufReader::with_capacity(1 << 18, file))
    }

    /// Read from any other source, compressed with gzip or not.
    pub fn new(mut input: impl BufRead + 'static) -> Result<Tokens, NetError> {
        let head = input
            .fill_buf()
            .map_err(|e| NetError::new("", e.to_string()))?;
        let gzip = head.starts_with(&[0x1f, 0x8b]);
        let input: Box<dyn BufRead> = if gzip {
            Box::new(BufReader::with_capacity(
                1 << 18,
                MultiGzDecoder::new(input),
            ))
        } else {
            Box::new(input)
        };
        Ok(Tokens {
            input,
            layer: String::new(),
            left: MOST_PER_FILE,
        })
    }

    /// Create an error at the current layer.
    pub fn error(&self, what: impl Into<String>) -> NetError {
        NetError::new(&self.layer, what)
    }

    fn failed(&self, e: &io::Error) -> NetError {
        match e.kind() {
            io::ErrorKind::UnexpectedEof => self.error("the file ends too early"),
            _ => self.error(format!("read error: {e}")),
        }
    }

    /// Skip white space and return the next byte without consuming it.
    fn peek(&mut self) -> Result<Option<u8>, NetError> {
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(e) => return Err(self.failed(&e)),
            };
            let spaces = buffer.iter().take_while(|b| b.is_ascii_whitespace());
            let n = spaces.count();
            match buffer.get(n).copied() {
                Some(b) => {
                    self.input.consume(n);
                    return Ok(Some(b));
                }
                None if n == 0 => return Ok(None),
                None => self.input.consume(n),
            }
        }
    }

    /// Read the next token; `what` describes it in errors.
    pub fn word(&mut self, what: &str) -> Result<String, NetError> {
        if self.peek()?.is_none() {
            return Err(self.error(format!("the file ends before {what}")));
        }
        let mut word = Vec::new();
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(e) => return Err(self.failed(&e)),
            };
            let letters = buffer.iter().take_while(|b| !b.is_ascii_whitespace());
            let n = letters.count().min(LONGEST_TOKEN + 1);
            word.extend(buffer.iter().take(n));
            let ended = n < buffer.len() || n == 0;
            self.input.consume(n);
            if word.len() > LONGEST_TOKEN || !word.iter().all(u8::is_ascii_graphic) {
                return Err(self.error(format!("expected {what}, found binary data")));
            }
            if ended {
                return String::from_utf8(word).map_err(|_| self.error("invalid text"));
            }
        }
    }

    /// Read the name of the next layer; later errors report it.
    pub fn name(&mut self, what: &str) -> Result<String, NetError> {
        let name = self.word(&format!("the name of {what}"))?;
        self.layer.clone_from(&name);
        Ok(name)
    }

    /// Read a number.
    pub fn number<T: FromStr>(&mut self, what: &str) -> Result<T, NetError> {
        let word = self.word(what)?;
        let number = word.parse();
        number.map_err(|_| self.error(format!("{what}: expected a number, found '{word}'")))
    }

    /// Read an integer from `least` to `most`.
    pub fn whole(&mut self, what: &str, least: usize, most: usize) -> Result<usize, NetError> {
        let word = self.word(what)?;
        match word.parse() {
            Ok(n) if (least..=most).contains(&n) => Ok(n),
            _ => Err(self.error(format!(
                "{what}: expected an integer from {least} to {most}, found '{word}'"
            ))),
        }
    }

    /// Read a positive, finite number.
    pub fn positive(&mut self, what: &str) -> Result<f32, NetError> {
        let x: f32 = self.number(what)?;
        if x.is_finite() && x > 0.0 {
            Ok(x)
        } else {
            Err(self.error(format!("{what}: expected a positive number, found {x}")))
        }
    }

    /// Read `n` reserved options, which must be 0.
    pub fn zeros(&mut self, n: usize, what: &str) -> Result<(), NetError> {
        for _ in 0..n {
            let word = self.word(what)?;
            if word != "0" {
                return Err(self.error(format!("unknown option of {what}: {word}")));
            }
        }
        Ok(())
    }

    /// Read an array of `n` finite numbers, as text or binary.
    pub fn floats(&mut self, n: usize, what: &str) -> Result<Vec<f32>, NetError> {
        if n > MOST_PER_ARRAY {
            return Err(self.error(format!(
                "{what}: {n} numbers exceed the limit of {MOST_PER_ARRAY}"
            )));
        }
        let too_many =
            || format!("{what}: the network exceeds the limit of {MOST_PER_FILE} numbers");
        let left = self.left.checked_sub(n);
        self.left = left.ok_or_else(|| self.error(too_many()))?;
        let numbers = if self.peek()? == Some(b'@') {
            self.binary(n, what)?
        } else {
            let mut numbers = Vec::with_capacity(n.min(CHUNK));
            for _ in 0..n {
                numbers.push(self.number(what)?);
            }
            numbers
        };
        match numbers.iter().find(|x| !x.is_finite()) {
            Some(x) => Err(self.error(format!("{what}: {x} is not finite"))),
            None => Ok(numbers),
        }
    }

    fn binary(&mut self, n: usize, what: &str) -> Result<Vec<f32>, NetError> {
        let mut mark = [0; 5];
        if let Err(e) = self.input.read_exact(&mut mark) {
            return Err(self.failed(&e));
        }
        if &mark != b"@BIN@" {
            return Err(self.error(format!("expected @BIN@ before {what}")));
        }
        let mut numbers = Vec::with_capacity(n.min(CHUNK));
        let mut bytes = vec![0; 4 * n.min(CHUNK)];
        while numbers.len() < n {
            bytes.truncate(4 * (n - numbers.len()));
            if let Err(e) = self.input.read_exact(&mut bytes) {
                return Err(match e.kind() {
                    io::ErrorKind::UnexpectedEof => self.error(format!(
                        "the file ends within {what}, after at least {} of {n} numbers",
                        numbers.len()
                    )),
                    _ => self.failed(&e),
                });
            }
            let number = |b: &[u8; 4]| f32::from_le_bytes(*b);
            numbers.extend(bytes.as_chunks::<4>().0.iter().map(number));
        }
        Ok(numbers)
    }

    /// Check that nothing follows.
    pub fn end(&mut self) -> Result<(), NetError> {
        match self.peek()? {
            None => Ok(()),
            Some(_) => Err(self.error("unexpected data after the end of the network")),
        }
    }
}
