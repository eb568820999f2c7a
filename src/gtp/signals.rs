use crate::util::locked;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Interrupts from the reader thread to the thread that executes commands.
///
/// GoGui sends the comment `# interrupt` while a command runs. It applies to all commands
/// sent before it, even those still queued, but not to later ones. So lines are counted.
#[derive(Debug)]
pub struct Signals {
    stop: Arc<AtomicBool>,
    lines: Mutex<Lines>,
}

#[derive(Debug, Default)]
struct Lines {
    received: u64,
    started: u64,
    /// Every line up to this number is interrupted.
    interrupted: u64,
    /// Any input ends the line being executed.
    ends_on_input: bool,
    /// The input has ended.
    closed: bool,
}

impl Signals {
    /// Create signals that raise this flag to interrupt.
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

    /// Note that a line has arrived. Call before it is queued.
    pub fn received(&self) {
        self.with(|lines, stop| {
            lines.received += 1;
            if lines.ends_on_input {
                stop.store(true, Ordering::SeqCst);
            }
        });
    }

    /// Note that the input has ended.
    pub fn closed(&self) {
        self.with(|lines, stop| {
            lines.closed = true;
            if lines.ends_on_input {
                stop.store(true, Ordering::SeqCst);
            }
        });
    }

    /// Let any input end the line being executed. Input that has arrived since that
    /// line counts.
    pub fn end_on_input(&self) {
        self.with(|lines, stop| {
            lines.ends_on_input = true;
            if lines.closed || lines.received > lines.started {
                stop.store(true, Ordering::SeqCst);
            }
        });
    }

    /// Interrupt the lines received so far.
    pub fn interrupt(&self) {
        self.with(|lines, stop| {
            lines.interrupted = lines.received;
            stop.store(true, Ordering::SeqCst);
        });
    }

    /// Begin to execute the next line: lower the flag, unless the line was interrupted
    /// while it was queued.
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
    fn an_interrupt_only_affects_lines_sent_before_it() {
        let stop = Arc::new(AtomicBool::new(false));
        let signals = Signals::new(Arc::clone(&stop));
        let raised = || stop.load(Ordering::SeqCst);

        signals.received();
        signals.interrupt();
        signals.starting();
        assert!(raised(), "interrupted while queued");
        signals.received();
        signals.starting();
        assert!(!raised(), "sent after the interrupt");
        signals.interrupt();
        assert!(raised(), "interrupted while running");
        signals.interrupt();
        signals.received();
        signals.starting();
        assert!(!raised());
    }
}
