//! From what the search found to what the engine plays: when to stop, when to
//! pass, when to resign.

use super::judge::Care;
use super::{Engine, Judgement};
use crate::playout::Ownership;
use crate::position::Owner;
use crate::rules::Settlement;
use crate::search::{Budget, RootMove, Search};
use crate::types::{Color, Move, Point};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How often a running search is looked at.
const LOOK: Duration = Duration::from_millis(5);

/// A choice is unstable when the second move has more than this share of the
/// visits of the first (Pachi: best/second visits below 2.5).
const CLOSE: f32 = 0.4;

/// A win rate at which a loss on the board is believed.
const LOST: f32 = 0.25;

/// Let the search run until its budget, its caps or an interruption ends it.
/// `begun` is when the clock started; no budget means that only caps end it.
pub(super) fn watch(
    search: &mut Search,
    begun: Instant,
    budget: Option<Budget>,
    visits: Option<u64>,
    interrupted: &std::sync::atomic::AtomicBool,
) {
    loop {
        let pause = match budget {
            Some(b) => b
                .maximum
                .saturating_sub(begun.elapsed())
                .clamp(Duration::from_micros(200), LOOK),
            None => LOOK,
        };
        if search.wait(pause) {
            return;
        }
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
        let root_visits = search.tree().node(crate::search::ROOT).visits() as u64;
        if visits.is_some_and(|cap| root_visits >= cap) {
            break;
        }
        let Some(budget) = budget else { continue };
        let used = begun.elapsed();
        if used >= budget.maximum {
            break;
        }
        let moves = search.root_moves();
        if used >= budget.optimum {
            if !unstable(&moves) {
                break;
            }
        } else if used.as_millis() >= 20 && cannot_catch_up(search, &moves, used, budget.optimum) {
            break;
        }
    }
    search.finish();
}

/// Has the best move a close rival, or is another one valued higher?
fn unstable(moves: &[RootMove]) -> bool {
    let [first, rest @ ..] = moves else {
        return false;
    };
    let enough = first.stats.visits / 20;
    rest.iter().any(|m| {
        m.stats.visits as f32 > CLOSE * first.stats.visits as f32
            || (m.stats.visits > enough && m.stats.mean() > first.stats.mean())
    })
}

/// Would the second move stay behind the first if it got every visit until the
/// `optimum`?
fn cannot_catch_up(search: &Search, moves: &[RootMove], used: Duration, optimum: Duration) -> bool {
    let [first, second, ..] = moves else {
        return !moves.is_empty();
    };
    let rate = search.playouts() as f64 / used.as_secs_f64();
    let to_come = rate * optimum.saturating_sub(used).as_secs_f64();
    first.stats.visits.saturating_sub(second.stats.visits) as f64 > to_come
}

/// What a search says of a position.
#[derive(Debug)]
pub(super) struct Found {
    /// The moves at the root, most visited first.
    pub moves: Vec<RootMove>,
    /// Final ownership in the playouts.
    pub ownership: Ownership,
}

impl Found {
    /// By a search that has finished.
    pub fn by(search: &Search) -> Found {
        Found {
            moves: search.root_moves(),
            ownership: search.totals().ownership.clone(),
        }
    }
}

