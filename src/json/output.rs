//! Output lines from several threads.

use crate::util::QueueLimit;
use serde_json::Value;
use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, Sender};

/// Maximum bytes of answers that the client has not read. Above it, searches wait.
pub const MOST_WAITING: usize = 64 << 20;

/// Unread bytes above which reports during a search are dropped. Final answers are never
/// dropped.
const BACKLOG: usize = 8 << 20;

/// Sends answers to the thread that writes them.
#[derive(Clone, Debug)]
pub struct AnswerWriter<'a> {
    send: Sender<String>,
    waiting: &'a QueueLimit,
}

impl<'a> AnswerWriter<'a> {
    /// Create a writer and the receiver of its lines. `waiting` counts the unread bytes.
    pub fn new(waiting: &'a QueueLimit) -> (AnswerWriter<'a>, Receiver<String>) {
        let (send, receive) = mpsc::channel();
        (AnswerWriter { send, waiting }, receive)
    }

    /// Write an answer. Blocks while too many bytes are unread.
    pub fn write(&self, answer: &Value) {
        let line = answer.to_string();
        self.waiting.add(line.as_bytes());
        // Sending fails only when the client has gone.
        let _ = self.send.send(line);
    }

    /// Write a report, unless the client is too far behind.
    pub fn write_report(&self, report: impl FnOnce() -> Value) {
        if self.waiting.used() < BACKLOG {
            self.write(&report());
        }
    }
}

/// Write lines to `to` until all writers are dropped.
///
/// # Errors
/// If writing fails.
pub fn write_lines(
    lines: &Receiver<String>,
    waiting: &QueueLimit,
    to: &mut impl Write,
) -> io::Result<()> {
    while let Ok(line) = lines.recv() {
        to.write_all(line.as_bytes())?;
        to.write_all(b"\n")?;
        // Flush only after the last waiting line.
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
    fn writing_blocks_while_the_client_reads_slowly() {
        let waiting = QueueLimit::new(200);
        let (out, lines) = AnswerWriter::new(&waiting);
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
            assert!(write_lines(&lines, &waiting, &mut read).is_ok());
            assert_eq!(read.iter().filter(|&&b| b == b'\n').count(), 10);
            assert_eq!(finished.recv(), Ok(()));
        });
        assert_eq!(waiting.used(), 0);
        // Writing does not block once the client has gone.
        let (out, lines) = AnswerWriter::new(&waiting);
        drop(lines);
        waiting.close();
        for n in 0..10 {
            out.write(&json!({"id": n}));
        }
    }
}
