//! What is answered.

use super::AnalysisRequest;
use crate::net::Output;
use crate::playout::Ownership;
use crate::search::{RootMove, Snapshot, Sums};
use crate::types::{Color, Move};
use std::borrow::Cow;

/// What a search has found so far. Win rates, leads and utilities are those of the
/// player to move.
#[derive(Clone, Debug)]
pub struct AnalysisReport {
    /// The player to move.
    pub color: Color,
    /// Visits of the position, those kept from earlier searches included.
    pub visits: u32,
    /// Playouts of this search.
    pub playouts: u64,
    /// Probability of winning, from 0 to 1: that of the move to choose. With playouts a
    /// small part of it is the margin, which is searched for too.
    pub win_rate: f32,
    /// Probability of winning, from 0 to 1: its mean over all visits.
    pub mean_win_rate: f32,
    /// What the search maximises, its mean over all visits: from −1 to 1 with playouts,
    /// and up to 0.4 beyond either with a network.
    pub utility: f32,
    /// Points by which the player leads.
    pub score: ScoreReport,
    /// Probability that there is no result.
    pub no_result: f64,
    /// The moves, the one to choose first.
    pub moves: Vec<MoveReport>,
    /// Final ownership, Black's.
    pub ownership: Ownership,
    /// What the network alone says of the position, if the request asks for it and there
    /// is one.
    pub raw: Option<Box<Output>>,
}

/// Whose win rates, leads and owned points are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Perspective {
    /// Those of the player to move.
    #[default]
    ToMove,
    /// Always those of this player.
    Player(Color),
}

impl Perspective {
    /// The player whose they are when `to_move` is to move.
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

/// A text that names no [`Perspective`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownPerspective;

impl std::fmt::Display for UnknownPerspective {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("expected BLACK, WHITE or SIDETOMOVE")
    }
}

impl std::error::Error for UnknownPerspective {}

/// By how many points a player leads. With playouts the lead is the mean margin at
/// their end; a network says both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScoreReport {
    /// Points that the player could give away and be even.
    pub lead: f64,
    /// Mean margin at the end of the game.
    pub mean: f64,
    /// Standard deviation of that.
    pub deviation: f64,
}

impl ScoreReport {
    /// The opponent's.
    fn opposite(self) -> ScoreReport {
        ScoreReport {
            lead: -self.lead,
            mean: -self.mean,
            deviation: self.deviation,
        }
    }
}

/// What a search says of a move.
#[derive(Clone, Debug)]
pub struct MoveReport {
    /// The move.
    pub mv: Move,
    /// Its visits.
    pub visits: u32,
    /// Probability of winning after it, from 0 to 1; without visits what is known
    /// before.
    pub win_rate: f32,
    /// Lower end of a 95 % interval of that.
    pub lcb: f32,
    /// What the search maximises.
    pub utility: f32,
    /// Lower end of a 95 % interval of that.
    pub utility_lcb: f32,
    /// Lead after it.
    pub score: ScoreReport,
    /// Its share of the priors of all moves, from 0 to 1.
    pub prior: f32,
    /// Probability that there is no result after it.
    pub no_result: f64,
    /// The moves visited most from here on, this one first, each with its visits.
    pub pv: Vec<(Move, u32)>,
    /// Final ownership after it, Black's, if the request asks for it.
    pub ownership: Option<Box<Ownership>>,
}

/// Half the width of a 95 % interval, in standard deviations.
const Z: f32 = 1.96;

impl AnalysisReport {
    /// Put a move first, as the one to choose; the order of the others stays.
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

    /// The points by which either player leads.
    pub fn lead_of(&self, c: Color) -> f64 {
        if c == self.color {
            self.score.lead
        } else {
            -self.score.lead
        }
    }

    /// The report with win rates, leads and utilities of this player instead. Ownership
    /// and the network's own evaluation stay Black's.
    pub fn seen_by(&self, c: Color) -> Cow<'_, AnalysisReport> {
        if c == self.color {
            return Cow::Borrowed(self);
        }
        let mut seen = self.clone();
        let turn = |p: &mut f32| *p = 1.0 - *p;
        turn(&mut seen.win_rate);
        turn(&mut seen.mean_win_rate);
        seen.utility = -seen.utility;
        seen.score = seen.score.opposite();
        for m in &mut seen.moves {
            turn(&mut m.win_rate);
            turn(&mut m.lcb);
            m.utility = -m.utility;
            m.utility_lcb = -m.utility_lcb;
            m.score = m.score.opposite();
        }
        Cow::Owned(seen)
    }

    /// Who leads by how many points, as results are written: `B+1.2`.
    pub fn leader(&self) -> String {
        let lead = self.lead_of(Color::Black);
        let leader = if lead >= 0.0 {
            Color::Black
        } else {
            Color::White
        };
        format!("{}+{:.1}", leader.letter(), lead.abs())
    }

    /// What a search has found for a request; nothing before it has begun. Moves that
    /// the request leaves out are left out.
    pub(super) fn new(request: &AnalysisRequest, found: Option<Snapshot>) -> AnalysisReport {
        let color = request.position.to_move();
        let Some(found) = found else {
            return AnalysisReport::nothing(color);
        };
        let mut totals = found.totals;
        let mut score = score(&totals.sums, color).unwrap_or_default();
        score.lead = found.value.lead.map_or(score.lead, f64::from);
        let mut moves = found.moves;
        let restrictions = &request.restrictions;
        moves.retain(|(m, _)| !restrictions.iter().any(|r| r.forbids(color, m.mv, 0)));
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
                    ..MoveReport::of(&m, &sums, score, color)
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

    fn nothing(color: Color) -> AnalysisReport {
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
    /// Of a move for a player; without playouts of its own it has the position's
    /// score.
    fn of(m: &RootMove, sums: &Sums, of_position: ScoreReport, c: Color) -> MoveReport {
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
            utility_lcb: bound(m.utility, m.utility_error, LEAST_UTILITY),
            score,
            prior: m.prior,
            no_result: no_result(sums),
            pv: Vec::new(),
            ownership: None,
        }
    }
}

/// No utility is less: a game that is lost, and by as much as can be.
const LEAST_UTILITY: f32 = -1.4;

fn no_result(sums: &Sums) -> f64 {
    sums.no_result / sums.playouts.max(1) as f64
}

/// For a player; `None` without playouts.
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
