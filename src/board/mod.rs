//! The board: stones, chains, liberties, simple ko, captures and hash. It has no
//! history, and only the rules that a single play needs; [`crate::position::Position`]
//! adds the rest.
//!
//! # Representation
//!
//! A chain stores its *pseudo-liberties*: one for each pair of a stone of the chain
//! and an empty point adjacent to it. Their count, the sum of the points' numbers
//! and the sum of the squares are packed into one word, so placing a stone,
//! removing one and joining two chains are single additions. Whether there is no
//! liberty, or a single one and where, is exact and takes one multiplication
//! (by Cauchy–Schwarz, count · Σp² = (Σp)² only if all points are the same).
//! Larger exact counts walk the chain and stop at the number the caller needs
//! ([`Board::liberties_up_to`]).
//!
//! The rejected alternative, an exact bit set of liberties for each chain, was slower.

mod area;
mod check;
mod diagram;
mod liberties;
mod neighbourhood;
mod play;
mod set_up;
pub mod zobrist;

pub use area::EmptyRegion;
pub use check::Inconsistent;
pub use neighbourhood::Neighbourhood;
pub use set_up::SetUpError;

use crate::rules::SuicideRule;
use crate::types::{BoardSize, Color, POINTS, Point, PointState};
pub(crate) use liberties::Liberties;
use smallvec::SmallVec;

/// The stones on a board. A plain value that playouts copy.
///
/// ```
/// use ponnuki::board::Board;
/// use ponnuki::rules::SuicideRule;
/// use ponnuki::types::{Color, Point};
///
/// let mut board = Board::from_diagram(
///     ". X O .
///      X O O .
///      O . . .
///      . . . .",
/// )?;
/// let corner = Point::new(0, 3);
/// // Both black stones are in atari, and White captures them.
/// assert_eq!(board.atari(Point::new(1, 3)), Some(corner));
/// assert!(board.is_legal(Color::White, corner, SuicideRule::Forbidden));
/// assert_eq!(board.play_unchecked(Color::White, corner), 2);
/// assert_eq!(board.captured(Color::Black), 2);
/// // The chain of B3, C3 and C4 has six liberties, of which at most three are asked for.
/// let chain = Point::new(1, 2);
/// assert_eq!(board.chain_len(chain), 3);
/// assert_eq!(board.liberties_up_to::<3>(chain).len(), 3);
/// # Ok::<(), ponnuki::board::SetUpError>(())
/// ```
#[derive(Clone)]
pub struct Board {
    // State.
    size: BoardSize,
    stones: [PointState; POINTS],
    /// The point where a simple ko forbids the next play, or [`Point::NONE`].
    ko: Point,
    /// Captured stones of each colour.
    captured: [u32; 2],

    // Derived from the stones; `check` recomputes all of it.
    hash: u64,
    around: [Neighbourhood; POINTS],
    /// The chain of a stone, named by one of its stones; NONE for cells without a stone.
    chain: [Point; POINTS],
    /// The next stone of the same chain, in a circular list.
    next: [Point; POINTS],
    /// The liberties and number of stones of each chain, indexed by its name.
    liberties: [Liberties; POINTS],
    length: [u16; POINTS],
    /// The empty points in no particular order, and the index of each in that list.
    empty: [Point; EMPTY],
    empty_at: [u16; POINTS],
    empty_len: u16,
}

/// Length of the list of empty points: a power of two above 625.
const EMPTY: usize = 1024;

/// An index into the list of empty points, masked so that no bounds check is needed.
#[inline]
const fn cell(i: u16) -> usize {
    i as usize & (EMPTY - 1)
}

impl Board {
    /// An empty board.
    pub fn new(size: BoardSize) -> Board {
        let mut b = Board {
            size,
            stones: [PointState::Border; POINTS],
            ko: Point::NONE,
            captured: [0; 2],
            hash: 0,
            around: [Neighbourhood(0xffff); POINTS],
            chain: [Point::NONE; POINTS],
            next: [Point::NONE; POINTS],
            liberties: [Liberties::default(); POINTS],
            length: [0; POINTS],
            empty: [Point::NONE; EMPTY],
            empty_at: [0; POINTS],
            empty_len: 0,
        };
        for p in size.points() {
            b.stones[p.index()] = PointState::Empty;
            b.push_empty(p);
        }
        for p in size.points() {
            b.around[p.index()] = b.look_around(p);
        }
        b
    }

