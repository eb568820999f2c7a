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
mod neighbourhood;
mod set_up;
pub mod zobrist;

pub use area::EmptyRegion;
pub use check::Inconsistent;
pub use neighbourhood::Neighbourhood;
pub use set_up::SetUpError;

use crate::rules::SuicideRule;
use crate::types::{BoardSize, Color, Generator, Move, POINTS, Point, PointState};
use smallvec::SmallVec;

/// The pseudo-liberties of a chain: count (12 bits), sum of the points' numbers
/// (20 bits) and sum of their squares (32 bits).
///
/// 625 points of number below 703 with at most four adjacent stones each keep
/// every field in its bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Liberties(u64);

impl Liberties {
    #[inline]
    const fn of(p: Point) -> Liberties {
        let n = p.raw() as u64;
        Liberties((1 << 52) | (n << 32) | (n * n))
    }

    /// These liberties if the condition holds, otherwise none, without a branch.
    #[inline]
    const fn if_true(self, condition: bool) -> Liberties {
        Liberties(self.0 & (condition as u64).wrapping_neg())
    }

    #[inline]
    const fn count(self) -> u64 {
        self.0 >> 52
    }

    #[inline]
    fn add(&mut self, other: Liberties) {
        self.0 = self.0.wrapping_add(other.0);
    }

    #[inline]
    fn remove(&mut self, other: Liberties) {
        self.0 = self.0.wrapping_sub(other.0);
    }

    /// Is `p`, known to be a liberty, the only one?
    #[inline]
    const fn only(self, p: Point) -> bool {
        self.0 == Liberties::of(p).0.wrapping_mul(self.count())
    }

    /// Are all of these the same point, or none at all? Unlike
    /// [`Liberties::single`] this holds for sums over several chains.
    #[inline]
    const fn at_most_one(self) -> bool {
        let sum = self.0 >> 32 & 0xf_ffff;
        self.count() * (self.0 & 0xffff_ffff) == sum * sum
    }

    /// The one liberty of a chain in atari.
    #[inline]
    const fn single(self) -> Option<Point> {
        let count = self.count();
        if count == 0 || count > 4 {
            return None;
        }
        let sum = self.0 >> 32 & 0xf_ffff;
        let squares = self.0 & 0xffff_ffff;
        if count * squares == sum * sum {
            Some(Point::from_raw((sum / count) as u16))
        } else {
            None
        }
    }
}

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

