//! A search worker: descend the tree, evaluate the leaf, back up.

use super::focus::Focus;
use super::node::NodeId;
use super::policy::{LeafValue, Policy, Visit};
use super::totals::Tally;
use super::tree::{ROOT, Tree};
use crate::playout::Ownership;
use crate::position::{Line, LineEnd, Root};
use crate::types::GOLDEN;
use crate::util::locked;
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
}

/// Worker state visible to other threads.
#[derive(Debug, Default)]
pub(super) struct WorkerState {
    /// The worker's results so far. Other threads only read them.
    pub tally: Mutex<Tally>,
    /// 0 between visits, 1 while a visit is at the root, n + 2 below the root's child n.
    under_way: AtomicUsize,
}

impl WorkerState {
    /// The visit under way, if there is one: its child of the root, `None` at the root itself.
    pub fn under_way(&self) -> Option<Option<usize>> {
        let below_root = |n: usize| n.checked_sub(1);
        below_root(self.under_way.load(Relaxed)).map(below_root)
    }
}

/// The end of a visit to the tree.
enum Leaf {
    /// The leaf was evaluated.
    Evaluated(LeafValue),
    /// The game is over.
    Over(LeafValue),
    /// Results below the last node are known from other paths, or superko forbids the chosen move.
    Known,
}

impl Leaf {
    fn value(&self) -> Option<&LeafValue> {
        match self {
            Leaf::Evaluated(value) | Leaf::Over(value) => Some(value),
            Leaf::Known => None,
        }
    }
}

struct Worker<'a, P: Policy> {
    job: &'a Job<P>,
    state: &'a WorkerState,
    /// Turns from the root to the worker's node.
    line: Line,
    /// Nodes from the root to the worker's node.
    path: Vec<NodeId>,
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
    let mut worker = Worker {
        job,
        state,
        line: Line::new(job.root.clone()),
        path: Vec::with_capacity(64),
        scratch: job.policy.scratch(job.root.position(), seed),
    };
    if number == 0 && round == 0 && job.evaluates_known_moves {
        worker.evaluate_known_moves();
    }
    // Each worker makes at least one playout within the limit, even if the search is already
    // stopped: the caller needs root moves to choose from.
    let is_past = |at: Option<Instant>| at.is_some_and(|t| Instant::now() >= t);
    let mut paused = false;
    while !paused && job.begun.fetch_add(1, Relaxed) < job.playouts {
        worker.playout();
        let full = job.may_resume() && job.tree.is_full();
        if full || job.stop.load(Relaxed) || is_past(job.until) {
            break;
        }
        paused = is_past(pause);
    }
    if !paused {
        job.stop.store(true, Relaxed);
    }
    job.policy.retire(worker.scratch);
}

impl<'a, P: Policy> Worker<'a, P> {
    fn visit<'v>(job: &'v Job<P>, line: &'v Line, path: &'v [NodeId]) -> Visit<'v, P> {
        Visit {
            tree: &job.tree,
            context: &job.context,
            focus: &job.focus,
            line,
            path,
        }
    }

    /// Evaluate the ownership after each root move kept from an earlier search, because this
    /// search might not visit it.
    fn evaluate_known_moves(&mut self) {
        let Job { tree, policy, .. } = self.job;
        for (at, id) in (tree.first_child(ROOT)..)
            .take(tree.children(ROOT).len())
            .enumerate()
        {
            if tree.node(id).visits() == 0 {
                continue;
            }
            self.line.reset();
            self.line.play(tree.node(id).mv());
            self.path.clear();
            self.path.extend([ROOT, id]);
            let ended = match self.line.end() {
                Some(LineEnd::AllAlive | LineEnd::NoResult) => continue,
                Some(LineEnd::ToJudge) => true,
                None => false,
            };
            let visit = Self::visit(self.job, &self.line, &self.path);
            policy.evaluate(&visit, ended, &mut self.scratch);
            let mut tally = locked(&self.state.tally);
            let ownership = tally.of_move(at).ownership.get_or_insert_default();
            policy.add_ownership(&self.scratch, ownership);
        }
    }

    fn playout(&mut self) {
        #[cfg(test)]
        assert_ne!(self.job.seed, FAULT, "a fault on purpose");
        let leaf = self.descend();
        let value = leaf.value();
        let policy = &self.job.policy;
        let over = matches!(leaf, Leaf::Over(_)) && self.line.end() == Some(LineEnd::AllAlive);
        let at_end = over.then(|| self.line.ownership_if_all_live());
        let add = |to: &mut Ownership| match &at_end {
            Some(ownership) => to.add_expected(ownership),
            None => policy.add_ownership(&self.scratch, to),
        };
        {
            let mut tally = locked(&self.state.tally);
            let first = self.path.get(1);
            let child = first.map(|id| (id - self.job.tree.first_child(ROOT)) as usize);
            tally.add(value, self.line.turns().len(), child);
            if over || matches!(leaf, Leaf::Evaluated(_)) {
                add(&mut tally.ownership);
                let of_move = child.and_then(|at| tally.by_move.get_mut(at));
                if let Some(of_move) = of_move.filter(|_| self.job.focus.move_ownership) {
                    add(of_move.ownership.get_or_insert_default());
                }
            }
        }
        let visit = Self::visit(self.job, &self.line, &self.path);
        policy.back_up(&visit, value, &mut self.scratch);
        self.state.under_way.store(0, Relaxed);
    }

    /// Descend from the root to a leaf by the policy's choices.
    fn descend(&mut self) -> Leaf {
        let Job { tree, policy, .. } = self.job;
        self.line.reset();
        self.path.clear();
        self.path.push(ROOT);
        self.state.under_way.store(1, Relaxed);
        tree.node(ROOT).enter();
        let mut node = ROOT;
        let longest = 3 * self.line.board().size().area();
        loop {
            let visit = Self::visit(self.job, &self.line, &self.path);
            if tree.children(node).is_empty()
                && let Some(value) = policy.expand(&visit, &mut self.scratch)
            {
                return Leaf::Evaluated(value);
            }
            if visit.forbids_all() {
                let value = policy.evaluate(&visit, false, &mut self.scratch);
                return Leaf::Evaluated(value);
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
                self.state.under_way.store(at as usize + 2, Relaxed);
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
                let visit = Self::visit(self.job, &self.line, &self.path);
                return Leaf::Evaluated(policy.evaluate(&visit, ended, &mut self.scratch));
            }
        }
    }
}
