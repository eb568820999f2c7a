//! Reports as lines of text: Leela Zero's, KataGo's and CGOS' formats.
//!
//! KataGo's analysis protocol ([`crate::json`]) names, orders and rounds the values of an
//! [`AnalysisReport`] differently, so it has a separate writer.

use super::keys::{AnalyzeOptions, Format};
use crate::analysis::{AnalysisReport, MoveReport, ScoreReport};
use crate::playout::Ownership;
use crate::types::{BoardSize, Color, Point};
use crate::util::spaced;
use serde_json::{Value, json};
use std::fmt::Write;

impl AnalyzeOptions {
    /// Format a report as one line.
    pub fn line(&self, analysis: &AnalysisReport, size: BoardSize) -> String {
        let c = self.report.perspective.player(analysis.color);
        let analysis = analysis.seen_by(c);
        let shown = visited(&analysis.moves).len().max(self.least_moves).max(1);
        let shown = shown.min(self.most_moves);
        let mut text = String::new();
        for (order, m) in analysis.moves.iter().take(shown).enumerate() {
            if order > 0 {
                text.push(' ');
            }
            match self.format {
                Format::Lz => lz_info(&mut text, m, order),
                Format::Kata | Format::Plain => self.kata_info(&mut text, m, order, c, size),
            }
        }
        if self.root_info {
            let _ = write!(text, " rootInfo visits {}", analysis.visits);
            let _ = write!(text, " utility {:.6}", analysis.utility);
            let _ = write!(text, " winrate {:.6}", analysis.mean_win_rate);
            score(&mut text, analysis.score);
            let _ = write!(text, " weight {}", analysis.visits);
            if self.report.no_result {
                let _ = write!(text, " noResultValue {:.6}", analysis.no_result);
            }
        }
        if self.report.ownership {
            points(
                &mut text,
                " ownership",
                &analysis.ownership,
                size,
                mean_for(c),
            );
        }
        if self.report.ownership_deviation {
            points(
                &mut text,
                " ownershipStdev",
                &analysis.ownership,
                size,
                deviation,
            );
        }
        text.trim_start().to_owned()
    }

    fn kata_info(
        &self,
        text: &mut String,
        m: &MoveReport,
        order: usize,
        c: Color,
        size: BoardSize,
    ) {
        let _ = write!(
            text,
            "info move {} visits {} edgeVisits {} utility {:.6} winrate {:.6}",
            m.mv, m.visits, m.visits, m.utility, m.win_rate,
        );
        score(text, m.score);
        let _ = write!(text, " prior {:.6}", m.prior);
        if self.report.no_result {
            let _ = write!(text, " noResultValue {:.6}", m.no_result);
        }
        let _ = write!(
            text,
            " lcb {:.6} utilityLcb {:.6} weight {} order {order} pv {}",
            m.lcb,
            m.utility_lcb,
            m.visits,
            m.variation(usize::MAX),
        );
        for (wanted, key) in [
            (self.report.pv_visits, "pvVisits"),
            (self.pv_edge_visits, "pvEdgeVisits"),
        ] {
            if wanted {
                let visits = m.pv.iter().map(|(_, n)| n);
                let _ = write!(text, " {key} {}", spaced(visits));
            }
        }
        if let Some(ownership) = &m.ownership {
            if self.report.moves_ownership {
                points(text, " movesOwnership", ownership, size, mean_for(c));
            }
            if self.report.moves_ownership_deviation {
                points(text, " movesOwnershipStdev", ownership, size, deviation);
            }
        }
    }
}

fn lz_info(text: &mut String, m: &MoveReport, order: usize) {
    let units = |x: f32| (x * 10_000.0).round() as i64;
    let _ = write!(
        text,
        "info move {} visits {} winrate {} prior {} lcb {} order {order} pv {}",
        m.mv,
        m.visits,
        units(m.win_rate),
        units(m.prior),
        units(m.lcb),
        m.variation(usize::MAX),
    );
}

fn score(text: &mut String, score: ScoreReport) {
    let ScoreReport {
        lead,
        mean,
        deviation,
    } = score;
    // KataGo's scoreMean is another name for the lead.
    let _ = write!(
        text,
        " scoreMean {lead:.4} scoreStdev {deviation:.4} scoreLead {lead:.4} scoreSelfplay {mean:.4}"
    );
}

/// Ownership of a point for a player, from −1 to 1.
fn mean_for(c: Color) -> impl Fn(&Ownership, Point) -> f32 {
    move |ownership, p| c.sign() as f32 * ownership.of(p)
}