/// The slot of a neighbour's [`Neighbourhood`] in which a point appears: the
/// opposite of the slot in which the neighbour appears in the point's own.
const OPPOSITE: [u32; 8] = [6, 4, 2, 0, 14, 12, 10, 8];

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

    /// Play a stone, capture what has no liberty left, the opponent's stones
    /// first, and note a simple ko. Returns the number of the opponent's stones
    /// captured.
    ///
    /// The ko is the rule's usual form: a single stone that captured a single
    /// stone and stands with the captured point as its only liberty.
    ///
    /// # Panics
    /// In debug builds, if `p` is not an empty point of the board. The ko and
    /// suicide rules are the caller's: see [`Board::is_legal`].
    #[inline]
    pub fn play_unchecked(&mut self, c: Color, p: Point) -> u32 {
        debug_assert!(self.is_empty(p), "{p} is not empty");
        let own = PointState::from(c);
        let theirs = c.opponent();
        let may_be_ko = self.around(p).surrounded_by(theirs);
        self.ko = Point::NONE;

        // Nearly every playout step comes through here, and what stands on the
        // four neighbours is as good as random: so no branch asks. Cells without
        // a stone have the chain NONE, whose liberties nobody reads.
        let mut libs = Liberties::default();
        let lost = Liberties::of(p);
        for (q, i) in p.neighbours().into_iter().zip(p.neighbour_indices()) {
            libs.add(Liberties::of(q).if_true(self.stones[i] == PointState::Empty));
            self.liberties[self.chain[i].index()].remove(lost);
        }
        self.put(c, p);
        self.pop_empty(p);
        let mut chain = p;
        self.chain[p.index()] = p;
        self.next[p.index()] = p;
        self.length[p.index()] = 1;
        self.liberties[p.index()] = libs;
        if self.around(p).adjacent(c) > 0 {
            for i in p.neighbour_indices() {
                if self.stones[i] == own && self.chain[i] != chain {
                    chain = self.join(chain, self.chain[i]);
                }
            }
        }

        let mut doomed: [Point; 4] = [Point::NONE; 4];
        let mut doomed_len = 0;
        for i in p.neighbour_indices() {
            if self.stones[i] == PointState::from(theirs)
                && self.liberties[self.chain[i].index()].count() == 0
                && !doomed.contains(&self.chain[i])
            {
                doomed[doomed_len & 3] = self.chain[i];
                doomed_len += 1;
            }
        }
        if doomed_len == 0 {
            if libs.count() == 0 && self.liberties[chain.index()].count() == 0 {
                let n = self.remove_chain(c, p);
                self.captured[c.index()] += n;
            }
            return 0;
        }
        let mut captured = 0;
        let mut last = Point::NONE;
        for &q in &doomed[..doomed_len] {
            last = q;
            captured += self.remove_chain(theirs, q);
        }
        self.captured[theirs.index()] += captured;
        if captured == 1 && may_be_ko {
            self.ko = last;
        }
        captured
    }

    /// Play a move of a game whose legality is known: [`Board::play_unchecked`],
    /// or a pass, which lifts the ko.
    #[inline]
    pub fn play_move(&mut self, c: Color, m: Move) {
        match m {
            Move::Pass => self.clear_ko(),
            Move::Play(p) => {
                self.play_unchecked(c, p);
            }
        }
    }

    /// Take the whole chain at `p` off the board, as dead stones are. Nothing is
    /// counted as captured.
    ///
    /// # Panics
    /// In debug builds, if there is no stone at `p`.
    pub fn take_chain(&mut self, p: Point) {
        debug_assert!(self.at(p).is_stone());
        if let Some(c) = self.at(p).color() {
            self.remove_chain(c, p);
            self.ko = Point::NONE;
        }
    }

    /// The board with the chains of these stones taken off. Points that are empty
    /// change nothing.
    pub fn without(&self, stones: &[Point]) -> Board {
        let mut board = self.clone();
        for &p in stones {
            if board.at(p).is_stone() {
                board.take_chain(p);
            }
        }
        board
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

    /// Count `n` more captured stones of colour `c`: pass stones, and set-up
    /// positions that come with prisoners.
    pub fn add_captured(&mut self, c: Color, n: u32) {
        self.captured[c.index()] += n;
    }

    /// A uniformly random empty point at which `c` may play and which is not an
    /// eye of that player, or a pass if there is none. Reorders the list of empty
    /// points.
    ///
    /// `n` empty points are tried in random order without replacement, so the
    /// choice is uniform over the playable ones.
    #[inline]
    pub fn random_play(&mut self, c: Color, suicide: SuicideRule, rng: &mut Generator) -> Move {
        let mut left = self.empty_len as u32;
        while left > 0 {
            let i = rng.below(left);
            let p = self.empty[cell(i as u16)];
            let around = self.around(p);
            if !around.is_eye(c) && self.is_legal(c, p, suicide) {
                return Move::Play(p);
            }
            left -= 1;
            self.swap_empty(i as u16, left as u16);
        }
        Move::Pass
    }

    /// Exchange two entries of the list of empty points.
    #[inline]
    pub(crate) fn swap_empty(&mut self, i: u16, j: u16) {
        let (p, q) = (self.empty[cell(i)], self.empty[cell(j)]);
        self.empty[cell(i)] = q;
        self.empty[cell(j)] = p;
        self.empty_at[p.index()] = j;
        self.empty_at[q.index()] = i;
    }

    /// Put a stone's colour and its traces in the neighbourhoods and the hash.
    #[inline]
    fn put(&mut self, c: Color, p: Point) {
        self.stones[p.index()] = c.into();
        self.toggle(c, p);
    }

    /// Exclusive or is its own inverse: adds a stone's traces or removes them.
    #[inline]
    fn toggle(&mut self, c: Color, p: Point) {
        self.hash ^= zobrist::key(c, p);
        let bits = c as u16;
        for (i, shift) in p.around_indices().into_iter().zip(OPPOSITE) {
            self.around[i].0 ^= bits << shift;
        }
    }

    /// Join two chains; returns the name of the result, that of the longer.
    #[inline]
    fn join(&mut self, a: Point, b: Point) -> Point {
        let (big, small) = if self.length[a.index()] >= self.length[b.index()] {
            (a, b)
        } else {
            (b, a)
        };
        let mut p = small;
        loop {
            self.chain[p.index()] = big;
            p = self.next[p.index()];
            if p == small {
                break;
            }
        }
        self.next.swap(big.index(), small.index());
        self.length[big.index()] += self.length[small.index()];
        let libs = self.liberties[small.index()];
        self.liberties[big.index()].add(libs);
        big
    }

    /// Take a chain of colour `c` off the board; returns its number of stones.
    #[inline]
    fn remove_chain(&mut self, c: Color, p: Point) -> u32 {
        let mut stone = p;
        let mut n = 0;
        loop {
            let next = self.next[stone.index()];
            self.stones[stone.index()] = PointState::Empty;
            self.chain[stone.index()] = Point::NONE;
            self.toggle(c, stone);
            self.push_empty(stone);
            // Stones of the dying chain are given liberties too: its counts are
            // dead with it.
            let gained = Liberties::of(stone);
            for i in stone.neighbour_indices() {
                self.liberties[self.chain[i].index()].add(gained);
            }
            n += 1;
            stone = next;
            if stone == p {
                return n;
            }
        }
    }

    #[inline]
    fn push_empty(&mut self, p: Point) {
        self.empty_at[p.index()] = self.empty_len;
        self.empty[cell(self.empty_len)] = p;
        self.empty_len += 1;
    }

    #[inline]
    fn pop_empty(&mut self, p: Point) {
        self.empty_len -= 1;
        let at = self.empty_at[p.index()];
        let last = self.empty[cell(self.empty_len)];
        self.empty[cell(at)] = last;
        self.empty_at[last.index()] = at;
    }
}

