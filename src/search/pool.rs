//! A search tree and the threads that grow it.

use super::policy::Policy;
use super::totals::MoveTotals;
use super::tree::{ROOT, Tree};
use super::worker::{self, Job, WorkerState};
use super::{Focus, NodeId, SearchParams, Snapshot, Standing, Tally, TreeSearch};
use crate::position::{Line, Position, Root};
use crate::util::{HAS_THREADS, locked};
use std::fmt;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Thread count that [`Search::new`] refuses in tests.
#[cfg(test)]
pub(crate) const REFUSED: usize = 0xdead;

/// A move is a rival if it has more than this share of the first move's visits (Pachi:
/// best/second visits below 2.5).
const RIVAL_SHARE: f32 = 0.4;

/// Maximum length of a principal variation, in moves.
pub const MAX_VARIATION: usize = 30;

/// Failed to start search threads.
#[derive(Clone, Debug, Error)]
#[error("cannot start search threads: {0}")]
pub struct PoolError(String);

/// A search tree and the threads that grow it.
pub struct Search<P: Policy> {
    /// `None` without threads: the search then runs in the thread that waits for it.
    pool: Option<rayon::ThreadPool>,
    threads: usize,
    pub(super) tree: Arc<Tree<P::Statistics>>,
    pub(super) policy: Arc<P>,
    /// Position at the tree's root.
    root: Option<Position>,
    /// The running search, or the last one.
    pub(super) job: Option<Arc<Job<P>>>,
    /// The running workers.
    running: Option<Running>,
    focus: Focus,
    /// Limit on the visits of the root.
    visits: Option<u64>,
    /// Earlier searches' sums for the present root. Empty if the root advanced by two or more moves.
    kept: Tally,
}

/// Running workers.
enum Running {
    /// A channel that signals each one's end, and how many still run.
    Threads(mpsc::Receiver<()>, usize),
    /// One worker, which works during [`TreeSearch::wait`].
    Here,
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
    /// `memory` bytes of nodes. On a system without threads it runs in [`TreeSearch::wait`].
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses the threads.
    pub fn new(threads: usize, memory: usize, policy: P) -> Result<Search<P>, PoolError> {
        let threads = threads.max(1);
        #[cfg(test)]
        if threads == REFUSED {
            return Err(PoolError("refused for a test".to_owned()));
        }
        if !HAS_THREADS {
            return Ok(Search::here(memory, policy));
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("search-{i}"))
            .build()
            .map_err(|e| PoolError(e.to_string()))?;
        let mut search = Search::here(memory, policy);
        (search.pool, search.threads) = (Some(pool), threads);
        Ok(search)
    }

    /// Create a search without threads, with at most `memory` bytes of nodes. It runs in
    /// [`TreeSearch::wait`].
    fn here(memory: usize, policy: P) -> Search<P> {
        Search {
            pool: None,
            threads: 1,
            tree: Arc::new(Tree::new(memory)),
            policy: Arc::new(policy),
            root: None,
            job: None,
            running: None,
            focus: Focus::default(),
            visits: None,
            kept: Tally::default(),
        }
    }

    /// The tree; its root is the position last searched.
    pub fn tree(&self) -> &Tree<P::Statistics> {
        &self.tree
    }

    /// End any running search and prepare a new one.
    fn prepare(
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
        // Even when no visits are left, allow enough playouts to estimate ownership, at most a
        // quarter of the limit.
        let visits_left = self.visits.map_or(u64::MAX, |v| {
            v.saturating_sub(root_visits).max(fresh.min(v.div_ceil(4)))
        });
        let root = Arc::new(Root::new(position.clone()));
        let mut scratch = self.policy.scratch(position, seed);
        let line = Line::new(root.clone());
        let context = self.policy.begin(&self.tree, &line, &mut scratch);
        self.policy.retire(scratch);
        let job = Arc::new(Job {
            leaves_at_once: self.policy.leaves_at_once(position),
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
            workers: (0..self.threads).map(|_| WorkerState::default()).collect(),
        });
        self.job = Some(job.clone());
        job
    }

    /// Start the workers.
    fn start_workers(&mut self, job: &Arc<Job<P>>) {
        let Some(pool) = &self.pool else {
            self.running = Some(Running::Here);
            return;
        };
        let (send, receive) = mpsc::channel();
        for number in 0..self.threads {
            let (job, send) = (job.clone(), send.clone());
            pool.spawn(move || {
                worker::run(&job, number, None);
                // Sending fails only if the search was dropped.
                let _ = send.send(());
            });
        }
        self.running = Some(Running::Threads(receive, self.threads));
    }

