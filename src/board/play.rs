//! Plays, captures, and the bookkeeping they need.

use super::{Board, Liberties, cell, zobrist};
use crate::rules::SuicideRule;
use crate::types::{Color, Generator, Move, Point, PointState};

/// For each slot of a point's [`Neighbourhood`]: the bit offset of the point in the
/// neighbourhood of the cell in that slot.
const OPPOSITE: [u32; 8] = [6, 4, 2, 0, 14, 12, 10, 8];

impl Board {
    /// Play a stone and remove chains without liberties, the opponent's first.
    /// Records a simple ko. Returns the number of the opponent's stones captured.
    ///
    /// A simple ko arises when a single stone captures a single stone and has the
    /// captured point as its only liberty.
    ///
    /// # Panics
    /// In debug builds, if `p` is not an empty point of the board. Ko and suicide
    /// rules are not checked: see [`Board::is_legal`].
    #[inline]
    pub fn play_unchecked(&mut self, c: Color, p: Point) -> u32 {
        debug_assert!(self.is_empty(p), "{p} is not empty");
        let own = PointState::from(c);
        let theirs = c.opponent();
        let may_be_ko = self.around(p).surrounded_by(theirs);
        self.ko = Point::NONE;

        // Nearly every playout step runs this, and the states of the four neighbours
        // are unpredictable, so it is branchless. Cells without a stone have the chain
        // NONE, whose liberties are never read.
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

    /// Make a move that is known to be legal: [`Board::play_unchecked`], or a pass,
    /// which lifts the ko.
    #[inline]
    pub fn play_move(&mut self, c: Color, m: Move) {
        match m {
            Move::Pass => self.clear_ko(),
            Move::Play(p) => {
                self.play_unchecked(c, p);
            }
        }
    }

    /// A copy of the board after a move that is known to be legal. For a line of play under the
    /// rules of a game see [`crate::position::Line`].
    pub fn after(&self, c: Color, m: Move) -> Board {
        let mut board = self.clone();
        board.play_move(c, m);
        board
    }

    /// Remove the chain at `p` as dead. Its stones are not counted as captured.
    ///
    /// # Panics
    /// In debug builds, if there is no stone at `p`.
    pub fn remove_dead_chain(&mut self, p: Point) {
        debug_assert!(self.at(p).is_stone());
        if let Some(c) = self.at(p).color() {
            self.remove_chain(c, p);
            self.ko = Point::NONE;
        }
    }

    /// A copy of the board without the chains of these stones. Empty points among
    /// them are ignored.
    pub fn without(&self, stones: &[Point]) -> Board {
        let mut board = self.clone();
        for &p in stones {
            if board.at(p).is_stone() {
                board.remove_dead_chain(p);
            }
        }
        board
    }

    /// Add `n` to the captured stones of colour `c`: for pass stones, and for the
    /// prisoners of set-up positions.
    pub fn add_captured(&mut self, c: Color, n: u32) {
        self.captured[c.index()] += n;
    }

    /// A uniformly random legal play of `c` that does not fill the player's own eye, or a pass if
    /// there is none. Tries the empty points in random order, and reorders their list.
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

    /// Swap two entries of the list of empty points.
    #[inline]
    pub(crate) fn swap_empty(&mut self, i: u16, j: u16) {
        let (p, q) = (self.empty[cell(i)], self.empty[cell(j)]);
        self.empty[cell(i)] = q;
        self.empty[cell(j)] = p;
        self.empty_at[p.index()] = j;
        self.empty_at[q.index()] = i;
    }

    /// Put a stone on the board, in the neighbourhoods around it and in the hash.
    #[inline]
    pub(super) fn put(&mut self, c: Color, p: Point) {
        self.stones[p.index()] = c.into();
        self.toggle(c, p);
    }

    /// Add a stone to the neighbourhoods around it and to the hash. A second call removes it,
    /// because exclusive or is its own inverse.
    #[inline]
    pub(super) fn toggle(&mut self, c: Color, p: Point) {
        self.hash ^= zobrist::key(c, p);
        let bits = c as u16;
        for (i, shift) in p.around_indices().into_iter().zip(OPPOSITE) {
            self.around[i].0 ^= bits << shift;
        }
    }

    /// Join two chains. Returns the name of the result, which is that of the longer chain.
    #[inline]
    pub(super) fn join(&mut self, a: Point, b: Point) -> Point {
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

    /// Remove a chain of colour `c` from the board. Returns its number of stones.
    #[inline]
    pub(super) fn remove_chain(&mut self, c: Color, p: Point) -> u32 {
        let mut stone = p;
        let mut n = 0;
        loop {
            let next = self.next[stone.index()];
            self.stones[stone.index()] = PointState::Empty;
            self.chain[stone.index()] = Point::NONE;
            self.toggle(c, stone);
            self.push_empty(stone);
            // This also adds to the liberties of the removed chain, which are never
            // read again.
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
    pub(super) fn push_empty(&mut self, p: Point) {
        self.empty_at[p.index()] = self.empty_len;
        self.empty[cell(self.empty_len)] = p;
        self.empty_len += 1;
    }

    #[inline]
    pub(super) fn pop_empty(&mut self, p: Point) {
        self.empty_len -= 1;
        let at = self.empty_at[p.index()];
        let last = self.empty[cell(self.empty_len)];
        self.empty[cell(at)] = last;
        self.empty_at[last.index()] = at;
    }
}