impl Engine {
    /// The move to make after a search with `c` to move: the most visited one,
    /// unless nothing is left to gain and passing does no harm.
    pub(super) fn choose(&mut self, c: Color, found: &Found) -> Move {
        let moves = &found.moves;
        let Some(best) = moves.first().copied() else {
            return Move::Pass;
        };
        let passed = self.position.consecutive_passes() > 0;
        let late = self.looks_settled(&found.ownership, best.mv);
        if !passed && !late {
            return best.mv;
        }
        let win_rate = best.stats.mean();
        let play_out = self.position.rules().settlement == Settlement::PlayOut;
        let judgement = self.judged(Care::Quick).clone();
        let margin = c.sign() as f64 * judgement.score().margin();
        let pass_ends = self.position.pass_would_end();
        // What passing now comes to, if the opponent passes too.
        let won = margin > 0.0;
        // A judgement that the search does not share is no ground to stop.
        let agreed = match margin {
            m if m > 0.0 => win_rate > 1.0 - LOST,
            m if m < 0.0 => win_rate < LOST,
            _ => true,
        };
        let settled = agreed && self.is_settled(&judgement);
        let dame = self.dame(c, &judgement, moves);
        if pass_ends && won && (settled || play_out) && dame.is_none() {
            return Move::Pass;
        }
        if !agreed {
            let play = moves.iter().find(|m| m.mv != Move::Pass);
            return play.map_or(Move::Pass, |m| m.mv);
        }
        let worthless = |m: Move| m.point().is_none_or(|p| is_worthless(&judgement, p));
        // What the search would play, passes and moves in settled places aside.
        let fighting = moves
            .iter()
            .filter(|m| m.stats.visits * 20 >= best.stats.visits)
            .find(|m| !worthless(m.mv));
        if let Some(m) = fighting {
            return m.mv;
        }
        if let Some(p) = dame {
            return Move::Play(p);
        }
        if won || settled {
            return Move::Pass;
        }
        // Passing loses as the board stands, yet the search sees a way.
        moves
            .iter()
            .map(|m| m.mv)
            .find(|&m| m != Move::Pass)
            .unwrap_or(Move::Pass)
    }

    /// The most visited of these points, self-atari last; a pass if none is legal.
    pub(super) fn fill(&self, c: Color, points: &[Point], found: &Found) -> Move {
        let rank = |p: Point| found.moves.iter().position(|m| m.mv == Move::Play(p));
        let legal = points
            .iter()
            .copied()
            .filter(|&p| self.position.legality(c, Move::Play(p)).is_ok());
        legal
            .min_by_key(|&p| {
                let unseen = found.moves.len();
                (
                    self.position.board().is_self_atari(c, p),
                    rank(p).unwrap_or(unseen),
                )
            })
            .map_or(Move::Pass, Move::Play)
    }

    /// Do the search's playouts leave little doubt about the point of its best
    /// move? Cheap: says whether a judgement is worth its time.
    fn looks_settled(&self, ownership: &Ownership, best: Move) -> bool {
        match best {
            Move::Pass => true,
            Move::Play(p) => {
                let unsure = self
                    .position
                    .size()
                    .points()
                    .filter(|&q| ownership.of(q).abs() < 0.7)
                    .count();
                ownership.of(p).abs() > 0.8 || unsure * 20 < self.position.size().area()
            }
        }
    }

    /// Is every point beyond doubt, dame aside?
    fn is_settled(&self, judgement: &Judgement) -> bool {
        let board = self.position.board();
        board.size().points().all(|p| match judgement.owner(p) {
            Owner::Player(c) => c.sign() as f32 * judgement.ownership(p) > 0.5,
            // A large neutral region is one that has not been played yet.
            Owner::Nobody => true,
        })
    }

    /// A dame worth filling: the most visited one that puts no own stones at risk.
    fn dame(&self, c: Color, judgement: &Judgement, moves: &[RootMove]) -> Option<Point> {
        let best = moves.first()?;
        let board = self.position.board();
        moves
            .iter()
            .filter(|m| m.stats.visits > 0 && m.stats.mean() > best.stats.mean() - 0.1)
            .filter_map(|m| m.mv.point())
            .find(|&p| {
                judgement.owner(p) == Owner::Nobody
                    && board.is_empty(p)
                    && !board.is_self_atari(c, p)
                    && !in_seki(judgement, p)
            })
    }
}

/// Does the point touch a chain in seki?
fn in_seki(judgement: &Judgement, p: Point) -> bool {
    judgement.chains().iter().any(|(stones, status)| {
        *status == super::ChainStatus::Seki && p.neighbours().iter().any(|q| stones.contains(q))
    })
}

/// Is a play there of no use to either side: in territory that nobody disputes?
fn is_worthless(judgement: &Judgement, p: Point) -> bool {
    match judgement.owner(p) {
        Owner::Player(owner) => owner.sign() as f32 * judgement.ownership(p) > 0.8,
        Owner::Nobody => in_seki(judgement, p),
    }
}
