//! A part of the board, bounded by chains beyond capture, that contains all hypothetical play about
//! its chains.

use super::room::{room_to_live, too_small};
use crate::board::Board;
use crate::types::{BoardSize, Color, POINTS, Point, PointSet};
use smallvec::{SmallVec, smallvec};

/// Maximum points of a region: a set of them is one word, with a bit for each.
pub const MOST_POINTS: usize = 64;

/// Regions with more empty points than this get fewer nodes, since their search succeeds early or
/// never.
pub const WIDE: u32 = 20;

/// A set of points of a region, one bit each.
pub type Bits = u64;

/// A region: its points, their neighbours and their stones.
#[derive(Clone, Debug)]
pub struct Region {
    points: Vec<Point>,
    neighbours: Vec<Bits>,
    /// By colour: points next to a safe chain. A stone there cannot be captured.
    pub next_to_safe: [Bits; 2],
    /// By colour: the stones.
    pub stones: [Bits; 2],
    /// The stone that has just captured in a ko, which must not be retaken at once. None after a
    /// pass, which lifts the ko.
    pub marked: Bits,
    /// Maximum points of a room too small to live in: with own stones there, and without.
    pub too_small: [u32; 2],
    /// Empty points that a chain must enclose alone to live.
    pub room_to_live: u32,
    /// Bits that stand for whole chains of a goal's prover. Once one of them is captured, the goal is
    /// missed, since it is not known what follows on its points.
    pub held: Bits,
}

impl Region {
    /// Create a region of these points, with neither stones nor neighbours.
    fn blank(points: Vec<Point>, size: BoardSize) -> Region {
        Region {
            neighbours: vec![0; points.len()],
            next_to_safe: [0; 2],
            stones: [0; 2],
            marked: 0,
            too_small: too_small(size),
            room_to_live: room_to_live(size),
            held: 0,
            points,
        }
    }

    /// Mark the stone that has just captured in a ko, if it is in the region.
    fn mark_ko(&mut self, board: &Board) {
        let Some(ko) = board.ko() else { return };
        let captor = |q: &Point| board.chain_len(*q) == 1 && board.atari(*q) == Some(ko);
        for q in ko.neighbours().into_iter().filter(captor) {
            self.marked |= self.bits_of(&[q]);
        }
    }

    /// The region around `p`: all points connected to it through empty points and stones that are
    /// no `walls`. `None` if there are too many points.
    pub fn around(board: &Board, p: Point, walls: &PointSet) -> Option<Region> {
        Region::connected(board, p, walls, &PointSet::default(), |q| {
            board.at(q).color()
        })
    }

    /// The region around the chain at `p`, in which each chain of `merged` is one bit: room for the
    /// points around large chains. Such a region can tell whether the chain at `p`, the first bit,
    /// can be captured without the loss of another merged chain, but not what happens after that.
    /// Walls that have `fallen` count as the opponent's.
    pub fn around_merged(
        board: &Board,
        p: Point,
        walls: &PointSet,
        merged: &PointSet,
        fallen: &PointSet,
    ) -> Option<Region> {
        let outside = |q: Point| {
            let color = board.at(q).color();
            color.map(|c| if fallen.contains(q) { c.opponent() } else { c })
        };
        let region = Region::connected(board, p, walls, merged, outside)?;
        let attacker = board.at(p).color()?.opponent();
        let is_merged = |bit: &u32| merged.contains(region.point(*bit));
        let held = bits(region.stones[attacker.index()]).filter(is_merged);
        Some(Region {
            held: held.fold(0, |all, bit| all | 1 << bit),
            // Where a point may stand for several stones, no number of points tells whether they
            // have room to live.
            too_small: [0; 2],
            room_to_live: u32::MAX,
            ..region
        })
    }

