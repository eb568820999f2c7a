//! What is asked.

use super::AnalysisReport;
use crate::position::Position;
use crate::search::{Focus, Restriction, SearchParams, Standing, TreeSearch};
use std::fmt;
use std::time::{Duration, Instant};

/// A question about a position.
#[derive(Clone, Debug)]
pub struct AnalysisRequest {
    /// The position, with the player to move for whom it is searched.
    pub position: Position,
    /// What ends the search.
    pub limits: Limits,
    /// What the reports tell beyond the usual.
    pub include: Include,
    /// Moves to avoid, or to allow alone.
    pub restrictions: Vec<Restriction>,
    /// Numbers of the search for this request alone.
    pub params: Option<SearchParams>,
    /// Seed of all random choices.
    pub seed: u64,
}

impl AnalysisRequest {
    /// What the search is to leave out and to keep.
    pub(super) fn focus(&self) -> Focus {
        Focus {
            restrictions: self.restrictions.clone(),
            move_ownership: self.include.move_ownership,
        }
    }

    /// Everything that is usual about a position, without limits.
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

/// What ends a search; without any it goes on until it is stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Playouts of this search.
    pub playouts: Option<u64>,
    /// Visits of the root, those kept from earlier searches included.
    pub visits: Option<u64>,
    /// Time.
    pub time: Option<Duration>,
}

/// When a player who has a clock must have an answer, with less behind it if need be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deadline {
    /// A network that is still being loaded is not waited for any longer: playouts
    /// evaluate meanwhile.
    pub network: Option<Instant>,
    /// Judgements and side searches end then.
    pub answer: Option<Instant>,
}

/// What reports tell beyond the usual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Include {
    /// Final ownership by the move at the root.
    pub move_ownership: bool,
    /// What the network alone says of the position.
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
    /// Asked every few milliseconds whether the search may end.
    pub enough: &'a mut dyn FnMut(&Progress<'_>) -> bool,
}

impl fmt::Debug for Observer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observer")
            .field("interval", &self.interval)
            .finish_non_exhaustive()
    }
}

/// How far a search has come.
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

    /// Playouts begun.
    pub fn playouts(&self) -> u64 {
        self.search.playouts()
    }

    /// How clear the choice is.
    pub fn standing(&self) -> Option<Standing> {
        self.search.standing()
    }
}

/// The first report comes after so long, whatever the interval, if nothing else is asked for.
const FIRST_REPORT: Duration = Duration::from_millis(50);

/// When a watcher is to be told next.
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

    /// Is it time? Then the next time is set.
    pub fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let due = self.next.is_some_and(|next| now >= next);
        if due {
            self.next = self.interval.map(|i| now + i);
        }
        due
    }
}
