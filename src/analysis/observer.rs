//! Reports while a search runs, and their times.

use super::AnalysisReport;
use crate::search::{Standing, TreeSearch};
use std::time::{Duration, Instant};

/// Receives reports while a search runs, and may end it.
pub struct Observer<'a> {
    /// Report interval; `None` disables reports.
    pub interval: Option<Duration>,
    /// Time of the first report. Default: 50 ms, or the interval if that is shorter.
    pub first: Option<Duration>,
    /// Report callback.
    pub on_report: &'a mut dyn FnMut(&AnalysisReport),
    /// Called every few milliseconds; `true` ends the search.
    pub enough: &'a mut dyn FnMut(&Progress<'_>) -> bool,
}

/// Progress of a search.
#[derive(Debug)]
pub struct Progress<'a> {
    search: &'a dyn TreeSearch,
    /// Time since the search began.
    pub elapsed: Duration,
}

impl<'a> Progress<'a> {
    pub(super) fn new(search: &'a dyn TreeSearch, elapsed: Duration) -> Progress<'a> {
        Progress { search, elapsed }
    }

    /// Playouts started.
    pub fn playouts(&self) -> u64 {
        self.search.playouts()
    }

    /// How clear the choice is.
    pub fn standing(&self) -> Option<Standing> {
        self.search.standing()
    }
}

/// Default time to the first report, unless the interval is shorter.
const FIRST_REPORT: Duration = Duration::from_millis(50);

/// The times of an observer's reports.
pub(super) struct Schedule {
    interval: Option<Duration>,
    next: Option<Instant>,
}

impl Schedule {
    pub fn new(interval: Option<Duration>, first: Option<Duration>) -> Schedule {
        let first = interval.map(|i| first.unwrap_or(i.min(FIRST_REPORT)));
        Schedule {
            interval,
            next: first.map(|i| Instant::now() + i),
        }
    }

    /// Is a report due? If so, the next one is scheduled.
    pub fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let due = self.next.is_some_and(|next| now >= next);
        if due {
            self.next = self.interval.map(|i| now + i);
        }
        due
    }
}
