//! The heavy policy: captures, escapes, two-liberty answers, vital points and patterns next to the
//! last moves, otherwise a random move that is usually not self-atari.

use super::PlayoutParams;
use crate::board::Board;
use crate::rules::SuicideRule;
use crate::tactics::{Patterns, vital_point};
use crate::types::{Color, Generator, Move, Point, PointState};

/// A policy that tries local answers first; [`PlayoutParams`] lists the rules and their rates.
#[derive(Debug)]
pub struct Heavy {
    params: PlayoutParams,
    patterns: Patterns,
}

/// Up to sixteen candidate points, without allocation.
#[derive(Default)]
struct Candidates {
    points: [Point; 16],
    len: usize,
}

impl Candidates {
    #[inline]
    fn push(&mut self, p: Point) {
        if let Some(slot) = self.points.get_mut(self.len) {
            *slot = p;
            self.len += 1;
        }
    }

    #[inline]
    fn pick(&self, rng: &mut Generator) -> Option<Move> {
        match self.len {
            0 => None,
            1 => Some(Move::Play(self.points[0])),
            n => Some(Move::Play(self.points[rng.below(n as u32) as usize & 15])),
        }
    }
}

impl Heavy {
    /// A policy with these rates.
    pub fn new(params: PlayoutParams) -> Heavy {
        Heavy {
            params,
            patterns: Patterns::new(),
        }
    }

    /// Capture the last stone's chain if it is in atari, or save a chain that it put into atari.
    #[inline]
    fn atari_moves(
        &self,
        board: &Board,
        c: Color,
        last: Point,
        rng: &mut Generator,
    ) -> Option<Move> {
        let capture = board.atari(last);
        let mut threatened: [Point; 4] = [Point::NONE; 4];
        let mut n = 0;
        for q in last.neighbours() {
            if board.at(q) == PointState::from(c) && board.atari(q).is_some() {
                threatened[n & 3] = q;
                n += 1;
            }
        }
        if capture.is_none() && n == 0 {
            return None;
        }
        let mut found = Candidates::default();
        if let Some(p) = capture
            && rng.chance(self.params.capture as u32)
            && board.is_legal(c, p, SuicideRule::Forbidden)
        {
            found.push(p);
        }
        if n > 0 && rng.chance(self.params.escape as u32) {
            for &q in &threatened[..n] {
                self.saves(board, c, q, &mut found);
            }
        }
        found.pick(rng)
    }

    /// Add moves that save the chain in atari at `q`: extend to two liberties or more,
    /// or capture an adjacent chain in atari.
    fn saves(&self, board: &Board, c: Color, q: Point, found: &mut Candidates) {
        if let Some(p) = board.atari(q)
            && board.is_legal(c, p, SuicideRule::Forbidden)
            && !board.is_self_atari(c, p)
        {
            found.push(p);
        }
        let theirs = PointState::from(c.opponent());
        for s in board.chain_stones(q) {
            if board.around(s).adjacent(c.opponent()) == 0 {
                continue;
            }
            for r in s.neighbours() {
                if board.at(r) == theirs
                    && let Some(p) = board.atari(r)
                    && board.is_legal(c, p, SuicideRule::Forbidden)
                {
                    found.push(p);
                    // Stop early: a long chain has many neighbours.
                    if found.len >= 6 {
                        return;
                    }
                }
            }
        }
    }

    /// If the last move left an adjacent chain of `c` with two liberties, extend it; if its own
    /// chain has two, take one.
    #[inline]
    fn two_liberty_moves(
        &self,
        board: &Board,
        c: Color,
        last: Point,
        rng: &mut Generator,
    ) -> Option<Move> {
        let mut found = Candidates::default();
        for q in last.neighbours() {
            if board.at(q) == PointState::from(c) {
                let libs = board.liberties_up_to::<3>(q);
                if libs.len() == 2 {
                    for &p in &libs {
                        // Extend only if it gains liberties.
                        if board.around(p).empty_count() >= 2 {
                            found.push(p);
                        }
                    }
                }
            }
        }
        let libs = board.liberties_up_to::<3>(last);
        if libs.len() == 2 {
            for &p in &libs {
                if board.is_legal(c, p, SuicideRule::Forbidden) && !board.is_self_atari(c, p) {
                    found.push(p);
                }
            }
        }
        found.pick(rng)
    }

    /// Play the vital point of an eye space adjacent to the last move.
    #[inline]
    fn nakade(&self, board: &Board, c: Color, last: Point) -> Option<Move> {
        for q in last.neighbours() {
            // Cheap in open space: the search stops at more than six points.
            if board.is_empty(q)
                && let Some(p) = vital_point(board, q)
                && board.is_legal(c, p, SuicideRule::Forbidden)
            {
                return Some(Move::Play(p));
            }
        }
        None
    }

    /// Play next to one of the last two moves where a 3x3 pattern matches.
    #[inline]
    fn pattern_moves(
        &self,
        board: &Board,
        c: Color,
        last: Point,
        before: Point,
        rng: &mut Generator,
    ) -> Option<Move> {
        let mut found = Candidates::default();
        for centre in [last, before] {
            if centre == Point::NONE {
                continue;
            }
            for p in centre.around() {
                if board.is_empty(p)
                    && self.patterns.contains(board.around(p))
                    && board.is_legal(c, p, SuicideRule::Forbidden)
                    && !board.is_self_atari(c, p)
                {
                    found.push(p);
                }
            }
        }
        found.pick(rng)
    }

    /// Play a random legal point that fills no eye and, usually, is not self-atari.
    #[inline]
    fn random(&self, board: &mut Board, c: Color, rng: &mut Generator) -> Move {
        let filter = self.params.self_atari as u32;
        let mut left = board.empty_points().len() as u32;
        while left > 0 {
            let i = rng.below(left);
            let p = board.empty_points()[i as usize];
            let around = board.around(p);
            if !around.is_eye(c)
                && board.is_legal(c, p, SuicideRule::Forbidden)
                && (around.empty_count() >= 2 || !board.is_self_atari(c, p) || !rng.chance(filter))
            {
                return Move::Play(p);
            }
            left -= 1;
            board.swap_empty(i as u16, left as u16);
        }
        Move::Pass
    }

    /// Choose a legal move for `c`, or a pass if no sensible move is left. `last` and
    /// `before` are the points of the last two turns, [`Point::NONE`] for passes.
    ///
    /// May reorder the board's list of empty points, and changes nothing else.
    #[inline]
    pub(super) fn choose(
        &self,
        board: &mut Board,
        c: Color,
        last: Point,
        before: Point,
        rng: &mut Generator,
    ) -> Move {
        let rates = &self.params;
        if last != Point::NONE {
            if let Some(m) = self.atari_moves(board, c, last, rng) {
                return m;
            }
            if rates.two_liberties > 0
                && rng.chance(rates.two_liberties as u32)
                && let Some(m) = self.two_liberty_moves(board, c, last, rng)
            {
                return m;
            }
            if rng.chance(rates.nakade as u32)
                && let Some(m) = self.nakade(board, c, last)
            {
                return m;
            }
        }
        if rng.chance(rates.pattern as u32)
            && let Some(m) = self.pattern_moves(board, c, last, before, rng)
        {
            return m;
        }
        self.random(board, c, rng)
    }
}
