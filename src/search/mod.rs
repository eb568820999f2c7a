//! Monte Carlo tree search with RAVE (Gelly and Silver 2007) on a tree that
//! worker threads share.
//!
//! [`Search`] owns the tree and a pool of threads. A search runs in the
//! background from [`Search::start`] to [`Search::finish`]; the caller watches it
//! and decides when to stop. With one thread, a seed and a limit of playouts it
//! is deterministic.

mod clock;
mod focus;
mod leaf;
mod network;
mod node;
mod params;
mod prior;
mod tree;
mod worker;

pub use clock::{Budget, Clock, TimeControl, TimeLeft};
pub use focus::{Focus, Restriction};
pub use leaf::{Evaluator, Leaf, LeafValue, NetJudge, PlayoutEvaluator, Scratch};
pub use network::{NetworkEvaluator, Utility};
pub use node::{NetStats, Node, NodeId, Prior, Stats};
pub use params::{ParamInfo, SearchParams};
pub use tree::{NewChild, ROOT, Tree};

use crate::playout::Ownership;
use crate::position::Position;
use crate::types::{Color, Move};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc;
use std::time::Duration;
use worker::{Job, Report};

/// Why no threads could be had.
#[derive(Debug)]
pub struct PoolError(String);

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot start search threads: {}", self.0)
    }
}

impl std::error::Error for PoolError {}

/// Playouts of a new search whose visits are used up.
const FRESH: u64 = 16;

/// Sums over a whole search.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Final ownership in the playouts.
    pub ownership: Ownership,
    /// Playouts.
    pub playouts: u64,
    /// Moves made in the tree and in playouts.
    pub moves: u64,
    /// Sum of Black's margins at the end of the playouts, in points.
    pub margin: f64,
    /// The same and more by the move at the root that the playout began with, in
    /// the order of the root's children.
    pub by_move: Vec<MoveTotals>,
}

/// Sums over playouts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    /// Playouts.
    pub playouts: u64,
    /// Sum of Black's margins, in points.
    pub margin: f64,
    /// Sum of their squares.
    pub squares: f64,
    /// Playouts that ended without result, and the probability of that in the eyes
    /// of a network.
    pub voids: f64,
}

impl std::ops::AddAssign for Sums {
    fn add_assign(&mut self, other: Sums) {
        self.playouts += other.playouts;
        self.margin += other.margin;
        self.squares += other.squares;
        self.voids += other.voids;
    }
}

/// What the playouts that began with one move came to.
#[derive(Clone, Debug, Default)]
pub struct MoveTotals {
    /// Their sums.
    pub sums: Sums,
    /// Final ownership, if the [`Focus`] asks for it.
    pub ownership: Option<Box<Ownership>>,
}

impl MoveTotals {
    fn merge(&mut self, other: MoveTotals) {
        self.sums += other.sums;
        match (&mut self.ownership, other.ownership) {
            (Some(a), Some(b)) => a.merge(&b),
            (a @ None, b) => *a = b,
            (Some(_), None) => {}
        }
    }
}

/// A move at the root.
#[derive(Clone, Copy, Debug)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Its place among the root's children.
    pub at: usize,
    /// Its numbers, for the player to move.
    pub stats: Stats,
    /// What a network says of it besides.
    pub judged: Option<Judged>,
}

/// What a search with a network knows of a move at the root, for the player to move.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// Mean lead, in points.
    pub lead: f32,
    /// Mean utility.
    pub utility: f32,
    /// Standard error of that.
    pub error: f32,
}

impl RootMove {
    /// Standard error of the mean win rate.
    pub fn error(&self) -> f32 {
        let (p, n) = (self.stats.mean(), self.stats.visits as f32);
        match &self.judged {
            // A win rate has half the range of a utility.
            Some(j) => j.error / 2.0,
            // A little more than the variance of so many trials, which is 0 when
            // all agree.
            None => ((p * (1.0 - p) + 0.25 / n) / n).sqrt(),
        }
    }
}

