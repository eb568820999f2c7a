//! A search worker: descend the tree, evaluate the leaf, back up.

use super::focus::Focus;
use super::node::NodeId;
use super::policy::{LeafValue, Policy, Visit};
use super::totals::Tally;
use super::tree::{ROOT, Tree};
use crate::net::MOST_LEAVES;
use crate::playout::Ownership;
use crate::position::{Line, LineEnd, Root};
use crate::types::GOLDEN;
use crate::util::locked;
use smallvec::SmallVec;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// State shared by the workers of one search.
pub(super) struct Job<P: Policy> {
    /// The position to search.
    pub root: Arc<Root>,
    pub tree: Arc<Tree<P::Statistics>>,
    pub policy: Arc<P>,
    pub context: P::Context,
    pub focus: Focus,
    /// Begin by evaluating the ownership after each root move that an earlier search visited.
    pub evaluates_known_moves: bool,
    pub seed: u64,
    /// Number of times the search was resumed, after a pause or because the tree was full.
    pub rounds: AtomicU64,
    /// Number of leaves that a worker evaluates at once when there are many visits.
    pub leaves_at_once: usize,
    /// Limit on the playouts of this search.
    pub playouts: u64,
    /// Latest time to end.
    pub until: Option<Instant>,
    /// Playouts begun.
    pub begun: AtomicU64,
    /// Set to end the search.
    pub stop: AtomicBool,
    /// Payload of the first panic in a worker.
    pub fault: Mutex<Option<Box<dyn Any + Send>>>,
    /// One for each worker.
    pub workers: Vec<WorkerState>,
}

impl<P: Policy> Job<P> {
    /// May the search pause when the tree is full, to be resumed after pruning? Not if it has a
    /// time limit.
    pub fn may_resume(&self) -> bool {
        self.until.is_none()
    }

    /// Begin a playout, if the limit allows.
    fn begin(&self) -> bool {
        self.begun.fetch_add(1, Relaxed) < self.playouts
    }

    /// Number of leaves for a worker to evaluate at once.
    fn leaves(&self) -> usize {
        let visits = self.tree.node(ROOT).visits() as usize;
        let allowed = 1 + visits / (VISITS_PER_LEAF * self.workers.len());
        self.leaves_at_once.min(allowed)
    }
}

/// Visits of the root for each further leaf that is evaluated at once. Each of these leaves is
/// chosen without the results of the others, so a small tree gets few at once.
const VISITS_PER_LEAF: usize = 32;

/// Worker state visible to other threads.
#[derive(Debug, Default)]
pub(super) struct WorkerState {
    /// The worker's results so far. Other threads only read them.
    pub tally: Mutex<Tally>,
    /// For each of the worker's visits: 0 if it is not under way, 1 while it is at the root, n + 2
    /// below the root's child n.
    under_way: [AtomicUsize; MOST_LEAVES],
}

impl WorkerState {
    /// The visits under way: the child of the root of each, `None` at the root itself.
    pub fn under_way(&self) -> impl Iterator<Item = Option<usize>> {
        let below_root = |n: usize| n.checked_sub(1);
        let visits = self.under_way.iter();
        visits.filter_map(move |at| below_root(at.load(Relaxed)).map(below_root))
    }
}

/// The end of a descent into the tree.
#[derive(Clone, Copy)]
enum Leaf {
    /// The leaf must be evaluated.
    Open {
        /// Have passes ended the line?
        ended: bool,
        /// Does the leaf get children?
        expands: bool,
    },
    /// The game is over.
    Over(LeafValue),
    /// Results below the last node are known from other paths, or superko forbids the chosen move.
    Known,
}

struct Worker<'a, P: Policy> {
    job: &'a Job<P>,
    state: &'a WorkerState,
    /// Room for the visits that are under way at once.
    visits: Vec<WorkerVisit<'a, P>>,
}

/// A worker's visit to the tree.
struct WorkerVisit<'a, P: Policy> {
    job: &'a Job<P>,
    /// The worker's entry for it.
    under_way: &'a AtomicUsize,
    /// Turns from the root to the visit's node.
    line: Line,
    /// Nodes from the root to the visit's node.
    path: Vec<NodeId>,
    leaf: Leaf,
    scratch: P::Scratch,
}

/// Search until the stop flag is set or a limit is reached, or until `pause`, after which another
/// call can continue. A panic ends the search of all workers and is stored for the waiting thread.
pub(super) fn run<P: Policy>(job: &Job<P>, number: usize, pause: Option<Instant>) {
    if let Err(fault) = catch_unwind(AssertUnwindSafe(|| work(job, number, pause))) {
        locked(&job.fault).get_or_insert(fault);
        job.stop.store(true, Relaxed);
    }
}

