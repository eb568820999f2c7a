//! Playouts at the leaves, RAVE in the tree (Gelly and Silver 2007), hand-made priors.

mod params;
mod prior;
mod statistics;

pub use params::RaveParams;
pub use statistics::{PriorVisits, Results};

use super::node::Node;
use super::params::SearchParams;
use super::policy::{LeafValue, Policy, RootMove, RootValue, RootView, Visit};
use super::tree::{NewChild, ROOT, Tree};
use crate::board::Board;
use crate::playout::{Heavy, Ownership, Playout, group_balance};
use crate::position::{Line, Position};
use crate::rules::Tax;
use crate::tactics::{LadderSearch, Patterns};
use crate::types::{Color, Generator, Move, Point};
use std::cmp::Ordering;

/// The policy of a search with playouts.
#[derive(Debug)]
pub struct Rave {
    playouts: Heavy,
    patterns: Patterns,
    params: RaveParams,
}

/// Buffers of one visit.
#[derive(Debug)]
pub struct Scratch {
    playout: Playout,
    children: Vec<NewChild<PriorVisits>>,
    ladders: LadderSearch,
    rng: Generator,
}

impl Rave {
    /// Create a policy with these parameters.
    pub fn new(params: RaveParams) -> Rave {
        Rave {
            playouts: Heavy::new(params.playout()),
            patterns: Patterns::new(),
            params,
        }
    }

    /// List the moves to try: every legal and allowed move that does not fill an eye, and the
    /// pass.
    fn list(&self, visit: &Visit<'_, Self>, scratch: &mut Scratch) {
        let line = visit.line;
        let (board, c) = (line.board(), line.to_move());
        let children = &mut scratch.children;
        children.clear();
        for &p in board.empty_points() {
            let eye = board.around(p).is_eye(c) && !eye_needs_filling(board, p);
            if !eye && line.is_worth_trying(p) {
                children.push(NewChild::new(Move::Play(p)));
            }
        }
        // The order of the empty points depends on the order of moves.
        children.sort_unstable_by_key(|n| n.mv.to_raw());
        children.push(NewChild::new(Move::Pass));
        if visit.is_restricted() {
            children.retain(|n| !visit.forbids(n.mv));
        }
        self.set_priors(line, children, &mut scratch.ladders, &mut scratch.rng);
    }
}

/// Does an eye touch a chain in atari? It may have to be filled to save the chain.
fn eye_needs_filling(board: &Board, p: Point) -> bool {
    p.neighbours()
        .into_iter()
        .any(|q| board.at(q).is_stone() && board.atari(q) == Some(p))
}

impl Policy for Rave {
    type Statistics = Results;
    type Context = ();
    type Scratch = Scratch;

    /// The mean margin of this many playouts has a standard error of about a point.
    const ENOUGH_PLAYOUTS: u64 = 400;

    fn scratch(&self, root: &Position, seed: u64) -> Scratch {
        Scratch {
            playout: Playout::new(root.board()),
            children: Vec::with_capacity(root.size().area() + 1),
            ladders: LadderSearch::default(),
            rng: Generator::new(seed),
        }
    }

    fn begin(&self, _: &Tree<Results>, _: &Line, _: &mut Scratch) {}

    fn expand(&self, visit: &Visit<'_, Self>, scratch: &mut Scratch) -> bool {
        let (tree, node) = (visit.tree, visit.node());
        let ripe = node == ROOT || tree.node(node).visits() >= self.params.expand_visits;
        if !ripe || !tree.claim(node) {
            return false;
        }
        self.list(visit, scratch);
        tree.expand(node, &scratch.children)
    }

    /// Select the move with the best mixture of its own results and AMAF.
    fn select(&self, visit: &Visit<'_, Self>) -> Option<u32> {
        let Visit { tree, .. } = visit;
        let params = &self.params;
        Some(if params.exploration == 0.0 {
            visit.most_urgent(|child| mixed(child, params.rave_equivalent))
        } else {
            let log = (tree.node(visit.node()).visits() as f32).max(1.0).ln();
            visit.most_urgent(|child| {
                let n = child.visits() as f32 + child.prior().visits;
                mixed(child, params.rave_equivalent) + params.exploration * (log / n).sqrt()
            })
        })
    }

