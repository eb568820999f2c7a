//! Chains beyond capture, the walls of hypothetical play.

use super::goal::Goal;
use super::play::{Conduct, State};
use super::region::{Region, WIDE};
use super::room::{MOST_INTRUDERS, ROOM_TO_LIVE, is_wall, lives_by_room, room_to_live};
use super::shape::places;
use super::solve::Solver;
use super::walls::{Reliance, Walls};
use crate::board::Board;
use crate::tactics::unconditional;
use crate::types::{Color, POINTS, Point, PointSet};

/// A proof that a chain is beyond capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Proof {
    /// It stays on the board even if its owner never plays again (Benson 1976).
    Unconditional,
    /// It has two eyes that it encloses alone.
    TwoEyes,
    /// It alone encloses more room than two eyes need. It must be a real wall if the opponent might
    /// live in that room.
    Room,
    /// It shares two liberties with a chain beyond capture: if the opponent takes one, its owner
    /// connects at the other.
    Connected,
    /// It shares a room with other chains of its owner. A search of the room, or of its shape,
    /// shows that none of them can be captured.
    Shared,
}

/// The chains of a board that are beyond capture, and why.
#[derive(Clone, Debug)]
pub struct Safe {
    /// By [`Point::index`].
    proofs: Vec<Option<Proof>>,
    walls: Walls,
}

/// Minimum points of a territory whose surrounding chains may count as certain.
const TERRITORY: usize = 8;

/// Minimum liberties of a chain that may count as likely to live.
pub(super) const FREE: usize = 5;

/// Maximum nodes to search all shared rooms of a board.
const SHARING: u64 = 2_000_000;

/// Maximum points of a searched end of a large room.
const END_POINTS: usize = 15;

/// A region enclosed by stones of one colour, empty except for dead stones.
struct Room {
    points: Vec<Point>,
    /// The chains around it.
    chains: Vec<Point>,
}

impl Safe {
    /// Find the chains proved to be beyond capture even if the opponent moves first. If `search`
    /// gives the rules of play, rooms that several chains share are searched too.
    pub fn of(board: &Board, search: Option<Conduct>) -> Safe {
        let mut safe = Safe {
            proofs: vec![None; POINTS],
            walls: Walls::default(),
        };
        // Points where a move of the opponent may need an answer. No two proofs use the same point,
        // since a move there could threaten two chains at once.
        let mut used = PointSet::default();
        for c in Color::BOTH {
            for p in unconditional(board, c, false).stones {
                safe.proofs[p.index()] = Some(Proof::Unconditional);
            }
            safe.find_eyes(board, c, &mut used);
        }
        let mut nodes = SHARING;
        for c in Color::BOTH {
            let rooms = rooms(board, c, |p| board.at(p).color() == Some(c.opponent()));
            safe.fit_shapes(board, c, &rooms, &mut used);
            if let Some(conduct) = search {
                nodes -= safe.search_rooms(board, c, &rooms, conduct, nodes, &mut used);
            }
        }
        safe.connect(board, &mut used);
        let is_proved = |&p: &Point| safe.proof(p).is_some();
        let proved: PointSet = board.size().points().filter(is_proved).collect();
        safe.walls = Walls {
            reliances: safe.walls.reliances,
            ..Walls::proved(proved)
        };
        safe
    }

    /// Find known shapes in rooms. No chain around such a shape can be captured.
    fn fit_shapes(&mut self, board: &Board, c: Color, rooms: &[Room], used: &mut PointSet) {
        let in_room: PointSet = rooms.iter().flat_map(|room| &room.points).collect();
        let free = |p: Point| in_room.contains(p);
        for place in places(board, c, free, |chain| self.proof(chain).is_none()) {
            let open = |&&chain: &&Point| self.proof(chain).is_none();
            let chains: Vec<Point> = place.chains.iter().filter(open).copied().collect();
            if chains.is_empty() || place.points.iter().any(|&p| used.contains(p)) {
                continue;
            }
            self.share(board, chains, place.points, used);
        }
    }