    /// Stop the workers and wait for them.
    fn stop_workers(&mut self) {
        let (Some(running), Some(job)) = (self.running.take(), &self.job) else {
            return;
        };
        job.stop.store(true, Relaxed);
        match running {
            Running::Threads(ended, left) => ended.iter().take(left).for_each(drop),
            // Every worker makes at least one playout within the limit.
            Running::Here if job.begun.load(Relaxed) == 0 => worker::run(job, 0, None),
            Running::Here => {}
        }
    }

    /// Run the only worker of a search without threads for `timeout` at most. Returns whether it
    /// has ended.
    fn work_here(&self, timeout: Duration) -> bool {
        let Some(job) = &self.job else { return true };
        let pause = Instant::now().checked_add(timeout);
        worker::run(job, 0, pause);
        job.rounds.fetch_add(1, Relaxed);
        // In WebAssembly, this lets the page's script set the stop flag.
        std::thread::yield_now();
        job.stop.load(Relaxed)
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
        let known = self.node_of(position).filter(keeps);
        self.kept = known.map(|node| self.totals_of(node)).unwrap_or_default();
        match known {
            Some(node) => self.tree.keep_subtree(node),
            None => self.tree.clear(),
        }
        self.root = Some(position.clone());
    }

    /// Sums over all searches of this tree, as far as they are known for this node: the root or a
    /// child of it.
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

    /// The node of this position, if the game leads to it from the root by moves in the tree.
    fn node_of(&self, position: &Position) -> Option<NodeId> {
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

impl<P: Policy> TreeSearch for Search<P> {
    fn clear(&mut self) {
        self.finish();
        self.tree.clear();
        self.root = None;
        self.job = None;
        self.kept = Tally::default();
    }

    fn clear_with_cache(&mut self) {
        self.clear();
        self.policy.clear_cache();
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
        let job = self.prepare(position, playouts, seed, None);
        self.start_workers(&job);
    }

    fn resume_if_full(&mut self) -> bool {
        let Some(job) = self.job.clone().filter(|_| self.running.is_none()) else {
            return false;
        };
        if !job.may_resume() || !self.tree.is_full() || job.begun.load(Relaxed) >= job.playouts {
            return false;
        }
        self.tree.prune();
        job.rounds.fetch_add(1, Relaxed);
        job.stop.store(false, Relaxed);
        self.start_workers(&job);
        true
    }

    fn run_until(&mut self, position: &Position, playouts: u64, seed: u64, until: Instant) {
        let job = self.prepare(position, playouts, seed, Some(until));
        worker::run(&job, 0, None);
        self.propagate_panic();
    }

    fn wait(&mut self, timeout: Duration) -> bool {
        let ended = match &mut self.running {
            None => return true,
            Some(Running::Here) => self.work_here(timeout),
            Some(Running::Threads(ended, left)) => match ended.recv_timeout(timeout) {
                Ok(()) => {
                    *left -= 1;
                    // The first worker to end has set the stop flag for the others.
                    true
                }
                Err(e) => e == mpsc::RecvTimeoutError::Disconnected,
            },
        };
        if ended {
            self.finish();
        }
        ended
    }

    fn finish(&mut self) {
        self.stop_workers();
        self.propagate_panic();
    }

    fn bytes(&self) -> usize {
        self.tree.bytes()
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
        for state in self.job.iter().flat_map(|job| &job.workers) {
            totals.merge(&locked(&state.tally));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Ruleset;
    use crate::search::{Rave, RaveParams};
    use crate::types::BoardSize;

    #[test]
    fn a_search_without_threads_equals_one_with_a_thread() {
        let position = Position::new(BoardSize::square(9), Ruleset::default());
        let policy = || Rave::new(RaveParams::default());
        let mut here = Search::here(1 << 24, policy());
        let mut there = Search::new(1, 1 << 24, policy()).unwrap();
        for search in [&mut here, &mut there] {
            search.run(&position, 300, 7);
        }
        let visits = |search: &Search<Rave>| -> Vec<(crate::types::Move, u32)> {
            let moves = search.root_moves();
            moves.iter().map(|m| (m.mv, m.visits)).collect()
        };
        assert_eq!(visits(&here), visits(&there));
        here.start(&position, 400, 7);
        assert_eq!(here.playouts(), 0, "it runs while it is waited for");
        let mut waits = 0;
        while !here.wait(Duration::ZERO) {
            waits += 1;
        }
        assert_eq!(here.playouts(), 400);
        assert_eq!(waits, 400, "each wait is for at least one playout");
        here.clear();
        here.start(&position, 400, 7);
        here.finish();
        assert_eq!(
            here.playouts(),
            1,
            "a search that is stopped at once has a move to choose"
        );
    }
}
