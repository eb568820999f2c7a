//! Annotations of each position in the record.

use super::losses::Loss;
use super::{VariationLimits, parts};
use crate::analysis::{AnalysisReport, MoveReport};
use crate::sgf::{GameRecord, Note};
use crate::types::{Color, Move};

/// Annotate all positions of a recorded game from their reports. The record's own comments
/// come first.
pub(super) fn notes(
    shown: VariationLimits,
    record: &GameRecord,
    reports: &[AnalysisReport],
    losses: &[Loss],
) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    let mut losses = losses.iter().peekable();
    for part in parts(&record.position, reports) {
        let next = part.game.turns().iter().map(|t| Some(t.mv));
        for (now, next) in part.reports.iter().zip(next.chain([None])) {
            let lost = losses.next_if(|l| l.at + 1 == notes.len());
            notes.push(note(shown, now, lost, next));
        }
    }
    for (position, said) in record.comments.iter().rev() {
        let properties = notes.get_mut(*position).map(|note| &mut note.properties);
        for (_, ours) in properties.into_iter().flatten().filter(|p| p.0 == "C") {
            *ours = format!("{said}\n\n{ours}");
        }
    }
    notes
}

/// Black's win rate and the leader, as `Black 54.3 %, B+1.2`.
pub(super) fn headline(analysis: &AnalysisReport) -> String {
    let win_rate = 100.0 * analysis.win_rate_of(Color::Black);
    format!("Black {win_rate:.1} %, {}", analysis.leader())
}

/// Annotate a position with Sabaki's win rate (SBKV, Black's, in percent), the node
/// value (V, Black's lead), a comment, and the best variations that differ from the
/// game.
fn note(
    shown: VariationLimits,
    now: &AnalysisReport,
    lost: Option<&Loss>,
    next: Option<Move>,
) -> Note {
    let effort = match now.is_counted() {
        true => "as counted".to_owned(),
        false => format!("{} visits", now.visits),
    };
    let mut comment = format!("{}, {effort}", headline(now));
    if let Some(lost) = lost {
        comment.push_str(&format!("; {}", lost.in_words()));
    }
    let VariationLimits { variations, length } = shown;
    if let (None, Some(best)) = (next, now.moves.first()) {
        // After the last move a variation would look like part of the game.
        comment.push_str(&format!("\nBest: {}", best.variation(length)));
    }
    let others = now
        .moves
        .iter()
        .filter(|m| m.visits > 0 && Some(m.mv) != next);
    let variations = others
        .take(variations)
        .map(|m| (m.line(now.color).take(length).collect(), in_words(m)))
        .collect();
    Note {
        properties: vec![
            (
                "SBKV",
                format!("{:.2}", 100.0 * now.win_rate_of(Color::Black)),
            ),
            ("V", format!("{:.2}", now.lead_of(Color::Black))),
            ("C", comment),
        ],
        variations,
    }
}

fn in_words(m: &MoveReport) -> String {
    format!(
        "{:.1} % for the player, lead {:.1}, {} visits",
        100.0 * m.win_rate,
        m.score.lead,
        m.visits
    )
}
