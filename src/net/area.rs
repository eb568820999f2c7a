//! Area as the networks see it: what each player would count if the game ended.

use crate::board::Board;
use crate::types::{Color, POINTS, Point, PointState};

/// Owner of each point, by [`Point::index`].
pub type Owners = Vec<Option<Color>>;

/// Area with all stones alive but those within unconditionally alive areas
/// (Benson 1976). With `suicide`, stones within a region may be given up to fill
/// it.
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

/// The same where territory in seki does not count: areas that touch a dame, or
/// hold a stone of their owner in atari, count for their stones alone.
pub fn independent_area(board: &Board, suicide: bool) -> Owners {
    let basic = area(board, suicide);
    let mut seki = [false; POINTS];
    for p in board.size().points() {
        let Some(owner) = basic[p.index()] else {
            continue;
        };
        let own_in_atari = board.at(p).color() == Some(owner) && board.atari(p).is_some();
        let is_dame = |q: Point| board.is_empty(q) && basic[q.index()].is_none();
        if seki[p.index()] || !(own_in_atari || p.neighbours().into_iter().any(is_dame)) {
            continue;
        }
        seki[p.index()] = true;
        let mut stack = vec![p];
        while let Some(q) = stack.pop() {
            for r in q.neighbours() {
                if basic[r.index()] == Some(owner) && !seki[r.index()] {
                    seki[r.index()] = true;
                    stack.push(r);
                }
            }
        }
    }
    let mut owners = basic;
    for p in board.size().points() {
        let owner = &mut owners[p.index()];
        if seki[p.index()] && board.at(p).color() != *owner {
            *owner = None;
        }
    }
    owners
}

/// A connected set of points without stones of a colour.
struct Region {
    points: Vec<Point>,
    /// Chains that it is vital to: all its points, or those that are empty, are
    /// their liberties.
    vital_to: Vec<Point>,
    /// Points that touch no stone of the colour, counted up to 2.
    inner: usize,
    has_stones: bool,
    /// Are all chains around it alive?
    healthy: bool,
}

/// Mark what is `c`'s: unconditionally alive chains, regions within that leave no
/// room for life, and empty regions that only `c` borders.
fn mark(board: &Board, c: Color, suicide: bool, owners: &mut Owners) {
    let own = PointState::from(c);
    let mut seen = [false; POINTS];
    let mut regions: Vec<Region> = Vec::new();
    let mut region_of = [usize::MAX; POINTS];
    let touches = |p: Point, chain: Point| {
        let around = p.neighbours().into_iter();
        around
            .filter(|&q| board.at(q) == own)
            .any(|q| board.chain(q) == chain)
    };
    let mut chains = Vec::new();
    for p in board.size().points() {
        if board.at(p) == own && board.chain(p) == p {
            chains.push(p);
        }
        if !board.is_empty(p) || seen[p.index()] {
            continue;
        }
        let outside = |q: Point| board.at(q) != own && board.at(q) != PointState::Border;
        let points = board.flood(p, &mut seen, outside);
        let mut vital_to: Vec<Point> = Vec::new();
        for q in p.neighbours() {
            if board.at(q) == own && !vital_to.contains(&board.chain(q)) {
                vital_to.push(board.chain(q));
            }
        }
        let filled = |q: &Point| suicide || board.is_empty(*q);
        vital_to.retain(|&chain| {
            points
                .iter()
                .filter(|q| filled(q))
                .all(|&q| touches(q, chain))
        });
        let is_inner = |q: &&Point| q.neighbours().iter().all(|&r| board.at(r) != own);
        for q in &points {
            region_of[q.index()] = regions.len();
        }
        regions.push(Region {
            inner: points.iter().filter(is_inner).take(2).count(),
            has_stones: points.iter().any(|&q| !board.is_empty(q)),
            points,
            vital_to,
            healthy: true,
        });
    }
    if chains.is_empty() {
        return;
    }
    loop {
        let before = chains.len();
        let mut dropped = Vec::new();
        chains.retain(|&chain| {
            let vital = |r: &&Region| r.healthy && r.vital_to.contains(&chain);
            let lives = regions.iter().filter(vital).count() >= 2;
            if !lives {
                dropped.push(chain);
            }
            lives
        });
        for q in dropped.iter().flat_map(|&chain| board.chain_stones(chain)) {
            for r in q.neighbours() {
                if let Some(region) = regions.get_mut(region_of[r.index()]) {
                    region.healthy = false;
                }
            }
        }
        if chains.len() == before {
            break;
        }
    }
    for s in chains.iter().flat_map(|&chain| board.chain_stones(chain)) {
        owners[s.index()] = Some(c);
    }
    for region in &regions {
        let certain = region.healthy && (region.inner < 2 || !region.has_stones);
        for p in &region.points {
            let owner = &mut owners[p.index()];
            if certain || (!region.has_stones && owner.is_none()) {
                *owner = Some(c);
            }
        }
    }
}
