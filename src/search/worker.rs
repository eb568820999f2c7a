//! One worker: down the tree, judge the leaf, back up.

use super::focus::Focus;
use super::leaf::{Evaluator, Leaf, LeafValue, NetJudge, Scratch};
use super::network::Utility;
use super::node::{NodeId, Prior, Stats};
use super::params::SearchParams;
use super::tree::{NewChild, ROOT, Tree};
use super::{MoveTotals, Sums};
use crate::board::Board;
use crate::net::Situation;
use crate::playout::{Ownership, Playout, group_balance};
use crate::position::{End, Line, Position, Root};
use crate::rules::Tax;
use crate::types::{Color, Generator, Move, POINTS, Point};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// What the workers of one search share.
pub(super) struct Job {
    /// The position to search, whose player to move is the searching one.
    pub root: Arc<Root>,
    pub tree: Arc<Tree>,
    pub evaluator: Arc<dyn Evaluator>,
    pub params: SearchParams,
    pub focus: Focus,
    pub seed: u64,
    /// Most playouts of this search.
    pub playouts: u64,
    /// Playouts begun.
    pub begun: AtomicU64,
    /// Set to end the search.
    pub stop: AtomicBool,
    /// For a network: what results are worth.
    utility: Option<Utility>,
}

impl Job {
    /// A search of this position that is about to begin. `expected` is Black's lead
    /// and its deviation, as far as they are known.
    #[expect(clippy::too_many_arguments, reason = "all that makes a search")]
    pub fn new(
        root: Position,
        tree: Arc<Tree>,
        evaluator: Arc<dyn Evaluator>,
        params: SearchParams,
        focus: Focus,
        seed: u64,
        playouts: u64,
        expected: (f32, f32),
    ) -> Job {
        let utility = evaluator
            .judges_at_once()
            .then(|| Utility::new(&params, root.size().area(), expected.0, expected.1));
        Job {
            utility,
            tree,
            evaluator,
            params,
            focus,
            seed,
            playouts,
            begun: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            root: Arc::new(Root::new(root)),
        }
    }
}

/// What a worker brings home.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub ownership: Ownership,
    pub playouts: u64,
    /// Moves made in the tree and in playouts.
    pub moves: u64,
    /// Sum of Black's margins.
    pub margin: f64,
    /// By the move at the root, in the order of its children.
    pub by_move: Vec<MoveTotals>,
}

/// How a visit of the tree ended.
enum Edge {
    /// At a leaf to be judged.
    Leaf,
    /// With a game that is over, won by this margin for Black.
    Over(f32),
    /// With a long cycle: no result.
    Void,
}

/// A network's prior below which a move is not kept.
const UNLIKELY: f32 = 1e-4;

/// Deviation of values that is expected before there are any, and the visits that
/// this counts for (KataGo's constants).
const STDEV_PRIOR: f32 = 0.4;
const STDEV_VISITS: f32 = 2.0;

struct Worker<'a> {
    job: &'a Job,
    /// From the root to where the worker is.
    line: Line,
    /// Nodes from the root on, and the colour that moves *at* each.
    path: Vec<(NodeId, Color)>,
    scratch: Scratch,
    report: Report,
    children: Vec<NewChild>,
    /// For a network: what it wants to know, and where it may play.
    situation: Situation,
    legal: Vec<Point>,
}

/// Black's lead and its deviation at the root in the eyes of a network. `renew`
/// gives the root all moves with their priors there, instead of those that it got
/// when it was a leaf. No worker may be running.
pub(super) fn first_look(job: &Job, renew: bool) -> (f32, f32) {
    let mut worker = Worker::new(job, 0);
    worker.go_to_root();
    worker.list_children();
    let value = worker.judge(ROOT);
    if renew {
        worker.set_priors(ROOT);
        job.tree.replace_children(ROOT, &worker.children);
    }
    job.evaluator.done(&mut worker.scratch);
    (value.margin, value.deviation)
}

/// Search until told to stop.
pub(super) fn run(job: &Job, number: u64) -> Report {
    let mut worker = Worker::new(job, number);
    // Told to stop before it began, a search still makes a playout a worker: the
    // root must have its moves for the caller to choose from.
    while job.begun.fetch_add(1, Relaxed) < job.playouts {
        worker.playout();
        if job.stop.load(Relaxed) {
            break;
        }
    }
    job.stop.store(true, Relaxed);
    job.evaluator.done(&mut worker.scratch);
    let mut report = worker.report;
    report.ownership = worker.scratch.ownership;
    report.moves += worker.scratch.moves;
    report
}

