//! Area as the networks define it: the points each player would score if the game ended now.

use crate::board::Board;
use crate::tactics::unconditional;
use crate::types::{Color, POINTS, Point, PointSet};

/// Owner of each point, by [`Point::index`].
pub type Owners = Vec<Option<Color>>;

/// Compute the area with all stones alive, except those inside unconditionally alive
/// areas (Benson 1976). `suicide` tells whether stones inside a region may be removed by
/// suicide.
pub fn area(board: &Board, suicide: bool) -> Owners {
    let mut owners = vec![None; POINTS];
    for c in Color::BOTH {
        mark(board, c, suicide, &mut owners);
    }
    for p in board.size().points() {
        let owner = &mut owners[p.index()];
        *owner = owner.or(board.at(p).color());
    }
    owners
}

/// Compute the area without territory in seki: areas that touch a dame, or contain a
/// stone of their owner in atari, count only for their stones.
pub fn independent_area(board: &Board, suicide: bool) -> Owners {
    let basic = area(board, suicide);
    let mut seki = PointSet::default();
    for p in board.size().points() {
        let Some(owner) = basic[p.index()] else {
            continue;
        };
        let own_in_atari = board.at(p).color() == Some(owner) && board.atari(p).is_some();
        let is_dame = |q: Point| board.is_empty(q) && basic[q.index()].is_none();
        if seki.contains(p) || !(own_in_atari || p.neighbours().into_iter().any(is_dame)) {
            continue;
        }
        seki.insert(p);
        let mut stack = vec![p];
        while let Some(q) = stack.pop() {
            for r in q.neighbours() {
                if basic[r.index()] == Some(owner) && seki.insert(r) {
                    stack.push(r);
                }
            }
        }
    }
    let mut owners = basic;
    for p in board.size().points() {
        let owner = &mut owners[p.index()];
        if seki.contains(p) && board.at(p).color() != *owner {
            *owner = None;
        }
    }
    owners
}

/// Mark the points of `c`: unconditionally alive chains, enclosed regions too small for
/// the opponent to live in, and empty regions that only `c` borders.
fn mark(board: &Board, c: Color, suicide: bool, owners: &mut Owners) {
    let alive = unconditional(board, c, suicide);
    for s in alive.stones {
        owners[s.index()] = Some(c);
    }
    for region in alive.regions {
        let certain = region.healthy && (region.inner < 2 || !region.has_stones);
        for p in region.points {
            let owner = &mut owners[p.index()];
            if certain || (!region.has_stones && owner.is_none()) {
                *owner = Some(c);
            }
        }
    }
}