    /// Search shared rooms: can the opponent, moving first, capture any of the surrounding chains?
    /// Of a large room only the ends are searched, and the rest counts as the opponent's. A room
    /// may hold a few stones of the opponent. Returns the nodes used, at most `nodes`.
    fn search_rooms(
        &mut self,
        board: &Board,
        c: Color,
        rooms: &[Room],
        conduct: Conduct,
        nodes: u64,
        used: &mut PointSet,
    ) -> u64 {
        let mut left = nodes;
        let parts = rooms.iter().flat_map(|room| match room.points.len() {
            n if n <= WIDE as usize => vec![room.points.clone()],
            _ => ends(board, &room.points),
        });
        for points in parts {
            let open = |p: &Point| board.at(*p).color() == Some(c) && self.proof(*p).is_none();
            let mut chains: Vec<Point> = Vec::new();
            for p in points.iter().flat_map(|p| p.neighbours()).filter(open) {
                if !chains.contains(&board.chain(p)) {
                    chains.push(board.chain(p));
                }
            }
            let intruders = points.iter().filter(|&&p| !board.is_empty(p)).count();
            if chains.is_empty()
                || points.len() < ROOM_TO_LIVE as usize
                || intruders > MOST_INTRUDERS as usize
                || points.iter().any(|&p| used.contains(p))
            {
                continue;
            }
            let safe = |p: Point| !open(&p);
            let Some(region) = Region::of_room(board, &points, &chains, c, safe) else {
                continue;
            };
            let goal = Goal::Capture {
                owner: c,
                target: region.stones[c.index()],
            };
            let start = State::start(&region, c.opponent());
            let mut solver = Solver::new(region, conduct);
            let falls = solver.solve(goal, &start, left);
            left = left.saturating_sub(solver.nodes());
            if falls == Ok(false) {
                self.share(board, chains, points, used);
            }
        }
        nodes - left
    }

    /// Record that chains are beyond capture because they share these points.
    fn share(
        &mut self,
        board: &Board,
        chains: Vec<Point>,
        points: Vec<Point>,
        used: &mut PointSet,
    ) {
        used.extend(&points);
        for &chain in &chains {
            self.prove(board, chain, Proof::Shared);
        }
        let stones = chains.iter().flat_map(|&chain| board.chain_stones(chain));
        self.walls.reliances.push(Reliance {
            stones: stones.collect(),
            points,
            to: None,
        });
    }

    /// Add chains that an estimate considers safe: those around territory as certain, those with
    /// many liberties as likely. `ownership` ranges from −1 (White's) to 1 (Black's). For the owner
    /// of a chain it must exceed `least`.
    pub fn estimate(&mut self, board: &Board, least: f32, ownership: impl Fn(Point) -> f32) {
        let owns = |c: Color, p: Point| c.sign() as f32 * ownership(p) > least;
        for (c, stones) in board.chains() {
            if !stones.iter().all(|&p| owns(c, p)) {
                continue;
            }
            self.walls.estimated.extend(&stones);
            if board.liberties_up_to::<FREE>(stones[0]).len() == FREE {
                self.walls.likely.extend(stones);
            }
        }
        for c in Color::BOTH {
            let dead = |q: Point| board.at(q).color() == Some(c.opponent()) && owns(c, q);
            for room in rooms(board, c, dead) {
                let links = points_beside(&room.points, |q| room.chains.contains(&board.chain(q)));
                if !is_wall(room.points.len() as u32, links) {
                    continue;
                }
                let empty = room.points.iter().all(|&q| board.is_empty(q));
                if room.points.len() < TERRITORY
                    || !(empty || room.points.iter().all(|&q| owns(c, q)))
                {
                    continue;
                }
                // A chain among the opponent's stones does not bound them: whether these are dead
                // may depend on whether it can be captured.
                let bounds = |&chain: &Point| empty || !is_among(board, chain, &room.points);
                let around = room.chains.iter().copied();
                for chain in around.filter(|chain| owns(c, *chain) && bounds(chain)) {
                    self.walls.certain.extend(board.chain_stones(chain));
                    self.walls.likely.extend(board.chain_stones(chain));
                    self.walls.estimated.extend(board.chain_stones(chain));
                }
            }
        }
    }