impl<'a> Worker<'a> {
    fn new(job: &'a Job, number: u64) -> Worker<'a> {
        let root = job.root.position().board();
        Worker {
            job,
            line: Line::new(job.root.clone()),
            path: Vec::with_capacity(64),
            scratch: Scratch {
                playout: Playout::new(root),
                ownership: Ownership::default(),
                rng: Generator::new(job.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
                moves: 0,
                net: NetJudge::default(),
            },
            report: Report::default(),
            children: Vec::with_capacity(root.size().area() + 1),
            situation: Situation::new(root.size(), *job.root.position().rules()),
            legal: Vec::new(),
        }
    }
}

impl Worker<'_> {
    fn playout(&mut self) {
        self.scratch.playout.amaf.clear();
        let edge = self.descend();
        let void = matches!(edge, Edge::Void);
        let played_out = matches!(edge, Edge::Leaf);
        let value = match edge {
            Edge::Over(margin) => LeafValue::of_margin(margin),
            Edge::Void => LeafValue::of_margin(0.0),
            Edge::Leaf => {
                let node = self.path.last().map_or(ROOT, |&(node, _)| node);
                self.judge(node)
            }
        };
        self.report.playouts += 1;
        self.report.moves += self.line.turns().len() as u64;
        let margin = value.margin as f64;
        self.report.margin += margin;
        if let Some(&(child, _)) = self.path.get(1) {
            let at = (child - self.job.tree.first_child(ROOT)) as usize;
            let by_move = &mut self.report.by_move;
            if by_move.len() <= at {
                by_move.resize_with(at + 1, MoveTotals::default);
            }
            let totals = &mut by_move[at];
            totals.sums += Sums {
                playouts: 1,
                margin,
                squares: margin * margin + f64::from(value.deviation * value.deviation),
                voids: f64::from(u8::from(void)) + f64::from(value.no_result),
            };
            if played_out && self.job.focus.move_ownership {
                let ownership = totals.ownership.get_or_insert_default();
                if self.job.utility.is_some() {
                    self.scratch.net.add_ownership(ownership);
                } else {
                    ownership.add(&self.scratch.playout.board);
                }
            }
        }
        match &self.job.utility {
            Some(utility) => self.back_up_judged(value, utility),
            None => self.back_up(value),
        }
    }

    /// Have the present leaf judged.
    fn judge(&mut self, node: NodeId) -> LeafValue {
        let leaf = Leaf {
            board: self.line.board(),
            to_move: self.line.to_move(),
            last: self.line.last_points(),
            adjustment: self.line.area_to_margin(),
            group_tax: self.line.rules().tax == Tax::All,
            situation: self.job.utility.is_some().then_some(&self.situation),
            legal: &self.legal,
            is_root: node == ROOT,
        };
        self.job.evaluator.value(&leaf, &mut self.scratch)
    }

    /// Back to the position that is searched.
    fn go_to_root(&mut self) {
        self.line.reset();
        self.path.clear();
        self.scratch.net.next();
    }

    /// From the root to a leaf, by the best child at each node.
    fn descend(&mut self) -> Edge {
        let job = self.job;
        let tree = &*job.tree;
        self.go_to_root();
        let mut node = ROOT;
        tree.node(node).enter();
        self.path.push((node, self.line.to_move()));
        loop {
            if tree.children(node).is_empty() && job.utility.is_some() {
                // Its value comes with its children.
                self.list_children();
                if tree.claim(node) {
                    self.set_priors(node);
                    tree.expand(node, &self.children);
                }
                return Edge::Leaf;
            }
            if tree.children(node).is_empty() {
                let ripe =
                    node == ROOT || tree.node(node).visits() >= job.params.expand_visits as u32;
                if !ripe || !tree.claim(node) || !self.expand(node) {
                    return Edge::Leaf;
                }
            }
            let at = match &job.utility {
                Some(utility) => self.select_judged(node, utility),
                None => self.select(node),
            };
            let child = tree.first_child(node) + at;
            let m = tree.node(child).mv();
            tree.node(child).enter();
            self.line.play(m);
            self.path.push((child, self.line.to_move()));
            node = child;
            match self.line.end() {
                Some(End::AllAlive) => return Edge::Over(self.margin_as_it_stands()),
                Some(End::ToSettle) => {
                    // A playout, or a network, shows which stones come off.
                    self.list_children();
                    self.situation.forget_passes();
                    return Edge::Leaf;
                }
                Some(End::NoResult) => return Edge::Void,
                None => {}
            }
            // Without superko a cycle can go on for ever.
            if self.line.turns().len() > 3 * self.line.board().size().area() {
                self.list_children();
                return Edge::Leaf;
            }
        }
    }

    /// By how much Black leads with every stone on the board alive.
    fn margin_as_it_stands(&self) -> f32 {
        let board = self.line.board();
        let mut margin = area_as_it_stands(board) + self.line.area_to_margin();
        if self.line.rules().tax == Tax::All {
            margin -= 2.0 * group_balance(board) as f32;
        }
        margin
    }

    /// Give a claimed node its children: every legal move that fills no eye.
    fn expand(&mut self, node: NodeId) -> bool {
        self.list_children();
        self.set_priors(node);
        self.job.tree.expand(node, &self.children)
    }

    /// The moves to try: every legal one that fills no eye, or for a network every
    /// legal one, and what it wants to know of the position.
    fn list_children(&mut self) {
        let line = &self.line;
        let (board, c) = (line.board(), line.to_move());
        let judged = self.job.utility.is_some();
        self.children.clear();
        if judged {
            self.situation.set(line);
            // The search goes on from a root that has ended.
            self.situation.ended = false;
        }
        for &p in board.empty_points() {
            let eye = !judged && board.around(p).is_eye(c) && !eye_needs_filling(board, p);
            // Suicide, where it is legal, is at best a threat in a ko fight, and many
            // controllers know no rules under which it is a move: never tried.
            if !eye && board.suicide_len(c, p).is_none() && !line.is_banned(p) {
                self.children.push(NewChild::new(Move::Play(p)));
            }
        }
        // The order of the empty points depends on the line that led here.
        self.children.sort_unstable_by_key(|n| n.mv.to_raw());
        if judged {
            self.legal.clear();
            self.legal
                .extend(self.children.iter().filter_map(|n| n.mv.point()));
        }
        self.children.push(NewChild::new(Move::Pass));
    }

    /// Set the priors of the children that have been listed. A network's least
    /// likely ones are dropped but at the root: they would only take memory.
    fn set_priors(&mut self, node: NodeId) {
        let leaf = Leaf {
            board: self.line.board(),
            to_move: self.line.to_move(),
            last: self.line.last_points(),
            adjustment: 0.0,
            group_tax: false,
            situation: self.job.utility.is_some().then_some(&self.situation),
            legal: &self.legal,
            is_root: node == ROOT,
        };
        self.job
            .evaluator
            .priors(&leaf, &mut self.children, &mut self.scratch);
        if self.job.utility.is_some() && node != ROOT {
            self.children.retain(|n| match n.prior {
                Prior::Policy(p) => p >= UNLIKELY || n.mv == Move::Pass,
                Prior::Visits(..) => true,
            });
        }
    }

    /// The child to visit next: the best mixture of own results and AMAF.
    fn select(&self, node: NodeId) -> u32 {
        let params = &self.job.params;
        let parent_visits = self.job.tree.node(node).visits() as f32;
        let log = if params.exploration > 0.0 {
            parent_visits.max(1.0).ln()
        } else {
            0.0
        };
        let children = self.job.tree.children(node);
        // The last child is the pass: what is left when all else is forbidden.
        let mut best = (f32::MIN, children.len() as u32 - 1);
        let restricted = !self.job.focus.restrictions.is_empty();
        for (i, child) in children.iter().enumerate() {
            let depth = self.line.turns().len();
            if restricted
                && self
                    .job
                    .focus
                    .forbids(self.line.to_move(), child.mv(), depth)
            {
                continue;
            }
            let s = child.stats();
            let mut urgency = mixed(&s, params.rave_equivalent);
            if params.exploration > 0.0 {
                urgency += params.exploration * (log / (s.visits as f32 + s.prior_visits)).sqrt();
            }
            if urgency > best.0 {
                best = (urgency, i as u32);
            }
        }
        best.1
    }

    /// The child to visit next by PUCT (Rosin 2011, as AlphaZero and KataGo have
    /// it): the highest sum of utility and c·P·√N/(1 + n), for its prior P and n of
    /// the N visits. A child without visits has its parent's utility less a
    /// reduction.
    fn select_judged(&self, node: NodeId, utility: &Utility) -> u32 {
        let params = &self.job.params;
        let tree = &*self.job.tree;
        let children = tree.children(node);
        let c = self.line.to_move();
        let (mut total, mut seen) = (0, 0.0);
        for child in children {
            let s = child.net_stats();
            total += s.visits;
            if s.visits > 0 {
                seen += s.policy;
            }
        }
        let parent = tree.node(node).net_stats();
        // The visit under way has brought nothing yet.
        let visits = parent.visits.saturating_sub(1).max(1) as f32;
        let (wins, lead) = (1.0 - parent.wins / visits, -parent.lead / visits);
        let mean = utility.of(c, wins, lead);
        let reduction = match node {
            ROOT => params.root_fpu_reduction,
            _ => params.fpu_reduction,
        };
        let unseen = mean - reduction * seen.min(1.0).sqrt();
        // How far the values spread, with a prior of two visits.
        let squares = (parent.squares / visits).max(mean * mean);
        let prior = STDEV_PRIOR * STDEV_PRIOR;
        let spread = (mean * mean + prior) * STDEV_VISITS + squares * visits;
        let variance = spread / (STDEV_VISITS + visits - 1.0) - mean * mean;
        let stdev = match visits {
            v if v <= 1.0 => STDEV_PRIOR,
            _ => variance.max(0.0).sqrt(),
        };
        let width = 1.0 + params.cpuct_stdev * (stdev / STDEV_PRIOR - 1.0);
        let total = total as f32;
        let grown = ((total + params.cpuct_base) / params.cpuct_base).ln();
        let explore = (params.cpuct + params.cpuct_log * grown) * (total + 0.01).sqrt() * width;
        let mut best = (f32::MIN, children.len() as u32 - 1);
        let restricted = !self.job.focus.restrictions.is_empty();
        for (i, child) in children.iter().enumerate() {
            if restricted
                && self
                    .job
                    .focus
                    .forbids(c, child.mv(), self.line.turns().len())
            {
                continue;
            }
            let s = child.net_stats();
            let n = s.visits as f32;
            let value = match s.visits {
                0 => unseen,
                _ => utility.of(c, s.wins / n, s.lead / n),
            };
            let urgency = value + explore * s.policy / (1.0 + n);
            if urgency > best.0 {
                best = (urgency, i as u32);
            }
        }
        best.1
    }

    /// Add a network's value to every node of the path.
    fn back_up_judged(&mut self, value: LeafValue, utility: &Utility) {
        let of = |c: Color| match c {
            Color::Black => (value.black_wins, value.margin),
            Color::White => (1.0 - value.black_wins, -value.margin),
        };
        for &(node, c) in self.path.iter().rev() {
            let mover = c.opponent();
            let (wins, lead) = of(mover);
            let node = self.job.tree.node(node);
            node.add(wins);
            node.add_judged(lead, utility.of(mover, wins, lead));
        }
    }

    /// Add the result to every node of the path and, as AMAF, to their children.
    fn back_up(&mut self, value: LeafValue) {
        let params = &self.job.params;
        let area = self.line.board().size().area() as f32;
        // Squash the margin to [0, 1] and mix it in: among won games prefer the
        // larger, among lost ones the smaller.
        let margin = value.margin / (params.score_scale * area);
        let share = 0.5 + 0.5 * margin.clamp(-1.0, 1.0);
        let black = (1.0 - params.score_weight) * value.black_wins + params.score_weight * share;
        let for_player = |c: Color| {
            if c == Color::Black {
                black
            } else {
                1.0 - black
            }
        };
        let tree = &*self.job.tree;
        for (depth, &(node, c)) in self.path.iter().enumerate().rev() {
            // The node's own value is that of the player who moved into it.
            tree.node(node).add(for_player(c.opponent()));
            if params.rave_equivalent > 0.0 {
                let amaf = &self.scratch.playout.amaf;
                for child in tree.children(node) {
                    if let Move::Play(p) = child.mv()
                        && amaf.was_first(c, p)
                    {
                        child.add_amaf(for_player(c));
                    }
                }
            }
            if depth > 0
                && let Some(turn) = self.line.turns().get(depth - 1)
                && let Move::Play(p) = turn.mv
            {
                self.scratch.playout.amaf.note_earlier(turn.color, p);
            }
        }
    }
}

/// The urgency of a move: results and prior weigh 1 − β, AMAF weighs
/// β = r/(r + n + n·r/E) with n visits (prior included), r AMAF visits and E the
/// equivalence parameter (Silver's schedule as Pachi and michi use it).
#[inline]
fn mixed(s: &Stats, equivalent: f32) -> f32 {
    let n = s.visits as f32 + s.prior_visits;
    let q = (s.value + s.prior_value) / n;
    let r = s.amaf_visits as f32;
    if r == 0.0 || equivalent == 0.0 {
        return q;
    }
    let beta = r / (r + n + n * r / equivalent);
    beta * (s.amaf_value / r) + (1.0 - beta) * q
}

/// An eye next to an own chain in atari may have to be filled to save it.
fn eye_needs_filling(board: &Board, p: Point) -> bool {
    p.neighbours()
        .into_iter()
        .any(|q| board.at(q).is_stone() && board.atari(q) == Some(p))
}

/// Area counted with every stone on the board alive, for Black.
fn area_as_it_stands(board: &Board) -> f32 {
    let mut balance = board.stone_balance();
    let mut seen = [false; POINTS];
    for &p in board.empty_points() {
        if seen[p.index()] {
            continue;
        }
        let region = board.flood(p, &mut seen, |q| board.is_empty(q));
        let mut borders = [false; 2];
        for q in region.iter().flat_map(|r| r.neighbours()) {
            if let Some(c) = board.at(q).color() {
                borders[c.index()] = true;
            }
        }
        balance += match borders {
            [true, false] => region.len() as i32,
            [false, true] => -(region.len() as i32),
            _ => 0,
        };
    }
    balance as f32
}
