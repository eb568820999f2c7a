//! Tree search on a tree that worker threads share.
//!
//! The tree (arena, visits, virtual loss, publication of children) and its workers
//! know the rules of the game and nothing else of Go. What to try, what a leaf is
//! worth and what a node remembers is a [`Policy`]: [`Rave`] has playouts, AMAF and
//! hand-made priors, [`Puct`] has a network.
//!
//! [`Search`] owns the tree and a pool of threads. A search runs in the background
//! from [`TreeSearch::start`] to [`TreeSearch::finish`]; the caller reads it while it
//! runs and decides when to stop. With one thread, a seed and a limit of playouts it is
//! deterministic.
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

/// A number of threads that tests have refused.
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
use worker::{AT_ROOT, Job, Seat};

/// Why no threads could be had.
#[derive(Clone, Debug)]
pub struct PoolError(String);

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot start search threads: {}", self.0)
    }
}

impl std::error::Error for PoolError {}

/// A tree and the threads that grow it.
pub struct Search<P: Policy> {
    pool: rayon::ThreadPool,
    threads: usize,
    tree: Arc<Tree<P::Statistics>>,
    policy: Arc<P>,
    /// What the tree's root stands for.
    root: Option<Position>,
    /// The search under way, or the last one.
    job: Option<Arc<Job<P>>>,
    /// While workers are at it: hears of each that ends, and how many are left.
    running: Option<(mpsc::Receiver<()>, usize)>,
    focus: Focus,
    /// Most visits of the root.
    visits: Option<u64>,
    /// Sums over the earlier searches that the tree comes from, as far as they are known
    /// of its present root.
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
    /// A search on `threads` threads (at least 1) by this policy, with at most `memory`
    /// bytes of nodes.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses the threads.
    pub fn new(threads: usize, memory: usize, policy: P) -> Result<Search<P>, PoolError> {
        let threads = threads.max(1);
        #[cfg(test)]
        if threads == REFUSED {
            return Err(PoolError("a refusal on purpose".to_owned()));
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

    /// The root as it stands; `None` before the first search.
    fn view(&self) -> Option<RootView<'_, P>> {
        let job = self.job.as_ref()?;
        let under_way = job.seats.iter().map(|s| s.under_way.load(Relaxed));
        Some(RootView {
            tree: &self.tree,
            outlook: &job.outlook,
            to_move: job.root.position().to_move(),
            under_way: under_way
                .filter(|&at| at > 0)
                .map(|at| if at == AT_ROOT { AT_ROOT } else { at - 1 })
                .collect(),
        })
    }

    /// The moves at the root, the one to choose first, then by visits.
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

    /// The line that has been visited most, from the root.
    pub fn principal_variation(&self, len: usize) -> Vec<Move> {
        let line = self.variation(&[], ROOT, len);
        line.into_iter().map(|(m, _)| m).collect()
    }

    /// The line that has been visited most from a node on, which these moves lead to, each
    /// with its visits. It ends before a move that superko forbids after this way to it:
    /// nodes are shared by several.
    fn variation(&self, way: &[Move], from: NodeId, len: usize) -> Vec<(Move, u32)> {
        let mut variation = self.tree.principal_variation(from, len);
        if let Some(job) = &self.job {
            let mut line = Line::new(job.root.clone());
            way.iter().for_each(|&m| line.play(m));
            let broken = variation.iter().position(|&(m, _)| {
                let breaks = line.breaks_superko(m);
                line.play(m);
                breaks
            });
            variation.truncate(broken.unwrap_or(len));
        }
        variation
    }

    /// End what runs, and set out what a new search needs.
    fn job(
        &mut self,
        position: &Position,
        playouts: u64,
        seed: u64,
        until: Option<Instant>,
    ) -> Arc<Job<P>> {
        self.finish();
        self.set_root(position);
        // The root is to get all its moves.
        if self.tree.len() > self.tree.capacity() / 16 * 15 {
            self.tree.prune();
        }
        let root_visits = u64::from(self.tree.node(ROOT).visits());
        let wanted = P::FRESH.min(root_visits);
        let fresh = wanted.saturating_sub(self.kept.ownership.playouts().into());
        let visits_left = self.visits.map_or(u64::MAX, |v| {
            v.saturating_sub(root_visits).max(fresh.min(v.div_ceil(4)))
        });
        let root = Arc::new(Root::new(position.clone()));
        let mut scratch = self.policy.scratch(position, seed);
        let line = Line::new(root.clone());
        let outlook = self.policy.begin(&self.tree, &line, &mut scratch);
        self.policy.retire(scratch);
        let job = Arc::new(Job {
            root,
            tree: self.tree.clone(),
            policy: self.policy.clone(),
            outlook,
            focus: self.focus.clone(),
            looks_after_moves: self.focus.move_ownership && !self.kept.has_move_ownership(),
            seed,
            rounds: AtomicU64::new(0),
            playouts: playouts.min(visits_left),
            until,
            begun: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            fault: Mutex::default(),
            seats: (0..self.threads).map(|_| Seat::default()).collect(),
        });
        self.job = Some(job.clone());
        job
    }

    /// Let the workers loose on a job.
    fn set_off(&mut self, job: &Arc<Job<P>>) {
        let (send, receive) = mpsc::channel();
        for number in 0..self.threads {
            let (job, send) = (job.clone(), send.clone());
            self.pool.spawn(move || {
                worker::run(&job, number);
                // Nobody listens any more only if the search was dropped.
                let _ = send.send(());
            });
        }
        self.running = Some((receive, self.threads));
    }

    /// Stop the workers and wait for them.
    fn end(&mut self) {
        if let Some((ended, left)) = self.running.take() {
            if let Some(job) = &self.job {
                job.stop.store(true, Relaxed);
            }
            ended.iter().take(left).for_each(drop);
        }
    }

    /// If a worker has panicked, so does this thread. The tree, in which a visit may be
    /// half done, is forgotten.
    fn pass_on_fault(&mut self) {
        let fault = self.job.as_ref().and_then(|job| locked(&job.fault).take());
        if let Some(fault) = fault {
            self.tree.clear();
            self.root = None;
            self.job = None;
            resume_unwind(fault);
        }
    }

    /// Make the tree's root stand for this position: by walking down if the game
    /// has gone on from the present root, or else by starting afresh.
    fn set_root(&mut self, position: &Position) {
        // What is left out depends on the distance to the root.
        let keeps = |node: &NodeId| *node == ROOT || self.focus.restrictions.is_empty();
        let known = self.known(position).filter(keeps);
        self.kept = known.map(|node| self.totals_of(node)).unwrap_or_default();
        match known {
            Some(node) => self.tree.keep_subtree(node),
            None => self.tree.clear(),
        }
        self.root = Some(position.clone());
    }

    /// Sums over all searches of the tree, as far as they are known of this node.
    fn totals_of(&self, node: NodeId) -> Tally {
        let mut all = self.all_totals();
        if node == ROOT {
            return all;
        }
        let at = node.checked_sub(self.tree.first_child(ROOT));
        let of_move = at.and_then(|at| all.by_move.get_mut(at as usize));
        of_move.map(MoveTotals::take).unwrap_or_default()
    }

    /// Sums over all searches of the tree.
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
        // The visits of a leaf that ends the game tell nothing of moves.
        let grown = node == ROOT || !position.is_over();
        (grown && to_move == position.to_move()).then_some(node)
    }
}