    /// The result of one heavy playout, which also judges which stones are dead.
    fn value(&self, visit: &Visit<'_, Self>, scratch: &mut Scratch) -> LeafValue {
        let line = visit.line;
        let playout = &mut scratch.playout;
        // The last value may not have been backed up.
        playout.amaf.clear();
        playout.board.copy_from(line.board());
        let [last, before] = line.last_points();
        let rng = &mut scratch.rng;
        let end = playout.run(&self.playouts, line.to_move(), last, before, rng);
        let mut margin = end.area as f32 + line.area_to_margin();
        if line.owes_pass() {
            margin += 1.0;
        }
        if line.rules().tax == Tax::All {
            margin -= 2.0 * group_balance(&playout.board) as f32;
        }
        LeafValue {
            moves: end.moves,
            ..LeafValue::of_margin(margin)
        }
    }

    /// Add the result to every node of the path and, as AMAF, to their children.
    fn back_up(&self, visit: &Visit<'_, Self>, value: Option<&LeafValue>, scratch: &mut Scratch) {
        let Some(value) = value else {
            return;
        };
        let params = &self.params;
        let area = visit.line.board().size().area() as f32;
        // Map the margin to [0, 1] and mix it in, to prefer larger wins and smaller losses.
        let margin = value.lead / (params.score_scale * area);
        let share = 0.5 + 0.5 * margin.clamp(-1.0, 1.0);
        let black = (1.0 - params.score_weight) * value.black_wins + params.score_weight * share;
        let for_player = |c: Color| match c {
            Color::Black => black,
            Color::White => 1.0 - black,
        };
        let amaf = &mut scratch.playout.amaf;
        for (depth, (id, mover)) in visit.movers().enumerate().rev() {
            let node = visit.tree.node(id);
            node.statistics.add(for_player(mover));
            let c = mover.opponent();
            if params.rave_equivalent > 0.0 {
                for child in visit.tree.children(id) {
                    if let Move::Play(p) = child.mv()
                        && amaf.was_first(c, p)
                    {
                        child.statistics.add_amaf(for_player(c));
                    }
                }
            }
            if depth > 0
                && let Some(turn) = visit.line.turns().get(depth - 1)
                && let Move::Play(p) = turn.mv
            {
                amaf.record_earlier(turn.color, p);
            }
        }
        amaf.clear();
    }

    fn add_ownership(&self, scratch: &Scratch, to: &mut Ownership) {
        to.add(&scratch.playout.board);
    }

    fn root_move(&self, root: &RootView<'_, Self>, at: usize) -> RootMove {
        let child = &root.tree.children(ROOT)[at];
        let (visits, prior) = (root.visits(Some(at)), child.prior());
        let n = visits as f32;
        let p = match visits {
            0 if prior.visits > 0.0 => prior.value / prior.visits,
            0 => 0.5,
            _ => (child.statistics.value() / n).min(1.0),
        };
        // Slightly more than the binomial variance, which is 0 if all results agree.
        let error = ((p * (1.0 - p) + 0.25 / n) / n).sqrt();
        RootMove {
            mv: child.mv(),
            at,
            visits,
            win_rate: p,
            error,
            utility: 2.0 * p - 1.0,
            utility_error: 2.0 * error,
            prior: prior.value,
            lead: None,
        }
    }

    fn root_value(&self, root: &RootView<'_, Self>) -> RootValue {
        // A node's value is that of the player who moved into it: the opponent.
        let opponent = root.tree.node(ROOT).statistics.value();
        let p = match root.visits(None) {
            0 => 0.5,
            n => 1.0 - (opponent / n as f32).min(1.0),
        };
        RootValue {
            utility: 2.0 * p - 1.0,
            least_utility: -1.0,
            win_rate: p,
            lead: None,
        }
    }

    fn order(a: &RootMove, b: &RootMove) -> Ordering {
        let visits = b.visits.cmp(&a.visits);
        visits.then(b.win_rate.total_cmp(&a.win_rate))
    }

    fn with_params(&self, params: &SearchParams) -> Rave {
        Rave::new(params.rave.clone())
    }

    fn choose(&self, moves: impl Iterator<Item = RootMove> + Clone) -> Option<RootMove> {
        moves.min_by(Self::order)
    }
}

/// The urgency of a move. Results and prior have weight 1 − β, AMAF has weight
/// β = r/(r + n + n·r/E) for n visits (including the prior), r AMAF visits and the
/// equivalence parameter E (Silver's schedule as used by Pachi and michi).
#[inline]
fn mixed(node: &Node<Results>, equivalent: f32) -> f32 {
    let prior = node.prior();
    let (amaf_visits, amaf_value) = node.statistics.amaf();
    let n = node.visits() as f32 + prior.visits;
    let q = (node.statistics.value() + prior.value) / n;
    let r = amaf_visits as f32;
    if r == 0.0 || equivalent == 0.0 {
        return q;
    }
    let beta = r / (r + n + n * r / equivalent);
    beta * (amaf_value / r) + (1.0 - beta) * q
}
