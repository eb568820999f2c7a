//! Network evaluations at the leaves, PUCT in the tree (Rosin 2011, in the form of AlphaZero
//! and KataGo).

mod bias;
mod cache;
mod count;
mod evaluator;
mod expand;
mod mean;
mod params;
mod statistics;
mod utility;

pub use count::Count;
pub use evaluator::{NetworkEvaluator, Symmetries};
pub use params::PuctParams;
#[cfg(all(every_order, test))]
pub(super) use statistics::Arrivals;
pub use statistics::{Mean, Probability, Results};
pub use utility::Utility;

use super::params::SearchParams;
use super::policy::{LeafValue, Policy, RootMove, RootValue, RootView, Visit};
use super::tree::{NewChild, ROOT, Tree};
use crate::net::{Evaluation, MOST_LEAVES, Output, Situation};
use crate::playout::Ownership;
use crate::position::{Line, Position};
use crate::types::{Generator, Move, Point};
use bias::{Bias, bucket};
use count::Counts;
use evaluator::Prepared;
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::sync::Arc;

/// The policy of a search with a network.
#[derive(Debug)]
pub struct Puct {
    evaluator: Arc<NetworkEvaluator>,
    params: PuctParams,
    bias: Bias,
    counts: Counts,
}

/// Buffers of one visit. A worker has one for each leaf that it evaluates at once.
#[derive(Debug)]
pub struct Scratch {
    evaluation: Evaluation,
    /// The evaluation for which the network has to run.
    prepared: Option<Prepared>,
    situation: Situation,
    /// Legal points of the player to move.
    legal: Vec<Point>,
    children: Vec<NewChild<Probability>>,
    /// Means of a node's children.
    below: Vec<Mean>,
    rng: Generator,
}

/// Prior standard deviation and variance of a node's utilities, and their weight in visits
/// (KataGo's constants).
const STDEV_PRIOR: f32 = 0.4;
const VARIANCE_PRIOR: f32 = STDEV_PRIOR * STDEV_PRIOR;
const STDEV_VISITS: f32 = 2.0;

impl PuctParams {
    /// c·√N, the factor of the priors in a node whose children have N visits. It grows with the
    /// visits and with the standard deviation of the node's utilities.
    fn exploration(&self, visits: f32, stdev: f32) -> f32 {
        let width = 1.0 + self.cpuct_stdev * (stdev / STDEV_PRIOR - 1.0);
        let grown = ((visits + self.cpuct_base) / self.cpuct_base).ln();
        (self.cpuct + self.cpuct_log * grown) * (visits + 0.01).sqrt() * width
    }
}

impl Puct {
    /// Create a policy with this evaluator, which other searches may share.
    pub fn new(evaluator: Arc<NetworkEvaluator>, params: PuctParams) -> Puct {
        Puct {
            evaluator,
            params,
            bias: Bias::default(),
            counts: Counts::default(),
        }
    }

    /// The same policy, but lines that passes have ended are counted instead of estimated.
    pub fn counting_by(self, count: Count) -> Puct {
        Puct {
            counts: Counts::new(Some(count)),
            ..self
        }
    }
}

/// Standard deviation of a node's utilities, mixed with the prior, given their mean, the mean of
/// their squares and the number of visits.
fn stdev(mean: f32, squares: f32, visits: f32) -> f32 {
    let squares = squares.max(mean * mean);
    let spread = (mean * mean + VARIANCE_PRIOR) * STDEV_VISITS + squares * visits;
    let variance = spread / (STDEV_VISITS + visits - 1.0) - mean * mean;
    match visits {
        v if v <= 1.0 => STDEV_PRIOR,
        _ => variance.max(0.0).sqrt(),
    }
}

/// Widening of the search at the root, as in KataGo's `wideRootNoise`: the exponent of a
/// move's prior and a bonus to its utility. Half of the moves get a bonus, the absolute
/// value of a normal variable. The root's visits seed the noise, so a search with one
/// thread is deterministic.
fn widening(noise: f32, visits: u32, mv: Move) -> (f32, f32) {
    let point = mv.point().map_or(0, |p| u64::from(p.raw()) + 1);
    let mut rng = Generator::new(u64::from(visits) << 16 | point);
    let bonus = match rng.chance(128) {
        true => {
            let radius = (-2.0 * rng.unit().max(f32::MIN_POSITIVE).ln()).sqrt();
            noise * (radius * (std::f32::consts::TAU * rng.unit()).cos()).abs()
        }
        false => 0.0,
    };
    (1.0 / (4.0 * noise + 1.0), bonus)
}

/// The value of a leaf that a network has evaluated.
fn value(output: &Output) -> LeafValue {
    LeafValue {
        black_wins: output.black_wins + 0.5 * output.no_result,
        lead: output.lead,
        score: output.score,
        deviation: output.deviation,
        no_result: output.no_result,
        errors: output.errors,
        moves: 1,
    }
}