impl<P: Policy> Drop for Search<P> {
    fn drop(&mut self) {
        self.end();
    }
}

/// A move with more than this share of the visits of the first is a rival (Pachi:
/// best/second visits below 2.5).
const CLOSE: f32 = 0.4;

/// Longest principal variation.
const VARIATION: usize = 30;

/// How clear the choice at the root is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Visits of the move to choose.
    pub first: u32,
    /// Most visits of any other.
    pub second: u32,
    /// Does another move come close in visits, or have a higher win rate?
    pub rival: bool,
}

/// What a search knows of its root at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The player to move.
    pub to_move: Color,
    /// Visits of the root, those kept from earlier searches included.
    pub visits: u32,
    /// What is known of the root itself.
    pub value: RootValue,
    /// The moves, the one to choose first, each with the line visited most after it.
    pub moves: Vec<(RootMove, Vec<(Move, u32)>)>,
    /// Sums over this search and, where they are known, over the earlier ones that the tree
    /// comes from.
    pub totals: Tally,
    /// Playouts of this search.
    pub playouts: u64,
}

/// A search, whatever its policy.
pub trait TreeSearch: fmt::Debug + Send {
    /// Forget the tree.
    fn clear(&mut self);

    /// Forget the tree and what the policy remembers.
    fn forget(&mut self);

