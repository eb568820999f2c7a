//! The page of an analysed game: converts reports for [`crate::page`].

use super::losses;
use super::{Reviewed, parts, table};
use crate::analysis::{AnalysisReport, MoveReport};
use crate::cli::pages::ownership;
use crate::page::{self, Candidate, PositionNote, Review, Served};
use crate::types::Color;

/// Render the page of an analysed game. The annotated record and the table, both named `stem`, can
/// be downloaded from it; `served` is as in [`crate::page`].
pub(super) fn html(review: &Reviewed<'_>, stem: &str, served: Option<Served<'_>>) -> String {
    let Reviewed {
        record,
        reports,
        losses,
        annotated,
        shown,
    } = review;
    let game = &record.position;
    let size = game.size();
    let annotate = |report: &AnalysisReport| {
        let visited = report.moves.iter().filter(|m| m.visits > 0);
        PositionNote {
            to_move: report.color,
            win_rate: report.win_rate_of(Color::Black),
            lead: report.lead_of(Color::Black),
            visits: report.visits,
            ownership: ownership(size, &report.ownership),
            candidates: visited
                .take(shown.variations)
                .map(|m| candidate(m, report, shown.length))
                .collect(),
        }
    };
    let mut positions: Vec<PositionNote> = Vec::new();
    for part in parts(game, reports) {
        // The start of a part replaces the end of the previous part.
        positions.pop();
        positions.extend(part.reports.iter().map(annotate));
    }
    let rows = table::rows(stem, losses, reports);
    let files = [
        (format!("{stem}.sgf"), annotated.clone()),
        (format!("{stem}.csv"), table::HEADER.to_owned() + &rows),
    ];
    let mut costliest = Color::BOTH.map(|c| losses::costliest(losses, c)).concat();
    costliest.sort_by(|&a, &b| losses[b].points.total_cmp(&losses[a].points));
    let losses_of_page: Vec<page::MoveNote> = losses
        .iter()
        .map(|l| page::MoveNote {
            points: l.points,
            win_rate: l.win_rate,
            is_mistake: l.is_bad(),
            better: l.better.first().copied().filter(|_| l.points > 0.0),
        })
        .collect();
    let review = Review {
        info: &record.info,
        game,
        positions: &positions,
        losses: &losses_of_page,
        costliest: &costliest,
        summary: &losses::summary(losses, size),
        files: &files,
    };
    review.html(served)
}

/// Convert a move of a report, with values from Black's point of view.
fn candidate(m: &MoveReport, report: &AnalysisReport, length: usize) -> Candidate {
    let (win_rate, lead) = match report.color {
        Color::Black => (m.win_rate, m.score.lead),
        Color::White => (1.0 - m.win_rate, -m.score.lead),
    };
    Candidate {
        vertex: m.mv,
        win_rate,
        lead,
        lost: losses::lost(report, m.score.lead),
        visits: m.visits,
        prior: m.prior,
        variation: m.line(report.color).take(length).collect(),
    }
}
