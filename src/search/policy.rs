//! The seam between the tree and what is known of Go: a policy selects, expands,
//! evaluates and backs up, each with its own statistics in the nodes.

use super::focus::Focus;
use super::node::{Node, NodeId};
use super::params::SearchParams;
use super::tree::{ROOT, Tree};
use crate::playout::Ownership;
use crate::position::{Line, Position};
use crate::types::{Color, Move};
use std::cmp::Ordering;
use std::fmt::Debug;

/// What a policy keeps in a node. Workers read and write it at the same time.
pub trait Statistics: Debug + Default + Send + Sync + 'static {
    /// What is known of a move before it is tried.
    type Prior: Prior;

    /// Forget all results.
    fn clear(&self);

    /// Take over the results of another node.
    fn copy_from(&self, other: &Self);

    /// The moves of the node are forgotten, but not what they have brought.
    fn stand_alone(&self);
}

/// What is known of a move before it is tried, as one word.
pub trait Prior: Copy + Debug + Default + Send + Sync + 'static {
    /// The word.
    fn to_bits(self) -> u32;

    /// From the word.
    fn from_bits(bits: u32) -> Self;
}

/// What a leaf is worth. All points of view are Black's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeafValue {
    /// Probability that Black wins, from 0 to 1, a jigo and no result counted as a
    /// half.
    pub black_wins: f32,
    /// Points by which Black leads.
    pub lead: f32,
    /// Expected margin at the end of the game, in points.
    pub score: f32,
    /// Standard deviation of that, where it is an estimate.
    pub deviation: f32,
    /// Probability that there is no result.
    pub no_result: f32,
    /// Expected errors of win probability and score in the short term: none where the
    /// game is over; −1 where nobody says.
    pub errors: [f32; 2],
    /// Moves made to find out, or 1 for an evaluation by a network.
    pub moves: u32,
}

impl LeafValue {
    /// A game that has ended with this margin for Black.
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

    /// A game that has ended without result.
    pub fn void() -> LeafValue {
        LeafValue {
            no_result: 1.0,
            ..LeafValue::of_margin(0.0)
        }
    }

    /// Probability that a player wins.
    #[inline]
    pub fn wins(&self, c: Color) -> f32 {
        match c {
            Color::Black => self.black_wins,
            Color::White => 1.0 - self.black_wins,
        }
    }
}

/// Where a worker is in the tree.
#[derive(Debug)]
pub struct Visit<'a, P: Policy> {
    /// The tree.
    pub tree: &'a Tree<P::Statistics>,
    /// What the policy looked up when the search began.
    pub outlook: &'a P::Outlook,
    /// Moves to leave out.
    pub focus: &'a Focus,
    /// The turns from the root.
    pub line: &'a Line,
    /// The nodes from the root on.
    pub path: &'a [NodeId],
}

impl<P: Policy> Visit<'_, P> {
    /// The last node of the path.
    #[inline]
    pub fn node(&self) -> NodeId {
        self.path.last().copied().unwrap_or(ROOT)
    }

    /// The nodes from the root on, each with the player who moved into it. The root
    /// counts as a move of the opponent.
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

    /// Does a restriction bear on the moves of the last node?
    #[inline]
    pub fn is_restricted(&self) -> bool {
        let (c, depth) = (self.line.to_move(), self.line.turns().len());
        self.focus.restricts(c, depth)
    }

    /// Is a move of the last node left out?
    pub fn leaves_out(&self, m: Move) -> bool {
        let (c, depth) = (self.line.to_move(), self.line.turns().len());
        self.focus.forbids(c, m, depth)
    }

    /// Is every move of the last node left out?
    pub fn leaves_nothing(&self) -> bool {
        let mut moves = self.tree.children(self.node()).iter().map(Node::mv);
        self.is_restricted() && moves.all(|m| self.leaves_out(m))
    }

    /// The place of the child of the last node with the highest urgency that is not left
    /// out; one must be left.
    #[inline]
    pub fn most_urgent(&self, urgency: impl Fn(&Node<P::Statistics>) -> f32) -> u32 {
        let children = self.tree.children(self.node());
        let mut best = (f32::MIN, children.len() as u32 - 1);
        let restricted = self.is_restricted();
        for (i, child) in children.iter().enumerate() {
            if restricted && self.leaves_out(child.mv()) {
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

/// The root as it stands, while a search runs or after it.
#[derive(Debug)]
pub struct RootView<'a, P: Policy> {
    /// The tree.
    pub tree: &'a Tree<P::Statistics>,
    /// What the policy looked up when the search began.
    pub outlook: &'a P::Outlook,
    /// The player to move.
    pub to_move: Color,
    /// The place among the root's children of each visit under way, at the root
    /// itself [`usize::MAX`].
    pub under_way: Vec<usize>,
}

impl<P: Policy> RootView<'_, P> {
    /// Visits of a child, or of the root without one, whose results have arrived.
    pub fn visits(&self, child: Option<usize>) -> u32 {
        let node = match child {
            Some(at) => self.tree.children(ROOT).get(at),
            None => Some(self.tree.node(ROOT)),
        };
        let under_way = match child {
            Some(at) => self.under_way.iter().filter(|&&w| w == at).count(),
            None => self.under_way.len(),
        };
        node.map_or(0, |n| n.visits().saturating_sub(under_way as u32))
    }
}

/// A move at the root. Values are those of the player to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Its place among the root's children.
    pub at: usize,
    /// Its visits.
    pub visits: u32,
    /// Probability of winning, from 0 to 1; without visits what is known before.
    pub win_rate: f32,
    /// Standard error of that.
    pub error: f32,
    /// What the search maximises.
    pub utility: f32,
    /// Standard error of that.
    pub utility_error: f32,
    /// Weight of the prior; the weights of all moves together need not be 1.
    pub prior: f32,
    /// Points by which the player leads, where the policy keeps them.
    pub lead: Option<f32>,
}

