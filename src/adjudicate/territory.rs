//! Territory, seki and the removal of dead stones (Japanese 1989, Articles 8 and 10).

use super::independent::{Area, independent, lives};
use crate::board::Board;
use crate::position::Owner;
use crate::types::{Color, Move, POINTS, Point, PointSet};

/// Treatment of unfilled dame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dame {
    /// The position is final: live stones with a dame are in seki (Example 24a).
    AsTheyStand,
    /// The players fill them after the stop, which the commentary on Article 9, clause 2 allows.
    /// Only groups that need a dame to live, next to such groups of the opponent, stay in seki.
    Filled,
}

/// Result of [`divide`].
#[derive(Clone, Debug)]
pub struct Territory {
    /// The owner of each point, by [`Point::index`]. A living stone's point belongs to its player,
    /// a dead stone's point to the territory around it.
    pub owners: Vec<Owner>,
    /// Dead stones to remove without further play.
    pub removed: Vec<Point>,
    /// Living stones in seki.
    pub seki: PointSet,
    /// Points that a player must fill inside its own territory, each with that player.
    pub filled: Vec<(Color, Point)>,
}

/// Divide the board into territory, seki and neutral points. `dead` are dead stones, `safe` stones
/// of chains beyond capture, and `holds` stones that need no protection, even if they are in atari.
///
/// By Article 8 an eye point is an empty point surrounded by live stones of one player only. Every
/// other empty point is a dame. Live stones with a dame are in seki. Eye points of other live
/// stones are territory, unless their area holds dead stones of the surrounding player: then it is
/// not surrounded by live stones only (Example 9).
pub fn divide(
    board: &Board,
    dead: &PointSet,
    safe: &PointSet,
    holds: &PointSet,
    dame: Dame,
) -> Territory {
    let areas = areas(board, dead);
    let seki = in_seki(board, &areas, dead, safe, dame);
    let mut owners = vec![Owner::Neither; POINTS];
    for p in board.size().points() {
        if let Some(c) = board.at(p).color().filter(|_| !dead.contains(p)) {
            owners[p.index()] = Owner::Player(c);
        }
    }
    let mut removed = Vec::new();
    for area in &areas {
        let borders_seki = area.chains.iter().any(|&q| seki.contains(q));
        let owner = match area.owner {
            Some(c) if !borders_seki => Owner::Player(c),
            _ => Owner::Neither,
        };
        for &p in &area.points {
            owners[p.index()] = owner;
        }
        let taken_off = match dame {
            Dame::AsTheyStand => owner != Owner::Neither,
            Dame::Filled => !borders_seki && !area.mixed,
        };
        if taken_off {
            removed.extend(area.points.iter().filter(|&&p| dead.contains(p)));
        }
    }
    let filled = match dame {
        Dame::AsTheyStand => Vec::new(),
        Dame::Filled => protective_moves(board, &owners, &removed, &seki, holds),
    };
    for (_, p) in &filled {
        owners[p.index()] = Owner::Neither;
    }
    Territory {
        owners,
        removed,
        seki,
        filled,
    }
}

/// Living stones in seki.
fn in_seki(
    board: &Board,
    areas: &[Area],
    dead: &PointSet,
    safe: &PointSet,
    dame: Dame,
) -> PointSet {
    let mut seki = PointSet::default();
    let independent = independent(board, areas, dead, safe);
    for area in areas.iter().filter(|a| a.owner.is_none()) {
        if dame == Dame::Filled && area.points.len() >= OPEN {
            continue;
        }
        for &p in area.points.iter().filter(|&&p| board.is_empty(p)) {
            let live = live_near_dame(board, dead, p, dame);
            // Filling it is dangerous only if both players have stones there that need it to live.
            let contested = Color::BOTH.into_iter().all(|c| {
                let mut dependent = live.iter().filter(|&&q| !independent.contains(q));
                dependent.any(|&q| board.at(q).color() == Some(c))
            });
            for q in live {
                if dame == Dame::AsTheyStand || (contested && !independent.contains(q)) {
                    seki.extend(board.chain_stones(q));
                }
            }
        }
    }
    if dame == Dame::Filled {
        share_seki(board, areas, &independent, &mut seki);
    }
    seki
}

/// Extend `seki` to dependent chains that share an eye with chains in seki, since that eye is
/// filled to connect them.
fn share_seki(board: &Board, areas: &[Area], independent: &PointSet, seki: &mut PointSet) {
    let mut changed = true;
    while changed {
        changed = false;
        for area in areas.iter().filter(|a| a.owner.is_some()) {
            if !area.chains.iter().any(|&q| seki.contains(q)) {
                continue;
            }
            for &q in &area.chains {
                if !independent.contains(q) && !seki.contains(q) {
                    seki.extend(board.chain_stones(q));
                    changed = true;
                }
            }
        }
    }
}

