//! One worker: down the tree, judge the leaf, back up.

use super::focus::Focus;
use super::leaf::{Evaluator, Leaf, LeafValue, NetJudge, Scratch};
use super::network::Utility;
use super::node::{NodeId, Prior, Stats};
use super::params::SearchParams;
use super::tree::{NewChild, ROOT, Tree};
use super::{MoveTotals, Sums};
use crate::board::Board;
use crate::net::{self, Situation};
use crate::playout::{Ownership, Playout, group_balance};
use crate::position::{Position, Turn, cycle_length, repeated, slate_wiped_by};
use crate::rules::{KoRule, LongCycle, Scoring, Settlement, Tax};
use crate::types::{Color, Generator, Move, POINTS, Point};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// What the workers of one search share.
pub(super) struct Job {
    /// The position to search, whose player to move is the searching one.
    pub root: Position,
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
    /// Points where each colour has had a stone, by colour and
    /// [`Point::index`]: only there can a play repeat a position of the game.
    stood: Box<[[bool; POINTS]; 2]>,
    /// What the root says of the game so far, looked up once: komi and
    /// compensation, passes in a row, who has the button.
    white_bonus: f32,
    passes: u32,
    button: Option<Color>,
    /// For a network: the stones one and two turns before the root, and what
    /// results are worth.
    net: Option<NetJob>,
}

