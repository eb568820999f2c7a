//! Tree search on a tree shared by worker threads.
//!
//! The tree (arena, visits, virtual loss, publication of children) and its workers
//! know the rules of the game and nothing else about Go. A [`Policy`] decides which
//! moves to try, evaluates leaves and defines what a node stores: [`Rave`] uses playouts,
//! AMAF and hand-made priors, [`Puct`] uses a network.
//!
//! [`Search`] owns the tree and a pool of threads. A search runs in the background
//! from [`TreeSearch::start`] to [`TreeSearch::finish`]. The caller may read its results
//! while it runs and decides when to stop. With one thread, a seed and a limit of playouts
//! it is deterministic.
//!
//! ```
//! use ponnuki::position::Position;
//! use ponnuki::rules::Ruleset;
//! use ponnuki::search::{Rave, Search, SearchParams, TreeSearch};
//! use ponnuki::types::BoardSize;
//!
//! let position = Position::new(BoardSize::square(9), Ruleset::default());
//! let mut search = Search::new(1, 1 << 20, Rave::new(SearchParams::default()))?;
//! search.run(&position, 100, 1);
//! let moves = search.root_moves();
//! assert!(moves[0].visits >= moves[1].visits);
//! assert_eq!(search.playouts(), 100);
//! # Ok::<(), ponnuki::search::PoolError>(())
//! ```

mod focus;
mod node;
mod params;
mod policy;
mod puct;
mod rave;
mod sync;
mod totals;
mod tree;
mod worker;

#[cfg(test)]
pub(crate) use worker::FAULT;

/// Thread count that [`Search::new`] refuses in tests.
#[cfg(test)]
pub(crate) const REFUSED: usize = 0xdead;

pub use focus::{Focus, Restriction};
pub use node::{Node, NodeId};
pub use params::{ParamInfo, SearchParams};
pub use policy::{LeafValue, Policy, Prior, RootMove, RootValue, RootView, Statistics, Visit};
pub use puct::{NetworkEvaluator, Puct, Utility};
pub use rave::Rave;
pub use totals::{MoveTotals, Sums, Tally};
pub use tree::{NewChild, ROOT, Tree};

use crate::position::{Line, Position, Root};
use crate::types::{Color, Move, locked};
use std::fmt;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use worker::{AT_ROOT, Job, WorkerState};

/// Failed to start search threads.
#[derive(Clone, Debug)]
pub struct PoolError(String);

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot start search threads: {}", self.0)
    }
}

impl std::error::Error for PoolError {}

/// A search tree and the threads that grow it.
pub struct Search<P: Policy> {
    pool: rayon::ThreadPool,
    threads: usize,
    tree: Arc<Tree<P::Statistics>>,
    policy: Arc<P>,
    /// Position at the tree's root.
    root: Option<Position>,
    /// The running search, or the last one.
    job: Option<Arc<Job<P>>>,
    /// While workers run: a channel that signals each one's end, and how many still run.
    running: Option<(mpsc::Receiver<()>, usize)>,
    focus: Focus,
    /// Limit on the visits of the root.
    visits: Option<u64>,
    /// Sums over the earlier searches that grew this tree, as far as they are known for
    /// its present root.
    kept: Tally,
}

impl<P: Policy> fmt::Debug for Search<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search")
            .field("threads", &self.threads)
            .field("nodes", &self.tree.len())
            .field("running", &self.running.is_some())
            .finish_non_exhaustive()
    }
}

impl<P: Policy> Search<P> {
    /// Create a search with this policy on `threads` threads (at least 1) and at most
    /// `memory` bytes of nodes.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses the threads.
    pub fn new(threads: usize, memory: usize, policy: P) -> Result<Search<P>, PoolError> {
        let threads = threads.max(1);
        #[cfg(test)]
        if threads == REFUSED {
            return Err(PoolError("refused for a test".to_owned()));
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("search-{i}"))
            .build()
            .map_err(|e| PoolError(e.to_string()))?;
        Ok(Search {
            pool,
            threads,
            tree: Arc::new(Tree::new(memory)),
            policy: Arc::new(policy),
            root: None,
            job: None,
            running: None,
            focus: Focus::default(),
            visits: None,
            kept: Tally::default(),
        })
    }