impl Policy for Puct {
    type Statistics = Results;
    type Context = Utility;
    type Scratch = Scratch;

    const ENOUGH_PLAYOUTS: u64 = 16;

    fn scratch(&self, root: &Position, seed: u64) -> Scratch {
        Scratch {
            evaluation: self.evaluator.take(),
            prepared: None,
            situation: Situation::new(root.size(), *root.rules()),
            legal: Vec::new(),
            children: Vec::new(),
            below: Vec::new(),
            rng: Generator::new(seed),
        }
    }

    /// Evaluate the root. A root that was expanded as an inner node gets all moves, with the
    /// root's priors.
    fn begin(&self, tree: &Tree<Results>, line: &Line, s: &mut Scratch) -> Utility {
        self.evaluate_root(line, s);
        if !tree.children(ROOT).is_empty() {
            self.list_at_root(s);
            tree.replace_children(ROOT, &s.children);
        }
        self.counts.clear();
        if self.params.bias_correction > 0.0 {
            self.bias.clear();
            tree.walk(|node| {
                let known = &node.statistics;
                if let Some(bucket) = known.bucket() {
                    self.bias.add(bucket, known.bias_sums());
                }
            });
        }
        let output = &s.evaluation.output;
        let area = line.board().size().area();
        Utility::new(&self.params, area, output.lead, output.deviation)
    }

    fn leaves_at_once(&self, root: &Position) -> usize {
        self.evaluator.network().leaves_at_once(root.size())
    }

    fn prepare(&self, visit: &Visit<'_, Self>, ended: bool, s: &mut Scratch) {
        self.prepare_line(visit.line, visit.node() == ROOT, ended, s);
    }

    fn evaluate(&self, prepared: &mut [&mut Scratch]) {
        let Some(size) = prepared.first().map(|s| s.situation.board.size()) else {
            return;
        };
        // The others are already evaluated.
        let open = prepared.iter_mut().filter(|s| s.prepared.is_some());
        let mut open: SmallVec<[&mut Evaluation; MOST_LEAVES]> =
            open.map(|s| &mut s.evaluation).collect();
        if !open.is_empty() {
            self.evaluator.run(size, &mut open);
        }
    }

    fn value(&self, visit: &Visit<'_, Self>, s: &mut Scratch) -> LeafValue {
        self.read_line(s);
        let output = &s.evaluation.output;
        // The search plays on from a root after the end of the game. If moves are restricted,
        // passes do not show that nothing is left to gain.
        let restricted = !visit.focus.restrictions.is_empty();
        let ended = visit.node() != ROOT && visit.line.is_over() && !restricted;
        let counted = match ended {
            true => self.counts.black_wins(visit.line, &output.ownership),
            false => None,
        };
        let estimated = value(output);
        match counted {
            // The lead remains the network's, so that its errors cancel where the search compares
            // an ended line with one that goes on.
            Some(black_wins) => LeafValue {
                black_wins,
                no_result: 0.0,
                ..estimated
            },
            None => estimated,
        }
    }

    /// Expand the leaf from its evaluation.
    fn expand_evaluated(&self, visit: &Visit<'_, Self>, s: &mut Scratch) {
        let (tree, node) = (visit.tree, visit.node());
        if !tree.claim(node) {
            return;
        }
        let key = self.key(visit);
        if !key.is_some_and(|key| tree.link(node, key)) {
            match node {
                ROOT => self.list_at_root(s),
                _ => Self::list_below(visit, s),
            }
            if tree.expand(node, &s.children)
                && let Some(key) = key
            {
                tree.share(node, key);
            }
        }
        if self.params.bias_correction > 0.0
            && let Some(bucket) = bucket(visit.line)
        {
            tree.node(node).statistics.set_bucket(bucket);
        }
    }

    /// Select the move with the highest sum of utility and c·P·√N/(1 + n). P: the move's prior; n:
    /// its visits; N: the visits of all moves. A move without visits has its parent's utility less
    /// the first-play urgency reduction.
    fn select(&self, visit: &Visit<'_, Self>) -> Option<u32> {
        let params = &self.params;
        let (tree, utility, node) = (visit.tree, visit.context, visit.node());
        let c = visit.line.to_move();
        let (mut total, mut visited_policy) = (0, 0.0);
        for child in tree.children(node) {
            let n = child.visits();
            total += n;
            if n > 0 {
                visited_policy += child.prior().0;
            }
        }
        let parent = tree.node(node);
        // Other paths have already visited the children as often as this node.
        if params.graph > 0 && node != ROOT && parent.visits() <= total + 1 {
            return None;
        }
        // The current visit has no result yet.
        let visits = parent.visits().saturating_sub(1).max(1) as f32;
        let of_parent = parent.statistics.mean().turned();
        let mean = utility.of(c, of_parent.wins, of_parent.lead);
        let reduction = match node {
            ROOT => params.root_fpu_reduction,
            _ => params.fpu_reduction,
        };
        let unseen = mean - reduction * visited_policy.min(1.0).sqrt();
        let stdev = stdev(mean, of_parent.squares, visits);
        let explore = params.exploration(total as f32, stdev);
        let wide = node == ROOT && params.wide_root_noise > 0.0;
        let most_urgent = visit.most_urgent(|child| {
            let visits = child.visits();
            let n = visits as f32;
            let value = match visits {
                0 => unseen,
                _ => {
                    // Virtual loss: visits under way count as losses.
                    let known = (child.statistics.arrived() as f32 / n).min(1.0);
                    let m = child.statistics.mean();
                    known * utility.of(c, m.wins, m.lead) + (1.0 - known) * utility.worst()
                }
            };
            let (mut prior, mut bonus) = (child.prior().0, 0.0);
            if wide {
                let (power, more) = widening(params.wide_root_noise, parent.visits(), child.mv());
                (prior, bonus) = (prior.powf(power), more);
            }
            value + bonus + explore * prior / (1.0 + n)
        });
        Some(most_urgent)
    }

