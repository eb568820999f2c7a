//! The interface between the tree and knowledge of Go: a policy selects, expands,
//! evaluates and backs up, and defines the statistics in the nodes.

use super::focus::Focus;
use super::node::{Node, NodeId, Statistics};
use super::params::SearchParams;
use super::tree::{ROOT, Tree};
use crate::playout::Ownership;
use crate::position::{Line, Position};
use crate::types::{Color, Move};
use std::cmp::Ordering;
use std::fmt::Debug;

/// Value of a leaf, from Black's point of view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeafValue {
    /// Probability that Black wins, from 0 to 1. A jigo and no result count as half a win.
    pub black_wins: f32,
    /// Points by which Black leads.
    pub lead: f32,
    /// Expected margin at the end of the game, in points.
    pub score: f32,
    /// Standard deviation of `score`; 0 where the margin is exact.
    pub deviation: f32,
    /// Probability that the game ends without result.
    pub no_result: f32,
    /// Expected short-term errors of the value (probability of winning minus that of losing) and of
    /// the score: 0 where the game is over, −1 where unknown.
    pub errors: [f32; 2],
    /// Moves of the playout, or 1 for an evaluation by a network.
    pub moves: u32,
}

impl LeafValue {
    /// Value of a game that has ended with this margin for Black.
    pub fn of_margin(margin: f32) -> LeafValue {
        let black_wins = if margin > 0.0 {
            1.0
        } else if margin < 0.0 {
            0.0
        } else {
            0.5
        };
        LeafValue {
            black_wins,
            lead: margin,
            score: margin,
            deviation: 0.0,
            no_result: 0.0,
            errors: [0.0; 2],
            moves: 0,
        }
    }

    /// Value of a game that has ended without result.
    pub fn no_result() -> LeafValue {
        LeafValue {
            no_result: 1.0,
            ..LeafValue::of_margin(0.0)
        }
    }

    /// Probability that `c` wins.
    #[inline]
    pub fn wins(&self, c: Color) -> f32 {
        match c {
            Color::Black => self.black_wins,
            Color::White => 1.0 - self.black_wins,
        }
    }
}

/// A worker's place in the tree.
#[derive(Debug)]
pub struct Visit<'a, P: Policy> {
    /// The tree.
    pub tree: &'a Tree<P::Statistics>,
    /// What the policy computed when the search began.
    pub context: &'a P::Context,
    /// Moves to exclude.
    pub focus: &'a Focus,
    /// The turns from the root.
    pub line: &'a Line,
    /// The nodes from the root, which comes first.
    pub path: &'a [NodeId],
}

impl<P: Policy> Visit<'_, P> {
    /// The last node of the path.
    #[inline]
    pub fn node(&self) -> NodeId {
        self.path.last().copied().unwrap_or(ROOT)
    }

    /// The nodes of the path, each with the player who moved into it. The root counts as
    /// a move of the opponent.
    pub fn movers(&self) -> impl DoubleEndedIterator<Item = (NodeId, Color)> + ExactSizeIterator {
        let first = self.line.root().to_move();
        self.path.iter().enumerate().map(move |(depth, &node)| {
            let mover = if depth % 2 == 0 {
                first.opponent()
            } else {
                first
            };
            (node, mover)
        })
    }

    /// Are moves restricted at the last node?
    #[inline]
    pub fn is_restricted(&self) -> bool {
        let (c, depth) = (self.line.to_move(), self.line.turns().len());
        self.focus.restricts(c, depth)
    }

    /// Is this move forbidden at the last node?
    pub fn forbids(&self, m: Move) -> bool {
        let (c, depth) = (self.line.to_move(), self.line.turns().len());
        self.focus.forbids(c, m, depth)
    }

    /// Are all moves forbidden at the last node?
    pub fn forbids_all(&self) -> bool {
        let mut moves = self.tree.children(self.node()).iter().map(Node::mv);
        self.is_restricted() && moves.all(|m| self.forbids(m))
    }

    /// Index of the allowed child of the last node with the highest urgency. At least one
    /// child must be allowed.
    #[inline]
    pub fn most_urgent(&self, urgency: impl Fn(&Node<P::Statistics>) -> f32) -> u32 {
        let children = self.tree.children(self.node());
        let mut best = (f32::MIN, children.len() as u32 - 1);
        let restricted = self.is_restricted();
        for (i, child) in children.iter().enumerate() {
            if restricted && self.forbids(child.mv()) {
                continue;
            }
            let urgency = urgency(child);
            if urgency > best.0 {
                best = (urgency, i as u32);
            }
        }
        best.1
    }
}

/// The root, while a search runs or after it.
#[derive(Debug)]
pub struct RootView<'a, P: Policy> {
    /// The tree.
    pub tree: &'a Tree<P::Statistics>,
    /// What the policy computed when the search began.
    pub context: &'a P::Context,
    /// The player to move.
    pub to_move: Color,
    /// For each visit under way: the index of its child of the root, `None` at the root itself.
    pub under_way: Vec<Option<usize>>,
}