/// Rows from the top, `.` empty, `X` Black, `O` White: the form that
/// [`Board::from_diagram`] reads.
impl std::fmt::Display for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for y in (0..self.size.height()).rev() {
            for x in 0..self.size.width() {
                let c = match self.at(Point::new(x, y)) {
                    PointState::Black => 'X',
                    PointState::White => 'O',
                    _ => '.',
                };
                if x > 0 {
                    f.write_str(" ")?;
                }
                write!(f, "{c}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "Board {} ko {} hash {:016x}",
            self.size, self.ko, self.hash
        )?;
        std::fmt::Display::fmt(self, f)
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

impl Board {
    /// The board that a diagram shows: one line for each row from the top, `X` or `#`
    /// for Black, `O` for White, any other character for empty. Blanks and blank
    /// lines are skipped.
    ///
    /// # Errors
    /// If the rows differ in length, the size is not within 1…25 either way, or a
    /// chain has no liberty.
    pub fn from_diagram(diagram: &str) -> Result<Board, SetUpError> {
        let rows: Vec<Vec<char>> = diagram
            .lines()
            .map(|l| l.chars().filter(|c| !c.is_whitespace()).collect::<Vec<_>>())
            .filter(|r| !r.is_empty())
            .collect();
        let width = rows.first().map_or(0, Vec::len);
        if rows.iter().any(|r| r.len() != width) {
            return Err(SetUpError::Ragged);
        }
        let size = BoardSize::new(width as u32, rows.len() as u32).map_err(SetUpError::Size)?;
        let mut b = Board::new(size);
        for (row, y) in rows.iter().zip((0..size.height()).rev()) {
            for (c, x) in row.iter().zip(0..) {
                let color = match c {
                    'X' | '#' => Color::Black,
                    'O' => Color::White,
                    _ => continue,
                };
                b.place(color, Point::new(x, y))?;
            }
        }
        match b.without_liberties() {
            Some(p) => Err(SetUpError::NoLiberty(p)),
            None => Ok(b),
        }
    }

    /// Put a set-up stone on an empty point. It captures nothing, even if chains are
    /// left without liberties; [`Board::without_liberties`] finds those.
    ///
    /// # Errors
    /// If the point is not an empty point of the board.
    pub fn place(&mut self, c: Color, p: Point) -> Result<(), SetUpError> {
        if !self.is_empty(p) {
            return Err(SetUpError::NotEmpty(p));
        }
        self.ko = Point::NONE;
        let mut libs = Liberties::default();
        for q in p.neighbours() {
            if self.is_empty(q) {
                libs.add(Liberties::of(q));
            } else if self.at(q).is_stone() {
                let chain = self.chain(q);
                self.liberties[chain.index()].remove(Liberties::of(p));
            }
        }
        self.put(c, p);
        self.pop_empty(p);
        self.chain[p.index()] = p;
        self.next[p.index()] = p;
        self.length[p.index()] = 1;
        self.liberties[p.index()] = libs;
        for q in p.neighbours() {
            if self.at(q) == PointState::from(c) && self.chain(q) != self.chain(p) {
                self.join(self.chain(p), self.chain(q));
            }
        }
        Ok(())
    }

    /// A stone whose chain has no liberty, which only set-up stones can bring about.
    pub fn without_liberties(&self) -> Option<Point> {
        self.size
            .points()
            .find(|&p| self.at(p).is_stone() && self.liberties[self.chain(p).index()].count() == 0)
    }
}