    /// The region of all points connected to `p` through empty points and stones that are no
    /// `walls`, with each chain of `merged` as one bit. `outside` gives the owners of walls.
    fn connected(
        board: &Board,
        p: Point,
        walls: &PointSet,
        merged: &PointSet,
        outside: impl Fn(Point) -> Option<Color>,
    ) -> Option<Region> {
        let all_of = |p: Point| -> SmallVec<[Point; 1]> {
            match merged.contains(p) {
                true => board.chain_stones(p).collect(),
                false => smallvec![p],
            }
        };
        let around = |p: Point| all_of(p).into_iter().flat_map(Point::neighbours);
        let mut number = [u8::MAX; POINTS];
        let mut points = vec![p];
        all_of(p).iter().for_each(|p| number[p.index()] = 0);
        let mut next = 0;
        while next < points.len() {
            for q in around(points[next]) {
                let inside = board.is_empty(q) || (board.at(q).is_stone() && !walls.contains(q));
                if inside && number[q.index()] == u8::MAX {
                    if points.len() == MOST_POINTS {
                        return None;
                    }
                    let new = points.len() as u8;
                    all_of(q).iter().for_each(|p| number[p.index()] = new);
                    points.push(q);
                }
            }
            next += 1;
        }
        let mut region = Region::blank(points, board.size());
        for i in 0..region.points.len() {
            let p = region.points[i];
            if let Some(c) = board.at(p).color() {
                region.stones[c.index()] |= 1 << i;
            }
            for q in around(p) {
                if number[q.index()] != u8::MAX {
                    region.neighbours[i] |= 1 << number[q.index()];
                } else if let Some(c) = outside(q) {
                    region.next_to_safe[c.index()] |= 1 << i;
                }
            }
            region.neighbours[i] &= !(1 << i);
        }
        region.mark_ko(board);
        Some(region)
    }

    /// The region of these points. A point next to it counts as a stone beyond capture, in the
    /// colour that `outside` gives. `None` if there are no points or too many.
    pub fn of_points(
        board: &Board,
        points: Vec<Point>,
        outside: impl Fn(Point) -> Option<Color>,
    ) -> Option<Region> {
        if points.is_empty() || points.len() > MOST_POINTS {
            return None;
        }
        let mut region = Region::blank(points, board.size());
        for i in 0..region.points.len() {
            let p = region.points[i];
            if let Some(c) = board.at(p).color() {
                region.stones[c.index()] |= 1 << i;
            }
            for q in p.neighbours() {
                if !board.size().contains(q) {
                    continue;
                }
                match region.points.iter().position(|&r| r == q) {
                    Some(j) => region.neighbours[i] |= 1 << j,
                    None => {
                        if let Some(c) = outside(q) {
                            region.next_to_safe[c.index()] |= 1 << i;
                        }
                    }
                }
            }
        }
        region.mark_ko(board);
        Some(region)
    }

    /// The stones of the region on another board of the game. `None` if the stones outside differ
    /// from those on `board`.
    pub fn stones_on(&self, other: &Board, board: &Board) -> Option<[Bits; 2]> {
        let mut stones = [0; 2];
        for p in board.size().points() {
            let bit = self.points.iter().position(|&q| q == p);
            match (bit, other.at(p).color()) {
                (Some(i), Some(c)) => stones[c.index()] |= 1 << i,
                (Some(_), None) => {}
                (None, c) if c != board.at(p).color() => return None,
                (None, _) => {}
            }
        }
        Some(stones)
    }

    /// The region of a room, in which to find out whether one of the `chains` of `c` around it can
    /// be captured. `chains` are chain names ([`Board::chain`]). Each chain is one bit; the points
    /// of the room are empty or hold stones of the opponent. Other points outside count as the
    /// opponent's, except `safe` stones of `c`. `None` if there are too many points.
    pub fn of_room(
        board: &Board,
        room: &[Point],
        chains: &[Point],
        c: Color,
        safe: impl Fn(Point) -> bool,
    ) -> Option<Region> {
        let points: Vec<Point> = room.iter().chain(chains).copied().collect();
        if points.len() > MOST_POINTS {
            return None;
        }
        let mut region = Region::blank(points, board.size());
        for j in room.len()..region.points.len() {
            region.stones[c.index()] |= 1 << j;
        }
        for (i, p) in room.iter().enumerate() {
            if !board.is_empty(*p) {
                region.stones[c.opponent().index()] |= 1 << i;
            }
            for q in p.neighbours() {
                let at = match board.at(q).color() {
                    Some(color) if color == c => board.chain(q),
                    _ => q,
                };
                if let Some(j) = region.points.iter().position(|&r| r == at) {
                    region.neighbours[i] |= 1 << j;
                    region.neighbours[j] |= 1 << i;
                } else if board.size().contains(q) {
                    let own = board.at(q).color() == Some(c) && safe(q);
                    let side = if own { c } else { c.opponent() };
                    region.next_to_safe[side.index()] |= 1 << i;
                }
            }
        }
        Some(region)
    }

