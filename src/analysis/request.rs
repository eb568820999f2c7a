//! Requests to the analyst.

use super::AnalysisReport;
use crate::position::Position;
use crate::search::{Focus, Restriction, SearchParams, Standing, TreeSearch};
use std::fmt;
use std::time::{Duration, Instant};

/// A question about a position.
#[derive(Clone, Debug)]
pub struct AnalysisRequest {
    /// The position; the search is for its player to move.
    pub position: Position,
    /// Limits of the search.
    pub limits: Limits,
    /// Optional contents of reports.
    pub include: Include,
    /// Moves to avoid, or the only moves to allow.
    pub restrictions: Vec<Restriction>,
    /// Search parameters for this request; `None` for the analyst's.
    pub params: Option<SearchParams>,
    /// Seed of all random choices.
    pub seed: u64,
}

impl AnalysisRequest {
    /// The focus of the search.
    pub(super) fn focus(&self) -> Focus {
        Focus {
            restrictions: self.restrictions.clone(),
            move_ownership: self.include.move_ownership,
        }
    }

    /// Create a request with default contents and no limits.
    pub fn new(position: Position) -> AnalysisRequest {
        AnalysisRequest {
            position,
            limits: Limits::default(),
            include: Include::default(),
            restrictions: Vec::new(),
            params: None,
            seed: 0,
        }
    }
}

/// Limits of a search. Without any it runs until it is stopped. A [`Deadline`] also ends what is
/// not a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Playouts of this search.
    pub playouts: Option<u64>,
    /// Visits of the root, those kept from earlier searches included.
    pub visits: Option<u64>,
    /// Duration.
    pub time: Option<Duration>,
}

impl Limits {
    /// Limit only the playouts.
    pub fn of_playouts(playouts: u64) -> Limits {
        Limits {
            playouts: Some(playouts),
            ..Limits::default()
        }
    }

    /// Is there any limit?
    pub fn are_set(&self) -> bool {
        *self != Limits::default()
    }
}

/// Deadlines of all further answers, at the cost of quality if needed. Unlike [`Limits`] they hold
/// for judgements and for waiting, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deadline {
    /// When to stop waiting for a network that is being loaded; playouts then evaluate.
    pub network: Option<Instant>,
    /// When judgements and side searches end.
    pub answer: Option<Instant>,
}

/// Optional contents of reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Include {
    /// Final ownership separately for each root move.
    pub move_ownership: bool,
    /// The network's own evaluation of the position.
    pub raw: bool,
}

/// Receives reports while a search runs, and may end it.
pub struct Observer<'a> {
    /// Report interval; `None` disables reports.
    pub interval: Option<Duration>,
    /// Time of the first report. Default: 50 ms, or the interval if that is shorter.
    pub first: Option<Duration>,
    /// Report callback.
    pub tell: &'a mut dyn FnMut(&AnalysisReport),
    /// Called every few milliseconds; `true` ends the search.
    pub enough: &'a mut dyn FnMut(&Progress<'_>) -> bool,
}

impl fmt::Debug for Observer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observer")
            .field("interval", &self.interval)
            .finish_non_exhaustive()
    }
}

/// Progress of a search.
#[derive(Debug)]
pub struct Progress<'a> {
    search: &'a dyn TreeSearch,
    /// Time since it began.
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

/// Longest time to the first report by default.
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