    /// Copy the cells that `other` uses into this board.
    #[inline]
    pub fn copy_from(&mut self, other: &Board) {
        if self.size != other.size {
            *self = other.clone();
            return;
        }
        let cells = self.used_cells();
        self.ko = other.ko;
        self.captured = other.captured;
        self.hash = other.hash;
        self.stones[cells.clone()].copy_from_slice(&other.stones[cells.clone()]);
        self.around[cells.clone()].copy_from_slice(&other.around[cells.clone()]);
        self.chain[cells.clone()].copy_from_slice(&other.chain[cells.clone()]);
        self.next[cells.clone()].copy_from_slice(&other.next[cells.clone()]);
        self.liberties[cells.clone()].copy_from_slice(&other.liberties[cells.clone()]);
        self.length[cells.clone()].copy_from_slice(&other.length[cells.clone()]);
        self.empty_at[cells.clone()].copy_from_slice(&other.empty_at[cells.clone()]);
        let empty = other.empty_len as usize;
        self.empty[..empty].copy_from_slice(&other.empty[..empty]);
        self.empty_len = other.empty_len;
    }

    /// The range of an array that a board of this size uses.
    #[inline]
    fn used_cells(&self) -> std::ops::Range<usize> {
        Point::FIRST_INDEX..Point::FIRST_INDEX + self.size.cells()
    }

    fn look_around(&self, p: Point) -> Neighbourhood {
        let mut code = 0;
        for (slot, q) in p.around().into_iter().enumerate() {
            code |= (self.stones[q.index()] as u16) << (2 * slot);
        }
        Neighbourhood(code)
    }

    /// Columns and rows.
    #[inline]
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// The state of a cell.
    #[inline]
    pub fn at(&self, p: Point) -> PointState {
        self.stones[p.index()]
    }

    /// Is it an empty point of the board?
    #[inline]
    pub fn is_empty(&self, p: Point) -> bool {
        self.at(p) == PointState::Empty
    }

    /// The eight cells around a point.
    #[inline]
    pub fn around(&self, p: Point) -> Neighbourhood {
        self.around[p.index()]
    }

    /// The point where a simple ko forbids the next play, if any.
    #[inline]
    pub fn ko(&self) -> Option<Point> {
        (self.ko != Point::NONE).then_some(self.ko)
    }

    /// Lift the simple ko, as after a pass or a change of turn.
    #[inline]
    pub fn clear_ko(&mut self) {
        self.ko = Point::NONE;
    }

    /// Number of captured stones of this colour, suicides included.
    #[inline]
    pub fn captured(&self, c: Color) -> u32 {
        self.captured[c.index()]
    }

    /// Zobrist hash of the stones; see [`zobrist`].
    #[inline]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The empty points, in an order that depends on the history of the board.
    #[inline]
    pub fn empty_points(&self) -> &[Point] {
        &self.empty[..self.empty_len as usize]
    }

    /// The name of a stone's chain: equal for two stones if and only if they are
    /// connected. Valid until the next play; meaningless for cells without a stone.
    #[inline]
    pub fn chain(&self, p: Point) -> Point {
        self.chain[p.index()]
    }

    /// Number of stones in the chain of the stone at `p`.
    #[inline]
    pub fn chain_len(&self, p: Point) -> u32 {
        self.length[self.chain(p).index()] as u32
    }

