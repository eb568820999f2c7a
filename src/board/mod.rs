//! The board: stones, chains, liberties, simple ko, captures and hash. It has no
//! history and knows no ruleset beyond what a single play needs; [`crate::position::Position`]
//! adds both.
//!
//! # Representation
//!
//! A chain keeps its *pseudo-liberties*: for each of its stones and each empty
//! point beside that stone, one. Their count, the sum of the points' numbers and
//! the sum of the squares are packed into one word, so placing a
//! stone, removing one and joining two chains are single additions. "No liberty"
//! and "one liberty, and which" are exact and take a multiplication
//! (count · Σp² = (Σp)² only if all are the same point, by Cauchy–Schwarz);
//! larger exact counts walk the chain and stop as soon as the caller knows
//! enough ([`Board::liberties_up_to`]).
//!
//! `benches/board.rs` has the alternative that was tried, exact liberty bit sets for
//! each chain, and says by how much it was slower.

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

/// A position of stones, as a value that playouts copy.
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
/// // Both black stones are in atari, and White takes them.
/// assert_eq!(board.atari(Point::new(1, 3)), Some(corner));
/// assert!(board.is_legal(Color::White, corner, SuicideRule::Forbidden));
/// assert_eq!(board.play_unchecked(Color::White, corner), 2);
/// assert_eq!(board.captured(Color::Black), 2);
/// // The chain of B3, C3 and C4: as many liberties as asked for, each once.
/// let chain = Point::new(1, 2);
/// assert_eq!(board.chain_len(chain), 3);
/// assert_eq!(board.liberties_up_to::<3>(chain).len(), 3);
/// assert_eq!(board.liberty_count(chain), 6);
/// # Ok::<(), ponnuki::board::SetUpError>(())
/// ```
#[derive(Clone)]
pub struct Board {
    // State.
    size: BoardSize,
    stones: [PointState; POINTS],
    /// The point where a simple ko forbids the next play, or [`Point::NONE`].
    ko: Point,
    /// Stones of each colour that have been captured.
    captured: [u32; 2],

    // Derived from the stones; `check` recomputes all of it.
    hash: u64,
    around: [Neighbourhood; POINTS],
    /// The chain of a stone, named by one of its stones; NONE for other cells.
    chain: [Point; POINTS],
    /// The next stone of the same chain, in a ring.
    next: [Point; POINTS],
    /// By chain: its liberties and number of stones.
    liberties: [Liberties; POINTS],
    length: [u16; POINTS],
    /// The empty points, in no particular order, and where each stands in it.
    empty: [Point; EMPTY],
    empty_at: [u16; POINTS],
    empty_len: u16,
}

/// Length of the list of empty points: a power of two above 625.
const EMPTY: usize = 1024;

/// An index into the list of empty points: always within it, so never checked.
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

    /// Make this board equal to `other`, copying only the cells in use.
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

    /// The part of an array that this size of board uses.
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

    /// What stands on a cell.
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

    /// The point that a simple ko forbids to the player to move, if any.
    #[inline]
    pub fn ko(&self) -> Option<Point> {
        (self.ko != Point::NONE).then_some(self.ko)
    }

    /// Lift the simple ko: a pass or a change of turn does.
    #[inline]
    pub fn clear_ko(&mut self) {
        self.ko = Point::NONE;
    }

    /// Stones of this colour that have been captured so far, suicides included.
    #[inline]
    pub fn captured(&self, c: Color) -> u32 {
        self.captured[c.index()]
    }

    /// Zobrist hash of the stones; see [`zobrist`].
    #[inline]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The empty points, in an order that depends on how the board came about.
    #[inline]
    pub fn empty_points(&self) -> &[Point] {
        &self.empty[..self.empty_len as usize]
    }

    /// The name of the chain that a stone belongs to: equal for two stones if and
    /// only if they are connected. Meaningless for other cells, and valid until
    /// the next play.
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

    /// The only liberty of the chain at `p`, if it is in atari.
    #[inline]
    pub fn atari(&self, p: Point) -> Option<Point> {
        self.liberties[self.chain(p).index()].single()
    }

    /// The liberties of the chain at `p`, as many as there are up to `N`, each
    /// once. Fewer than `N` means that these are all.
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

    /// The exact number of liberties of the chain at `p`.
    pub fn liberty_count(&self, p: Point) -> u32 {
        let mut seen = [0u64; POINTS.div_ceil(64)];
        let mut count = 0;
        for stone in self.chain_stones(p) {
            for q in stone.neighbours() {
                let (word, bit) = (q.index() / 64, 1 << (q.index() % 64));
                if self.is_empty(q) && seen[word] & bit == 0 {
                    seen[word] |= bit;
                    count += 1;
                }
            }
        }
        count
    }

    /// The hash that the board would have after a play of `c` on the empty point
    /// `p`, captures and suicide included.
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

    /// May `c` play at `p` as far as stones, simple ko and suicide are concerned?
    /// Superko needs a history: see [`crate::position::Position`].
    #[inline]
    pub fn is_legal(&self, c: Color, p: Point, suicide: SuicideRule) -> bool {
        if !self.is_empty(p) || p == self.ko {
            return false;
        }
        self.around(p).has_empty() || self.survives_or_may_die(c, p, suicide)
    }

    /// [`Board::is_legal`] for an empty point without empty neighbours.
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

    /// Would a stone of `c` on the empty point `p` leave itself without liberties
    /// and capture nothing? Returns the number of stones that would come off.
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

    /// Would a legal stone of `c` on the empty point `p` stand in atari, or die?
    ///
    /// Exact but for captures of several stones, which count as enough liberties.
    /// The liberties of all chains it would join are summed as they are stored:
    /// whether the sum holds two different points can be read off it.
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
                        // Once a chain, less what `p` itself contributes a stone.
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

    /// Stones that Black has played more than White: those on the board and those
    /// captured, passes that cost a stone included.
    pub fn played_balance(&self) -> i32 {
        self.stone_balance() + self.captured(Color::Black) as i32
            - self.captured(Color::White) as i32
    }

    /// All points that `p` reaches over neighbours for which `inside` holds, `p`
    /// first. They are marked as `seen`, by [`Point::index`]; those that were are
    /// not entered. `inside` is asked about border points too.
    pub fn flood(
        &self,
        p: Point,
        seen: &mut [bool; POINTS],
        inside: impl Fn(Point) -> bool,
    ) -> Vec<Point> {
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

    /// All chains: their owners and their stones.
    pub fn chains(&self) -> impl Iterator<Item = (Color, Vec<Point>)> + '_ {
        let points = self.size().points();
        points.filter_map(|p| {
            let owner = self.at(p).color()?;
            (self.chain(p) == p).then(|| (owner, self.chain_stones(p).collect()))
        })
    }

    /// The parts of the board that can be reached over points that are `inside`, in the
    /// order of their first points.
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

/// Boards are equal if stones and ko are; history and prisoners are not compared.
impl PartialEq for Board {
    fn eq(&self, other: &Board) -> bool {
        self.size == other.size
            && self.ko == other.ko
            && self.size.points().all(|p| self.at(p) == other.at(p))
    }
}

impl Eq for Board {}
