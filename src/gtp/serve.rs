//! Main loop: takes lines from a reader thread and writes the replies.

use super::dispatch::LONGEST_LINE;
use super::log::{Log, note};
use super::parse::is_interrupt;
use super::session::Session;
use super::signals::Signals;
use super::wire::Wire;
use crate::util::{QueueLimit, read_line};
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;

/// Maximum number of bytes of queued lines. When the queue is full, reading waits.
const MOST_WAITING: usize = 64 << 20;

/// Speak the protocol until `quit`, the end of the input, or the output is closed.
///
/// A separate thread reads the input, so that an interrupt arrives while a command runs. Commands
/// are executed and answered in order.
///
/// # Errors
/// If the reader thread cannot be started, or writing fails for a reason other than
/// closed output.
pub fn serve(
    session: &mut Session,
    mut input: impl BufRead + Send + 'static,
    output: &mut impl Write,
    log: Option<Arc<Log>>,
) -> io::Result<()> {
    let signals = Arc::new(Signals::new(session.engine.stop_flag()));
    let (send, receive) = mpsc::channel::<Vec<u8>>();
    let waiting = Arc::new(QueueLimit::new(MOST_WAITING));
    let read = {
        let (signals, waiting, log) = (signals.clone(), waiting.clone(), log.clone());
        move || {
            let mut line = Vec::new();
            while let Ok(true) = read_line(&mut input, LONGEST_LINE, &mut line) {
                if let Some(log) = &log {
                    log.received(&line);
                }
                if is_interrupt(&line) {
                    signals.interrupt();
                    continue;
                }
                signals.received();
                waiting.add(&line);
                if send.send(line.clone()).is_err() {
                    return;
                }
            }
            signals.closed();
        }
    };
    thread::Builder::new()
        .name("gtp-reader".into())
        .spawn(read)?;
    let served = execute(
        session,
        &receive,
        &waiting,
        &signals,
        output,
        log.as_deref(),
    );
    drop(receive);
    waiting.close();
    served
}

/// Execute lines until `quit`, the end of the input or an output error.
fn execute(
    session: &mut Session,
    receive: &Receiver<Vec<u8>>,
    waiting: &QueueLimit,
    signals: &Signals,
    output: &mut impl Write,
    log: Option<&Log>,
) -> io::Result<()> {
    loop {
        let line = match receive.try_recv() {
            Ok(line) => line,
            Err(TryRecvError::Empty) => {
                session.engine.idle();
                match receive.recv() {
                    Ok(line) => line,
                    Err(_) => return Ok(()),
                }
            }
            Err(TryRecvError::Disconnected) => return Ok(()),
        };
        waiting.remove(&line);
        signals.starting();
        let mut wire = ReplyWriter {
            output,
            signals,
            log,
            failure: None,
        };
        session.respond(&line, &mut wire);
        if let Some(complaint) = session.engine.network_complaint() {
            wire.note(&format!("ponnuki: {complaint}"));
        }
        match wire.failure {
            Some(e) if e.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            Some(e) => return Err(e),
            None => {}
        }
        if session.is_done() {
            return Ok(());
        }
    }
}

/// Writes replies to the output and the log.
struct ReplyWriter<'a, W> {
    output: &'a mut W,
    signals: &'a Signals,
    log: Option<&'a Log>,
    /// The first output error. Nothing is written after it.
    failure: Option<io::Error>,
}

impl<W: Write> Wire for ReplyWriter<'_, W> {
    fn send(&mut self, text: &str) {
        if self.failure.is_some() {
            return;
        }
        if let Some(log) = self.log {
            log.sent(text);
        }
        let written = self.output.write_all(text.as_bytes());
        if let Err(e) = written.and_then(|()| self.output.flush()) {
            self.failure = Some(e);
            self.signals.closed();
        }
    }

    fn note(&mut self, line: &str) {
        note(line);
    }

    fn fault(&mut self, report: &str) {
        match self.log.is_some_and(|log| log.fault(report)) {
            true => self.note("ponnuki: internal error; details are in the log"),
            // Without a log, print the whole report.
            false => self.note(&format!("ponnuki: {report}")),
        }
    }

    fn end_on_input(&mut self) {
        self.signals.end_on_input();
    }
}