    /// The tree; its root is the position last searched.
    pub fn tree(&self) -> &Tree<P::Statistics> {
        &self.tree
    }

    /// Current view of the root; `None` before the first search.
    fn view(&self) -> Option<RootView<'_, P>> {
        let job = self.job.as_ref()?;
        let under_way = job.seats.iter().map(|s| s.under_way.load(Relaxed));
        Some(RootView {
            tree: &self.tree,
            context: &job.context,
            to_move: job.root.position().to_move(),
            under_way: under_way
                .filter(|&at| at > 0)
                .map(|at| if at == AT_ROOT { AT_ROOT } else { at - 1 })
                .collect(),
        })
    }

    /// The root moves: the chosen one first, the others by visits.
    pub fn root_moves(&self) -> Vec<RootMove> {
        let Some(view) = self.view() else {
            return Vec::new();
        };
        let mut moves: Vec<RootMove> = self.moves_of(&view).collect();
        let chosen = self.policy.choose(moves.iter().copied());
        moves.sort_by(P::order);
        if let Some(first) = moves
            .iter()
            .position(|m| Some(m.at) == chosen.map(|c| c.at))
        {
            moves[..=first].rotate_right(1);
        }
        moves
    }

    fn moves_of(&self, view: &RootView<'_, P>) -> impl Iterator<Item = RootMove> + Clone {
        let children = 0..self.tree.children(ROOT).len();
        children.map(|at| self.policy.root_move(view, at))
    }

    /// The principal variation from the root: always the most visited move.
    pub fn principal_variation(&self, len: usize) -> Vec<Move> {
        let line = self.variation(&[], ROOT, len);
        line.into_iter().map(|(m, _)| m).collect()
    }

    /// The principal variation from a node, each move with its visits. `path` holds the
    /// moves from the root to that node. The variation ends before a move that superko
    /// forbids after `path`: transpositions share nodes.
    fn variation(&self, path: &[Move], from: NodeId, len: usize) -> Vec<(Move, u32)> {
        let mut variation = self.tree.principal_variation(from, len);
        if let Some(job) = &self.job {
            let mut line = Line::new(job.root.clone());
            path.iter().for_each(|&m| line.play(m));
            let broken = variation.iter().position(|&(m, _)| {
                let breaks = line.breaks_superko(m);
                line.play(m);
                breaks
            });
            variation.truncate(broken.unwrap_or(len));
        }
        variation
    }

    /// End any running search and prepare a new one.
    fn job(
        &mut self,
        position: &Position,
        playouts: u64,
        seed: u64,
        until: Option<Instant>,
    ) -> Arc<Job<P>> {
        self.finish();
        self.set_root(position);
        // Make room to expand the root fully.
        if self.tree.len() > self.tree.capacity() / 16 * 15 {
            self.tree.prune();
        }
        let root_visits = u64::from(self.tree.node(ROOT).visits());
        let wanted = P::ENOUGH_PLAYOUTS.min(root_visits);
        let fresh = wanted.saturating_sub(self.kept.ownership.playouts().into());
        let visits_left = self.visits.map_or(u64::MAX, |v| {
            v.saturating_sub(root_visits).max(fresh.min(v.div_ceil(4)))
        });
        let root = Arc::new(Root::new(position.clone()));
        let mut scratch = self.policy.scratch(position, seed);
        let line = Line::new(root.clone());
        let context = self.policy.begin(&self.tree, &line, &mut scratch);
        self.policy.retire(scratch);
        let job = Arc::new(Job {
            root,
            tree: self.tree.clone(),
            policy: self.policy.clone(),
            context,
            focus: self.focus.clone(),
            evaluates_known_moves: self.focus.move_ownership && !self.kept.has_move_ownership(),
            seed,
            rounds: AtomicU64::new(0),
            playouts: playouts.min(visits_left),
            until,
            begun: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            fault: Mutex::default(),
            seats: (0..self.threads).map(|_| WorkerState::default()).collect(),
        });
        self.job = Some(job.clone());
        job
    }

    /// Start the workers.
    fn start_workers(&mut self, job: &Arc<Job<P>>) {
        let (send, receive) = mpsc::channel();
        for number in 0..self.threads {
            let (job, send) = (job.clone(), send.clone());
            self.pool.spawn(move || {
                worker::run(&job, number);
                // Sending fails only if the search was dropped.
                let _ = send.send(());
            });
        }
        self.running = Some((receive, self.threads));
    }

    /// Stop the workers and wait for them.
    fn stop_workers(&mut self) {
        if let Some((ended, left)) = self.running.take() {
            if let Some(job) = &self.job {
                job.stop.store(true, Relaxed);
            }
            ended.iter().take(left).for_each(drop);
        }
    }

    /// Panic if a worker has panicked. The tree is dropped first, since a visit may be
    /// incomplete.
    fn propagate_panic(&mut self) {
        let fault = self.job.as_ref().and_then(|job| locked(&job.fault).take());
        if let Some(fault) = fault {
            self.tree.clear();
            self.root = None;
            self.job = None;
            resume_unwind(fault);
        }
    }

    /// Make this position the root. Keep its subtree if the game continues from the
    /// present root; otherwise clear the tree.
    fn set_root(&mut self, position: &Position) {
        // Restrictions depend on the distance to the root.
        let keeps = |node: &NodeId| *node == ROOT || self.focus.restrictions.is_empty();
        let known = self.known(position).filter(keeps);
        self.kept = known.map(|node| self.totals_of(node)).unwrap_or_default();
        match known {
            Some(node) => self.tree.keep_subtree(node),
            None => self.tree.clear(),
        }
        self.root = Some(position.clone());
    }

    /// Sums over all searches of this tree, as far as they are known for this node.
    fn totals_of(&self, node: NodeId) -> Tally {
        let mut all = self.all_totals();
        if node == ROOT {
            return all;
        }
        let at = node.checked_sub(self.tree.first_child(ROOT));
        let of_move = at.and_then(|at| all.by_move.get_mut(at as usize));
        of_move.map(MoveTotals::take).unwrap_or_default()
    }

    /// Sums over all searches of this tree.
    fn all_totals(&self) -> Tally {
        let mut all = self.kept.clone();
        all.merge(&self.totals());
        all
    }

    /// The node of this position, if the tree has it.
    fn known(&self, position: &Position) -> Option<NodeId> {
        let root = self.root.as_ref()?;
        let mut node = ROOT;
        let mut to_move = root.to_move();
        for turn in position.turns_since(root)? {
            if turn.color != to_move {
                return None;
            }
            to_move = to_move.opponent();
            node = self.tree.child(node, turn.mv)?;
        }
        // Visits of a leaf that ends the game say nothing about moves.
        let has_moves = node == ROOT || !position.is_over();
        (has_moves && to_move == position.to_move()).then_some(node)
    }
}