/// What the search knows of the root itself, for the player to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootValue {
    /// What the search maximises: its mean over all visits.
    pub utility: f32,
    /// Probability of winning, from 0 to 1: its mean over all visits.
    pub win_rate: f32,
    /// Points by which the player leads, where the policy keeps them.
    pub lead: Option<f32>,
}

/// Selects, expands, evaluates and backs up.
pub trait Policy: Debug + Send + Sync + Sized + 'static {
    /// What it keeps in a node.
    type Statistics: Statistics;
    /// What it looks up once for a search.
    type Outlook: Debug + Send + Sync;
    /// The buffers of one worker.
    type Scratch;

    /// Playouts that tell ownership and leads well enough.
    const FRESH: u64;

    /// Buffers to search this position with.
    fn scratch(&self, root: &Position, seed: u64) -> Self::Scratch;

    /// A search begins. The line is at the root; no worker is running. A root that
    /// was a leaf before may be given other children.
    fn begin(
        &self,
        tree: &Tree<Self::Statistics>,
        line: &Line,
        scratch: &mut Self::Scratch,
    ) -> Self::Outlook;

    /// Arrive at a node without children: give it some and return nothing, to go on
    /// to one of them; or evaluate it.
    fn expand(&self, visit: &Visit<'_, Self>, scratch: &mut Self::Scratch) -> Option<LeafValue>;

    /// The place of the child to visit next; `None` if more is known below the last node of
    /// the path than the visits that came through it, this one included, have told: it need
    /// not go further then.
    fn select(&self, visit: &Visit<'_, Self>) -> Option<u32>;

    /// Evaluate the last node of the path. `settles`: passes have ended the line and
    /// it is to be found out which stones are dead.
    fn evaluate(
        &self,
        visit: &Visit<'_, Self>,
        settles: bool,
        scratch: &mut Self::Scratch,
    ) -> LeafValue;

    /// Add the value of the last node of the path to all its nodes, or without one what is
    /// known below that.
    fn back_up(
        &self,
        visit: &Visit<'_, Self>,
        value: Option<&LeafValue>,
        scratch: &mut Self::Scratch,
    );

    /// Add the final ownership of the last evaluation.
    fn add_ownership(&self, scratch: &Self::Scratch, to: &mut Ownership);

    /// What is known of a child of the root.
    fn root_move(&self, root: &RootView<'_, Self>, at: usize) -> RootMove;

    /// What is known of the root.
    fn root_value(&self, root: &RootView<'_, Self>) -> RootValue;

    /// The order in which moves are reported, the better one first.
    fn order(a: &RootMove, b: &RootMove) -> Ordering;

    /// The move to make among these.
    fn choose(&self, moves: impl Iterator<Item = RootMove> + Clone) -> Option<RootMove>;

    /// A copy of this policy with other numbers.
    fn with_params(&self, params: &SearchParams) -> Self;

    /// Forget evaluations.
    fn forget(&self) {}

    /// A worker has finished: take back what its buffers hold.
    fn retire(&self, _scratch: Self::Scratch) {}
}
