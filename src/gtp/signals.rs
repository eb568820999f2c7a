use crate::types::locked;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// How the thread that reads tells the thread that executes to cut a command
/// short.
///
/// GoGui writes the comment `# interrupt` while a command runs. It is for the
/// commands that were sent before it, not for one that comes after it, however
/// late this end gets round to them; so lines are counted.
#[derive(Debug)]
pub struct Signals {
    stop: Arc<AtomicBool>,
    lines: Mutex<Lines>,
}

#[derive(Debug, Default)]
struct Lines {
    received: u64,
    started: u64,
    /// Every line up to this number is to be cut short.
    interrupted: u64,
    /// The line that is executed ends with any input.
    ends_on_input: bool,
    /// No more input comes.
    closed: bool,
}

impl Signals {
    /// Signals that raise this flag to interrupt.
    pub fn new(stop: Arc<AtomicBool>) -> Signals {
        Signals {
            stop,
            lines: Mutex::default(),
        }
    }

    fn with<T>(&self, f: impl FnOnce(&mut Lines, &AtomicBool) -> T) -> T {
        let mut lines = locked(&self.lines);
        f(&mut lines, &self.stop)
    }

    /// A line has arrived. Call before it is passed on.
    pub fn received(&self) {
        self.with(|lines, stop| {
            lines.received += 1;
            if lines.ends_on_input {
                stop.store(true, Ordering::SeqCst);
            }
        });
    }

    /// The input has ended.
    pub fn closed(&self) {
        self.with(|lines, stop| {
            lines.closed = true;
            if lines.ends_on_input {
                stop.store(true, Ordering::SeqCst);
            }
        });
    }

    /// The line that is executed is to end with any input: what has come since it
    /// did counts.
    pub fn end_on_input(&self) {
        self.with(|lines, stop| {
            lines.ends_on_input = true;
            if lines.closed || lines.received > lines.started {
                stop.store(true, Ordering::SeqCst);
            }
        });
    }

    /// The interrupt comment has arrived.
    pub fn interrupt(&self) {
        self.with(|lines, stop| {
            lines.interrupted = lines.received;
            if lines.started <= lines.interrupted {
                stop.store(true, Ordering::SeqCst);
            }
        });
    }

    /// The next line is about to be executed: lowers the flag, unless the line
    /// was interrupted while it waited.
    pub fn starting(&self) {
        self.with(|lines, stop| {
            lines.started += 1;
            lines.ends_on_input = false;
            stop.store(lines.started <= lines.interrupted, Ordering::SeqCst);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_reaches_what_was_sent_before_it_only() {
        let stop = Arc::new(AtomicBool::new(false));
        let signals = Signals::new(Arc::clone(&stop));
        let raised = || stop.load(Ordering::SeqCst);

        signals.received();
        signals.interrupt();
        signals.starting();
        assert!(raised(), "interrupted while it waited");
        signals.received();
        signals.starting();
        assert!(!raised(), "sent after the interrupt");
        signals.interrupt();
        assert!(raised(), "interrupted while it ran");
        signals.interrupt();
        signals.received();
        signals.starting();
        assert!(!raised());
    }
}