    /// The proof that the chain at a point is beyond capture, if there is one.
    pub fn proof(&self, p: Point) -> Option<Proof> {
        self.proofs[p.index()]
    }

    /// Is the chain at a point proved to be beyond capture, or estimated as certain?
    pub fn contains(&self, p: Point) -> bool {
        self.walls.certain.contains(p)
    }

    /// The walls of hypothetical play.
    pub fn walls(&self) -> Walls {
        self.walls.clone()
    }

    /// What the proofs rely on, except proofs about stones that are assumed to hold anyway.
    pub(super) fn reliances(&self, holds: impl Fn(Point) -> bool) -> Vec<Reliance> {
        let open = |r: &&Reliance| !r.stones.iter().all(|&p| holds(p));
        self.walls.reliances.iter().filter(open).cloned().collect()
    }

    fn prove(&mut self, board: &Board, chain: Point, proof: Proof) {
        for p in board.chain_stones(chain) {
            self.proofs[p.index()].get_or_insert(proof);
        }
    }

    /// Find chains that alone enclose two eyes or room for them.
    fn find_eyes(&mut self, board: &Board, c: Color, used: &mut PointSet) {
        let mut eyes = [0u8; POINTS];
        let enough = room_to_live(board.size());
        for region in rooms(board, c, |_| false) {
            if let [chain] = region.chains[..] {
                if lives_by(board, chain, enough, &region.points, 0) {
                    self.prove(board, chain, Proof::Room);
                }
                eyes[chain.index()] += 1;
                if eyes[chain.index()] == 2 {
                    self.prove(board, chain, Proof::TwoEyes);
                }
            }
        }
        for (_, stones) in board.chains().filter(|(owner, _)| *owner == c) {
            if self.proof(stones[0]).is_none()
                && let Some(room) = wide_room(board, c, board.chain(stones[0]))
            {
                self.prove(board, stones[0], Proof::Room);
                used.extend(room);
            }
        }
    }