impl<P: Policy> Drop for Search<P> {
    fn drop(&mut self) {
        self.stop_workers();
    }
}

/// A move is a rival if it has more than this share of the first move's visits (Pachi:
/// best/second visits below 2.5).
const RIVAL_SHARE: f32 = 0.4;

/// Maximum length of a principal variation.
const MAX_VARIATION: usize = 30;

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
    fn forget(&mut self);

    /// Change the parameters and clear the tree.
    fn set_params(&mut self, params: &SearchParams);

    /// Set the excluded moves and extra results of later searches. Clears the tree if its
    /// restrictions were different.
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

    /// Continue a search that ended because its memory was full, after dropping the least
    /// visited nodes. Returns false and does nothing if the search ended for any other
    /// reason. Dropping nodes takes about a second for 512 MB, and longer for more.
    fn go_on(&mut self) -> bool;

    /// Search this position for `playouts` playouts and wait for the end.
    fn run(&mut self, position: &Position, playouts: u64, seed: u64) {
        self.start(position, playouts, seed);
        while !self.wait(Duration::from_secs(1)) || self.go_on() {}
    }

    /// Search this position on the calling thread alone, for `playouts` playouts or until
    /// the time `until`, but for at least one playout. If it ends before `until`, it equals a
    /// search with one thread.
    fn run_until(&mut self, position: &Position, playouts: u64, seed: u64, until: Instant);

    /// Wait until the search ends by itself, but at most `timeout`. Returns whether it has
    /// ended. If its memory is full it may [go on](TreeSearch::go_on).
    fn wait(&mut self, timeout: Duration) -> bool;

    /// End the search, if one is running. Panics if one of its threads has panicked.
    fn finish(&mut self);

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

