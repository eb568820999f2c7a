//! A problem of life and death: a group that one player attacks and the other defends, the
//! part of the board in which that is decided, and what a first move can reach there.
//!
//! The solver is the one that judges finished games. The attacker must reach a
//! [`Goal`]; a group lives if that fails, so a seki is life, and so is endless repetition.
//! Kos are asked about with [threats](State::threats): what holds although the opponent may
//! retake every ko at once holds without any ko.

mod find;
mod prove;
mod search;
mod variations;

use super::goal::Goal;
use super::region::Region;
use super::solve::Cutoff;
use crate::board::Board;
use crate::types::{Color, Move, Point};
use find::Finder;

/// What bounds a proof-number search.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// States for one question.
    pub nodes: u64,
    /// Bytes for its tables.
    pub memory: usize,
    /// What ends it early.
    pub cutoff: Cutoff,
}

/// A group in question and the region in which its life is decided.
#[derive(Clone, Debug)]
pub struct Problem {
    points: Vec<Point>,
    /// Where it is searched, the narrowest first; none if it has too many points.
    grounds: Vec<Ground>,
    defender: Color,
    /// The longest of the enclosed chains that attack the group.
    against: Option<Vec<Point>>,
    group: Vec<Point>,
    /// Its chains, the longest first.
    chains: Vec<Vec<Point>>,
    /// Was the group named, rather than guessed?
    named: bool,
    /// Where proofs are searched, the narrowest first.
    strict: Vec<Strict>,
    outside: Vec<Option<Color>>,
}

/// A region as a proof sees it: what is unknown outside helps the player who is refuted.
#[derive(Clone, Debug)]
struct Strict {
    /// To prove life: everything outside is the attacker's, except chains of the defender
    /// that hold.
    life: Region,
    /// To prove a kill: everything outside is the defender's, except chains of the attacker
    /// that hold.
    kill: Region,
}

/// A region in which a problem is searched, and what its attacker must reach there.
#[derive(Clone, Debug)]
struct Ground {
    region: Region,
    goal: Goal,
    /// In a race, what the defender reaches by taking the stones that attack it.
    wins: Option<Goal>,
}

/// What a player who moves first reaches: for the defender life, for the attacker a kill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Whatever kos there are.
    Outright,
    /// By a ko for which the opponent must find the first threat.
    KoTheyThreaten,
    /// By a ko for which the player must find the first threat; the number of threats in all.
    KoMustThreaten(u8),
    /// Nothing.
    Nothing,
}

/// What is known of a problem for one player moving first.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// What is reached; `None` if the search did not settle it.
    pub reach: Option<Reach>,
    /// Is it reached although the player passes?
    pub pass_works: Option<bool>,
    /// The first moves that reach it, best first.
    pub right: Vec<Point>,
    /// Those of them with the shortest proof: what a book gives, and what goes wrong least.
    pub quickest: Vec<Point>,
    /// First moves that are proved to reach less.
    pub wrong: Vec<Point>,
    /// The play that shows it.
    pub line: Vec<(Color, Move)>,
    /// Does the defender who lives have no two eyes, which is a seki?
    pub seki: bool,
    /// Does the defender who lives take the stones that attack it?
    pub wins_race: bool,
    /// States looked at.
    pub nodes: u64,
    /// Those of the right moves that are proved, if the chains around the region hold. What is
    /// unknown outside it does not help the player who moves.
    pub proved: Vec<Point>,
    /// Is it proved that no move is needed?
    pub pass_proved: bool,
    /// Is it proved that no move helps?
    pub nothing_proved: bool,
}

impl Problem {
    /// The problem about these chains, each named by a point, or without any about the groups
    /// that their opponent encloses. `None` if there is no stone to ask about, or all live. Between two groups that enclose each other it is about that of `to_move`.
    pub fn find(board: &Board, to_move: Color, named: &[Point]) -> Option<Problem> {
        Problem::within(board, to_move, named, &[])
    }

    /// The same, where further chains are taken to hold: by [`Point::index`] of their stones.
    pub fn within(
        board: &Board,
        to_move: Color,
        named: &[Point],
        holds: &[bool],
    ) -> Option<Problem> {
        let finder = Finder::new(board, named, holds);
        let defender = finder.defender(to_move, named)?;
        finder.problem(defender, named)
    }

    /// Whose group is in question.
    pub fn defender(&self) -> Color {
        self.defender
    }

    /// The stones in question.
    pub fn group(&self) -> &[Point] {
        &self.group
    }

    /// The points in which it is decided.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Whose ground a point outside the region is taken to be, that of a stone its owner's.
    pub fn outside(&self, p: Point) -> Option<Color> {
        self.outside[p.index()]
    }

    /// Is the region small enough to be searched?
    pub fn is_searched(&self) -> bool {
        !self.grounds.is_empty()
    }

    /// Was the group named, rather than guessed?
    pub fn is_named(&self) -> bool {
        self.named
    }
}