    /// The stones of the chain at `p`, starting with `p`.
    #[inline]
    pub fn chain_stones(&self, p: Point) -> impl Iterator<Item = Point> + '_ {
        let mut next = Some(p);
        std::iter::from_fn(move || {
            let here = next?;
            let following = self.next[here.index()];
            next = (following != p).then_some(following);
            Some(here)
        })
    }

    /// The only liberty of the chain at `p`; `None` if it is not in atari.
    #[inline]
    pub fn atari(&self, p: Point) -> Option<Point> {
        self.liberties[self.chain(p).index()].single()
    }

    /// Up to `N` distinct liberties of the chain at `p`. If fewer than `N` are
    /// returned, these are all.
    #[inline]
    pub fn liberties_up_to<const N: usize>(&self, p: Point) -> SmallVec<[Point; N]> {
        let mut found = SmallVec::new();
        if N == 0 {
            return found;
        }
        for stone in self.chain_stones(p) {
            if !self.around(stone).has_empty() {
                continue;
            }
            for q in stone.neighbours() {
                if self.is_empty(q) && !found.contains(&q) {
                    found.push(q);
                    if found.len() == N {
                        return found;
                    }
                }
            }
        }
        found
    }

    /// The distinct liberties of these stones.
    pub fn liberties_of(&self, stones: impl IntoIterator<Item = Point>) -> Vec<Point> {
        let mut found = Vec::new();
        for q in stones.into_iter().flat_map(Point::neighbours) {
            if self.is_empty(q) && !found.contains(&q) {
                found.push(q);
            }
        }
        found
    }

    /// The hash of the board after a play of `c` on the empty point `p`, including
    /// captures and suicide.
    pub fn hash_after(&self, c: Color, p: Point) -> u64 {
        let mut hash = self.hash ^ zobrist::key(c, p);
        let mut seen: SmallVec<[Point; 4]> = SmallVec::new();
        let mut remove = |board: &Board, color: Color, q: Point| {
            let chain = board.chain(q);
            if !seen.contains(&chain) {
                seen.push(chain);
                for stone in board.chain_stones(q) {
                    hash ^= zobrist::key(color, stone);
                }
            }
        };
        let mut captures = false;
        for q in p.neighbours() {
            if self.at(q) == PointState::from(c.opponent())
                && self.liberties[self.chain(q).index()].only(p)
            {
                captures = true;
                remove(self, c.opponent(), q);
            }
        }
        if !captures
            && !self.around(p).has_empty()
            && !self.survives_or_may_die(c, p, SuicideRule::Forbidden)
        {
            for q in p.neighbours() {
                if self.at(q) == PointState::from(c) {
                    remove(self, c, q);
                }
            }
            hash ^= zobrist::key(c, p);
        }
        hash
    }

    /// Is a play of `c` at `p` legal, superko aside? Checks occupied points, simple ko
    /// and suicide. Superko needs a history: see [`crate::position::Position`].
    #[inline]
    pub fn is_legal(&self, c: Color, p: Point, suicide: SuicideRule) -> bool {
        if !self.is_empty(p) || p == self.ko {
            return false;
        }
        self.around(p).has_empty() || self.survives_or_may_die(c, p, suicide)
    }

    /// [`Board::is_legal`] at an empty point without empty neighbours, simple ko aside: does the
    /// play capture, connect to a chain with another liberty, or commit legal suicide?
    #[inline]
    fn survives_or_may_die(&self, c: Color, p: Point, suicide: SuicideRule) -> bool {
        let own = PointState::from(c);
        let mut own_stones = 0;
        for i in p.neighbour_indices() {
            let s = self.stones[i];
            if s.is_stone() {
                let only = self.liberties[self.chain[i].index()].only(p);
                if (s == own) != only {
                    return true;
                }
                own_stones += (s == own) as u32;
            }
        }
        match suicide {
            SuicideRule::Forbidden => false,
            SuicideRule::SeveralStones => own_stones > 0,
            SuicideRule::Any => true,
        }
    }

    /// The number of stones that a play of `c` on the empty point `p` would remove by
    /// suicide; `None` if it is not suicide.
    pub fn suicide_len(&self, c: Color, p: Point) -> Option<u32> {
        if self.around(p).has_empty() || self.survives_or_may_die(c, p, SuicideRule::Forbidden) {
            return None;
        }
        let mut chains: SmallVec<[Point; 4]> = SmallVec::new();
        let mut stones = 1;
        for q in p.neighbours() {
            if self.at(q) == PointState::from(c) && !chains.contains(&self.chain(q)) {
                chains.push(self.chain(q));
                stones += self.chain_len(q);
            }
        }
        Some(stones)
    }

    /// Would a legal play of `c` on the empty point `p` leave its chain in atari, or be
    /// suicide?
    ///
    /// Exact, except that capturing several stones counts as not being in atari. The
    /// packed liberties of all chains that the stone would join are summed; the sum
    /// shows whether it holds two different points.
    #[inline]
    pub fn is_self_atari(&self, c: Color, p: Point) -> bool {
        let around = self.around(p);
        if around.empty_count() >= 2 {
            return false;
        }
        let own = PointState::from(c);
        let mut sum = Liberties::default();
        let mut seen: [Point; 4] = [Point::NONE; 4];
        for (slot, i) in p.neighbour_indices().into_iter().enumerate() {
            let q = p.neighbours()[slot];
            match self.stones[i] {
                PointState::Empty => sum.add(Liberties::of(q)),
                PointState::Border => {}
                s => {
                    let chain = self.chain[i];
                    let libs = self.liberties[chain.index()];
                    if s == own {
                        // Add each chain once, and subtract `p` for each adjacent stone.
                        if !seen.contains(&chain) {
                            sum.add(libs);
                            seen[slot] = chain;
                        }
                        sum.remove(Liberties::of(p));
                    } else if libs.only(p) {
                        if self.length[chain.index()] > 1 {
                            return false;
                        }
                        sum.add(Liberties::of(q));
                    }
                }
            }
        }
        sum.at_most_one()
    }

    /// Black stones minus white stones on the board.
    #[inline]
    pub fn stone_balance(&self) -> i32 {
        let cells = &self.stones[self.used_cells()];
        let count = |s: PointState| cells.iter().filter(|&&t| t == s).count() as i32;
        count(PointState::Black) - count(PointState::White)
    }

    /// Black's stones minus White's, on the board and captured, including set-up stones and those
    /// paid for passes.
    pub fn played_balance(&self) -> i32 {
        self.stone_balance() + self.captured(Color::Black) as i32
            - self.captured(Color::White) as i32
    }

    /// The points connected to `p` through points for which `inside` holds, `p` first.
    /// Marks them in `seen` (by [`Point::index`]) and skips points already marked.
    /// `inside` is also called for border points.
    pub fn flood(
        &self,
        p: Point,
        seen: &mut [bool; POINTS],
        inside: impl Fn(Point) -> bool,
    ) -> Vec<Point> {
        // `seen` is an array because that is a tenth faster here than a `PointSet`.
        let mut found = vec![p];
        seen[p.index()] = true;
        let mut next = 0;
        while let Some(&q) = found.get(next) {
            next += 1;
            for r in q.neighbours() {
                if !seen[r.index()] && inside(r) {
                    seen[r.index()] = true;
                    found.push(r);
                }
            }
        }
        found
    }

    /// All chains, each as its owner and its stones.
    pub fn chains(&self) -> impl Iterator<Item = (Color, Vec<Point>)> + '_ {
        let points = self.size().points();
        points.filter_map(|p| {
            let owner = self.at(p).color()?;
            (self.chain(p) == p).then(|| (owner, self.chain_stones(p).collect()))
        })
    }

    /// The connected components of the points for which `inside` holds, in the order of
    /// their first points.
    pub fn parts(&self, inside: impl Fn(Point) -> bool) -> Vec<Vec<Point>> {
        let mut seen = [false; POINTS];
        let mut found = Vec::new();
        for p in self.size().points() {
            if !seen[p.index()] && inside(p) {
                found.push(self.flood(p, &mut seen, &inside));
            }
        }
        found
    }
}

/// Compares size, stones and ko, but not prisoners.
impl PartialEq for Board {
    fn eq(&self, other: &Board) -> bool {
        self.size == other.size
            && self.ko == other.ko
            && self.size.points().all(|p| self.at(p) == other.at(p))
    }
}

impl Eq for Board {}
