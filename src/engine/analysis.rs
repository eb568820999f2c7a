//! What a search says of a position, for somebody who watches.

use crate::playout::Ownership;
use crate::search::{Focus, ROOT, Search, Sums};
use crate::types::{Color, Move};
use std::time::{Duration, Instant};

/// What a search has found so far. Win rates, leads and utilities are those of the
/// player to move.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The player to move.
    pub color: Color,
    /// Visits of the position, those kept from earlier searches included.
    pub visits: u32,
    /// Probability of winning, from 0 to 1: that of the move visited most.
    pub win_rate: f32,
    /// Points by which he leads.
    pub score: ScoreGuess,
    /// Share of playouts that ended without result, from 0 to 1.
    pub no_result: f64,
    /// The moves, best first.
    pub moves: Vec<MoveAnalysis>,
    /// Final ownership in the playouts, Black's.
    pub ownership: Ownership,
}

/// Points by which a player leads at the end of the playouts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScoreGuess {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}

/// What a search says of a move.
#[derive(Clone, Debug)]
pub struct MoveAnalysis {
    /// The move.
    pub mv: Move,
    /// Its visits.
    pub visits: u32,
    /// Probability of winning after it, from 0 to 1; the prior's without visits.
    pub win_rate: f32,
    /// Lower end of a 95 % interval of that.
    pub lcb: f32,
    /// Lead after it.
    pub score: ScoreGuess,
    /// Its share of all winning prior visits, from 0 to 1.
    pub prior: f32,
    /// Share of its playouts that ended without result.
    pub no_result: f64,
    /// The moves visited most from here on, this one first, each with its visits.
    pub pv: Vec<(Move, u32)>,
    /// Final ownership after it, Black's, if the focus asks for it.
    pub ownership: Option<Ownership>,
}

/// Longest principal variation.
const PV: usize = 30;

/// Half the width of a 95 % interval, in standard deviations.
const Z: f32 = 1.96;

impl Analysis {
    /// The win rate of either player, from 0 to 1.
    pub fn win_rate_of(&self, c: Color) -> f32 {
        if c == self.color {
            self.win_rate
        } else {
            1.0 - self.win_rate
        }
    }

    /// The points by which either player leads.
    pub fn lead_of(&self, c: Color) -> f64 {
        if c == self.color {
            self.score.mean
        } else {
            -self.score.mean
        }
    }

    /// Of a search that is not running, with `c` to move. Moves that the focus
    /// forbids are left out.
    pub(super) fn of(search: &Search, c: Color, focus: &Focus) -> Analysis {
        let totals = search.totals();
        let mut all = Sums::default();
        for m in &totals.by_move {
            all += m.sums;
        }
        let score = guess(&all, c).unwrap_or_default();
        let first_child = search.tree().first_child(ROOT);
        let mut root_moves = search.root_moves();
        root_moves.retain(|m| !focus.forbids(c, m.mv, 0));
        let prior_sum: f32 = root_moves.iter().map(|m| m.stats.prior_value).sum();
        let moves = root_moves.iter().map(|m| {
            let known = totals.by_move.get(m.at);
            let sums = known.map_or_else(Sums::default, |t| t.sums);
            let mut pv = vec![(m.mv, m.stats.visits)];
            let node = first_child + m.at as u32;
            pv.extend(search.tree().principal_variation(node, PV - 1));
            let (p, n) = (m.stats.mean(), m.stats.visits as f32);
            let mut guess = guess(&sums, c).unwrap_or(score);
            if let Some(judged) = m.judged.filter(|_| n > 0.0) {
                guess.mean = f64::from(judged.lead);
            }
            MoveAnalysis {
                mv: m.mv,
                visits: m.stats.visits,
                win_rate: p,
                lcb: if n > 0.0 {
                    (p - Z * m.error()).max(0.0)
                } else {
                    0.0
                },
                score: guess,
                prior: m.stats.prior_value / prior_sum.max(f32::MIN_POSITIVE),
                no_result: sums.voids / sums.playouts.max(1) as f64,
                pv,
                ownership: known.and_then(|t| t.ownership.as_deref().cloned()),
            }
        });
        Analysis {
            color: c,
            visits: search.tree().node(ROOT).visits(),
            win_rate: root_moves.first().map_or(0.5, |m| m.stats.mean()),
            score,
            no_result: all.voids / all.playouts.max(1) as f64,
            moves: moves.collect(),
            ownership: totals.ownership.clone(),
        }
    }
}

/// For a player; `None` without playouts.
fn guess(sums: &Sums, c: Color) -> Option<ScoreGuess> {
    if sums.playouts == 0 {
        return None;
    }
    let n = sums.playouts as f64;
    let mean = sums.margin / n;
    Some(ScoreGuess {
        mean: c.sign() as f64 * mean,
        deviation: (sums.squares / n - mean * mean).max(0.0).sqrt(),
    })
}

/// Somebody who is told what the search thinks while it goes on.
pub struct Watcher<'a> {
    /// How often; never but at the end without.
    pub interval: Option<Duration>,
    /// What to look at.
    pub focus: Focus,
    /// Whom to tell.
    pub tell: &'a mut dyn FnMut(&Analysis),
}

impl std::fmt::Debug for Watcher<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watcher")
            .field("interval", &self.interval)
            .field("focus", &self.focus)
            .finish_non_exhaustive()
    }
}

/// The first word comes after so long, whatever the interval.
const FIRST_WORD: Duration = Duration::from_millis(100);

/// When a watcher is to be told next.
pub(super) struct Schedule {
    interval: Option<Duration>,
    next: Option<Instant>,
}

impl Schedule {
    pub fn new(interval: Option<Duration>) -> Schedule {
        let first = interval.map(|i| i.min(FIRST_WORD));
        Schedule {
            interval,
            next: first.map(|i| Instant::now() + i),
        }
    }

    /// Is it time? Then the next time is set.
    pub fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let due = self.next.is_some_and(|next| now >= next);
        if due {
            self.next = self.interval.map(|i| now + i);
        }
        due
    }
}