    fn back_up(&self, visit: &Visit<'_, Self>, value: Option<&LeafValue>, s: &mut Scratch) {
        let mut own = value;
        for (node, mover) in visit.movers().rev() {
            let known = &visit.tree.node(node).statistics;
            if let Some(value) = own.take() {
                let lead = mover.sign() as f32 * value.lead;
                known.add_own(value.wins(mover), lead, self.weight(value, visit.context));
            }
            known.update_mean(|| self.mean_of(visit, node, mover, &mut s.below));
        }
    }

    fn add_ownership(&self, scratch: &Scratch, to: &mut Ownership) {
        to.add_expected(&scratch.evaluation.output.ownership);
    }

    fn root_move(&self, root: &RootView<'_, Self>, at: usize) -> RootMove {
        let child = &root.tree.children(ROOT)[at];
        let (visits, prior) = (root.visits(Some(at)), child.prior().0);
        let known = child.statistics.mean();
        let (wins, lead) = (known.wins, known.lead);
        let n = visits.max(1) as f32;
        let utility = root.context.of(root.to_move, wins, lead);
        let variance = (known.squares - utility * utility).max(0.0);
        let variance = (variance * n + VARIANCE_PRIOR * STDEV_VISITS) / (n + STDEV_VISITS);
        let error = (variance / n).sqrt();
        // A move without visits gets the position's win rate.
        let win_rate = match visits {
            0 => self.mean(root).0,
            _ => wins,
        };
        RootMove {
            mv: child.mv(),
            at,
            visits,
            win_rate,
            // A win rate has half the range of a utility.
            error: error / 2.0,
            utility: if visits > 0 {
                utility
            } else {
                self.root_value(root).utility
            },
            utility_error: error,
            prior,
            lead: (visits > 0).then_some(lead),
        }
    }

    fn root_value(&self, root: &RootView<'_, Self>) -> RootValue {
        let (wins, lead) = self.mean(root);
        RootValue {
            utility: root.context.of(root.to_move, wins, lead),
            least_utility: root.context.worst(),
            win_rate: wins,
            lead: Some(lead),
        }
    }

    fn order(a: &RootMove, b: &RootMove) -> Ordering {
        let visits = b.visits.cmp(&a.visits);
        visits.then(b.prior.total_cmp(&a.prior))
    }

    /// Choose the move with the highest lower confidence bound (LCB) on its utility, among
    /// moves with a sufficient share of the visits.
    fn choose(&self, moves: impl Iterator<Item = RootMove> + Clone) -> Option<RootMove> {
        let first = moves.clone().min_by(Self::order)?;
        let deviations = self.params.lcb_deviations;
        let most = first.visits as f32;
        if deviations == 0.0 || most == 0.0 {
            return Some(first);
        }
        let bound = |m: &RootMove| m.utility - deviations * m.utility_error;
        let least = self.params.lcb_share * most;
        let enough = moves.filter(|m| m.visits > 0 && m.visits as f32 >= least);
        enough.min_by(|a, b| {
            let bounds = bound(b).total_cmp(&bound(a));
            bounds.then(Self::order(a, b))
        })
    }

    fn with_params(&self, params: &SearchParams) -> Puct {
        Puct {
            counts: Counts::new(self.counts.count),
            ..Puct::new(self.evaluator.clone(), params.puct.clone())
        }
    }

    fn clear_cache(&self) {
        self.evaluator.clear_cache();
    }

    fn retire(&self, scratch: Scratch) {
        self.evaluator.give_back(scratch.evaluation);
    }
}

impl Puct {
    /// Mean win probability and lead of the player to move, over all visits.
    fn mean(&self, root: &RootView<'_, Self>) -> (f32, f32) {
        // A node's mean is that of the player who moved into it: the opponent.
        let mean = root.tree.node(ROOT).statistics.mean().turned();
        match root.visits(None) {
            0 => (0.5, 0.0),
            _ => (mean.wins, mean.lead),
        }
    }
}