    /// Find chains that share two liberties with one beyond capture.
    fn connect(&mut self, board: &Board, used: &mut PointSet) {
        loop {
            let mut changed = false;
            for p in board.size().points() {
                if !board.at(p).is_stone() || board.chain(p) != p || self.proof(p).is_some() {
                    continue;
                }
                let c = board.at(p).color();
                let mut links: Vec<(Point, Point)> = Vec::new();
                let liberties = board.liberties_of(board.chain_stones(p));
                for l in liberties.into_iter().filter(|&l| !used.contains(l)) {
                    for q in l.neighbours() {
                        let safe = board.at(q).color() == c && self.proof(q).is_some();
                        let link = (board.chain(q), l);
                        if safe && !links.contains(&link) {
                            links.push(link);
                        }
                    }
                }
                links.sort_by_key(|(chain, l)| (chain.index(), l.index()));
                let pair = links.windows(2).find(|two| two[0].0 == two[1].0);
                if let Some(two) = pair {
                    let points = vec![two[0].1, two[1].1];
                    used.extend(&points);
                    self.prove(board, p, Proof::Connected);
                    self.walls.reliances.push(Reliance {
                        stones: board.chain_stones(p).collect(),
                        points,
                        to: Some(two[0].0),
                    });
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
    }
}

/// Does a chain live by a room that it encloses alone, with these `empty` points, of which it needs
/// `least`, and stones of the opponent?
fn lives_by(board: &Board, chain: Point, least: u32, empty: &[Point], intruders: u32) -> bool {
    let is_chain = |q: Point| board.at(q).is_stone() && board.chain(q) == chain;
    let links = points_beside(empty, is_chain);
    lives_by_room(least, empty.len() as u32, links, intruders)
}

/// How many of these points are next to a `wall`?
fn points_beside(points: &[Point], wall: impl Fn(Point) -> bool) -> u32 {
    let beside = |p: &&Point| p.neighbours().into_iter().any(&wall);
    points.iter().filter(beside).count() as u32
}

/// The empty points of a room that one chain of `c` encloses alone and that is large enough for two
/// eyes. The room may hold other stones of `c` and a few of the opponent.
fn wide_room(board: &Board, c: Color, chain: Point) -> Option<Vec<Point>> {
    let is_chain = |q: Point| board.at(q).color() == Some(c) && board.chain(q) == chain;
    let inside = |q: Point| board.size().contains(q) && !is_chain(q);
    board.parts(inside).into_iter().find_map(|part| {
        let (empty, stones): (Vec<Point>, Vec<Point>) =
            part.into_iter().partition(|&q| board.is_empty(q));
        let is_own = |q: &&Point| board.at(**q).color() == Some(c);
        let own = stones.iter().filter(is_own).count();
        let intruders = (stones.len() - own) as u32;
        // A small room with own stones in it is left to the search, since saving them could cost
        // the room.
        let least = match own {
            0 => room_to_live(board.size()),
            _ => room_to_live(board.size()).max(WIDE + 1),
        };
        lives_by(board, chain, least, &empty, intruders).then_some(empty)
    })
}

/// The ends of a large room, one for each side of the board: the largest connected part between
/// that side and a line, which lies as far in as [`END_POINTS`] points allow. Ends with the fewest
/// openings to the rest come first.
fn ends(board: &Board, room: &[Point]) -> Vec<Vec<Point>> {
    let (width, height) = (board.size().width(), board.size().height());
    let sides: [fn(Point, u8, u8) -> u8; 4] = [
        |p, _, _| p.x(),
        |p, width, _| width - 1 - p.x(),
        |p, _, _| p.y(),
        |p, _, height| height - 1 - p.y(),
    ];
    let mut found = Vec::new();
    for side in sides {
        let part = (0..width.max(height)).rev().find_map(|last| {
            let near = |p: Point| room.contains(&p) && side(p, width, height) <= last;
            let largest = board.parts(near).into_iter().max_by_key(Vec::len)?;
            (largest.len() <= END_POINTS).then_some(largest)
        });
        found.extend(part);
    }
    let openings = |part: &Vec<Point>| {
        let around = part.iter().flat_map(|p| p.neighbours());
        let behind = around.filter(|q| room.contains(q) && !part.contains(q));
        behind.count()
    };
    found.sort_by_key(openings);
    found
}

/// Does a room hold all points next to this chain, which has fewer than [`FREE`] liberties?
fn is_among(board: &Board, chain: Point, room: &[Point]) -> bool {
    let inside = |q: &Point| board.at(*q) == board.at(chain) || room.contains(q);
    board.liberties_up_to::<FREE>(chain).len() < FREE
        && board
            .chain_stones(chain)
            .all(|p| p.neighbours().iter().all(inside))
}

/// The regions of empty points and `dead` stones that only stones of `c` enclose.
fn rooms(board: &Board, c: Color, dead: impl Fn(Point) -> bool) -> Vec<Room> {
    let inside = |q: Point| board.is_empty(q) || dead(q);
    let mut found = Vec::new();
    for points in board.parts(inside) {
        let mut chains: Vec<Point> = Vec::new();
        let mut foreign = false;
        for q in points.iter().flat_map(|p| p.neighbours()) {
            let chain = board.chain(q);
            if board.at(q).color() == Some(c) && !chains.contains(&chain) {
                chains.push(chain);
            }
            foreign |= board.at(q).color() == Some(c.opponent()) && !inside(q);
        }
        if !foreign {
            found.push(Room { points, chains });
        }
    }
    found
}
