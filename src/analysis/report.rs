//! Reports of the analyst.

use super::{AnalysisRequest, Include, Judgement};
use crate::net::Output;
use crate::playout::Ownership;
use crate::position::Position;
use crate::search::{RootMove, Snapshot, Sums, forbids};
use crate::types::{Color, Move, POINTS};
use crate::util::spaced;
use std::borrow::Cow;
use thiserror::Error;

/// The results of a search so far. Win rates, leads and utilities are those of the player to
/// move.
#[derive(Clone, Debug)]
pub struct AnalysisReport {
    /// The player to move.
    pub color: Color,
    /// Visits of the position, including those kept from earlier searches.
    pub visits: u32,
    /// Playouts of this search.
    pub playouts: u64,
    /// Win rate of the chosen move, from 0 to 1. With playouts it includes a small share of the
    /// margin, which the search maximises too.
    pub win_rate: f32,
    /// Mean win rate over all visits, from 0 to 1.
    pub mean_win_rate: f32,
    /// Mean utility over all visits, which the search maximises: from −1 to 1 with playouts; with a
    /// network beyond that by `score_static` and `score_dynamic` (−1.4 to 1.4 by default).
    pub utility: f32,
    /// Lead of the player to move in points, mean over all visits.
    pub score: ScoreReport,
    /// Probability of no result, mean over all visits.
    pub no_result: f64,
    /// The moves, the chosen one first.
    pub moves: Vec<MoveReport>,
    /// Black's final ownership.
    pub ownership: Ownership,
    /// The network's own evaluation of the position, if the request includes it and there is a
    /// network.
    pub raw: Option<Box<Output>>,
}

/// The player from whose point of view win rates, leads and ownership are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Perspective {
    /// The player to move.
    #[default]
    ToMove,
    /// Always this player.
    Player(Color),
}

impl Perspective {
    /// The player of this perspective, with `to_move` to move.
    pub fn player(self, to_move: Color) -> Color {
        match self {
            Perspective::ToMove => to_move,
            Perspective::Player(c) => c,
        }
    }
}

/// KataGo's names: `BLACK`, `WHITE`, `SIDETOMOVE`.
impl std::str::FromStr for Perspective {
    type Err = UnknownPerspective;

    fn from_str(text: &str) -> Result<Perspective, UnknownPerspective> {
        match text.to_ascii_uppercase().as_str() {
            "SIDETOMOVE" => Ok(Perspective::ToMove),
            "BLACK" | "B" => Ok(Perspective::Player(Color::Black)),
            "WHITE" | "W" => Ok(Perspective::Player(Color::White)),
            _ => Err(UnknownPerspective),
        }
    }
}

impl std::fmt::Display for Perspective {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Perspective::ToMove => "SIDETOMOVE",
            Perspective::Player(Color::Black) => "BLACK",
            Perspective::Player(Color::White) => "WHITE",
        })
    }
}

/// The parts of a report that a protocol writes.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReportOptions {
    /// Point of view of win rates, leads and ownership.
    pub perspective: Perspective,
    /// Final ownership.
    pub ownership: bool,
    /// Standard deviation of the final ownership.
    pub ownership_deviation: bool,
    /// Final ownership after each move.
    pub moves_ownership: bool,
    /// Standard deviation of the final ownership after each move.
    pub moves_ownership_deviation: bool,
    /// Visits along each variation.
    pub pv_visits: bool,
    /// Probability that the game ends without result.
    pub no_result: bool,
}

impl ReportOptions {
    /// Optional contents that the report must have.
    pub fn include(&self) -> Include {
        Include {
            move_ownership: self.moves_ownership || self.moves_ownership_deviation,
            ..Include::default()
        }
    }
}

/// Error for a text that names no [`Perspective`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected BLACK, WHITE or SIDETOMOVE")]
pub struct UnknownPerspective;

/// A player's lead in points. With playouts the lead is the mean margin; a network predicts both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScoreReport {
    /// Points that the player could give away for an even game.
    pub lead: f64,
    /// Mean margin at the end of the game.
    pub mean: f64,
    /// Standard deviation of the margin.
    pub deviation: f64,
}

impl ScoreReport {
    /// The opponent's score.
    fn opposite(self) -> ScoreReport {
        ScoreReport {
            lead: -self.lead,
            mean: -self.mean,
            deviation: self.deviation,
        }
    }
}

