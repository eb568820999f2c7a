//! The page of an analysed game: converts reports for [`crate::page`].

use super::losses::{self, Loss};
use super::{note, parts, table};
use crate::analysis::{AnalysisReport, MoveReport};
use crate::cli::pages::ownership;
use crate::cli::save;
use crate::page::{self, Candidate, PositionNote, Review};
use crate::sgf::GameRecord;
use crate::types::Color;
use std::path::Path;

/// Write the page of an analysed game. It shows at most `moves` visited moves of each report,
/// with at most `length` moves of their variations. The annotated record and the table can be
/// downloaded from it.
///
/// # Errors
/// A message that says why the file cannot be written.
pub(super) fn write(
    path: &Path,
    record: &GameRecord,
    reports: &[AnalysisReport],
    losses: &[Loss],
    sgf: String,
    [moves, length]: [usize; 2],
) -> Result<(), String> {
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
                .take(moves)
                .map(|m| candidate(m, report, length))
                .collect(),
        }
    };
    let mut positions: Vec<PositionNote> = Vec::new();
    for part in parts(game, reports) {
        // The start of a part replaces the end of the previous part.
        positions.pop();
        positions.extend(part.reports.iter().map(annotate));
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let rows = table::rows(&stem, losses, reports);
    let files = [
        (format!("{stem}.sgf"), sgf),
        (format!("{stem}.csv"), table::HEADER.to_owned() + &rows),
    ];
    let mut costliest = Color::BOTH.map(|c| losses::costliest(losses, c)).concat();
    costliest.sort_by(|&a, &b| losses[b].points.total_cmp(&losses[a].points));
    let losses_of_page: Vec<page::Loss> = losses
        .iter()
        .map(|l| page::Loss {
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
    save(path, &review.html())
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
        variation: note::line(m, report.color, length),
    }
}