/// A tree and the threads that grow it.
pub struct Search {
    pool: rayon::ThreadPool,
    threads: usize,
    tree: Arc<Tree>,
    evaluator: Arc<dyn Evaluator>,
    params: SearchParams,
    /// What the tree's root stands for.
    root: Option<Position>,
    running: Option<(Arc<Job>, mpsc::Receiver<Report>, usize)>,
    totals: Totals,
    focus: Focus,
    /// Most visits of the root.
    visits: Option<u64>,
    /// Black's lead at the root and its deviation, as a network expects them.
    expected: (f32, f32),
}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search")
            .field("threads", &self.threads)
            .field("nodes", &self.tree.len())
            .field("running", &self.running.is_some())
            .finish()
    }
}

impl Search {
    /// A search on `threads` threads (at least 1) with playouts at the leaves and
    /// at most `memory` bytes of nodes.
    ///
    /// # Errors
    /// [`PoolError`] if the system refuses the threads.
    pub fn new(threads: usize, memory: usize, params: SearchParams) -> Result<Search, PoolError> {
        let evaluator = PlayoutEvaluator::new(params.playout(), params.clone());
        Search::with_evaluator(threads, memory, params, Arc::new(evaluator))
    }

    /// The same with another judge of leaves.
    ///
    /// # Errors
    /// As [`Search::new`].
    pub fn with_evaluator(
        threads: usize,
        memory: usize,
        params: SearchParams,
        evaluator: Arc<dyn Evaluator>,
    ) -> Result<Search, PoolError> {
        let threads = threads.max(1);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("search-{i}"))
            // A worker that dies must not take the game with it: `wait` and
            // `finish` see its channel close.
            .panic_handler(|_| ())
            .build()
            .map_err(|e| PoolError(e.to_string()))?;
        Ok(Search {
            pool,
            threads,
            tree: Arc::new(Tree::new(memory)),
            evaluator,
            params,
            root: None,
            running: None,
            totals: Totals::default(),
            focus: Focus::default(),
            visits: None,
            expected: (0.0, 0.0),
        })
    }

    /// Forget the tree.
    pub fn clear(&mut self) {
        self.finish();
        self.tree.clear();
        self.root = None;
        self.totals = Totals::default();
    }

    /// Forget the tree and what the evaluator remembers.
    pub fn forget(&mut self) {
        self.clear();
        self.evaluator.forget();
    }

    /// What later searches are to leave out and to report. The tree is forgotten if
    /// it was grown with other moves left out.
    pub fn set_focus(&mut self, focus: Focus) {
        if focus.restrictions != self.focus.restrictions {
            self.clear();
        }
        self.focus = focus;
    }

    /// No later search goes on when the root has had so many visits, those kept from
    /// earlier searches included. A new search makes a few playouts all the same:
    /// ownership and leads come from its own only.
    pub fn set_visits(&mut self, most: Option<u64>) {
        self.visits = most;
    }

    /// Begin to search this position in the background, on what the tree already
    /// knows of it. A search that is still running is ended first.
    ///
    /// `playouts` bounds the playouts of this search.
    pub fn start(&mut self, position: &Position, playouts: u64, seed: u64) {
        self.finish();
        self.set_root(position);
        self.totals = Totals::default();
        self.go_on(playouts, seed);
    }

    /// Go on with a search that has [finished](Search::finish), adding to its
    /// totals. `playouts` bounds all of them together.
    pub fn go_on(&mut self, playouts: u64, seed: u64) {
        self.finish();
        let Some(root) = self.root.clone() else {
            return;
        };
        let made = self.totals.playouts;
        let root_visits = u64::from(self.tree.node(ROOT).visits());
        let fresh = if made == 0 { FRESH } else { 0 };
        let visits_left = self.visits.map_or(u64::MAX, |v| {
            v.saturating_sub(root_visits).max(fresh.min(v))
        });
        let left = playouts.saturating_sub(made).min(visits_left);
        if left == 0 {
            return;
        }
        let job = |expected| {
            Job::new(
                root.clone(),
                self.tree.clone(),
                self.evaluator.clone(),
                self.params.clone(),
                self.focus.clone(),
                seed,
                left,
                expected,
            )
        };
        if self.asks_network() {
            let renew = made == 0 && !self.tree.children(ROOT).is_empty();
            self.expected = worker::first_look(&job(self.expected), renew);
        }
        let job = Arc::new(job(self.expected));
        let (send, receive) = mpsc::channel();
        for number in 0..self.threads as u64 {
            let (job, send) = (job.clone(), send.clone());
            self.pool.spawn(move || {
                // Nobody listens any more only if the search was dropped.
                let _ = send.send(worker::run(&job, number));
            });
        }
        self.running = Some((job, receive, self.threads));
    }

    /// Search this position until `playouts` are made, and wait for it.
    pub fn run(&mut self, position: &Position, playouts: u64, seed: u64) {
        self.start(position, playouts, seed);
        while !self.wait(Duration::from_secs(1)) {}
    }

    /// Wait until the search ends by itself, but no longer than `timeout`. Returns
    /// whether it has ended.
    pub fn wait(&mut self, timeout: Duration) -> bool {
        let Some((_, reports, left)) = &mut self.running else {
            return true;
        };
        match reports.recv_timeout(timeout) {
            Ok(report) => {
                absorb(&mut self.totals, report);
                *left -= 1;
                // The first to end has told the others to.
                for report in reports.iter().take(*left) {
                    absorb(&mut self.totals, report);
                }
                self.running = None;
                true
            }
            Err(mpsc::RecvTimeoutError::Timeout) => false,
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                self.running = None;
                true
            }
        }
    }

    /// End the search, if one is running, and collect its results.
    pub fn finish(&mut self) {
        if let Some((job, reports, left)) = self.running.take() {
            job.stop.store(true, Relaxed);
            for report in reports.iter().take(left) {
                absorb(&mut self.totals, report);
            }
        }
    }

    /// Is a search under way?
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Playouts begun by the search under way, or made by the last one.
    pub fn playouts(&self) -> u64 {
        match &self.running {
            Some((job, ..)) => self.totals.playouts + job.begun.load(Relaxed).min(job.playouts),
            None => self.totals.playouts,
        }
    }

    /// Results of the last search, once it has [finished](Search::finish).
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The tree; its root is the position last searched.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Does a network judge the leaves?
    pub fn asks_network(&self) -> bool {
        self.evaluator.judges_at_once()
    }

    /// The moves at the root, most visited first; those visited equally often in
    /// the order of their mean. With a network the move to choose comes first.
    pub fn root_moves(&self) -> Vec<RootMove> {
        let nodes = self.tree.children(ROOT).iter().enumerate();
        if self.asks_network() {
            return self.judged_moves();
        }
        let mut moves: Vec<RootMove> = nodes
            .map(|(at, n)| RootMove {
                mv: n.mv(),
                at,
                stats: n.stats(),
                judged: None,
            })
            .collect();
        moves.sort_by(|a, b| {
            let visits = b.stats.visits.cmp(&a.stats.visits);
            visits.then(b.stats.mean().total_cmp(&a.stats.mean()))
        });
        moves
    }

    /// The same where a network judges. First comes the move that is best even when
    /// it is luckier than it seems: of those with a good share of the visits the
    /// one with the highest lower bound (LCB) on its utility; then the others by
    /// visits and prior.
    fn judged_moves(&self) -> Vec<RootMove> {
        let Some(root) = &self.root else {
            return Vec::new();
        };
        let c = root.to_move();
        let node = self.tree.node(ROOT).net_stats();
        let n = node.visits.max(1) as f32;
        let mean = 1.0 - node.wins / n;
        let (expected, deviation) = self.expected;
        let utility = Utility::new(&self.params, root.size().area(), expected, deviation);
        let mut moves: Vec<RootMove> = Vec::new();
        for (at, child) in self.tree.children(ROOT).iter().enumerate() {
            let s = child.net_stats();
            let n = s.visits.max(1) as f32;
            let (wins, lead) = (s.wins / n, s.lead / n);
            let value = utility.of(c, wins, lead);
            // A prior of two visits as wide as values usually spread.
            let variance = (s.squares / n - value * value).max(0.0);
            let variance = (variance * n + 0.16 * 2.0) / (n + 2.0);
            moves.push(RootMove {
                mv: child.mv(),
                at,
                stats: Stats {
                    visits: s.visits,
                    value: s.wins,
                    // The prior alone is no value: before its first visit a move is
                    // worth what the position is.
                    prior_visits: s.policy / mean.max(0.01),
                    prior_value: s.policy,
                    ..Stats::default()
                },
                judged: Some(Judged {
                    lead,
                    utility: value,
                    error: (variance / n).sqrt(),
                }),
            });
        }
        moves.sort_by(|a, b| {
            let visits = b.stats.visits.cmp(&a.stats.visits);
            visits.then(b.stats.prior_value.total_cmp(&a.stats.prior_value))
        });
        let most = moves.first().map_or(0, |m| m.stats.visits) as f32;
        let deviations = self.params.lcb_deviations;
        if deviations > 0.0 && most > 0.0 {
            let bound = |m: &RootMove| {
                let j = m.judged?;
                Some(j.utility - deviations * j.error)
            };
            let enough = |m: &RootMove| m.stats.visits as f32 >= self.params.lcb_share * most;
            let candidates = moves.iter().enumerate().filter(|(_, m)| enough(m));
            let best = candidates.max_by(|(_, a), (_, b)| {
                let bounds = bound(a).partial_cmp(&bound(b));
                bounds.unwrap_or(std::cmp::Ordering::Equal)
            });
            if let Some((best, _)) = best {
                moves[..=best].rotate_right(1);
            }
        }
        moves
    }

    /// The line that has been visited most, from the root.
    pub fn principal_variation(&self, len: usize) -> Vec<Move> {
        let line = self.tree.principal_variation(ROOT, len);
        line.into_iter().map(|(m, _)| m).collect()
    }

    /// Make the tree's root stand for this position: by walking down if the game
    /// has gone on from the present root, or else by starting afresh.
    fn set_root(&mut self, position: &Position) {
        match self.known(position) {
            Some(node) => self.tree.keep_subtree(node),
            None => self.tree.clear(),
        }
        self.root = Some(position.clone());
    }

    /// The node of this position, if the tree has it.
    fn known(&self, position: &Position) -> Option<NodeId> {
        let root = self.root.as_ref()?;
        let (old, new) = (root.turns(), position.turns());
        let same_game = root.rules() == position.rules()
            && root.white_bonus() == position.white_bonus()
            && root.start() == position.start()
            && new.get(..old.len()) == Some(old);
        if !same_game {
            return None;
        }
        let mut node = ROOT;
        let mut to_move = root.to_move();
        for turn in &new[old.len()..] {
            if turn.color != to_move {
                return None;
            }
            to_move = to_move.opponent();
            node = self.tree.child(node, turn.mv)?;
        }
        (to_move == position.to_move()).then_some(node)
    }

    /// Win rate of the most visited move for the player to move, with its mean
    /// before the score's share; 0.5 if nothing has been searched.
    pub fn win_rate(&self) -> f32 {
        self.root_moves().first().map_or(0.5, |m| m.stats.mean())
    }

    /// Mean margin of the last search's playouts for a player, in points, or what a
    /// network says of all visits.
    pub fn lead(&self, c: Color) -> f64 {
        if let Some(root) = self.root.as_ref().filter(|_| self.asks_network()) {
            let s = self.tree.node(ROOT).net_stats();
            let sign = c.sign() * root.to_move().opponent().sign();
            return f64::from(sign as f32 * s.lead / s.visits.max(1) as f32);
        }
        let n = self.totals.playouts.max(1) as f64;
        c.sign() as f64 * self.totals.margin / n
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.finish();
    }
}

fn absorb(totals: &mut Totals, report: Report) {
    totals.ownership.merge(&report.ownership);
    totals.playouts += report.playouts;
    totals.moves += report.moves;
    totals.margin += report.margin;
    let known = totals.by_move.len().max(report.by_move.len());
    totals.by_move.resize_with(known, MoveTotals::default);
    for (sum, part) in totals.by_move.iter_mut().zip(report.by_move) {
        sum.merge(part);
    }
}
