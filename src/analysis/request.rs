//! Requests to the analyst.

use crate::position::Position;
use crate::search::{Focus, Restriction, SearchParams};
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
    /// Moves to avoid, or the only ones to allow.
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

/// Limits of a search. Without any it runs until it is stopped, except a side search, which then
/// has [a default](super::Profile::side_playouts). A [`Deadline`] also limits other work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Playouts of this search.
    pub playouts: Option<u64>,
    /// Visits of the root, including those kept from earlier searches.
    pub visits: Option<u64>,
    /// Duration of the search.
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

/// Deadlines of all further answers, at the cost of quality if needed. Unlike [`Limits`] they also
/// apply to judgements and to waiting.
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
