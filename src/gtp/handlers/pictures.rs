//! Search results as pictures for GoGui.

use super::report::lower;
use crate::analysis::{AnalysisReport, MoveReport};
use crate::gtp::error::GtpError;
use crate::gtp::parse::Args;
use crate::gtp::session::Session;
use crate::types::{BoardSize, Color, Move, Point};

type Reply = Result<String, GtpError>;

/// Run a short fixed search of the position.
fn fixed_search(session: &mut Session) -> (BoardSize, AnalysisReport) {
    let position = session.engine.position();
    let (size, to_move) = (position.size(), position.to_move());
    (size, session.engine.fixed_analysis(to_move))
}

/// Format a cell for each point, rows from the top.
pub fn grid(size: BoardSize, cell: impl Fn(Point) -> String) -> String {
    let rows = (0..size.height()).rev().map(|y| {
        let cells = (0..size.width()).map(|x| cell(Point::new(x, y)));
        cells.collect::<Vec<_>>().join(" ")
    });
    rows.collect::<Vec<_>>().join("\n")
}

fn by_point(analysis: &AnalysisReport, p: Point) -> Option<&MoveReport> {
    analysis.moves.iter().find(|m| m.mv == Move::Play(p))
}

/// Final ownership: 1 is Black's, −1 White's.
pub fn ownership(session: &mut Session, _: &Args<'_>) -> Reply {
    let (size, analysis) = fixed_search(session);
    Ok(grid(size, |p| format!("{:.3}", analysis.ownership.of(p))))
}

/// The prior of each move, relative to the highest.
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

/// The visits of each move.
pub fn visits(session: &mut Session, _: &Args<'_>) -> Reply {
    let (size, analysis) = fixed_search(session);
    Ok(grid(size, |p| match by_point(&analysis, p) {
        Some(m) if m.visits > 0 => m.visits.to_string(),
        _ => "\"\"".to_owned(),
    }))
}

/// The win rate of each move that was visited, in percent.
pub fn win_rates(session: &mut Session, _: &Args<'_>) -> Reply {
    let (size, analysis) = fixed_search(session);
    Ok(grid(size, |p| match by_point(&analysis, p) {
        Some(m) if m.visits > 0 => format!("{:.0}", 100.0 * m.win_rate),
        _ => "\"\"".to_owned(),
    }))
}

/// The principal variation as moves: `b C3 w D4`.
pub fn variation(session: &mut Session, _: &Args<'_>) -> Reply {
    let (_, analysis) = fixed_search(session);
    Ok(moves_of(&analysis))
}

fn moves_of(analysis: &AnalysisReport) -> String {
    let Some(best) = analysis.moves.first() else {
        return String::new();
    };
    let mut color = analysis.color;
    let mut texts = Vec::new();
    for &(m, _) in &best.pv {
        texts.push(format!("{} {}", letter(color), super::vertex(m)));
        color = color.opponent();
    }
    texts.join(" ")
}

fn letter(c: Color) -> char {
    c.letter().to_ascii_lowercase()
}

/// The principal variation as a GoGui live-graphics line.
pub fn live(analysis: &AnalysisReport) -> String {
    format!("gogui-gfx: VAR {}", moves_of(analysis))
}

/// GoGui live-graphics line that clears the drawing.
pub const LIVE_END: &str = "gogui-gfx: CLEAR";

/// Most moves of a variation in a chat line.
const CHAT_MOVES: usize = 8;

/// A line for OGS's malkovich chat, which the players cannot read.
pub fn ogs_line(analysis: &AnalysisReport) -> String {
    let moves: Vec<String> = analysis.moves.first().map_or_else(Vec::new, |best| {
        let pv = best.pv.iter().take(CHAT_MOVES);
        pv.map(|&(m, _)| lower(m)).collect()
    });
    format!(
        "MALKOVICH:Visits {} Winrate {:.1}% ScoreLead {:.1} PV {}",
        analysis.visits,
        100.0 * analysis.win_rate,
        analysis.score.lead,
        moves.join(" ")
    )
}