/// The results of a search for a move.
#[derive(Clone, Debug)]
pub struct MoveReport {
    /// The move.
    pub mv: Move,
    /// Visits of the move.
    pub visits: u32,
    /// Win rate after the move, from 0 to 1; without visits that of the position, or the prior
    /// estimate if no move has visits.
    pub win_rate: f32,
    /// Lower end of a 95 % interval of the win rate.
    pub lcb: f32,
    /// Utility, which the search maximises; without visits as for the win rate.
    pub utility: f32,
    /// Lower end of a 95 % interval of the utility.
    pub utility_lcb: f32,
    /// Score after the move.
    pub score: ScoreReport,
    /// Prior, from 0 to 1, as a share of the sum over all moves.
    pub prior: f32,
    /// Probability of no result after the move.
    pub no_result: f64,
    /// Principal variation from this move on, each move with its visits.
    pub pv: Vec<(Move, u32)>,
    /// Black's final ownership after the move, if the request includes it.
    pub ownership: Option<Box<Ownership>>,
}

/// Half the width of a 95 % interval, in standard deviations.
const Z: f32 = 1.96;

impl MoveReport {
    /// The first `most` moves of the principal variation as text: `D4 pass`.
    pub fn variation(&self, most: usize) -> String {
        spaced(self.pv.iter().take(most).map(|(m, _)| m))
    }

    /// The principal variation with the player of each move; `first` plays the first one.
    pub fn line(&self, first: Color) -> impl Iterator<Item = (Color, Move)> {
        first.alternating().zip(self.pv.iter().map(|&(m, _)| m))
    }
}

impl AnalysisReport {
    /// Put a move first, as the chosen one; the others keep their order.
    pub fn put_first(&mut self, m: Move) {
        if let Some(at) = self.moves.iter().position(|known| known.mv == m) {
            self.moves[..=at].rotate_right(1);
        }
    }

    /// The win rate of either player, from 0 to 1.
    pub fn win_rate_of(&self, c: Color) -> f32 {
        if c == self.color {
            self.win_rate
        } else {
            1.0 - self.win_rate
        }
    }

    /// The lead of either player in points.
    pub fn lead_of(&self, c: Color) -> f64 {
        if c == self.color {
            self.score.lead
        } else {
            -self.score.lead
        }
    }