impl<P: Policy> TreeSearch for Search<P> {
    fn clear(&mut self) {
        self.finish();
        self.tree.clear();
        self.root = None;
        self.job = None;
        self.kept = Tally::default();
    }

    fn forget(&mut self) {
        self.clear();
        self.policy.forget();
    }

    fn set_params(&mut self, params: &SearchParams) {
        self.clear();
        self.policy = Arc::new(self.policy.with_params(params));
    }

    fn set_focus(&mut self, focus: Focus) {
        if focus.restrictions != self.focus.restrictions {
            self.clear();
        }
        self.focus = focus;
    }

    fn set_visits(&mut self, most: Option<u64>) {
        self.visits = most;
    }

    fn start(&mut self, position: &Position, playouts: u64, seed: u64) {
        let job = self.job(position, playouts, seed, None);
        self.start_workers(&job);
    }

    fn go_on(&mut self) -> bool {
        let Some(job) = self.job.clone().filter(|_| self.running.is_none()) else {
            return false;
        };
        if !job.may_go_on() || !self.tree.is_full() || job.begun.load(Relaxed) >= job.playouts {
            return false;
        }
        self.tree.prune();
        job.rounds.fetch_add(1, Relaxed);
        job.stop.store(false, Relaxed);
        self.start_workers(&job);
        true
    }

    fn run_until(&mut self, position: &Position, playouts: u64, seed: u64, until: Instant) {
        let job = self.job(position, playouts, seed, Some(until));
        worker::run(&job, 0);
        self.propagate_panic();
    }

    fn wait(&mut self, timeout: Duration) -> bool {
        let Some((ended, left)) = &mut self.running else {
            return true;
        };
        match ended.recv_timeout(timeout) {
            Ok(()) => {
                *left -= 1;
                // The first worker to end has already told the others to stop.
                self.finish();
                true
            }
            Err(mpsc::RecvTimeoutError::Timeout) => false,
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                self.finish();
                true
            }
        }
    }

    fn finish(&mut self) {
        self.stop_workers();
        self.propagate_panic();
    }

    fn is_running(&self) -> bool {
        self.running.is_some()
    }

    fn playouts(&self) -> u64 {
        let begun = |job: &Arc<Job<P>>| job.begun.load(Relaxed).min(job.playouts);
        match self.running {
            Some(_) => self.job.as_ref().map_or(0, begun),
            None => self.totals().playouts(),
        }
    }

    fn totals(&self) -> Tally {
        let mut totals = Tally::default();
        for seat in self.job.iter().flat_map(|job| &job.seats) {
            totals.merge(&locked(&seat.tally));
        }
        totals
    }

    fn standing(&self) -> Option<Standing> {
        let view = self.view()?;
        let moves = self.moves_of(&view);
        let first = self.policy.choose(moves.clone())?;
        let mut standing = Standing {
            first: first.visits,
            second: 0,
            rival: false,
        };
        for m in moves.filter(|m| m.at != first.at) {
            standing.second = standing.second.max(m.visits);
            standing.rival |= m.visits as f32 > RIVAL_SHARE * first.visits as f32
                || (m.visits > first.visits / 20 && m.win_rate > first.win_rate);
        }
        Some(standing)
    }

    fn snapshot(&self) -> Option<Snapshot> {
        let view = self.view()?;
        let first_child = self.tree.first_child(ROOT);
        let moves = self.root_moves().into_iter().map(|m| {
            let from = first_child + m.at as u32;
            (m, self.variation(&[m.mv], from, MAX_VARIATION - 1))
        });
        Some(Snapshot {
            to_move: view.to_move,
            visits: view.visits(None),
            value: self.policy.root_value(&view),
            moves: moves.collect(),
            totals: self.all_totals(),
            playouts: self.totals().playouts(),
        })
    }
}
