//! From what the search found to what the engine plays: when to stop, when to
//! pass, when to resign.

use super::analysis::Schedule;
use super::judge::{Attacked, Care};
use super::{Engine, Judgement};
use crate::playout::Ownership;
use crate::position::Owner;
use crate::rules::Settlement;
use crate::search::{Budget, Focus, RootMove, Search};
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

/// A win rate below this, or above its complement: the game is decided.
const DECIDED: f32 = 0.05;

/// Playouts that check a pass.
const PASS_PLAYOUTS: u64 = 500;

/// Visits that check a pass, with a network.
const PASS_VISITS: u64 = 16;

/// Win rate and points that the check may fall behind by: the noise of so few
/// playouts, and the point that a pass gives away under area scoring. With a
/// network, which is less noisy, half of it.
const PASS_LOSS: f32 = 0.1;
const PASS_POINTS: f64 = 4.0;

/// Let the search run until its budget, its caps or an interruption ends it, and
/// tell the watcher, if there is one. `begun` is when the clock started; no budget
/// means that only caps end it.
pub(super) fn watch(
    search: &mut Search,
    begun: Instant,
    limits: &Limits,
    interrupted: &std::sync::atomic::AtomicBool,
    tell: &mut dyn FnMut(&Search),
) {
    let mut schedule = Schedule::new(limits.interval);
    let mut seed = limits.seed;
    loop {
        let pause = match limits.budget {
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
        if schedule.is_due() {
            // What the workers know they bring home when they stop.
            search.finish();
            tell(search);
            seed = seed.wrapping_add(SLICE);
            search.go_on(limits.playouts, seed);
        }
        let Some(budget) = limits.budget else {
            continue;
        };
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

/// What ends a search, and when somebody is to be told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Time.
    pub budget: Option<Budget>,
    /// Playouts of this search.
    pub playouts: u64,
    /// Seed of its first part.
    pub seed: u64,
    /// How often to tell.
    pub interval: Option<Duration>,
}

/// Between the seeds of the parts of a search that a watcher interrupts.
const SLICE: u64 = 1 << 40;

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
    /// Win rate of the player to move, from 0 to 1.
    pub win_rate: f32,
    /// Points by which he leads, on average over the playouts.
    pub lead: f64,
}

impl Found {
    /// By a search that has finished, with `c` to move. Moves that the focus
    /// forbids are left out.
    pub fn by(search: &Search, c: Color, focus: &Focus) -> Found {
        let mut moves = search.root_moves();
        moves.retain(|m| !focus.forbids(c, m.mv, 0));
        Found {
            moves,
            ownership: search.totals().ownership.clone(),
            win_rate: search.win_rate(),
            lead: search.lead(c),
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
        // A network knows when to pass; what playouts think needs a second look.
        let late = || match best.judged {
            Some(_) => best.mv == Move::Pass,
            None => self.looks_settled(&found.ownership, best.mv),
        };
        if !passed && (self.is_hurried(c) || !late()) {
            return best.mv;
        }
        let win_rate = best.stats.mean();
        let play_out = self.position.rules().settlement == Settlement::PlayOut;
        let judgement = self.judged(Care::Quick).clone();
        let margin = c.sign() as f64 * judgement.score().margin();
        // What passing now comes to, if the opponent passes too.
        let won = margin > 0.0;
        let settled = self.is_settled(&judgement);
        let dame = self.dame(c, &judgement, moves);
        if self.position.pass_would_end() && won && (settled || play_out) && dame.is_none() {
            if play_out {
                return Move::Pass;
            }
            // What the opponent could still capture he may claim.
            let attacked = judgement.attacked(self.position.board(), c);
            let needed = self.protective_move(c, &attacked);
            return needed.map_or(Move::Pass, Move::Play);
        }
        let best_play = || moves.iter().map(|m| m.mv).find(|&m| m != Move::Pass);
        // A judgement that the search does not share is no ground to stop.
        let agreed = match margin {
            m if m > 0.0 => win_rate > 1.0 - LOST,
            m if m < 0.0 => win_rate < LOST,
            _ => true,
        };
        if !agreed {
            return best_play().unwrap_or(Move::Pass);
        }
        // In a game that is decided the search hardly tells moves apart.
        let decided = !(DECIDED..=1.0 - DECIDED).contains(&win_rate);
        let attacked = judgement.attacked(self.position.board(), c);
        let needed = self.protective_move(c, &attacked);
        if let Some(p) = needed.filter(|_| decided) {
            return Move::Play(p);
        }
        // What the search would play, passes and moves in settled places aside.
        let fighting = moves
            .iter()
            .filter(|m| m.stats.visits * 20 >= best.stats.visits)
            .filter_map(|m| m.mv.point())
            .find(|&p| !self.is_worthless(c, &judgement, &attacked, p));
        if let Some(p) = fighting.or(needed) {
            return Move::Play(p);
        }
        if let Some(p) = dame {
            return Move::Play(p);
        }
        if (won || settled || decided) && self.pass_is_safe(c, found) {
            return Move::Pass;
        }
        // Passing loses something, or as the board stands the game.
        best_play().unwrap_or(Move::Pass)
    }

    /// Where a chain must be protected before the game can stop.
    fn protective_move(&self, c: Color, attacked: &Attacked) -> Option<Point> {
        let mut points = attacked.threats.iter().map(|t| t.protection);
        points.find(|&p| self.position.legality(c, Move::Play(p)).is_ok())
    }

    /// Does a pass lose nothing, as far as a short search of what may follow can
    /// tell? One that ends the game is another matter: the count decides.
    fn pass_is_safe(&mut self, c: Color, found: &Found) -> bool {
        if self.position.pass_would_end() || found.moves.first().is_some_and(|m| m.mv == Move::Pass)
        {
            return true;
        }
        let mut after = self.position.clone();
        after.play_unchecked(c, Move::Pass);
        let (playouts, loss, points) = match self.aside {
            Some(_) => (PASS_VISITS, PASS_LOSS / 2.0, PASS_POINTS / 2.0),
            None => (PASS_PLAYOUTS, PASS_LOSS, PASS_POINTS),
        };
        let seed = self.settings.seed;
        let search = self.beside();
        search.clear();
        search.run(&after, playouts, seed);
        let (win_rate, lead) = (1.0 - search.win_rate(), search.lead(c));
        search.clear();
        win_rate > found.win_rate - loss && lead > found.lead - points
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

    /// Is every point beyond doubt, dame aside: by the playouts, or as its chain's
    /// status has been searched?
    fn is_settled(&self, judgement: &Judgement) -> bool {
        let board = self.position.board();
        board.size().points().all(|p| match judgement.owner(p) {
            Owner::Player(c) => {
                let searched = |q: Point| board.is_empty(q) || judgement.is_certain(q);
                let around = p.neighbours();
                let mut own = around.iter().filter(|&&q| board.at(q).color() == Some(c));
                c.sign() as f32 * judgement.ownership(p) > 0.5
                    || (searched(p) && own.all(|&q| judgement.is_certain(q)))
            }
            // A large neutral region is one that has not been played yet.
            Owner::Nobody => true,
        })
    }

    /// Is a play there of no use: in territory that nobody disputes, or the end of
    /// a seki?
    fn is_worthless(&self, c: Color, judgement: &Judgement, attacked: &Attacked, p: Point) -> bool {
        let board = self.position.board();
        match judgement.owner(p) {
            Owner::Player(owner) => {
                // One's own territory may need a move, the opponent's never does.
                let enough = if owner == c { 0.8 } else { 0.5 };
                owner.sign() as f32 * judgement.ownership(p) > enough
                    || (owner == c && attacked.holds_around(board, c, p))
            }
            Owner::Nobody => in_seki(judgement, p) && board.is_self_atari(c, p),
        }
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