impl<P: Policy> RootView<'_, P> {
    /// Visits whose results have arrived, of a child or (`None`) of the root.
    pub fn visits(&self, child: Option<usize>) -> u32 {
        let (node, under_way) = match child {
            Some(at) => (
                self.tree.children(ROOT).get(at),
                self.under_way.iter().filter(|&&w| w == child).count(),
            ),
            None => (Some(self.tree.node(ROOT)), self.under_way.len()),
        };
        node.map_or(0, |n| n.visits().saturating_sub(under_way as u32))
    }
}

/// A move at the root. Values are from the point of view of the player to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Its index among the root's children.
    pub at: usize,
    /// Its visits.
    pub visits: u32,
    /// Probability of winning, from 0 to 1. Without visits, an estimate: the root's win rate
    /// in PUCT, the prior's in RAVE.
    pub win_rate: f32,
    /// Standard error of the win rate.
    pub error: f32,
    /// What the search maximises.
    pub utility: f32,
    /// Standard error of the utility.
    pub utility_error: f32,
    /// Weight of the prior; the weights of all moves need not sum to 1.
    pub prior: f32,
    /// Points by which the player leads; `None` without visits, or if the policy tracks no lead.
    pub lead: Option<f32>,
}

/// Values of the root itself, from the point of view of the player to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootValue {
    /// Mean utility over all visits.
    pub utility: f32,
    /// Lower bound of any utility.
    pub least_utility: f32,
    /// Mean probability of winning over all visits, from 0 to 1.
    pub win_rate: f32,
    /// Points by which the player leads, if the policy tracks the lead.
    pub lead: Option<f32>,
}

/// The game-specific part of a search: it selects, expands, evaluates and backs up.
pub trait Policy: Debug + Send + Sync + Sized + 'static {
    /// Results in a node.
    type Statistics: Statistics;
    /// What is computed once per search.
    type Context: Debug + Send + Sync;
    /// Buffers of one visit. A worker has one for each leaf that it evaluates at once.
    type Scratch;

    /// Number of playouts that suffices for ownership and leads.
    const ENOUGH_PLAYOUTS: u64;

    /// Create a visit's buffers for a search of this position.
    fn scratch(&self, root: &Position, seed: u64) -> Self::Scratch;

    /// Begin a search. The line is at the root and no worker is running. May replace children
    /// that the root got as an inner node of an earlier search.
    fn begin(
        &self,
        tree: &Tree<Self::Statistics>,
        line: &Line,
        scratch: &mut Self::Scratch,
    ) -> Self::Context;

    /// Give children to a node without any before it has a value, so that the visit continues to
    /// one of them. Returns whether it did.
    fn expand(&self, _visit: &Visit<'_, Self>, _scratch: &mut Self::Scratch) -> bool {
        false
    }

    /// Index of the child to visit next. `None` ends the visit: by other paths, the children already
    /// have as many visits as the last node had before this one.
    fn select(&self, visit: &Visit<'_, Self>) -> Option<u32>;

    /// Number of leaves that a worker should evaluate at once, from 1 to
    /// [`MOST_LEAVES`](crate::net::MOST_LEAVES).
    fn leaves_at_once(&self, _root: &Position) -> usize {
        1
    }

    /// Prepare the evaluation of the last node of the path. `ended` means that passes have ended
    /// the line and the evaluation must judge which stones are dead.
    fn prepare(&self, _visit: &Visit<'_, Self>, _ended: bool, _scratch: &mut Self::Scratch) {}

    /// Do what has been prepared, all at once.
    fn evaluate(&self, _prepared: &mut [&mut Self::Scratch]) {}

    /// The value of the last node of the path.
    fn value(&self, visit: &Visit<'_, Self>, scratch: &mut Self::Scratch) -> LeafValue;

    /// Give children to a leaf, after [`Policy::value`].
    fn expand_evaluated(&self, _visit: &Visit<'_, Self>, _scratch: &mut Self::Scratch) {}

    /// Add the value of the path's last node to all nodes of the path. Without a value, the results
    /// below the last node are already known from other paths: update the nodes from them.
    fn back_up(
        &self,
        visit: &Visit<'_, Self>,
        value: Option<&LeafValue>,
        scratch: &mut Self::Scratch,
    );

    /// Add the final ownership of the last evaluation.
    fn add_ownership(&self, scratch: &Self::Scratch, to: &mut Ownership);

    /// Results of the root's child with this index.
    fn root_move(&self, root: &RootView<'_, Self>, at: usize) -> RootMove;

    /// Results of the root itself.
    fn root_value(&self, root: &RootView<'_, Self>) -> RootValue;

    /// Order of moves in reports, better moves first.
    fn order(a: &RootMove, b: &RootMove) -> Ordering;

    /// Choose the move to play.
    fn choose(&self, moves: impl Iterator<Item = RootMove> + Clone) -> Option<RootMove>;

    /// Copy this policy with other parameters.
    fn with_params(&self, params: &SearchParams) -> Self;

    /// Clear cached evaluations.
    fn clear_cache(&self) {}

    /// Take back the buffers of a visit when its worker has finished.
    fn retire(&self, _scratch: Self::Scratch) {}
}
