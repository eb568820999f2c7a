//! The confirmation of life and death (Japanese 1989, Article 7): what becomes of
//! each chain if its opponent attacks it first. The three questions, in this order,
//! are those of Jasiek's formalisation (Japanese 2003 rules): uncapturable,
//! capturable-1, capturable-2.

use super::play::{Retake, State, Step};
use super::region::{Bits, Region, bits};
use super::solve::{Goal, Solver};
use crate::board::Board;
use crate::types::{Color, Point};
use std::time::{Duration, Instant};

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
    fn color(self, owner: Color) -> Color {
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
    /// When a ko may be retaken.
    pub retake: Retake,
}

impl Procedure {
    /// Article 7 of the Japanese rules of 1989, to the letter.
    pub const ARTICLE_7: Procedure = Procedure {
        first: First::Attacker,
        retake: Retake::AfterPassForIt,
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
    /// Time for all questions about a board: a last stop, beyond what the nodes take.
    pub time: Duration,
}

impl Default for Effort {
    fn default() -> Self {
        Effort {
            nodes: 400_000,
            total: 4_000_000,
            empty: 20,
            time: Duration::from_secs(60),
        }
    }
}

/// Longest line that is shown.
const LINE: usize = 40;

/// Confirm the life or death of every chain that has no `safe` stone (indexed by
/// [`Point::index`]); safe chains are taken to be beyond capture.
///
/// A question that runs out of nodes is asked once more with further chains taken to
/// be safe: those that cannot be captured and whose neighbours may be. A chain in a
/// region of too many points gets [`Life::Unsettled`].
///
/// ```
/// use ponnuki::adjudicate::{Effort, Hypothetical, Life, Procedure, confirm, safe_chains};
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
/// let safe = safe_chains(&board, |_| 0.0);
/// let findings = confirm(&board, &safe, Procedure::ARTICLE_7, Effort::default());
/// let corner = findings.iter().find(|f| f.owner == Color::Black).unwrap();
/// assert_eq!((corner.life, corner.stones.len()), (Life::Dead, 5));
/// // White attacks first, and plays in the middle of the eye space.
/// let vital = (Color::White, Hypothetical::Play(Point::new(1, 4)));
/// assert_eq!(corner.line.first(), Some(&vital));
/// # Ok::<(), ponnuki::board::SetUpError>(())
/// ```
pub fn confirm(board: &Board, safe: &[bool], how: Procedure, effort: Effort) -> Vec<Finding> {
    let mut left = effort;
    let until = Instant::now() + effort.time;
    let mut findings: Vec<Finding> = Vec::new();
    for p in board.size().points() {
        let known = || findings.iter().any(|f| f.stones.contains(&p));
        if !board.at(p).is_stone() || safe[p.index()] || known() {
            continue;
        }
        findings.extend(around(board, p, safe, how, &mut left, until));
    }
    if findings.iter().all(|f| f.life != Life::Unsettled) {
        return findings;
    }
    let mut strong = safe.to_vec();
    for f in findings.iter().filter(|f| f.life == Life::Uncapturable) {
        if overpowers_its_neighbours(board, f, safe, &findings) {
            for &p in &f.stones {
                strong[p.index()] = true;
            }
        }
    }
    if strong == safe {
        return findings;
    }
    // One search of a region answers for all its chains.
    let mut tried: Vec<Point> = Vec::new();
    for i in 0..findings.len() {
        let p = findings[i].stones[0];
        if findings[i].life != Life::Unsettled || tried.contains(&p) {
            continue;
        }
        for second in around(board, p, &strong, how, &mut left, until) {
            tried.extend(&second.stones);
            let first = findings
                .iter_mut()
                .find(|f| f.stones.contains(&second.stones[0]));
            if let Some(first) = first.filter(|f| f.life == Life::Unsettled) {
                let nodes = first.nodes + second.nodes;
                *first = Finding { nodes, ..second };
            }
        }
    }
    findings
}

/// Is no neighbouring chain of the opponent known to be beyond capture, apart from
/// safe ones? If one is, the two may live only in seki.
fn overpowers_its_neighbours(
    board: &Board,
    f: &Finding,
    safe: &[bool],
    findings: &[Finding],
) -> bool {
    f.stones.iter().flat_map(|p| p.neighbours()).all(|q| {
        let hostile = board.at(q).color() == Some(f.owner.opponent());
        let uncapturable = |q| {
            let found = findings.iter().find(|g| g.stones.contains(&q));
            found.is_some_and(|g| g.life == Life::Uncapturable)
        };
        !hostile || safe[q.index()] || !uncapturable(q)
    })
}

/// The findings about the region around a chain.
fn around(
    board: &Board,
    p: Point,
    safe: &[bool],
    how: Procedure,
    left: &mut Effort,
    until: Instant,
) -> Vec<Finding> {
    let region = Region::around(board, p, safe).filter(|r| {
        let empty = r.all() & !(r.stones[0] | r.stones[1]);
        empty.count_ones() <= left.empty && Instant::now() < until
    });
    match region {
        Some(region) => confirm_region(region, how, left, until),
        None => finding(board, p, Life::Unsettled).into_iter().collect(),
    }
}

fn finding(board: &Board, p: Point, life: Life) -> Option<Finding> {
    Some(Finding {
        stones: board.chain_stones(p).collect(),
        owner: board.at(p).color()?,
        life,
        line: Vec::new(),
        nodes: 0,
    })
}

fn confirm_region(
    region: Region,
    how: Procedure,
    left: &mut Effort,
    until: Instant,
) -> Vec<Finding> {
    let mut chains: Vec<(Color, Bits)> = Vec::new();
    for c in Color::BOTH {
        chains.extend(region.parts(region.stones[c.index()]).map(|bits| (c, bits)));
    }
    let mut lives = vec![Life::Unsettled; chains.len()];
    let mut goals: Vec<Option<Goal>> = vec![None; chains.len()];
    let mut nodes = vec![0; chains.len()];
    let mut solver = Solver::new(region, how.retake).until(Some(until));
    // In this order, since the area that opens up ends at chains that are known to
    // be alive.
    let questions = [Life::Uncapturable, Life::NewStone, Life::NewStoneNearby];
    for (number, question) in questions.into_iter().enumerate() {
        let before = lives.clone();
        for (i, &(owner, target)) in chains.iter().enumerate() {
            if number > 0 && lives[i] != Life::Dead {
                continue;
            }
            // The side that begins can start something new anywhere. Only of the side
            // that answers can it be said that the capture enabled the new stone.
            if question == Life::NewStoneNearby && how.first == First::Owner {
                continue;
            }
            let goal = match question {
                Life::Uncapturable => Goal::Capture { owner, target },
                Life::NewStone => Goal::CaptureForGood {
                    owner,
                    target,
                    local: target,
                },
                _ => {
                    let standing = chains
                        .iter()
                        .zip(&before)
                        .filter(|((c, _), life)| *c == owner && life.is_alive() == Some(true))
                        .fold(0, |all, ((_, chain), _)| all | chain);
                    let region = solver.region();
                    let local = region.flood(target, region.all() & !standing);
                    Goal::CaptureForGood {
                        owner,
                        target,
                        local,
                    }
                }
            };
            let start = State::start(solver.region(), how.first.color(owner));
            let used = solver.nodes();
            let nodes_left = match Instant::now() < until {
                true => left.nodes.min(left.total),
                false => 0,
            };
            lives[i] = match solver.solve(goal, &start, nodes_left) {
                Ok(true) => Life::Dead,
                Ok(false) => question,
                Err(_) => Life::Unsettled,
            };
            nodes[i] += solver.nodes() - used;
            left.total = left.total.saturating_sub(solver.nodes() - used);
            goals[i] = Some(goal);
        }
    }
    let region = solver.region();
    chains
        .iter()
        .enumerate()
        .map(|(i, &(owner, target))| {
            let start = State::start(region, how.first.color(owner));
            let line = goals[i].map_or_else(Vec::new, |g| solver.line(g, &start, LINE));
            let stones = bits(target).map(|b| region.point(b)).collect();
            Finding {
                stones,
                owner,
                life: lives[i],
                line: line
                    .into_iter()
                    .map(|(c, step)| {
                        let step = match step {
                            Step::Play(b) => Hypothetical::Play(region.point(b)),
                            Step::KoPass(b) => Hypothetical::KoPass(region.point(b)),
                            Step::Pass => Hypothetical::Pass,
                        };
                        (c, step)
                    })
                    .collect(),
                nodes: nodes[i],
            }
        })
        .collect()
}