    /// All points.
    #[inline]
    pub fn all(&self) -> Bits {
        Bits::MAX >> (MOST_POINTS - self.points.len())
    }

    /// Its points, in the order of their bits.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Is the point in it?
    pub fn contains(&self, p: Point) -> bool {
        self.points.contains(&p)
    }

    /// The bits of these points; points outside the region are ignored.
    pub fn bits_of(&self, points: &[Point]) -> Bits {
        let bit = |p: &Point| self.points.iter().position(|q| q == p);
        points.iter().filter_map(bit).fold(0, |all, i| all | 1 << i)
    }

    /// Number of empty points.
    pub fn empty(&self) -> u32 {
        (self.all() & !(self.stones[0] | self.stones[1])).count_ones()
    }

    /// The point of a bit.
    #[inline]
    pub fn point(&self, bit: u32) -> Point {
        self.points[bit as usize]
    }

    /// All points next to a point of the set. Some may belong to the set.
    #[inline]
    pub fn around_set(&self, set: Bits) -> Bits {
        let mut found = 0;
        for i in bits(set) {
            found |= self.neighbours[i as usize];
        }
        found
    }

    /// Points next to a bit.
    #[inline]
    pub fn around_bit(&self, bit: u32) -> Bits {
        self.neighbours[bit as usize]
    }

    /// All points of `within` that are connected to its subset `seed`.
    #[inline]
    pub fn flood(&self, seed: Bits, within: Bits) -> Bits {
        let mut found = seed;
        let mut edge = seed;
        while edge != 0 {
            edge = self.around_set(edge) & within & !found;
            found |= edge;
        }
        found
    }

    /// The walls of `c`, its stones connected to safe chains, and the points next to these stones or
    /// to safe chains. `own` are all stones of `c`.
    #[inline]
    pub fn walls(&self, c: Color, own: Bits) -> (Bits, Bits) {
        let walls = self.joined_to_safe(c, own);
        (walls, self.next_to_safe[c.index()] | self.around_set(walls))
    }

    /// The points of a set that are connected, within it, to safe chains of `c`.
    #[inline]
    pub fn joined_to_safe(&self, c: Color, set: Bits) -> Bits {
        self.flood(set & self.next_to_safe[c.index()], set)
    }

    /// The maximal connected parts of a set.
    pub fn parts(&self, set: Bits) -> impl Iterator<Item = Bits> + '_ {
        let mut left = set;
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let part = self.flood(left & left.wrapping_neg(), set);
            left &= !part;
            Some(part)
        })
    }
}

/// The bits of a set, lowest first.
#[inline]
pub fn bits(mut set: Bits) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let bit = set.trailing_zeros();
        set &= set - 1;
        Some(bit)
    })
}

/// What lies next to a region without a board.
#[cfg(test)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The border of the board.
    Edge,
    /// Black's chain with this index.
    Chain(usize),
    /// A white chain beyond capture.
    Hostile,
}

#[cfg(test)]
impl Region {
    /// A region without a board, given its points and their neighbours outside. Black's chains
    /// around it are its last bits.
    pub fn bare(cells: &[(i32, i32)], side: impl Fn((i32, i32)) -> Side) -> Region {
        let n = cells.len();
        let mut region = Region::blank(vec![Point::new(0, 0); n], BoardSize::square(19));
        for (i, &(x, y)) in cells.iter().enumerate() {
            for near in super::shape::near((x, y)) {
                let inside = cells.iter().position(|&c| c == near);
                let j = match (inside, side(near)) {
                    (Some(j), _) => j,
                    (None, Side::Chain(k)) => n + k,
                    (None, Side::Edge) => continue,
                    (None, Side::Hostile) => {
                        region.next_to_safe[1] |= 1 << i;
                        continue;
                    }
                };
                if j >= region.points.len() {
                    region.points.resize(j + 1, Point::new(0, 0));
                    region.neighbours.resize(j + 1, 0);
                }
                region.neighbours[i] |= 1 << j;
                region.neighbours[j] |= 1 << i;
            }
        }
        region.stones[0] = region.all() & !(region.all() >> (region.points.len() - n));
        region
    }
}
