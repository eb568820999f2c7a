//! Problems of life and death: a group that one player attacks and the other defends, the part of
//! the board that decides its life, and what a first move can achieve there.
//!
//! The solver is the one that judges finished games. The attacker must reach a [`Goal`]. The group
//! lives if that fails, so seki and endless repetition count as life. Searches with
//! [threats](State::threats) find kos: a result depends on no ko if it holds even when the opponent
//! may retake kos at once.

mod around;
mod compare;
mod find;
mod prove;
mod search;
mod variations;

use super::goal::Goal;
use super::region::Region;
use super::solve::Cutoff;
use crate::board::Board;
use crate::types::{Color, Move, Point, PointSet};
use around::Around;
use find::Finder;

/// Limits of a proof-number search.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Maximum states for one question.
    pub nodes: u64,
    /// Maximum size of the tables, in bytes.
    pub memory: usize,
    /// Time limit and stop flag.
    pub cutoff: Cutoff,
}

/// A group in question and the region in which its life is decided.
#[derive(Clone, Debug)]
pub struct Problem {
    points: Vec<Point>,
    /// Regions to search: the narrowest, then those whose weak walls may be captured, then wider
    /// ones. Those with too many points are left out.
    goals: Vec<RegionGoal>,
    defender: Color,
    /// The longest of the enclosed chains that attack the group.
    against: Option<Vec<Point>>,
    group: Vec<Point>,
    /// Chains of the group, the longest first.
    chains: Vec<Vec<Point>>,
    /// Was the group named, rather than guessed?
    named: bool,
    /// Does the group reach open board?
    escapes: bool,
    /// Regions for proofs, in the order of the regions to search.
    proof_regions: Vec<ProofRegion>,
    around: Around,
    outside: Vec<Option<Color>>,
}

/// A region for proofs. What is unknown outside counts against the claim to be proved.
#[derive(Clone, Debug)]
struct ProofRegion {
    /// To prove life: everything outside is the attacker's, except chains of the defender
    /// that hold.
    life: Region,
    /// To prove a kill: everything outside is the defender's, except chains of the attacker
    /// that hold.
    kill: Region,
}

/// A region in which a problem is searched, and what its attacker must reach there.
#[derive(Clone, Debug)]
struct RegionGoal {
    region: Region,
    goal: Goal,
    /// In a capturing race, the defender's goal of capturing the stones that attack the group.
    wins: Option<Goal>,
}

/// The result for the player who moves first: life for the defender, a kill for the attacker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Reached without depending on any ko.
    Outright,
    /// Reached by a ko for which the opponent must find the first threat, and this many in all.
    KoOpponentThreatensFirst(u8),
    /// Reached by a ko for which the player must find the first threat, and this many in all.
    KoPlayerThreatensFirst(u8),
    /// Not reached.
    Nothing,
}

/// The results for a problem with one player moving first.
#[derive(Clone, Debug, Default)]
pub struct ProblemResult {
    /// The result; `None` if the search did not settle it.
    pub reach: Option<Reach>,
    /// Is the result reached even if the player passes?
    pub pass_works: Option<bool>,
    /// First moves that reach the result, in the order in which they were settled.
    pub right: Vec<Point>,
    /// The right moves to choose from. For an attacker, those with the shortest proof, which books
    /// give and which are the safest to follow up, and of these the ones also right in a wider
    /// region. For a defender, those that save most chains.
    pub preferred: Vec<Point>,
    /// First moves found to reach less.
    pub wrong: Vec<Point>,
    /// Play that shows why the result is right.
    pub line: Vec<(Color, Move)>,
    /// Does the defender live in seki, without two eyes?
    pub seki: bool,
    /// Does the defender live by capturing the stones that attack the group?
    pub wins_race: bool,
    /// Number of states visited, in all regions.
    pub nodes: u64,
    /// Right moves that are proved, provided that the chains around the region hold. What is
    /// unknown outside counts against the player who moves first.
    pub proved: Vec<Point>,
    /// Is it proved that no move is needed?
    pub pass_proved: bool,
    /// Is it proved that no move helps?
    pub nothing_proved: bool,
}

impl ProblemResult {
    /// Is it proved that the player need not move, even if the opponent has ko threats?
    pub fn needs_no_move(&self) -> bool {
        self.pass_proved && self.reach == Some(Reach::Outright)
    }

    /// Adopt what the result with the opponent moving first says about this one. If the opponent
    /// need not move, nothing helps; if a move of the opponent succeeds, a pass does not.
    pub fn agree_with(&mut self, opponents: &ProblemResult) {
        if opponents.needs_no_move() && self.proved.is_empty() {
            *self = ProblemResult {
                reach: Some(Reach::Nothing),
                pass_works: Some(false),
                nothing_proved: true,
                nodes: self.nodes,
                ..ProblemResult::default()
            };
        } else if opponents.reach == Some(Reach::Outright) && !self.pass_proved {
            self.pass_works = self.pass_works.map(|_| false);
        }
    }
}

impl Problem {
    /// Find the problem about the `named` chains, each given by a point. If none is named, it is
    /// about enclosed groups, usually those of `to_move` if both players have some. `None` if there
    /// is no stone to ask about, or all are safe.
    pub fn find(board: &Board, to_move: Color, named: &[Point]) -> Option<Problem> {
        Problem::within(board, to_move, named, &PointSet::default())
    }

    /// Find the problem as [`Problem::find`] does, but assume that further chains hold. `holds`
    /// are their stones.
    pub fn within(
        board: &Board,
        to_move: Color,
        named: &[Point],
        holds: &PointSet,
    ) -> Option<Problem> {
        let finder = Finder::new(board, named, holds, &PointSet::default());
        let defender = finder.defender(to_move, named)?;
        Problem::of(board, defender, named, holds)
    }

    /// The problem about the other player's groups, as if this one had none to ask about.
    pub fn about_opponent(&self, board: &Board) -> Option<Problem> {
        Problem::of(board, self.defender.opponent(), &[], &PointSet::default())
    }

    /// The problem about these chains of `defender`, or about the enclosed groups if none is named.
    fn of(board: &Board, defender: Color, named: &[Point], holds: &PointSet) -> Option<Problem> {
        let mut inside = PointSet::default();
        loop {
            let finder = Finder::new(board, named, holds, &inside);
            let problem = finder.problem(defender, named)?;
            inside.extend(&problem.points);
            // Walls that rely on points of the region belong to it, so repeat until there are none.
            if problem.around.firm_around(&inside) == problem.around.firm {
                return Some(problem);
            }
        }
    }

    /// The owner of the group in question.
    pub fn defender(&self) -> Color {
        self.defender
    }

    /// The stones in question.
    pub fn group(&self) -> &[Point] {
        &self.group
    }

    /// The points of the region.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The assumed owner of a point outside the region, or the owner of the stone there.
    pub fn outside(&self, p: Point) -> Option<Color> {
        self.outside[p.index()]
    }

    /// Is the region small enough to be searched?
    pub fn is_searched(&self) -> bool {
        !self.goals.is_empty()
    }

    /// Does the group reach open board, which the searched regions give to the attacker?
    pub fn escapes(&self) -> bool {
        self.escapes
    }

    /// Was the group named, rather than guessed?
    pub fn is_named(&self) -> bool {
        self.named
    }
}