/// Seed of a search that panics in tests.
#[cfg(test)]
pub(crate) const FAULT: u64 = 0xfa17;

fn work<P: Policy>(job: &Job<P>, number: usize, pause: Option<Instant>) {
    let Some(state) = job.workers.get(number) else {
        return;
    };
    let round = job.rounds.load(Relaxed);
    let seed = job.seed ^ (number as u64 + (round << 32)).wrapping_mul(GOLDEN);
    let of_worker = |(n, under_way)| WorkerVisit {
        job,
        under_way,
        line: Line::new(job.root.clone()),
        path: Vec::with_capacity(64),
        leaf: Leaf::Known,
        scratch: {
            let seed = seed.wrapping_add(n as u64);
            job.policy.scratch(job.root.position(), seed)
        },
    };
    let visits = state.under_way.iter().enumerate().map(of_worker);
    let mut worker = Worker {
        job,
        state,
        visits: visits.take(job.leaves_at_once).collect(),
    };
    if number == 0 && round == 0 && job.evaluates_known_moves {
        worker.evaluate_known_moves();
    }
    // The first worker expands the root, so that every later visit reaches a move.
    while number > 0 && job.tree.children(ROOT).is_empty() && !job.stop.load(Relaxed) {
        std::thread::yield_now();
    }
    // Each worker makes at least one playout within the limit, even if the search is already
    // stopped: the caller needs root moves to choose from.
    let is_past = |at: Option<Instant>| at.is_some_and(|t| Instant::now() >= t);
    let mut paused = false;
    while !paused && job.begin() {
        worker.make_visits();
        let full = job.may_resume() && job.tree.is_full();
        if full || job.stop.load(Relaxed) || is_past(job.until) {
            break;
        }
        paused = is_past(pause);
    }
    if !paused {
        job.stop.store(true, Relaxed);
    }
    for visit in worker.visits {
        job.policy.retire(visit.scratch);
    }
}

impl<P: Policy> Worker<'_, P> {
    /// Evaluate the ownership after each root move kept from an earlier search, because this
    /// search might not visit it.
    fn evaluate_known_moves(&mut self) {
        let Job { tree, policy, .. } = self.job;
        let Some(visit) = self.visits.first_mut() else {
            return;
        };
        for (at, id) in (tree.first_child(ROOT)..)
            .take(tree.children(ROOT).len())
            .enumerate()
        {
            if tree.node(id).visits() == 0 {
                continue;
            }
            visit.line.reset();
            visit.line.play(tree.node(id).mv());
            visit.path.clear();
            visit.path.extend([ROOT, id]);
            let ended = match visit.line.end() {
                Some(LineEnd::AllAlive | LineEnd::NoResult) => continue,
                Some(LineEnd::ToJudge) => true,
                None => false,
            };
            visit.prepare(ended);
            policy.evaluate(&mut [&mut visit.scratch]);
            visit.value();
            let mut tally = locked(&self.state.tally);
            let ownership = tally.of_move(at).ownership.get_or_insert_default();
            policy.add_ownership(&visit.scratch, ownership);
        }
    }

    /// Make a playout that has been begun, and others whose leaves are evaluated at the same time.
    fn make_visits(&mut self) {
        #[cfg(test)]
        assert_ne!(self.job.seed, FAULT, "a fault on purpose");
        let job = self.job;
        // The first `waiting` visits have been prepared.
        let mut waiting = 0;
        for n in 0..job.leaves() {
            if n > 0 && !job.begin() {
                break;
            }
            let (before, rest) = self.visits.split_at_mut(waiting);
            let Some(visit) = rest.first_mut() else {
                break;
            };
            visit.leaf = visit.descend();
            let Leaf::Open { ended, .. } = visit.leaf else {
                visit.finish(&self.state.tally);
                continue;
            };
            let leaf = visit.path.last();
            if before.iter().any(|other| other.path.last() == leaf) {
                visit.take_back();
                break;
            }
            visit.prepare(ended);
            waiting += 1;
        }
        let waiting = &mut self.visits[..waiting];
        {
            let prepared = waiting.iter_mut().map(|visit| &mut visit.scratch);
            let mut prepared: SmallVec<[&mut P::Scratch; MOST_LEAVES]> = prepared.collect();
            job.policy.evaluate(&mut prepared);
        }
        for visit in waiting {
            visit.finish(&self.state.tally);
        }
    }
}

