//! Lines out, from several threads.

use crate::types::Room;
use serde_json::Value;
use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, Sender};

/// Most bytes of answers that a client has not read; beyond it searches wait.
pub const MOST_WAITING: usize = 64 << 20;

/// Reports during a search are dropped while more bytes are unread. Final answers never are.
const BACKLOG: usize = 8 << 20;

/// Where answers go.
#[derive(Clone, Debug)]
pub struct Output<'a> {
    send: Sender<String>,
    waiting: &'a Room,
}

impl<'a> Output<'a> {
    /// An output and the lines that come from it; `waiting` holds those under way.
    pub fn new(waiting: &'a Room) -> (Output<'a>, Receiver<String>) {
        let (send, receive) = mpsc::channel();
        (Output { send, waiting }, receive)
    }

    /// Write an answer; blocks while too much is unread.
    pub fn write(&self, answer: &Value) {
        let line = answer.to_string();
        self.waiting.add(line.as_bytes());
        // Nobody listens any more only when the client has gone.
        let _ = self.send.send(line);
    }

    /// Write a report, unless the client is far behind.
    pub fn write_report(&self, report: impl FnOnce() -> Value) {
        if self.waiting.used() < BACKLOG {
            self.write(&report());
        }
    }
}

/// Pass on lines until all outputs are gone.
///
/// # Errors
/// If they cannot be written.
pub fn pass_on(lines: &Receiver<String>, waiting: &Room, to: &mut impl Write) -> io::Result<()> {
    while let Ok(line) = lines.recv() {
        to.write_all(line.as_bytes())?;
        to.write_all(b"\n")?;
        // A client waits for the last line of a batch, not for each.
        if waiting.remove(line.as_bytes()) {
            to.flush()?;
        }
    }
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Duration;

    #[test]
    fn answers_wait_for_a_client_that_reads_slowly() {
        let waiting = Room::new(200);
        let (out, lines) = Output::new(&waiting);
        std::thread::scope(|scope| {
            let (done, finished) = mpsc::channel();
            let writer = out.clone();
            scope.spawn(move || {
                for n in 0..10 {
                    writer.write(&json!({"id": n}));
                }
                let _ = done.send(());
            });
            let early = finished.recv_timeout(Duration::from_millis(100));
            assert!(early.is_err(), "ten answers do not fit");
            assert!(waiting.used() <= 200);
            drop(out);
            let mut read = Vec::new();
            assert!(pass_on(&lines, &waiting, &mut read).is_ok());
            assert_eq!(read.iter().filter(|&&b| b == b'\n').count(), 10);
            assert_eq!(finished.recv(), Ok(()));
        });
        assert_eq!(waiting.used(), 0);
        // Once the client has gone nothing blocks.
        let (out, lines) = Output::new(&waiting);
        drop(lines);
        waiting.close();
        for n in 0..10 {
            out.write(&json!({"id": n}));
        }
    }
}
