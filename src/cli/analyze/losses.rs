//! Loss of each move of a game, for the summary, the table, the record and the page.

use super::{AnalysisSettings, parts};
use crate::analysis::{AnalysisReport, Analyst};
use crate::position::Position;
use crate::types::{BoardSize, Color, Move};
use crate::util::spaced;
use std::io::{self, Write};

/// Maximum number of moves listed for each player.
const LISTED: usize = 10;

/// Smallest loss listed, in points.
const LEAST: f64 = 1.0;

/// Maximum number of moves shown of a better line.
const LINE: usize = 5;

/// Smallest losses that are doubtful, bad and very bad, in points.
const DOUBTFUL: f64 = 1.5;
const BAD: f64 = 3.0;
const VERY_BAD: f64 = 12.0;

/// Lower bounds of the size classes in which losses are counted, in points.
const SIZES: [f64; 4] = [VERY_BAD, 6.0, BAD, DOUBTFUL];

/// A last pass that loses at least this much of the win rate, from 0 to 1, decides the game.
const DECISIVE: f32 = 0.3;

/// Prior below which the best move counts as hard to find, from 0 to 1.
const UNEXPECTED: f32 = 0.05;

/// A move and its loss.
#[derive(Clone, Debug)]
pub(super) struct Loss {
    /// Index of the position before the move among the positions of all parts of the game.
    pub at: usize,
    /// Number of the move in the record.
    pub number: usize,
    /// Index of the move's part of the game, and number of turns before it in that part.
    part: usize,
    turn: usize,
    pub color: Color,
    pub played: Move,
    /// Points lost against the best move, at least 0.
    pub points: f64,
    /// Win rate lost, from 0 to 1.
    pub win_rate: f32,
    /// Was it the search's choice?
    pub is_best: bool,
    /// The prior of the move, from 0 to 1; `None` if the report does not have the move.
    pub prior: Option<f32>,
    is_compared: bool,
    /// A better move and its continuation, once [compared](compare).
    pub better: Vec<Move>,
}

/// Estimate the loss of each move from the searches before and after it.
pub(super) fn estimated(game: &Position, reports: &[AnalysisReport]) -> Vec<Loss> {
    let mut losses = Vec::new();
    let mut start = 0;
    for (number, part) in parts(game, reports).enumerate() {
        let turns = part.game.turns().iter();
        for (n, (t, pair)) in turns.zip(part.reports.windows(2)).enumerate() {
            let [before, after] = pair else { continue };
            let best = before.moves.first();
            let best_win_rate = best.map_or(before.win_rate, |m| m.win_rate);
            let own = before.moves.iter().find(|m| m.mv == t.mv);
            let win_rate = (best_win_rate - after.win_rate_of(t.color)).max(0.0);
            let lead = match own {
                Some(own) if own.visits > 0 && is_by_search(after, win_rate) => own.score.lead,
                _ => after.lead_of(t.color),
            };
            losses.push(Loss {
                at: start + n,
                number: part.first + n,
                part: number,
                turn: n,
                color: t.color,
                played: t.mv,
                points: lost(before, lead),
                win_rate,
                is_best: best.is_some_and(|best| best.mv == t.mv),
                prior: own.map(|m| m.prior),
                is_compared: false,
                better: Vec::new(),
            });
        }
        start += part.reports.len();
    }
    losses
}

/// Does a search, not the report `after` a move, say how many points the move lost? That is so after
/// the last pass, whose report is an exact count: the lead before it is a search's, with errors that
/// only another search repeats. If the pass decides the game, the count matters more.
fn is_by_search(after: &AnalysisReport, win_rate_lost: f32) -> bool {
    after.is_counted() && win_rate_lost < DECISIVE
}

/// Points lost, compared with the best move, by a move that leaves its player with this lead; at
/// least 0.
pub(super) fn lost(before: &AnalysisReport, lead: f64) -> f64 {
    let best = before.moves.first();
    (best.map_or(before.score.lead, |m| m.score.lead) - lead).max(0.0)
}

/// Indices of a player's costliest moves, the costliest first.
pub(super) fn costliest(losses: &[Loss], c: Color) -> Vec<usize> {
    let lost = |i: &usize| losses[*i].color == c && losses[*i].points >= LEAST;
    let mut found: Vec<usize> = (0..losses.len()).filter(lost).collect();
    found.sort_by(|&a, &b| losses[b].points.total_cmp(&losses[a].points));
    found.truncate(LISTED);
    found
}

/// Index of a listed or bad move that has not been [compared](compare) yet.
pub(super) fn next_to_compare(losses: &[Loss]) -> Option<usize> {
    let listed = Color::BOTH.into_iter().flat_map(|c| costliest(losses, c));
    let bad = (0..losses.len()).filter(|&i| losses[i].points >= BAD);
    listed.chain(bad).find(|&i| !losses[i].is_compared)
}