impl<P: Policy> WorkerVisit<'_, P> {
    /// Prepare the evaluation of the leaf: see [`Policy::prepare`].
    fn prepare(&mut self, ended: bool) {
        let visit = Self::visit(self.job, &self.line, &self.path);
        self.job.policy.prepare(&visit, ended, &mut self.scratch);
    }

    /// The value of the leaf: see [`Policy::value`].
    fn value(&mut self) -> LeafValue {
        let visit = Self::visit(self.job, &self.line, &self.path);
        self.job.policy.value(&visit, &mut self.scratch)
    }

    fn visit<'v>(job: &'v Job<P>, line: &'v Line, path: &'v [NodeId]) -> Visit<'v, P> {
        Visit {
            tree: &job.tree,
            context: &job.context,
            focus: &job.focus,
            line,
            path,
        }
    }

    /// Undo a descent, as if the playout had not begun.
    fn take_back(&mut self) {
        for &id in &self.path {
            self.job.tree.node(id).leave();
        }
        self.job.begun.fetch_sub(1, Relaxed);
        self.under_way.store(0, Relaxed);
    }

    /// Count the results and back them up.
    fn finish(&mut self, tally: &Mutex<Tally>) {
        let Job { tree, policy, .. } = self.job;
        let value = match self.leaf {
            Leaf::Open { .. } => Some(self.value()),
            Leaf::Over(value) => Some(value),
            Leaf::Known => None,
        };
        let visit = Self::visit(self.job, &self.line, &self.path);
        if let Leaf::Open { expands: true, .. } = self.leaf {
            policy.expand_evaluated(&visit, &mut self.scratch);
        }
        let over = matches!(self.leaf, Leaf::Over(_)) && self.line.end() == Some(LineEnd::AllAlive);
        let at_end = over.then(|| self.line.ownership_if_all_live());
        let add = |to: &mut Ownership| match &at_end {
            Some(ownership) => to.add_expected(ownership),
            None => policy.add_ownership(&self.scratch, to),
        };
        {
            let mut tally = locked(tally);
            let first = self.path.get(1);
            let child = first.map(|id| (id - tree.first_child(ROOT)) as usize);
            tally.add(value.as_ref(), self.line.turns().len(), child);
            if over || matches!(self.leaf, Leaf::Open { .. }) {
                add(&mut tally.ownership);
                let of_move = child.and_then(|at| tally.by_move.get_mut(at));
                if let Some(of_move) = of_move.filter(|_| self.job.focus.move_ownership) {
                    add(of_move.ownership.get_or_insert_default());
                }
            }
        }
        policy.back_up(&visit, value.as_ref(), &mut self.scratch);
        self.under_way.store(0, Relaxed);
    }

    /// Descend from the root to a leaf by the policy's choices.
    fn descend(&mut self) -> Leaf {
        let Job { tree, policy, .. } = self.job;
        let open = |ended, expands| Leaf::Open { ended, expands };
        self.line.reset();
        self.path.clear();
        self.path.push(ROOT);
        self.under_way.store(1, Relaxed);
        tree.node(ROOT).enter();
        let mut node = ROOT;
        let longest = 3 * self.line.board().size().area();
        loop {
            let visit = Self::visit(self.job, &self.line, &self.path);
            if tree.children(node).is_empty() && !policy.expand(&visit, &mut self.scratch) {
                return open(false, true);
            }
            if visit.forbids_all() {
                return open(false, false);
            }
            let Some(at) = policy.select(&visit) else {
                return Leaf::Known;
            };
            let mv = tree.node(tree.first_child(node) + at).mv();
            // The node may be shared with a path on which superko allows this move.
            if self.line.breaks_superko(mv) {
                return Leaf::Known;
            }
            if node == ROOT {
                self.under_way.store(at as usize + 2, Relaxed);
            }
            node = tree.first_child(node) + at;
            tree.node(node).enter();
            self.line.play(mv);
            self.path.push(node);
            let ended = match self.line.end() {
                Some(LineEnd::AllAlive) => {
                    let margin = self.line.margin_if_all_live();
                    return Leaf::Over(LeafValue::of_margin(margin));
                }
                Some(LineEnd::NoResult) => return Leaf::Over(LeafValue::no_result()),
                Some(LineEnd::ToJudge) => true,
                None => false,
            };
            // Without superko a cycle could go on forever.
            if ended || self.line.turns().len() > longest {
                return open(ended, false);
            }
        }
    }
}
