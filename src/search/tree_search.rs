//! The interface of a search with any policy, and the results at its root.

use super::policy::{RootMove, RootValue};
use super::{Focus, SearchParams, Tally};
use crate::position::Position;
use crate::types::{Color, Move};
use std::fmt;
use std::time::{Duration, Instant};

/// How clear the choice at the root is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Visits of the chosen move.
    pub first: u32,
    /// Highest number of visits of any other move.
    pub second: u32,
    /// Does another move come close in visits, or have a higher win rate?
    pub rival: bool,
}

/// Results at the root at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The player to move.
    pub to_move: Color,
    /// Visits of the root, including those kept from earlier searches.
    pub visits: u32,
    /// Values of the root itself.
    pub value: RootValue,
    /// The root moves, the chosen one first, each with the principal variation after it.
    pub moves: Vec<(RootMove, Vec<(Move, u32)>)>,
    /// Sums over this search and, where known, over the earlier ones that grew this tree.
    pub totals: Tally,
    /// Playouts of this search.
    pub playouts: u64,
}

/// A search with any policy.
pub trait TreeSearch: fmt::Debug + Send {
    /// Clear the tree.
    fn clear(&mut self);

    /// Clear the tree and the policy's cache.
    fn clear_with_cache(&mut self);

    /// Change the parameters and clear the tree.
    fn set_params(&mut self, params: &SearchParams);

    /// Set the excluded moves and extra results of later searches. Clears the tree if the
    /// excluded moves change.
    fn set_focus(&mut self, focus: Focus);

    /// Limit later searches to this many root visits, including those kept from earlier
    /// searches. A search still makes a few playouts if too few are known to compute
    /// ownership and leads.
    fn set_visits(&mut self, most: Option<u64>);

    /// Start to search this position in the background, reusing the tree where possible.
    /// Ends a running search first.
    ///
    /// `playouts` limits the playouts of this search.
    fn start(&mut self, position: &Position, playouts: u64, seed: u64);

    /// Continue a search that ended because its tree was full, after dropping the least
    /// visited nodes. Returns false and does nothing if the search ended for any other
    /// reason. Dropping nodes takes about a second for 512 MB, and longer for more.
    fn resume_if_full(&mut self) -> bool;

    /// Search this position for `playouts` playouts and wait for the end.
    fn run(&mut self, position: &Position, playouts: u64, seed: u64) {
        self.start(position, playouts, seed);
        // Without threads, only waits without a limit are repeatable.
        while !self.wait(Duration::MAX) || self.resume_if_full() {}
    }

    /// Search this position on the calling thread alone, for `playouts` playouts or until
    /// the time `until`, but for at least one playout. If it ends before `until`, its results are
    /// those of a search with one thread.
    fn run_until(&mut self, position: &Position, playouts: u64, seed: u64, until: Instant);

    /// Wait for `timeout` at most until the search ends by itself. Returns whether it has
    /// ended. If its tree is full, it can be [resumed](TreeSearch::resume_if_full).
    fn wait(&mut self, timeout: Duration) -> bool;

    /// End the search, if one is running. Panics if one of its threads has panicked.
    fn finish(&mut self);

    /// Bytes allocated for the tree.
    fn bytes(&self) -> usize;

    /// Is a search running?
    fn is_running(&self) -> bool;

    /// Playouts begun by the running search, or made by the last one.
    fn playouts(&self) -> u64;

    /// Sums over the running search, or the last one, without earlier searches.
    fn totals(&self) -> Tally;

    /// How clear the choice at the root is.
    fn standing(&self) -> Option<Standing>;

    /// All results at the root, while the search runs or after it.
    fn snapshot(&self) -> Option<Snapshot>;
}