/// Standard deviation of the ownership of a point.
fn deviation(ownership: &Ownership, p: Point) -> f32 {
    ownership.deviation(p)
}

/// Write a key and a number for each point, rows from the top.
fn points(
    text: &mut String,
    key: &str,
    ownership: &Ownership,
    size: BoardSize,
    value: impl Fn(&Ownership, Point) -> f32,
) {
    text.push_str(key);
    for p in size.from_the_top() {
        let _ = write!(text, " {:.3}", value(ownership, p));
    }
}

/// The moves with visits, after the chosen one, which may be a pass without any.
fn visited(moves: &[MoveReport]) -> &[MoveReport] {
    let last = moves.iter().rposition(|m| m.visits > 0);
    last.and_then(|last| moves.get(..=last)).unwrap_or_default()
}

/// Maximum number of moves sent to CGOS.
const CGOS_MOVES: usize = 10;

/// Format a report as JSON that CGOS stores with a move and shows in its viewer.
pub fn cgos_json(analysis: &AnalysisReport, size: BoardSize) -> Value {
    let short = |x: f64| (x * 10_000.0).round() / 10_000.0;
    let moves: Vec<Value> = visited(&analysis.moves)
        .iter()
        .take(CGOS_MOVES)
        .map(|m| {
            json!({
                "move": m.mv.to_string(),
                "visits": m.visits,
                "winrate": short(m.win_rate.into()),
                "score": short(m.score.lead),
                "prior": short(m.prior.into()),
                "pv": spaced(m.pv.iter().skip(1).map(|(m, _)| m)),
            })
        })
        .collect();
    let mean = mean_for(analysis.color);
    let ownership: String = size
        .from_the_top()
        .map(|p| base_63(mean(&analysis.ownership, p)))
        .collect();
    json!({
        "winrate": short(analysis.win_rate.into()),
        "score": short(analysis.score.lead),
        "visits": analysis.visits,
        "moves": moves,
        "ownership": ownership,
    })
}

/// Encode a number from −1 to 1 as one of 63 characters, `A` to `+`.
fn base_63(x: f32) -> char {
    const CHARS: &[u8; 63] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+";
    let at = ((x + 1.0) / 2.0).clamp(0.0, 1.0) * 62.0;
    CHARS.get(at.round() as usize).map_or('f', |&b| b as char)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{
        AnalysisRequest, Analyst, EvaluatorChoice, Limits, Perspective, ReportOptions,
    };
    use crate::position::Position;
    use crate::rules::Ruleset;
    use crate::types::Move;

    /// The engine passed after a search of one other move, and the report named the pass alone.
    #[test]
    fn a_choice_without_visits_hides_no_move_that_has_some() {
        let mut analyst = Analyst::of_test(EvaluatorChoice::Playouts);
        let size = BoardSize::square(5);
        let mut report = analyst.side_search(&AnalysisRequest {
            limits: Limits::of_playouts(2),
            ..AnalysisRequest::new(Position::new(size, Ruleset::default()))
        });
        let visited = report.moves.iter().filter(|m| m.visits > 0).count();
        assert!(0 < visited && visited < report.moves.len());
        report.put_first(Move::Pass);
        assert_eq!(
            (report.moves[0].mv, report.moves[0].visits),
            (Move::Pass, 0)
        );
        let options = |least_moves, most_moves| AnalyzeOptions {
            format: Format::Kata,
            color: Color::Black,
            interval: None,
            least_moves,
            most_moves,
            root_info: false,
            pv_edge_visits: false,
            report: ReportOptions {
                perspective: Perspective::ToMove,
                ..ReportOptions::default()
            },
            restrictions: Vec::new(),
        };
        let named = |least, most| {
            let line = options(least, most).line(&report, size);
            line.matches("info move").count()
        };
        assert_eq!(named(0, usize::MAX), visited + 1);
        assert_eq!(named(0, 1), 1);
        let sent = cgos_json(&report, size);
        assert_eq!(sent["moves"].as_array().unwrap().len(), visited + 1);
        assert_eq!(sent["moves"][0]["move"], "pass");
        assert_eq!(named(visited + 2, usize::MAX), visited + 2);
        report.moves.iter_mut().for_each(|m| m.visits = 0);
        assert_eq!(
            options(0, 9)
                .line(&report, size)
                .matches("info move")
                .count(),
            1
        );
    }
}
