//! The confirmation of life and death (Japanese 1989, Article 7): what becomes of
//! each chain if its opponent attacks it first. The three questions, in this order,
//! are those of Jasiek's formalisation (Japanese 2003 rules): uncapturable,
//! capturable-1, capturable-2.

use super::line::End;
use super::play::{Conduct, Retake};
use super::region::Region;
use super::settle::settle;
use super::solve::Deadline;
use crate::board::Board;
use crate::rules::SuicideRule;
use crate::types::{Color, Point};
use std::time::Duration;

/// Why a chain is alive or dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Life {
    /// Alive: the opponent cannot capture it.
    Uncapturable,
    /// Alive: its capture enables a new stone that the opponent cannot capture, on one
    /// of the chain's own points.
    NewStone,
    /// Alive: its capture enables such a stone elsewhere in the area that opens up.
    NewStoneNearby,
    /// Dead: neither holds.
    Dead,
    /// Not known: the search ran out of nodes.
    Unsettled,
}

impl Life {
    /// Alive, dead, or not known.
    pub fn is_alive(self) -> Option<bool> {
        match self {
            Life::Uncapturable | Life::NewStone | Life::NewStoneNearby => Some(true),
            Life::Dead => Some(false),
            Life::Unsettled => None,
        }
    }
}

/// A move of a line of hypothetical play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hypothetical {
    /// A stone.
    Play(Point),
    /// A pass for the ko in which the stone on this point was played.
    KoPass(Point),
    /// A pass.
    Pass,
}

/// What the confirmation found of one chain.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The chain.
    pub stones: Vec<Point>,
    /// Its owner.
    pub owner: Color,
    /// Alive or dead, and why.
    pub life: Life,
    /// The play that shows it; empty where no play is needed, and where the search ran
    /// out of nodes.
    pub line: Vec<(Color, Hypothetical)>,
    /// What the last position of that play shows.
    pub end: End<Point>,
    /// Does it rest on chains around it that are only taken to be beyond capture?
    pub assumes: bool,
    /// States searched for it.
    pub nodes: u64,
}

/// Who plays first in the search about a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum First {
    /// The opponent: Article 7 to the letter.
    Attacker,
    /// The owner: what players agree on when they stop although a protective move or
    /// two is still to be made. A chain is then dead if even the first move does not
    /// save it.
    Owner,
}

impl First {
    pub(super) fn color(self, owner: Color) -> Color {
        match self {
            First::Attacker => owner.opponent(),
            First::Owner => owner,
        }
    }
}

/// What is asked of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Procedure {
    /// Who begins.
    pub first: First,
    /// How they play.
    pub conduct: Conduct,
}

impl Procedure {
    /// Article 7 of the Japanese rules of 1989, to the letter.
    pub const ARTICLE_7: Procedure = Procedure {
        first: First::Attacker,
        conduct: Conduct {
            retake: Retake::AfterPassForIt,
            suicide: SuicideRule::Forbidden,
        },
    };
}

/// How much work may go into it.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// States for one question about one chain.
    pub nodes: u64,
    /// States for all questions about a board.
    pub total: u64,
    /// Most empty points of a region; larger ones are not searched.
    pub empty: u32,
    /// Processor time after which to stop, whatever the nodes.
    pub time: Duration,
}

impl Default for Effort {
    /// About ten seconds at most on one core.
    fn default() -> Self {
        Effort {
            nodes: 1_500_000,
            total: 40_000_000,
            empty: 64,
            time: Duration::from_secs(60),
        }
    }
}

/// Regions of more empty points are given up early: what can be found in them is
/// found at once.
pub(super) const WIDE: u32 = 20;

/// Confirm the life or death of every chain that has no `safe` stone (indexed by
/// [`Point::index`]); safe chains are taken to be beyond capture. A chain in a region
/// of too many points gets [`Life::Unsettled`].
///
/// ```
/// use ponnuki::adjudicate::{Effort, Hypothetical, Life, Procedure, Safe, confirm};
/// use ponnuki::board::Board;
/// use ponnuki::types::{Color, Point};
///
/// let board = Board::from_diagram(
///     ". . . X O
///      X X X X O
///      O O O O O
///      . . . . .
///      . . . . .",
/// )?;
/// let safe = Safe::of(&board, None).walls();
/// let findings = confirm(&board, &safe, Procedure::ARTICLE_7, Effort::default());
/// let corner = findings.iter().find(|f| f.owner == Color::Black).unwrap();
/// assert_eq!((corner.life, corner.stones.len()), (Life::Dead, 5));
/// // White attacks first, and plays in the middle of the eye space.
/// let vital = (Color::White, Hypothetical::Play(Point::new(1, 4)));
/// assert_eq!(corner.line.first(), Some(&vital));
/// # Ok::<(), ponnuki::board::SetUpError>(())
/// ```
pub fn confirm(board: &Board, safe: &[bool], how: Procedure, effort: Effort) -> Vec<Finding> {
    let mut findings = Vec::new();
    for p in board.size().points() {
        if let Some(owner) = board.at(p).color()
            && board.chain(p) == p
            && !safe[p.index()]
        {
            findings.push(Finding {
                stones: board.chain_stones(p).collect(),
                owner,
                life: Life::Unsettled,
                line: Vec::new(),
                end: End::Unfinished,
                assumes: false,
                nodes: 0,
            });
        }
    }
    confirm_unsettled(&mut findings, board, safe, how, effort);
    findings
}

/// Confirm those of the chains again whose life is [`Life::Unsettled`], with these
/// chains taken to be beyond capture.
pub fn confirm_unsettled(
    findings: &mut [Finding],
    board: &Board,
    safe: &[bool],
    how: Procedure,
    effort: Effort,
) {
    let mut regions: Vec<Region> = Vec::new();
    for f in findings.iter().filter(|f| f.life == Life::Unsettled) {
        let p = f.stones[0];
        if regions.iter().any(|r| r.contains(p)) || safe[p.index()] {
            continue;
        }
        regions.extend(Region::around(board, p, safe).filter(|r| r.empty() <= effort.empty));
    }
    // What is small is found out first.
    regions.sort_by_key(|r| (r.empty(), r.point(0).index()));
    let mut left = effort.total;
    let deadline = Deadline::after(effort.time);
    for region in regions {
        let nodes = match region.empty() {
            n if n > WIDE => effort.nodes / 16,
            _ => effort.nodes,
        };
        for found in settle(region, how, nodes, &mut left, deadline) {
            let old = findings
                .iter_mut()
                .find(|f| f.stones.contains(&found.stones[0]));
            if let Some(old) = old.filter(|f| f.life == Life::Unsettled) {
                let nodes = old.nodes + found.nodes;
                *old = Finding { nodes, ..found };
            }
        }
    }
}