    /// Go on with other numbers; the tree is forgotten.
    fn set_params(&mut self, params: &SearchParams);

    /// What later searches are to leave out and to report. The tree is forgotten if
    /// it was grown with other moves left out.
    fn set_focus(&mut self, focus: Focus);

    /// No later search goes on when the root has had so many visits, those kept from
    /// earlier searches included. It makes a few playouts all the same if none are known
    /// that ownership and leads can come from.
    fn set_visits(&mut self, most: Option<u64>);

    /// Begin to search this position in the background, on what the tree already
    /// knows of it. A search that is still running is ended first.
    ///
    /// `playouts` bounds the playouts of this search.
    fn start(&mut self, position: &Position, playouts: u64, seed: u64);

    /// Go on with a search that ended because its memory was full: what is least visited is
    /// dropped. Returns whether it does, which it does not if anything else has ended it. The
    /// larger the memory the longer it takes: about a second for 512 MB.
    fn go_on(&mut self) -> bool;

    /// Search this position until `playouts` are made, and wait for it.
    fn run(&mut self, position: &Position, playouts: u64, seed: u64) {
        self.start(position, playouts, seed);
        while !self.wait(Duration::from_secs(1)) || self.go_on() {}
    }

    /// Search this position on the thread that calls, without waking another, until
    /// `playouts` are made or it is as late as that; at least one is made. Before that
    /// time it is the search of one thread.
    fn run_until(&mut self, position: &Position, playouts: u64, seed: u64, until: Instant);

    /// Wait until the search ends by itself, but no longer than `timeout`. Returns
    /// whether it has ended; if its memory is full it may [go on](TreeSearch::go_on).
    fn wait(&mut self, timeout: Duration) -> bool;

    /// End the search, if one is running. If one of its threads has panicked, so does this
    /// one.
    fn finish(&mut self);

    /// Is a search under way?
    fn is_running(&self) -> bool;

    /// Playouts begun by the search under way, or made by the last one.
    fn playouts(&self) -> u64;

    /// What the search under way, or the last one, has come to so far, without the searches
    /// before it.
    fn totals(&self) -> Tally;

    /// What stands between the search and its end: see [`Standing`].
    fn standing(&self) -> Option<Standing>;

    /// All that is known of the root, while the search runs or after it.
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
        self.set_off(&job);
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
        self.set_off(&job);
        true
    }

    fn run_until(&mut self, position: &Position, playouts: u64, seed: u64, until: Instant) {
        let job = self.job(position, playouts, seed, Some(until));
        worker::run(&job, 0);
        self.pass_on_fault();
    }

    fn wait(&mut self, timeout: Duration) -> bool {
        let Some((ended, left)) = &mut self.running else {
            return true;
        };
        match ended.recv_timeout(timeout) {
            Ok(()) => {
                *left -= 1;
                // The first to end has told the others to.
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
        self.end();
        self.pass_on_fault();
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
            standing.rival |= m.visits as f32 > CLOSE * first.visits as f32
                || (m.visits > first.visits / 20 && m.win_rate > first.win_rate);
        }
        Some(standing)
    }

    fn snapshot(&self) -> Option<Snapshot> {
        let view = self.view()?;
        let first_child = self.tree.first_child(ROOT);
        let moves = self.root_moves().into_iter().map(|m| {
            let from = first_child + m.at as u32;
            (m, self.variation(&[m.mv], from, VARIATION - 1))
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
