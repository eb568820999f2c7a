//! Search results as pictures for GoGui.

use super::{Args, Reply, Session};
use crate::analysis::{AnalysisReport, MoveReport};
use crate::types::{BoardSize, Color, Move, Point};
use crate::util::spaced;

/// Run a short fixed search of the position.
fn fixed_search(session: &mut Session) -> (BoardSize, AnalysisReport) {
    let position = session.engine.position();
    let (size, to_move) = (position.size(), position.to_move());
    (size, session.engine.fixed_analysis(to_move))
}

/// Format a cell for each point, rows from the top.
pub fn grid(size: BoardSize, cell: impl Fn(Point) -> String) -> String {
    size.rows(cell).collect::<Vec<_>>().join("\n")
}

fn by_point(analysis: &AnalysisReport, p: Point) -> Option<&MoveReport> {
    analysis.moves.iter().find(|m| m.mv == Move::Play(p))
}

/// Print the expected ownership of each point: 1 is Black's, −1 White's.
pub fn ownership(session: &mut Session, _: &Args<'_>) -> Reply {
    let size = session.engine.position().size();
    let analysis = session.engine.expectation();
    Ok(grid(size, |p| format!("{:.3}", analysis.ownership.of(p))))
}

/// Print the prior of each move, relative to the highest.
pub fn prior(session: &mut Session, _: &Args<'_>) -> Reply {
    let (size, analysis) = fixed_search(session);
    let most = analysis
        .moves
        .iter()
        .map(|m| m.prior)
        .fold(f32::MIN_POSITIVE, f32::max);
    Ok(grid(size, |p| {
        let prior = by_point(&analysis, p).map_or(0.0, |m| m.prior);
        format!("{:.3}", prior / most)
    }))
}

/// Print the visits of each move.
pub fn visits(session: &mut Session, _: &Args<'_>) -> Reply {
    let (size, analysis) = fixed_search(session);
    Ok(grid(size, |p| match by_point(&analysis, p) {
        Some(m) if m.visits > 0 => m.visits.to_string(),
        _ => "\"\"".to_owned(),
    }))
}

/// Print the principal variation as moves: `b C3 w D4`.
pub fn variation(session: &mut Session, _: &Args<'_>) -> Reply {
    let (_, analysis) = fixed_search(session);
    Ok(moves_of(&analysis))
}

fn moves_of(analysis: &AnalysisReport) -> String {
    let best = analysis.moves.first().into_iter();
    moves(best.flat_map(|best| best.line(analysis.color)))
}

/// Format moves with their players: `b C3 w D4`.
pub fn moves(line: impl IntoIterator<Item = (Color, Move)>) -> String {
    let moves = line.into_iter().map(|(c, m)| {
        let letter = c.letter().to_ascii_lowercase();
        format!("{letter} {}", super::vertex_text(m))
    });
    spaced(moves)
}

/// The principal variation as a GoGui live-graphics line.
pub fn live(analysis: &AnalysisReport) -> String {
    format!("gogui-gfx: VAR {}", moves_of(analysis))
}

/// GoGui live-graphics line that clears the drawing.
pub const LIVE_END: &str = "gogui-gfx: CLEAR";

/// Maximum number of moves of a variation in a chat line.
const CHAT_MOVES: usize = 8;

/// A line for OGS's malkovich chat, which the players cannot read.
pub fn ogs_line(analysis: &AnalysisReport) -> String {
    let best = analysis.moves.first();
    let line = best.map(|best| best.variation(CHAT_MOVES));
    format!(
        "MALKOVICH:Visits {} Winrate {:.1}% ScoreLead {:.1} PV {}",
        analysis.visits,
        100.0 * analysis.win_rate,
        analysis.score.lead,
        line.unwrap_or_default()
    )
}
