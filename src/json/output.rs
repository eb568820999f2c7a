//! Lines out, from several threads.

use serde_json::Value;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, Sender};

/// Reports during a search are dropped while so many lines wait for a client that does
/// not read them. Final answers never are.
const BACKLOG: usize = 1000;

/// Where answers go.
#[derive(Debug)]
pub struct Output<'a> {
    send: Sender<String>,
    waiting: &'a AtomicUsize,
}

impl Clone for Output<'_> {
    fn clone(&self) -> Self {
        Output {
            send: self.send.clone(),
            waiting: self.waiting,
        }
    }
}

impl<'a> Output<'a> {
    /// An output and the lines that come from it; `waiting` counts those under way.
    pub fn new(waiting: &'a AtomicUsize) -> (Output<'a>, Receiver<String>) {
        let (send, receive) = mpsc::channel();
        (Output { send, waiting }, receive)
    }

    /// Write an answer.
    pub fn write(&self, answer: &Value) {
        self.waiting.fetch_add(1, Relaxed);
        // Nobody listens any more only when the client has gone.
        let _ = self.send.send(answer.to_string());
    }

    /// Write a report, unless the client is far behind.
    pub fn write_report(&self, report: impl FnOnce() -> Value) {
        if self.waiting.load(Relaxed) < BACKLOG {
            self.write(&report());
        }
    }
}

/// Pass on lines until all outputs are gone.
///
/// # Errors
/// If they cannot be written.
pub fn pass_on(
    lines: &Receiver<String>,
    waiting: &AtomicUsize,
    to: &mut impl Write,
) -> io::Result<()> {
    while let Ok(line) = lines.recv() {
        to.write_all(line.as_bytes())?;
        to.write_all(b"\n")?;
        // A client waits for the last line of a batch, not for each.
        if waiting.fetch_sub(1, Relaxed) == 1 {
            to.flush()?;
        }
    }
    to.flush()
}