/// Living stones next to a dame. If the players fill the dame, they capture dead stones next to it
/// (mostly in a ko), so living stones next to those count too.
fn live_near_dame(board: &Board, dead: &PointSet, p: Point, dame: Dame) -> Vec<Point> {
    let mut found = Vec::new();
    for q in p.neighbours() {
        if lives(board, dead, q) {
            found.push(q);
        } else if board.at(q).is_stone() && dame == Dame::Filled {
            let around = board.chain_stones(q).flat_map(|s| s.neighbours());
            found.extend(around.filter(|&r| lives(board, dead, r)));
        }
    }
    found
}

/// Points of territory that must be filled once the dame are filled (teire): for chains already in
/// atari, and for chains that the opponent puts in atari by filling their last outside liberty. Of
/// several outside liberties the owner fills the others.
fn protective_moves(
    board: &Board,
    owners: &[Owner],
    removed: &[Point],
    seki: &PointSet,
    holds: &PointSet,
) -> Vec<(Color, Point)> {
    let counted = board.without(removed);
    let near_seki = |p: Point| p.neighbours().iter().any(|&q| seki.contains(q));
    let dame: Vec<Point> = board
        .size()
        .points()
        .filter(|&p| counted.is_empty(p) && owners[p.index()] == Owner::Neither && !near_seki(p))
        .collect();
    let mut needed = Vec::new();
    for c in Color::BOTH {
        let inside = |q: &Point| owners[q.index()] == Owner::Player(c);
        let mut own = counted.clone();
        let mut fill = |own: &mut Board, q: Point| {
            let filled = own.place(c, q).is_ok();
            needed.extend(filled.then_some((c, q)));
            filled
        };
        let in_question =
            |(by, stones): &(Color, Vec<Point>)| *by == c && !holds.contains(stones[0]);
        for (_, stones) in counted.chains().filter(in_question) {
            if let Some(q) = own.atari(stones[0]).filter(inside) {
                fill(&mut own, q);
            }
        }
        let next = |own: &Board| dame.iter().find_map(|&p| connection(own, owners, c, p));
        while let Some(q) = next(&own) {
            if !fill(&mut own, q) {
                break;
            }
        }
    }
    needed
}

/// The point of territory at which a chain of `c` must connect after the opponent has filled the
/// dame `taken`, and `c` all other dame around the chain.
fn connection(board: &Board, owners: &[Owner], c: Color, taken: Point) -> Option<Point> {
    let after = board.with_stone(c.opponent(), taken).ok()?;
    taken.neighbours().into_iter().find_map(|p| {
        let at_stake = after.at(p).color() == Some(c) && after.chain_len(p) < TOO_LARGE_TO_LOSE;
        if !at_stake || is_saved_by_capture(&after, p, taken) {
            return None;
        }
        let mut filled = after.clone();
        for q in after.liberties_up_to::<8>(p) {
            if owners[q.index()] == Owner::Neither {
                // Cannot fail: the point is empty.
                let _ = filled.place(c, q);
            }
        }
        let last = filled.atari(p);
        last.filter(|q| owners[q.index()] == Owner::Player(c))
    })
}

/// Can the stone at `attacker` be captured and leave neither the chain at `p` nor the capturing
/// stone in atari? Then the chain need not connect.
fn is_saved_by_capture(board: &Board, p: Point, attacker: Point) -> bool {
    let Some((last, c)) = board.atari(attacker).zip(board.at(p).color()) else {
        return false;
    };
    let after = board.after(c, Move::Play(last));
    [p, last].iter().all(|&q| after.atari(q).is_none())
}

/// Minimum points of a neutral area that counts as unfinished rather than as the dame of a seki.
const OPEN: usize = 12;

/// Minimum stones of a chain that need not connect. If it seems to be in danger, the judgement is
/// mistaken, since players would not stop the game with such a large chain in atari.
const TOO_LARGE_TO_LOSE: u32 = 40;

/// The maximal connected sets of points without living stones.
fn areas(board: &Board, dead: &PointSet) -> Vec<Area> {
    let open = |p: Point| board.is_empty(p) || (board.at(p).is_stone() && dead.contains(p));
    let mut areas = Vec::new();
    for points in board.parts(open) {
        let mut chains: Vec<Point> = Vec::new();
        let mut borders = [false; 2];
        let mut holds = [false; 2];
        for &q in &points {
            if let Some(c) = board.at(q).color() {
                holds[c.index()] = true;
            }
            for r in q.neighbours().into_iter().filter(|&r| !open(r)) {
                if let Some(c) = board.at(r).color() {
                    borders[c.index()] = true;
                    if !chains.contains(&board.chain(r)) {
                        chains.push(board.chain(r));
                    }
                }
            }
        }
        let surrounds = |c: &Color| borders[c.index()] && !borders[c.opponent().index()];
        let around = Color::BOTH.into_iter().find(surrounds);
        areas.push(Area {
            points,
            chains,
            owner: around.filter(|c| !holds[c.index()]),
            mixed: holds == [true, true],
        });
    }
    areas
}