/// Compare a move with the best other move: search the position after that move for as long as
/// the position after the played move.
pub(super) fn compare(
    loss: &mut Loss,
    game: &Position,
    reports: &[AnalysisReport],
    how: &AnalysisSettings,
    analyst: &mut Analyst,
) {
    loss.is_compared = true;
    let [Some(before), Some(after)] = [loss.at, loss.at + 1].map(|n| reports.get(n)) else {
        return;
    };
    let other = before
        .moves
        .iter()
        .find(|m| m.mv != loss.played && m.visits > 0);
    let Some(other) = other else {
        loss.points = 0.0;
        return;
    };
    let Some(part) = game.parts().nth(loss.part) else {
        return;
    };
    let mut position = part.at_turn(loss.turn);
    position.play_unchecked(loss.color, other.mv);
    let found = how.report(loss.at, position, analyst);
    let searched = is_by_search(after, loss.win_rate).then(|| {
        let position = part.at_turn(loss.turn + 1);
        how.search(loss.at + 1, position, analyst)
    });
    let lead = searched.as_ref().unwrap_or(after).lead_of(loss.color);
    loss.points = (found.lead_of(loss.color) - lead).max(0.0);
    let win_rate = found.win_rate_of(loss.color) - after.win_rate_of(loss.color);
    loss.win_rate = win_rate.max(0.0);
    let next = found.moves.first().into_iter().flat_map(|best| &best.pv);
    loss.better = [other.mv]
        .into_iter()
        .chain(next.map(|&(m, _)| m))
        .collect();
    loss.better.truncate(LINE);
}

impl Loss {
    /// The SGF property for the move: bad (BM), doubtful (DO), or good and hard to find (TE).
    pub fn mark(&self) -> Option<(&'static str, String)> {
        let value = |value: &str| value.to_owned();
        match self.points {
            p if p >= VERY_BAD => Some(("BM", value("2"))),
            p if p >= BAD => Some(("BM", value("1"))),
            p if p >= DOUBTFUL => Some(("DO", String::new())),
            _ if self.is_best && self.prior.is_some_and(|p| p < UNEXPECTED) => {
                Some(("TE", value("1")))
            }
            _ => None,
        }
    }

    /// Is it a bad move (SGF's BM)?
    pub fn is_bad(&self) -> bool {
        self.points >= BAD
    }

    /// Describe the loss, as `Black's J2 lost 27.5 points, 31.0 percentage points`.
    pub fn in_words(&self) -> String {
        format!(
            "{}'s {} lost {:.1} points, {:.1} percentage points",
            self.color,
            self.played,
            self.points,
            100.0 * self.win_rate
        )
    }
}

/// Names of the phases of a game on a board of this size, each with the number of moves before it.
fn phases(size: BoardSize) -> [(&'static str, usize); 3] {
    // 50 and 150 moves on 19x19.
    let share = |moves: usize| (moves * size.area()).div_ceil(361);
    [
        ("opening", 0),
        ("middle game", share(50)),
        ("endgame", share(150)),
    ]
}

/// Print the costliest moves of both players and a summary.
pub(super) fn print(losses: &[Loss], size: BoardSize, out: &mut impl Write) -> io::Result<()> {
    for c in Color::BOTH {
        let costly = costliest(losses, c);
        if costly.is_empty() {
            continue;
        }
        writeln!(out, "{c}'s costliest moves:")?;
        for loss in costly.iter().filter_map(|&i| losses.get(i)) {
            writeln!(
                out,
                "  {:>3} {:4} lost {:.1} points, {:.0} percentage points; better: {}",
                loss.number,
                loss.played.to_string(),
                loss.points,
                100.0 * loss.win_rate,
                spaced(&loss.better)
            )?;
        }
    }
    let [black, white] = Color::BOTH.map(|c| c.to_string());
    writeln!(out, "{:24}{black:>8}{white:>8}", "")?;
    for (name, [black, white]) in summary(losses, size) {
        writeln!(out, "{name:24}{black:>8}{white:>8}")?;
    }
    Ok(())
}

/// A row of the summary: its name, then Black's and White's value.
pub(super) type Row = (String, [String; 2]);

/// Summarize both players' play: number of moves, losses by phase and by size.
pub(super) fn summary(losses: &[Loss], size: BoardSize) -> Vec<Row> {
    let of = |c: Color| losses.iter().filter(move |l| l.color == c);
    let mut rows = Vec::new();
    let mut row = |name: &str, value: &dyn Fn(Color) -> String| {
        rows.push((name.to_owned(), Color::BOTH.map(value)));
    };
    row("moves", &|c| of(c).count().to_string());
    let mean = |losses: &mut dyn Iterator<Item = &Loss>| {
        let (mut sum, mut n) = (0.0, 0);
        losses.for_each(|l| (sum, n) = (sum + l.points, n + 1));
        match n {
            0 => "–".to_owned(),
            n => format!("{:.2}", sum / f64::from(n)),
        }
    };
    row("points lost a move", &|c| mean(&mut of(c)));
    let phases = phases(size);
    for (i, (name, from)) in phases.into_iter().enumerate() {
        let to = phases.get(i + 1).map_or(usize::MAX, |next| next.1);
        let within = |l: &&Loss| (from..to).contains(&(l.number - 1));
        row(&format!("  {name}"), &|c| mean(&mut of(c).filter(within)));
    }
    row("the search's choice", &|c| match of(c).count() {
        0 => "–".to_owned(),
        n => {
            let share = of(c).filter(|l| l.is_best).count() as f64 / n as f64;
            format!("{:.0} %", 100.0 * share)
        }
    });
    let mut most = f64::INFINITY;
    for least in SIZES {
        let name = match most {
            most if most.is_finite() => format!("lost {least} to {most} points"),
            _ => format!("lost {least} points or more"),
        };
        let within = |l: &&Loss| (least..most).contains(&l.points);
        row(&name, &|c| of(c).filter(within).count().to_string());
        most = least;
    }
    rows
}
