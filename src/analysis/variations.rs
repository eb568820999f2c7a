//! The tree of variations of an answer about a group.

use super::{Question, Solution};
use crate::adjudicate::{Bounds, Cutoff, Reach};
use crate::types::{Color, Move, Point};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// A line of the tree of variations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation {
    /// The moves, starting with that of the player who moves first. Two passes after each other
    /// stand for a ko threat and its answer.
    pub moves: Vec<(Color, Move)>,
    /// Is the first move right: does it reach the best result?
    pub is_right: bool,
    /// Is that proved, if the chains around the region hold?
    pub is_proved: bool,
}

/// Maximum number of wrong first moves to show.
const WRONG: usize = 8;

/// An unproved move counts as wrong if its win rate is this far below the best.
const WORSE: f32 = 0.3;

/// Share of the question's time for searching the variations again.
const VARIATIONS_SHARE: f64 = 0.25;

/// Maximum states searched per variation.
const NODES: u64 = 50_000;

impl Question {
    /// Limits of the search for the answer's variations. The time starts now.
    pub fn bounds_of_variations(&self, stop: Arc<AtomicBool>) -> Bounds {
        let time = self.limits.time.map(|t| t.mul_f64(VARIATIONS_SHARE));
        Bounds {
            nodes: NODES,
            memory: self.memory,
            cutoff: Cutoff {
                until: time.map(|t| Instant::now() + t),
                stop: Some(stop),
            },
        }
    }
}

impl Solution {
    /// The tree of variations as lines: right first moves, the answer first, then wrong ones with
    /// their refutations. A pass is among them if it matters. They are searched again within these
    /// bounds; moves that this does not settle are left out.
    pub fn variations(&self, bounds: &Bounds) -> Vec<Variation> {
        let result = &self.result;
        let best = self.best.point();
        let line = self.searched_line();
        let mut all = Vec::new();
        if best.is_some() && line.first().map(|m| m.1) == Some(self.best) {
            all.push(line);
        }
        let mut right: Vec<Point> = match self.proved {
            true => result.proved.clone(),
            false => best.into_iter().collect(),
        };
        // The answer's own move comes first.
        right.sort_by_key(|p| Some(*p) != best);
        let mut wrong = self.likely_first(&result.wrong);
        if result.reach == Some(Reach::Nothing) && self.best == Move::Pass {
            let tried = self.framed.moves.iter().filter_map(|m| m.mv.point());
            wrong = tried.collect();
            right.clear();
        }
        if !self.succeeds() {
            // The best move is not enough either.
            wrong.splice(0..0, std::mem::take(&mut right));
        }
        wrong.retain(|p| !right.contains(p));
        wrong.truncate(WRONG);
        let parts = [&right[..], &wrong];
        all.extend(
            self.problem
                .variations(self.first, result.reach, parts, bounds),
        );
        all.extend(self.lines_of_worse_moves(&right));
        let mut variations: Vec<Variation> = Vec::new();
        for moves in all {
            let p = moves.first().and_then(|m| m.1.point());
            let is_right = p.is_some_and(|p| right.contains(&p));
            let proved = match is_right {
                true => p.is_some_and(|p| result.proved.contains(&p)),
                false => result.nothing_proved,
            };
            let variation = Variation {
                moves: self.problem.on_board(moves),
                is_right,
                is_proved: proved && self.proved,
            };
            if !variation.moves.is_empty() && !variations.contains(&variation) {
                variations.push(variation);
            }
        }
        variations.extend(self.after_a_pass());
        let is_answer = |v: &Variation| v.moves.first().is_some_and(|m| m.1 == self.best);
        variations.sort_by_key(|v| (!v.is_right, !is_answer(v)));
        variations
    }

    /// Sort points by the tree search's preference, best first.
    fn likely_first(&self, points: &[Point]) -> Vec<Point> {
        let rank = |p: &Point| {
            self.framed
                .moves
                .iter()
                .position(|m| m.mv.point() == Some(*p))
        };
        let mut sorted = points.to_vec();
        sorted.sort_by_key(|p| rank(p).unwrap_or(usize::MAX));
        sorted
    }

    /// The tree search's lines that begin with moves far worse than the best; none if the answer is
    /// proved.
    fn lines_of_worse_moves(&self, right: &[Point]) -> Vec<Vec<(Color, Move)>> {
        if self.proved || right.is_empty() {
            return Vec::new();
        }
        let visited = self.framed.moves.iter().filter(|m| m.visits > 1);
        let best = visited.clone().map(|m| m.win_rate).fold(0.0, f32::max);
        let worse = visited.filter(|m| m.win_rate < best - WORSE);
        let other = worse.filter(|m| m.mv.point().is_some_and(|p| !right.contains(&p)));
        let lines = other.take(WRONG).map(|m| m.line(self.first).collect());
        lines.collect()
    }

    /// The line after a pass, which lets the opponent move first. `None` if a pass is not the answer
    /// and shows nothing new.
    fn after_a_pass(&self) -> Option<Variation> {
        let line = &self.opponent_result.line;
        let works = self.result.pass_works == Some(true);
        let is_right = self.best == Move::Pass && self.succeeds();
        let helpless = self.result.reach == Some(Reach::Nothing);
        if !is_right && (line.is_empty() || helpless || works) {
            return None;
        }
        let moves = [&[(self.first, Move::Pass)], &line[..]].concat();
        Some(Variation {
            moves: self.problem.on_board(moves),
            is_right,
            is_proved: is_right && self.result.pass_proved,
        })
    }
}
