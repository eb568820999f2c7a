use super::locked;
use std::sync::{Condvar, Mutex, PoisonError};

/// A limit on the bytes of queued lines. Adding a line blocks until it fits.
///
/// ```
/// use ponnuki::util::QueueLimit;
///
/// let limit = QueueLimit::new(1000);
/// limit.add(b"genmove black\n");
/// assert!(limit.used() > 14);
/// assert!(limit.remove(b"genmove black\n"), "none is left");
/// ```
#[derive(Debug)]
pub struct QueueLimit {
    limit: usize,
    /// Bytes queued; `None` once closed.
    bytes: Mutex<Option<usize>>,
    removed: Condvar,
}

/// Overhead of a queued line, in bytes.
const LINE_OVERHEAD: usize = 64;

impl QueueLimit {
    /// A limit for lines of `limit` bytes in total, or a single longer line.
    pub fn new(limit: usize) -> QueueLimit {
        QueueLimit {
            limit,
            bytes: Mutex::new(Some(0)),
            removed: Condvar::new(),
        }
    }

    /// Add a line. Blocks until there is room for it.
    pub fn add(&self, line: &[u8]) {
        let more = line.len() + LINE_OVERHEAD;
        let is_full =
            |bytes: &mut Option<usize>| bytes.is_some_and(|n| n > 0 && n + more > self.limit);
        let waited = self.removed.wait_while(locked(&self.bytes), is_full);
        if let Some(bytes) = &mut *waited.unwrap_or_else(PoisonError::into_inner) {
            *bytes += more;
        }
    }

    /// Remove a line. True if none is left or the queue is closed.
    pub fn remove(&self, line: &[u8]) -> bool {
        let mut bytes = locked(&self.bytes);
        *bytes = bytes.map(|n| n.saturating_sub(line.len() + LINE_OVERHEAD));
        self.removed.notify_all();
        bytes.is_none_or(|n| n == 0)
    }

    /// Bytes queued.
    pub fn used(&self) -> usize {
        locked(&self.bytes).unwrap_or(0)
    }

    /// Lift the limit, because no more lines will be removed. Blocked threads continue.
    pub fn close(&self) {
        *locked(&self.bytes) = None;
        self.removed.notify_all();
    }
}
