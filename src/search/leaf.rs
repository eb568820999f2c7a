//! The seam between the tree and what judges its leaves.

use super::params::SearchParams;
use super::prior;
use super::tree::NewChild;
use crate::board::Board;
use crate::net::{Evaluation, Output, Situation};
use crate::playout::{Heavy, Ownership, Playout, PlayoutParams, group_balance};
use crate::tactics::Patterns;
use crate::types::{Color, Generator, Point};

/// A position at the edge of the tree.
#[derive(Debug)]
pub struct Leaf<'a> {
    /// The stones.
    pub board: &'a Board,
    /// The player to move.
    pub to_move: Color,
    /// The points of the last two turns, the last one first, if they were plays.
    pub last: [Option<Point>; 2],
    /// Added to Black's area minus White's to give the margin by which Black
    /// leads: komi, compensation and, under territory scoring, what stones
    /// played so far have cost.
    pub adjustment: f32,
    /// Does each living group cost two points?
    pub group_tax: bool,
    /// What a network wants to know, where one is asked.
    pub situation: Option<&'a Situation>,
    /// Where the player may play, for a network.
    pub legal: &'a [Point],
    /// Is it the position that is searched itself?
    pub is_root: bool,
}

/// What a leaf is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeafValue {
    /// Probability that Black wins, a jigo counted as a half.
    pub black_wins: f32,
    /// Points by which Black leads.
    pub margin: f32,
    /// Standard deviation of that, where it is an estimate.
    pub deviation: f32,
    /// Probability that there is no result, where it is an estimate.
    pub no_result: f32,
}

/// Buffers of one worker.
#[derive(Debug)]
pub struct Scratch {
    /// The board to play out on and its AMAF map.
    pub playout: Playout,
    /// Sums of the final ownership.
    pub ownership: Ownership,
    /// The worker's generator.
    pub rng: Generator,
    /// Moves played by the evaluator so far, or evaluations of a network.
    pub moves: u64,
    /// For a network.
    pub net: NetJudge,
}

/// What one worker needs to have leaves judged by a network.
#[derive(Debug, Default)]
pub struct NetJudge {
    pub(super) evaluation: Option<Evaluation>,
    /// Has the present leaf been evaluated?
    pub(super) done: bool,
}

impl NetJudge {
    /// Go on to another leaf.
    pub(super) fn next(&mut self) {
        self.done = false;
    }

    /// The last evaluation.
    pub fn output(&self) -> Option<&Output> {
        self.evaluation.as_ref().map(|e| &e.output)
    }

    /// Add its ownership to a sum.
    pub(super) fn add_ownership(&self, to: &mut Ownership) {
        if let Some(output) = self.output() {
            to.add_expected(&output.ownership);
        }
    }
}

/// Judges leaves: by playouts or by a network.
pub trait Evaluator: Send + Sync {
    /// Does it know value and priors of a leaf at the same time? Then a leaf gets
    /// its children on its first visit, and the tree is searched with PUCT instead
    /// of RAVE.
    fn judges_at_once(&self) -> bool {
        false
    }

    /// Set the priors of the moves of the player to move.
    fn priors(&self, leaf: &Leaf<'_>, children: &mut [NewChild], scratch: &mut Scratch);

    /// Judge a leaf. `scratch.playout.amaf` is empty before; what the evaluator
    /// notes in it goes into the AMAF statistics along the path.
    fn value(&self, leaf: &Leaf<'_>, scratch: &mut Scratch) -> LeafValue;

    /// Forget evaluations.
    fn forget(&self) {}

    /// A worker has finished: take back what it holds.
    fn done(&self, _scratch: &mut Scratch) {}
}

/// Leaves judged by one heavy playout each.
#[derive(Debug)]
pub struct PlayoutEvaluator {
    policy: Heavy,
    patterns: Patterns,
    params: SearchParams,
}

impl PlayoutEvaluator {
    /// With these rates for the playouts and these numbers for the priors.
    pub fn new(playout: PlayoutParams, params: SearchParams) -> PlayoutEvaluator {
        PlayoutEvaluator {
            policy: Heavy::new(playout),
            patterns: Patterns::new(),
            params,
        }
    }
}

impl Evaluator for PlayoutEvaluator {
    fn priors(&self, leaf: &Leaf<'_>, children: &mut [NewChild], scratch: &mut Scratch) {
        prior::assign(
            children,
            leaf.board,
            leaf.to_move,
            leaf.last[0],
            &self.params,
            &self.patterns,
            &mut scratch.rng,
        );
    }

    fn value(&self, leaf: &Leaf<'_>, scratch: &mut Scratch) -> LeafValue {
        let playout = &mut scratch.playout;
        playout.board.copy_from(leaf.board);
        let end = playout.run(
            &self.policy,
            leaf.to_move,
            leaf.last[0],
            leaf.last[1],
            &mut scratch.rng,
        );
        scratch.ownership.add(&playout.board);
        scratch.moves += end.moves as u64;
        let mut margin = end.area as f32 + leaf.adjustment;
        if leaf.group_tax {
            margin -= 2.0 * group_balance(&playout.board) as f32;
        }
        LeafValue::of_margin(margin)
    }
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
            margin,
            deviation: 0.0,
            no_result: 0.0,
        }
    }
}