    /// The report with win rates, leads and utilities of this player. Ownership and the network's
    /// own evaluation remain Black's. The opponent's lower ends of intervals become upper ends.
    pub fn seen_by(&self, c: Color) -> Cow<'_, AnalysisReport> {
        if c == self.color {
            return Cow::Borrowed(self);
        }
        let mut seen = self.clone();
        let flip = |p: &mut f32| *p = 1.0 - *p;
        flip(&mut seen.win_rate);
        flip(&mut seen.mean_win_rate);
        seen.utility = -seen.utility;
        seen.score = seen.score.opposite();
        for m in &mut seen.moves {
            flip(&mut m.win_rate);
            flip(&mut m.lcb);
            m.utility = -m.utility;
            m.utility_lcb = -m.utility_lcb;
            m.score = m.score.opposite();
        }
        Cow::Owned(seen)
    }

    /// The leader and the lead, as results are written: `B+1.2`.
    pub fn leader(&self) -> String {
        let lead = self.lead_of(Color::Black);
        let leader = if lead >= 0.0 {
            Color::Black
        } else {
            Color::White
        };
        format!("{}+{:.1}", leader.letter(), lead.abs())
    }

    /// Create a report from a search's results, without the moves that the request forbids. `None`
    /// gives an empty report.
    pub(super) fn new(request: &AnalysisRequest, found: Option<Snapshot>) -> AnalysisReport {
        let color = request.position.to_move();
        let Some(found) = found else {
            return AnalysisReport::empty(color);
        };
        let mut totals = found.totals;
        let mut score = score(&totals.sums, color).unwrap_or_default();
        score.lead = found.value.lead.map_or(score.lead, f64::from);
        let mut moves = found.moves;
        let restrictions = &request.restrictions;
        moves.retain(|(m, _)| !forbids(restrictions, color, m.mv, 0));
        // A prior is no win rate to compare with results.
        if moves.first().is_some_and(|(m, _)| m.visits > 0) {
            for (m, _) in moves.iter_mut().filter(|(m, _)| m.visits == 0) {
                (m.win_rate, m.utility) = (found.value.win_rate, found.value.utility);
            }
        }
        let priors: f32 = moves.iter().map(|(m, _)| m.prior).sum();
        let moves: Vec<MoveReport> = moves
            .into_iter()
            .map(|(m, rest)| {
                let of_move = totals.by_move.get_mut(m.at);
                let (sums, ownership) =
                    of_move.map_or_else(Default::default, |t| (t.sums, t.ownership.take()));
                let mut pv = vec![(m.mv, m.visits)];
                pv.extend(rest);
                MoveReport {
                    prior: m.prior / priors.max(f32::MIN_POSITIVE),
                    ownership,
                    pv,
                    ..MoveReport::of(&m, &sums, score, found.value.least_utility, color)
                }
            })
            .collect();
        AnalysisReport {
            color,
            visits: found.visits,
            playouts: found.playouts,
            win_rate: moves.first().map_or(found.value.win_rate, |m| m.win_rate),
            mean_win_rate: found.value.win_rate,
            utility: found.value.utility,
            score,
            no_result: no_result(&totals.sums),
            moves,
            ownership: totals.ownership,
            raw: None,
        }
    }

    /// The report on a game that is over, which nothing can change: its count, as judged, without
    /// visits or moves.
    pub(super) fn counted(position: &Position, judgement: &Judgement) -> AnalysisReport {
        let color = position.to_move();
        let score = judgement.score();
        let lead = f64::from(color.sign()) * score.margin();
        let win_rate = match score.winner() {
            Some(c) => f32::from(u8::from(c == color)),
            None => 0.5,
        };
        let mut owned = vec![0.0; POINTS];
        for p in position.size().points() {
            owned[p.index()] = judgement.owner(p).sign();
        }
        let mut ownership = Ownership::default();
        ownership.add_expected(&owned);
        AnalysisReport {
            win_rate,
            mean_win_rate: win_rate,
            utility: 2.0 * win_rate - 1.0,
            score: ScoreReport {
                lead,
                mean: lead,
                deviation: 0.0,
            },
            ownership,
            ..AnalysisReport::empty(color)
        }
    }

    /// Is this the count of a game that is over?
    pub fn is_counted(&self) -> bool {
        self.visits == 0 && self.moves.is_empty()
    }

    fn empty(color: Color) -> AnalysisReport {
        AnalysisReport {
            color,
            visits: 0,
            playouts: 0,
            win_rate: 0.5,
            mean_win_rate: 0.5,
            utility: 0.0,
            score: ScoreReport::default(),
            no_result: 0.0,
            moves: Vec::new(),
            ownership: Ownership::default(),
            raw: None,
        }
    }
}

impl MoveReport {
    /// Create the report of a move for player `c`. A move without playouts gets the position's
    /// score.
    fn of(
        m: &RootMove,
        sums: &Sums,
        of_position: ScoreReport,
        least_utility: f32,
        c: Color,
    ) -> MoveReport {
        let mut score = score(sums, c).unwrap_or(of_position);
        score.lead = m.lead.map_or(score.lead, f64::from);
        let bound = |mean: f32, error: f32, least: f32| match m.visits {
            0 => least,
            _ => (mean - Z * error).max(least),
        };
        MoveReport {
            mv: m.mv,
            visits: m.visits,
            win_rate: m.win_rate,
            lcb: bound(m.win_rate, m.error, 0.0),
            utility: m.utility,
            utility_lcb: bound(m.utility, m.utility_error, least_utility),
            score,
            prior: m.prior,
            no_result: no_result(sums),
            pv: Vec::new(),
            ownership: None,
        }
    }
}

fn no_result(sums: &Sums) -> f64 {
    sums.no_result / sums.playouts.max(1) as f64
}

/// The score of player `c`; `None` without playouts.
fn score(sums: &Sums, c: Color) -> Option<ScoreReport> {
    if sums.playouts == 0 {
        return None;
    }
    let n = sums.playouts as f64;
    let sign = f64::from(c.sign());
    let mean = sums.score / n;
    Some(ScoreReport {
        lead: sign * sums.lead / n,
        mean: sign * mean,
        deviation: (sums.squares / n - mean * mean).max(0.0).sqrt(),
    })
}