/// What a search with a network needs besides.
struct NetJob {
    before: [Board; 2],
    utility: Utility,
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
        let net = evaluator.judges_at_once().then(|| NetJob {
            before: net::earlier_boards(&root),
            utility: Utility::new(&params, root.size().area(), expected.0, expected.1),
        });
        Job {
            net,
            tree,
            evaluator,
            params,
            focus,
            seed,
            playouts,
            begun: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            stood: Job::stood(&root),
            white_bonus: root.white_bonus() as f32,
            passes: root.consecutive_passes(),
            button: root.button(),
            root,
        }
    }

    /// See [`Job::stood`].
    fn stood(root: &Position) -> Box<[[bool; POINTS]; 2]> {
        let mut stood = Box::new([[false; POINTS]; 2]);
        for p in root.size().points() {
            if let Some(c) = root.start().at(p).color() {
                stood[c.index()][p.index()] = true;
            }
        }
        for t in root.turns() {
            if let Move::Play(p) = t.mv {
                stood[t.color.index()][p.index()] = true;
            }
        }
        stood
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
    board: Board,
    to_move: Color,
    /// Nodes from the root on, and the colour that moves *at* each.
    path: Vec<(NodeId, Color)>,
    /// Turns since the root.
    line: Vec<Turn>,
    scratch: Scratch,
    report: Report,
    children: Vec<NewChild>,
    /// For a network: the stones one and two turns ago, what it wants to know, and
    /// where it may play.
    before: [Board; 2],
    situation: Situation,
    legal: Vec<Point>,
    /// Passes in a row.
    passes: u32,
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
        let root = job.root.board();
        Worker {
            job,
            board: root.clone(),
            to_move: job.root.to_move(),
            path: Vec::with_capacity(64),
            line: Vec::with_capacity(64),
            scratch: Scratch {
                playout: Playout::new(root),
                ownership: Ownership::default(),
                rng: Generator::new(job.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
                moves: 0,
                net: NetJudge::default(),
            },
            report: Report::default(),
            children: Vec::with_capacity(root.size().area() + 1),
            before: [Board::new(root.size()), Board::new(root.size())],
            situation: Situation::new(root.size(), *job.root.rules()),
            legal: Vec::new(),
            passes: 0,
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
        self.report.moves += self.line.len() as u64;
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
                if self.job.net.is_some() {
                    self.scratch.net.add_ownership(ownership);
                } else {
                    ownership.add(&self.scratch.playout.board);
                }
            }
        }
        match &self.job.net {
            Some(net) => self.back_up_judged(value, &net.utility),
            None => self.back_up(value),
        }
    }

    /// Have the present leaf judged.
    fn judge(&mut self, node: NodeId) -> LeafValue {
        let leaf = Leaf {
            board: &self.board,
            to_move: self.to_move,
            last: self.last_points(),
            adjustment: self.adjustment(),
            group_tax: self.job.root.rules().tax == Tax::All,
            situation: self.job.net.is_some().then_some(&self.situation),
            legal: &self.legal,
            is_root: node == ROOT,
        };
        self.job.evaluator.value(&leaf, &mut self.scratch)
    }

    /// Back to the position that is searched.
    fn go_to_root(&mut self) {
        let job = self.job;
        self.board.copy_from(job.root.board());
        self.to_move = job.root.to_move();
        self.path.clear();
        self.line.clear();
        if let Some(net) = &job.net {
            for (now, root) in self.before.iter_mut().zip(&net.before) {
                now.copy_from(root);
            }
        }
        self.passes = job.passes.min(self.passes_to_end() - 1);
        self.scratch.net.next();
    }

    /// Under Spight's rule the player who passed first must pass again.
    fn passes_to_end(&self) -> u32 {
        match self.job.root.rules().ko {
            KoRule::Spight => 3,
            _ => 2,
        }
    }

    /// From the root to a leaf, by the best child at each node.
    fn descend(&mut self) -> Edge {
        let job = self.job;
        let tree = &*job.tree;
        self.go_to_root();
        let mut node = ROOT;
        let rules = job.root.rules();
        let passes_to_end = self.passes_to_end();
        tree.node(node).enter();
        self.path.push((node, self.to_move));
        loop {
            if tree.children(node).is_empty() && job.net.is_some() {
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
            let at = match &job.net {
                Some(net) => self.select_judged(node, &net.utility),
                None => self.select(node),
            };
            let child = tree.first_child(node) + at;
            let m = tree.node(child).mv();
            tree.node(child).enter();
            let takes_button = m == Move::Pass && rules.button && self.button().is_none();
            let mover = self.to_move;
            self.play(m);
            self.passes = match m {
                Move::Pass if takes_button => 0,
                Move::Pass => self.passes + 1,
                Move::Play(_) => 0,
            };
            self.path.push((child, self.to_move));
            node = child;
            let passed = self.passes >= passes_to_end;
            if passed && (!rules.white_passes_last || mover == Color::White) {
                return self.after_last_pass();
            }
            let turns = || job.root.turns().iter().chain(&self.line);
            if rules.long_cycle == LongCycle::NoResult && cycle_length(turns().rev()).is_some() {
                return Edge::Void;
            }
            // Without superko a cycle can go on for ever.
            if self.line.len() > 3 * self.board.size().area() {
                self.list_children();
                return Edge::Leaf;
            }
        }
    }

    fn play(&mut self, m: Move) {
        let c = self.to_move;
        if self.job.net.is_some() {
            self.before.swap(0, 1);
            self.before[0].copy_from(&self.board);
        }
        self.board.play_move(c, m);
        if m == Move::Pass && self.job.root.rules().pass_costs_stone {
            self.board.add_captured(c, 1);
        }
        self.line.push(Turn {
            color: c,
            mv: m,
            hash: self.board.hash(),
        });
        self.to_move = c.opponent();
    }

    /// Where stones are taken off by agreement, a playout shows which; where they
    /// are not, what stands on the board is the result.
    fn after_last_pass(&mut self) -> Edge {
        let rules = self.job.root.rules();
        if rules.settlement == Settlement::PlayOut {
            let mut margin = area_as_it_stands(&self.board) + self.adjustment();
            if rules.tax == Tax::All {
                margin -= 2.0 * group_balance(&self.board) as f32;
            }
            Edge::Over(margin)
        } else {
            self.list_children();
            self.situation.forget_passes();
            Edge::Leaf
        }
    }

    /// Who has the button.
    fn button(&self) -> Option<Color> {
        let in_line = || self.line.iter().find(|t| t.mv == Move::Pass);
        self.job.button.or_else(|| in_line().map(|t| t.color))
    }

    /// The points of the last two turns.
    fn last_points(&self) -> [Option<Point>; 2] {
        let before_root = self.job.root.turns().iter().rev();
        let mut turns = self.line.iter().rev().chain(before_root);
        [0, 1].map(|_| turns.next().and_then(|t| t.mv.point()))
    }

    /// See [`Leaf::adjustment`]. A player's territory and prisoners are his area
    /// less the stones he has played; those of the playout itself are hypothetical
    /// play and cost nothing.
    fn adjustment(&self) -> f32 {
        let mut bonus = self.job.white_bonus;
        if self.job.root.rules().button {
            bonus -= 0.5 * self.button().unwrap_or(self.to_move).sign() as f32;
        }
        match self.job.root.rules().scoring {
            Scoring::Area => -bonus,
            Scoring::Territory => {
                let spent = self.board.played_balance();
                -bonus - spent as f32
            }
        }
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
        let c = self.to_move;
        let judged = self.job.net.is_some();
        self.children.clear();
        self.situation.banned.clear();
        for &p in self.board.empty_points() {
            if judged {
                if self.is_banned(p) {
                    self.situation.banned.push(p);
                    continue;
                }
            } else if self.board.around(p).is_eye(c) && !self.eye_needs_filling(p) {
                continue;
            }
            if self.is_legal(p) {
                self.children.push(NewChild::new(Move::Play(p)));
            }
        }
        // The order of the empty points depends on the line that led here.
        self.children.sort_unstable_by_key(|n| n.mv.to_raw());
        if judged {
            self.legal.clear();
            self.legal
                .extend(self.children.iter().filter_map(|n| n.mv.point()));
            self.describe();
        }
        self.children.push(NewChild::new(Move::Pass));
    }

    /// Tell a network of the position.
    fn describe(&mut self) {
        let rules = self.job.root.rules();
        let button = self.button().filter(|_| rules.button);
        let takes_button = rules.button && button.is_none();
        let s = &mut self.situation;
        s.banned.sort_unstable_by_key(|p| p.raw());
        s.board.copy_from(&self.board);
        for (to, from) in s.before.iter_mut().zip(&self.before) {
            to.copy_from(from);
        }
        s.to_move = self.to_move;
        let before_root = self.job.root.turns().iter().rev();
        s.set_recent(self.line.iter().rev().chain(before_root));
        s.bonus = net::bonus(rules, &self.board, self.job.white_bonus, button);
        s.button = takes_button;
        let last = !rules.white_passes_last || self.to_move == Color::White;
        s.pass_ends = !takes_button && last && self.passes + 1 >= 2 && rules.ko != KoRule::Spight;
        s.ended = false;
    }

    /// Set the priors of the children that have been listed. A network's least
    /// likely ones are dropped but at the root: they would only take memory.
    fn set_priors(&mut self, node: NodeId) {
        let leaf = Leaf {
            board: &self.board,
            to_move: self.to_move,
            last: self.last_points(),
            adjustment: 0.0,
            group_tax: false,
            situation: self.job.net.is_some().then_some(&self.situation),
            legal: &self.legal,
            is_root: node == ROOT,
        };
        self.job
            .evaluator
            .priors(&leaf, &mut self.children, &mut self.scratch);
        if self.job.net.is_some() && node != ROOT {
            self.children.retain(|n| match n.prior {
                Prior::Policy(p) => p >= UNLIKELY || n.mv == Move::Pass,
                Prior::Visits(..) => true,
            });
        }
    }

    /// An eye next to an own chain in atari may have to be filled to save it.
    fn eye_needs_filling(&self, p: Point) -> bool {
        p.neighbours()
            .into_iter()
            .any(|q| self.board.at(q).is_stone() && self.board.atari(q) == Some(p))
    }

    fn is_legal(&self, p: Point) -> bool {
        // Suicide, where it is legal, is at best a threat in a ko fight, and many
        // controllers know no rules under which it is a move: never tried.
        if self.board.suicide_len(self.to_move, p).is_some() {
            return false;
        }
        !self.is_banned(p)
    }

    /// Would a play at `p` break the ko rule?
    fn is_banned(&self, p: Point) -> bool {
        match self.job.root.rules().ko {
            KoRule::Simple => self.board.ko() == Some(p),
            rule => self.board.suicide_len(self.to_move, p).is_none() && self.repeats(rule, p),
        }
    }

    /// Would a play at `p` repeat a position of the game or of the line?
    ///
    /// The position would have to be one in which the player already had a stone
    /// there, which almost no empty point has seen: the history is looked
    /// through for those only.
    fn repeats(&self, rule: KoRule, p: Point) -> bool {
        let c = self.to_move;
        let stood = self.job.stood[c.index()][p.index()]
            || self
                .line
                .iter()
                .any(|t| t.mv == Move::Play(p) && t.color == c);
        if !stood {
            return false;
        }
        let hash = self.board.hash_after(c, p);
        // A button that is gone is taken by no pass of the line.
        let wiped = match self.job.button {
            Some(_) if rule != KoRule::Spight => None,
            _ => slate_wiped_by(self.job.root.rules(), &self.line),
        };
        repeated(rule, &self.line[wiped.unwrap_or(0)..], c, hash).is_some()
            || (wiped.is_none() && self.job.root.would_repeat(c, hash))
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
            let depth = self.line.len();
            if restricted && self.job.focus.forbids(self.to_move, child.mv(), depth) {
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
        let c = self.to_move;
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
            if restricted && self.job.focus.forbids(c, child.mv(), self.line.len()) {
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
        let area = self.board.size().area() as f32;
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
                && let Some(turn) = self.line.get(depth - 1)
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
